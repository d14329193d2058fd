// SPDX-License-Identifier: Apache-2.0
#include "ops/commands/clustering.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/json.h"
#include "kernel/protocol/letter_case.h"
#include "kernel/protocol/statistics_columns.h"
#include "kernel/protocol/table_properties.h"

namespace bayou::commands {
namespace {

using protocol::Field;
using protocol::Schema;

constexpr std::size_t kMostColumns = 4;  // As with delta-spark.

tl::unexpected<Error> Invalid(std::string message) {
  return Fail(ErrorCode::kInvalidArgument, "DELTA_CLUSTERING_COLUMNS_INVALID",
              std::move(message));
}

std::string Dotted(const std::vector<std::string>& path) {
  std::string text;
  for (const std::string& name : path) {
    text += (text.empty() ? "" : ".") + name;
  }
  return text;
}

}  // namespace

protocol::DomainMetadata ClusteringDomain(const ClusteringPaths& physical) {
  JsonBuffer buffer;
  JsonWriter writer(buffer);
  writer.StartObject();
  WriteKey(writer, "clusteringColumns");
  writer.StartArray();
  for (const auto& path : physical) {
    writer.StartArray();
    for (const std::string& name : path) WriteString(writer, name);
    writer.EndArray();
  }
  writer.EndArray();
  WriteKey(writer, "domainName");
  WriteString(writer, kClusteringDomain);
  writer.EndObject();
  return {std::string(kClusteringDomain), TakeText(buffer), false};
}

Result<ClusteringPaths> ParseClusteringDomain(
    const protocol::DomainMetadata& domain, std::string_view table) {
  const auto damaged = [&] {
    return Fail(ErrorCode::kCorruption, "DELTA_LOG_INVALID",
                fmt::format("table {}: the domain {} makes no sense", table,
                            domain.domain));
  };
  simdjson::dom::parser parser;
  const auto json = ParseJson(parser, domain.configuration);
  simdjson::dom::array columns;
  if (!json || (*json)["clusteringColumns"].get(columns)) return damaged();
  ClusteringPaths paths;
  for (const simdjson::dom::element column : columns) {
    simdjson::dom::array names;
    if (column.get(names)) return damaged();
    auto& path = paths.emplace_back();
    for (const simdjson::dom::element name : names) {
      std::string_view text;
      if (name.get(text)) return damaged();
      path.emplace_back(text);
    }
  }
  return paths;
}

Result<ClusteringPaths> PhysicalClusteringColumns(
    const protocol::Metadata& metadata, const Schema& schema,
    const ClusteringPaths& columns) {
  if (!columns.empty() && !metadata.partition_columns.empty()) {
    return Invalid("a table that is partitioned cannot be clustered too");
  }
  if (columns.size() > kMostColumns) {
    return Invalid("a table is clustered by at most 4 columns");
  }
  BAYOU_ASSIGN(
      const auto statistics,
      protocol::ChooseStatisticsColumns(
          schema, {}, protocol::TableProperties(metadata.configuration)));
  ClusteringPaths physical;
  for (const auto& column : columns) {
    std::vector<std::string> path;
    const std::vector<Field>* level = &schema.fields;
    const Field* field = nullptr;
    for (const std::string& name : column) {
      const auto found = std::ranges::find_if(*level, [&](const Field& of) {
        return protocol::EqualIgnoringCase(of.name, name);
      });
      if (found == level->end()) {
        return Invalid("there is no column " + Dotted(column) +
                       " to cluster by");
      }
      field = &*found;
      path.push_back(field->physical_name());
      level = &field->type.fields;
    }
    const bool has_statistics =
        std::ranges::find(statistics, path,
                          &protocol::StatisticsColumn::path) !=
        statistics.end();
    if (!has_statistics || !protocol::HasBounds(field->type.kind)) {
      return Invalid(fmt::format(
          "column {} of type {} has no statistics in the files, so rows cannot "
          "be clustered by it; see delta.dataSkippingStatsColumns",
          Dotted(column), protocol::TypeName(field->type)));
    }
    if (std::ranges::find(physical, path) != physical.end()) {
      return Invalid("column " + Dotted(column) + " is named twice");
    }
    physical.push_back(std::move(path));
  }
  return physical;
}

ClusteringPaths LogicalClusteringPaths(const Schema& schema,
                                       const ClusteringPaths& physical) {
  ClusteringPaths logical;
  for (const auto& path : physical) {
    auto& names = logical.emplace_back();
    const std::vector<Field>* level = &schema.fields;
    for (const std::string& name : path) {
      const auto found = std::ranges::find_if(*level, [&](const Field& field) {
        return field.physical_name() == name;
      });
      names.push_back(found == level->end() ? name : found->name);
      if (found != level->end()) level = &found->type.fields;
    }
  }
  return logical;
}

std::string LogicalClusteringText(const Schema& schema,
                                  const ClusteringPaths& physical) {
  std::string text;
  for (const auto& names : LogicalClusteringPaths(schema, physical)) {
    text += (text.empty() ? "" : ",") + Dotted(names);
  }
  return text;
}

}  // namespace bayou::commands

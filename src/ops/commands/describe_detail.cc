// SPDX-License-Identifier: Apache-2.0
#include "ops/commands/describe_detail.h"

#include "base/json.h"
#include "base/uri_path.h"
#include "kernel/protocol/table_features.h"

namespace bayou::commands {
namespace {

constexpr const char* kClusteringDomain = "delta.clustering";

// The logical name of the column whose physical path this is, levels by dots.
std::string LogicalName(const std::vector<protocol::Field>& fields,
                        simdjson::dom::array path) {
  std::string name;
  const std::vector<protocol::Field>* level = &fields;
  for (const simdjson::dom::element element : path) {
    std::string_view step;
    if (element.get(step) != simdjson::SUCCESS) return name;
    const protocol::Field* found = nullptr;
    for (const protocol::Field& field : *level) {
      if (field.physical_name() == step) found = &field;
    }
    if (!name.empty()) name += '.';
    name += found ? found->name : std::string(step);
    static const std::vector<protocol::Field> kNone;
    level = found ? &found->type.fields : &kNone;
  }
  return name;
}

// Protocol: "Clustered Table". A domain that is not as specified has none.
std::vector<std::string> ClusteringColumns(const table::Snapshot& snapshot) {
  std::vector<std::string> columns;
  const auto& domains = snapshot.state().domains();
  const auto domain = domains.find(kClusteringDomain);
  if (domain == domains.end()) return columns;
  simdjson::dom::parser parser;
  const auto parsed = ParseJson(parser, domain->second.configuration);
  simdjson::dom::array paths;
  if (!parsed || (*parsed)["clusteringColumns"].get(paths) != simdjson::SUCCESS)
    return columns;
  for (const simdjson::dom::element element : paths) {
    simdjson::dom::array path;
    if (element.get(path) == simdjson::SUCCESS) {
      columns.push_back(LogicalName(snapshot.schema().fields, path));
    }
  }
  return columns;
}

}  // namespace

Result<TableDetail> DescribeDetail(const table::Snapshot& snapshot) {
  const protocol::Metadata& metadata = snapshot.metadata();
  BAYOU_ASSIGN(const log::FileTotals totals, snapshot.state().Totals());
  BAYOU_ASSIGN(const std::int64_t last_modified_ms, snapshot.Timestamp());
  const auto features = protocol::SupportedFeatures(snapshot.protocol());
  return TableDetail{
      .id = metadata.id,
      .name = metadata.name,
      .description = metadata.description,
      .location = "file:" + PercentEncodePath(snapshot.location()),
      .created_ms = metadata.created_time,
      .last_modified_ms = last_modified_ms,
      .partition_columns = metadata.partition_columns,
      .clustering_columns = ClusteringColumns(snapshot),
      .num_files = totals.files,
      .size_in_bytes = totals.bytes,
      .properties = metadata.configuration,
      .min_reader_version = snapshot.protocol().min_reader_version,
      .min_writer_version = snapshot.protocol().min_writer_version,
      .table_features = {features.begin(), features.end()},
  };
}

}  // namespace bayou::commands

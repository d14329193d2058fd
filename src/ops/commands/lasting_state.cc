// SPDX-License-Identifier: Apache-2.0
#include "ops/commands/lasting_state.h"

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "kernel/protocol/metadata_number.h"
#include "kernel/protocol/schema.h"
#include "kernel/protocol/table_features.h"
#include "ops/commands/clustering.h"
#include "ops/commands/column_mapper.h"
#include "ops/commands/kept_properties.h"

namespace bayou::commands {
namespace {

using protocol::Field;
using protocol::Metadata;
using protocol::MetadataNumber;
using protocol::Protocol;
using table::Snapshot;

using Names = std::optional<std::vector<std::string>>;

Names Union(const Names& a, const Names& b) {
  if (!a) return b;
  std::set<std::string> all(a->begin(), a->end());
  if (b) all.insert(b->begin(), b->end());
  return std::vector<std::string>(all.begin(), all.end());
}

// Identity columns go on behind the values that they have given since.
void KeepIdentityMarks(const protocol::Schema& current,
                       protocol::Schema& restored) {
  constexpr const char* kMark = "delta.identity.highWaterMark";
  for (Field& field : restored.fields) {
    const auto step = MetadataNumber(field, "delta.identity.step");
    const Field* now = current.Find(field.name);
    if (!step || now == nullptr) continue;
    const auto mark = MetadataNumber(*now, kMark);
    if (!mark) continue;
    const std::int64_t before = MetadataNumber(field, kMark).value_or(*mark);
    field.metadata[kMark] = std::to_string(*step > 0 ? std::max(before, *mark)
                                                     : std::min(before, *mark));
  }
}

}  // namespace

Protocol MergedProtocol(const Protocol& current, const Protocol& coming) {
  const auto has = protocol::SupportedFeatures(current);
  const auto needed = protocol::SupportedFeatures(coming);
  if (std::ranges::includes(has, needed)) return current;
  Protocol merged = protocol::WithoutFeature(current, "");
  const Protocol other = protocol::WithoutFeature(coming, "");
  merged.min_reader_version =
      std::max(merged.min_reader_version, other.min_reader_version);
  merged.reader_features = Union(merged.reader_features, other.reader_features);
  merged.writer_features = Union(merged.writer_features, other.writer_features);
  return merged;
}

Result<Metadata> MetadataInPlaceOf(const Snapshot& current,
                                   const Snapshot& coming) {
  Metadata restored = coming.metadata();
  restored.id = current.metadata().id;
  BAYOU_ASSIGN(auto schema, protocol::ParseSchema(restored.schema_string));
  KeepIdentityMarks(current.schema(), schema);
  restored.schema_string = protocol::SchemaToJson(schema);
  KeepProperties(current.metadata().configuration, restored.configuration);
  if (coming.column_mapping() != protocol::ColumnMappingMode::kNone) {
    restored.configuration["delta.columnMapping.maxColumnId"] = std::to_string(
        std::max(LastColumnId(current.metadata(), current.schema()),
                 LastColumnId(coming.metadata(), coming.schema())));
  }
  return restored;
}

void StageClusteringOf(const Snapshot* current, const Snapshot& coming,
                       transaction::Transaction& transaction) {
  const std::string domain(kClusteringDomain);
  const auto find = [&](const Snapshot& table) {
    const auto& domains = table.state().domains();
    const auto found = domains.find(domain);
    return found == domains.end() ? nullptr : &found->second;
  };
  const auto* before = current == nullptr ? nullptr : find(*current);
  const auto* after = find(coming);
  if (after != nullptr) {
    if (before == nullptr || before->configuration != after->configuration)
      transaction.SetDomain(*after);
  } else if (before != nullptr) {
    protocol::DomainMetadata removed = *before;
    removed.removed = true;
    transaction.SetDomain(std::move(removed));
  }
}

}  // namespace bayou::commands

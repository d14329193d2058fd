// SPDX-License-Identifier: Apache-2.0
#include "ops/commands/clustering_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "base/json.h"
#include "base/sum.h"
#include "kernel/protocol/statistics_columns.h"

namespace bayou::commands {
namespace {

using protocol::AddFile;
using protocol::Field;

constexpr const char* kCubeId = "ZCUBE_ID";
constexpr const char* kCubeColumns = "ZCUBE_ZORDER_BY";
constexpr const char* kCubeCurve = "ZCUBE_ZORDER_CURVE";
constexpr const char* kProvider = "liquid";
// delta-spark's: a cube of more bytes is complete, and one grows to that size.
constexpr std::int64_t kCompleteCube = std::int64_t{100} << 30;
constexpr std::int64_t kTargetCube = std::int64_t{150} << 30;

std::string Joined(const std::vector<std::string>& path) {
  std::string text;
  for (const std::string& name : path) text += (text.empty() ? "" : ".") + name;
  return text;
}

std::string TextOf(const std::vector<std::string>& names) {
  JsonBuffer buffer;
  JsonWriter writer(buffer);
  writer.StartArray();
  for (const std::string& name : names) WriteString(writer, name);
  writer.EndArray();
  return TakeText(buffer);
}

std::string TagOf(const AddFile& file, const char* key) {
  const auto found = file.tags.find(key);
  return found == file.tags.end() ? "" : found->second.value_or("");
}

tl::unexpected<Error> Unfit(const char* condition, const std::string& column,
                            const std::string& what) {
  return Fail(
      ErrorCode::kInvalidArgument, condition,
      fmt::format("rows cannot be ordered by column {}: {}", column, what));
}

std::optional<std::size_t> PositionOf(const std::vector<Field>& fields,
                                      const std::string& name) {
  const protocol::Schema schema{fields};
  const Field* found = schema.Find(name);
  if (found == nullptr) return std::nullopt;
  return static_cast<std::size_t>(found - schema.fields.data());
}

Result<ClusteringColumn> Resolve(const table::Snapshot& snapshot,
                                 const std::vector<std::string>& path,
                                 std::vector<std::size_t>& position) {
  const std::vector<Field>* fields = &snapshot.schema().fields;
  for (const std::string& name : path) {
    const auto at = PositionOf(*fields, name);
    if (!at) {
      return Unfit("DELTA_ZORDERING_COLUMN_DOES_NOT_EXIST", Joined(path),
                   "table " + snapshot.location() + " has no such column");
    }
    position.push_back(*at);
    fields = &(*fields)[*at].type.fields;
  }
  ClusteringColumn column;
  column.column = position.front();
  column.fields.assign(position.begin() + 1, position.end());
  return column;
}

// Whether the rows of a partition are all in one cube of this order, so that
// nothing has to be written anew.
bool IsOneCube(const std::vector<Candidate>& files,
               const Clustering& clustering) {
  const std::string cube = TagOf(files.front().file, kCubeId);
  const std::string columns = TextOf(clustering.names());
  return !cube.empty() &&
         std::ranges::all_of(files, [&](const Candidate& candidate) {
           return TagOf(candidate.file, kCubeId) == cube &&
                  TagOf(candidate.file, kCubeColumns) == columns &&
                  !candidate.has_many_deleted_rows;
         });
}

// Takes away what of a clustered table's files has no part in it: cubes of this
// order that are complete, and, but for FULL, those of other orders.
void KeepPartial(std::vector<Candidate>& files, const Clustering& clustering) {
  const std::string columns = TextOf(clustering.names());
  std::map<std::string, std::int64_t> cubes;
  for (const Candidate& candidate : files) {
    std::int64_t& size = cubes[TagOf(candidate.file, kCubeId)];
    size = Sum(size, candidate.size());
  }
  std::erase_if(files, [&](const Candidate& candidate) {
    const AddFile& file = candidate.file;
    const std::string cube = TagOf(file, kCubeId);
    if (cube.empty()) return false;
    const bool is_ours = TagOf(file, kCubeColumns) == columns &&
                         file.clustering_provider.value_or("") == kProvider;
    if (!is_ours) return !clustering.is_full;
    return cubes[cube] > kCompleteCube;
  });
}

void AddTasks(const protocol::PartitionValues& partition,
              std::vector<Candidate> files, std::vector<RewriteTask>& tasks) {
  std::ranges::sort(files, {}, [](const Candidate& candidate) {
    const AddFile& file = candidate.file;
    return std::tuple(TagOf(file, kCubeId), file.modification_time, file.path);
  });
  std::int64_t bytes = 0;
  bool begins = true;
  for (Candidate& candidate : files) {
    const std::int64_t size = std::min(candidate.size(), kTargetCube);
    if (begins || bytes > kTargetCube - size) {
      tasks.push_back({partition, {}});
      bytes = 0;
      begins = false;
    }
    bytes += size;
    tasks.back().files.push_back(std::move(candidate.file));
  }
}

}  // namespace

std::vector<std::string> Clustering::names() const {
  std::vector<std::string> names;
  for (const auto& path : columns) names.push_back(Joined(path));
  return names;
}

void Clustering::Tag(const std::string& cube, AddFile& file) const {
  file.tags[kCubeId] = cube;
  file.tags[kCubeColumns] = TextOf(names());
  file.tags[kCubeCurve] = curve == Curve::kHilbert ? "hilbert" : "zorder";
  if (is_tables_own) file.clustering_provider = kProvider;
}

bool IsInCube(const AddFile& file) { return !TagOf(file, kCubeId).empty(); }

Result<std::optional<Clustering>> ClusteringOf(
    const table::Snapshot& snapshot) {
  const auto& domains = snapshot.state().domains();
  const auto domain = domains.find(std::string(kClusteringDomain));
  if (domain == domains.end()) return std::nullopt;
  BAYOU_ASSIGN(const ClusteringPaths physical,
               ParseClusteringDomain(domain->second, snapshot.location()));
  if (physical.empty()) return std::nullopt;
  Clustering clustering;
  clustering.columns = LogicalClusteringPaths(snapshot.schema(), physical);
  clustering.curve = Curve::kHilbert;
  clustering.is_tables_own = true;
  return clustering;
}

Result<std::vector<ClusteringColumn>> ResolveClustering(
    const table::Snapshot& snapshot, const Clustering& clustering) {
  std::vector<std::size_t> partition;
  for (std::size_t i = 0; i < snapshot.schema().fields.size(); ++i) {
    if (snapshot.IsPartitionColumn(snapshot.schema().fields[i].name))
      partition.push_back(i);
  }
  BAYOU_ASSIGN(const auto statistics,
               protocol::ChooseStatisticsColumns(snapshot.schema(), partition,
                                                 snapshot.properties()));
  std::vector<ClusteringColumn> columns;
  for (const auto& path : clustering.columns) {
    std::vector<std::size_t> position;
    BAYOU_ASSIGN(auto column, Resolve(snapshot, path, position));
    if (std::ranges::find(partition, position.front()) != partition.end()) {
      return Unfit("DELTA_ZORDERING_ON_PARTITION_COLUMN", Joined(path),
                   "it is a partition column, so the rows of a file have the "
                   "same value in it");
    }
    const bool has_statistics =
        std::ranges::any_of(statistics, [&](const auto& known) {
          return known.position == position &&
                 protocol::HasBounds(known.type.kind);
        });
    if (!has_statistics) {
      return Unfit("DELTA_ZORDERING_ON_COLUMN_WITHOUT_STATS", Joined(path),
                   "files have no bounds of it, so no query would profit "
                   "(delta.dataSkippingNumIndexedCols, "
                   "delta.dataSkippingStatsColumns)");
    }
    columns.push_back(std::move(column));
  }
  return columns;
}

Result<OptimizePlan> PlanClustering(
    const table::Snapshot& snapshot,
    std::shared_ptr<const log::FilePredicate> partitions,
    const Clustering& clustering, const BinPacking& packing) {
  BAYOU_ASSIGN(auto candidates,
               FindCandidates(snapshot, std::move(partitions),
                              {packing.max_deleted_ratio, false},
                              [](const Candidate&) { return true; }));
  OptimizePlan plan;
  plan.considered_files = candidates.considered_files;
  for (auto& [partition, files] : candidates.partitions) {
    if (clustering.is_tables_own) KeepPartial(files, clustering);
    if (files.empty() || IsOneCube(files, clustering)) continue;
    for (const Candidate& candidate : files) {
      plan.purges |= candidate.has_many_deleted_rows;
      if (TagOf(candidate.file, kCubeColumns) != TextOf(clustering.names()))
        ++plan.misplaced_files;
    }
    AddTasks(partition, std::move(files), plan.tasks);
  }
  return plan;
}

}  // namespace bayou::commands

// SPDX-License-Identifier: Apache-2.0
#include "kernel/log/checkpoint.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "base/uri_path.h"
#include "kernel/engine/engine.h"
#include "kernel/engine/exact_parquet.h"
#include "kernel/log/checkpoint_cache.h"

namespace bayou::log {
namespace {

using duckdb::LogicalType;
using duckdb::LogicalTypeId;
using protocol::Action;

// A column of a checkpoint with actions that are few, and the field of it that
// is never null where there is an action: a cheap test on one leaf column.
struct SmallColumn {
  const char* name;
  const char* key;
  bool at_most_one;  // The search can stop at the first.
};
constexpr SmallColumn kProtocol = {"protocol", "minReaderVersion", true};
constexpr SmallColumn kMetadata = {"metaData", "id", true};
constexpr SmallColumn kTransactions = {"txn", "appId", false};
constexpr SmallColumn kDomains = {"domainMetadata", "domain", false};
constexpr SmallColumn kSidecars = {"sidecar", "path", false};

using Columns = std::map<std::string, LogicalType>;

// Files with the same columns. The parts of a checkpoint may differ: each has
// the columns that its rows need.
struct Alike {
  Columns columns;
  std::vector<std::string> files;
};

// Collects a checkpoint from its files.
class Reader {
 public:
  Reader(store::Store& store, duckdb::DatabaseInstance& database,
         const CheckpointNeeds& needs)
      : store_(store), connection_(engine::Connect(database)), needs_(needs) {}

  Status ReadManifest(std::span<const LogFileName> files);
  Status ReadSidecars();
  Checkpoint Take() && { return std::move(checkpoint_); }

 private:
  Status ReadJson(const LogFileName& file);
  Status ReadParquet(std::span<const LogFileName> files);
  Result<Columns> ReadColumns(const std::string& file);
  Result<std::vector<Alike>> Describe(std::span<const std::string> files);
  void AddRelation(const Alike& group);
  Status ReadSmallActions(const Alike& group);
  Status ReadSmallColumn(const std::string& relation, const SmallColumn& column,
                         std::span<const std::string> files);
  void Keep(Action action);
  Result<std::string> SidecarName(const protocol::Sidecar& sidecar) const;

  store::Store& store_;
  std::unique_ptr<duckdb::Connection> connection_;
  CheckpointNeeds needs_;
  Checkpoint checkpoint_;
  std::vector<protocol::Sidecar> sidecars_;
};

// Whether the failure says something about the files, and not about this
// process at this moment.
bool IsAboutFiles(const Error& error) {
  return error.code != ErrorCode::kResourceExhausted &&
         error.code != ErrorCode::kCancelled;
}

Status Reader::ReadManifest(std::span<const LogFileName> files) {
  return files.front().is_json ? ReadJson(files.front()) : ReadParquet(files);
}

Status Reader::ReadJson(const LogFileName& file) {
  const std::string name = JoinPath(kLogFolder, file.name);
  const std::string path = JoinPath(store_.location(), name);
  const auto text = store_.Read(name);
  if (!text) return tl::unexpected(Unreadable({{path}}, text.error()));
  auto actions = protocol::ParseActions(*text, path);
  if (!actions) return tl::unexpected(Unreadable({{path}}, actions.error()));
  for (Action& action : *actions) Keep(std::move(action));
  return {};
}

Status Reader::ReadParquet(std::span<const LogFileName> files) {
  std::vector<std::string> paths;
  for (const LogFileName& file : files) {
    paths.push_back(store_.NativePath(JoinPath(kLogFolder, file.name)));
  }
  BAYOU_ASSIGN(const std::vector<Alike> groups, Describe(paths));
  for (const Alike& group : groups) {
    BAYOU_TRY(ReadSmallActions(group));
    AddRelation(group);
  }
  return {};
}

Result<Columns> Reader::ReadColumns(const std::string& file) {
  const auto statement = connection_->Prepare(
      "SELECT * FROM " + engine::ParquetRelation({{file}}));
  if (statement->HasError()) {
    return tl::unexpected(
        Unreadable({{file}}, engine::FromDuckDB(statement->GetErrorObject())));
  }
  Columns columns;
  for (std::size_t i = 0; i < statement->GetNames().size(); ++i) {
    columns.emplace(statement->GetNames()[i], statement->GetTypes()[i]);
  }
  return columns;
}

Result<std::vector<Alike>> Reader::Describe(
    std::span<const std::string> files) {
  std::vector<Alike> groups;
  for (const std::string& file : files) {
    BAYOU_ASSIGN(Columns columns, ReadColumns(file));
    const auto same = std::find_if(
        groups.begin(), groups.end(),
        [&](const Alike& group) { return group.columns == columns; });
    if (same != groups.end()) {
      same->files.push_back(file);
    } else {
      groups.push_back({std::move(columns), {file}});
    }
  }
  return groups;
}

void Reader::AddRelation(const Alike& group) {
  CheckpointRelation relation{group.files, {}, {}};
  if (const auto add = group.columns.find("add"); add != group.columns.end()) {
    relation.add = add->second;
  }
  if (const auto remove = group.columns.find("remove");
      remove != group.columns.end()) {
    relation.remove = remove->second;
  }
  checkpoint_.relations.push_back(std::move(relation));
}

Status Reader::ReadSmallActions(const Alike& group) {
  std::vector<SmallColumn> wanted = {kTransactions, kDomains, kSidecars};
  if (needs_.protocol) wanted.push_back(kProtocol);
  if (needs_.metadata) wanted.push_back(kMetadata);
  const std::string relation = engine::ParquetRelation(group.files);
  for (const SmallColumn& column : wanted) {
    const auto found = group.columns.find(column.name);
    if (found == group.columns.end() ||
        FieldType(found->second, column.key).id() == LogicalTypeId::INVALID) {
      continue;
    }
    BAYOU_TRY(ReadSmallColumn(relation, column, group.files));
  }
  return {};
}

// The rows become JSON lines, which the parser of commits reads: one place
// decides what an action must look like.
Status Reader::ReadSmallColumn(const std::string& relation,
                               const SmallColumn& column,
                               std::span<const std::string> files) {
  const std::string name = engine::Identifier(column.name);
  const auto result = engine::Run(
      *connection_,
      fmt::format("SELECT to_json(struct_pack({0} := {0}))::VARCHAR FROM {1} "
                  "WHERE {0}.{2} IS NOT NULL{3}",
                  name, relation, engine::Identifier(column.key),
                  column.at_most_one ? " LIMIT 1" : ""));
  if (!result) return tl::unexpected(Unreadable(files, result.error()));
  std::string lines;
  for (std::size_t row = 0; row < (*result)->RowCount(); ++row) {
    lines += duckdb::StringValue::Get((*result)->GetValue(0, row)) + '\n';
  }
  auto actions = protocol::ParseActions(lines, files.front());
  if (!actions) return tl::unexpected(Unreadable(files, actions.error()));
  for (Action& action : *actions) Keep(std::move(action));
  return {};
}

void Reader::Keep(Action action) {
  if (auto* sidecar = std::get_if<protocol::Sidecar>(&action)) {
    sidecars_.push_back(std::move(*sidecar));
  } else {
    checkpoint_.actions.push_back(std::move(action));
  }
}

Status Reader::ReadSidecars() {
  std::vector<std::string> files;
  for (const protocol::Sidecar& sidecar : sidecars_) {
    BAYOU_ASSIGN(std::string name, SidecarName(sidecar));
    files.push_back(store_.NativePath(name));
    checkpoint_.sidecars.push_back(std::move(name));
  }
  BAYOU_ASSIGN(const std::vector<Alike> groups, Describe(files));
  for (const Alike& group : groups) AddRelation(group);
  return {};
}

// A sidecar lies in the table's own folder for sidecars, however its path is
// written and wherever links lead (threat T1).
Result<std::string> Reader::SidecarName(
    const protocol::Sidecar& sidecar) const {
  std::string path = CanonicalPath(sidecar.path);
  const std::string folder = JoinPath(store_.location(), kSidecarFolder) + '/';
  if (path.starts_with(folder)) path.erase(0, folder.size());
  if (IsAbsolutePath(path)) {
    return Fail(
        ErrorCode::kCorruption, "DELTA_PATH_OUTSIDE_TABLE",
        fmt::format(
            "the checkpoint names the sidecar {}, which is outside of {}", path,
            folder));
  }
  BAYOU_TRY(CheckRelativePath(path));
  std::string name = JoinPath(kSidecarFolder, path);
  BAYOU_TRY(store_.CheckInside(name));
  return name;
}

}  // namespace

LogicalType FieldType(const LogicalType& type, std::string_view name) {
  if (type.id() != LogicalTypeId::STRUCT) return LogicalType::INVALID;
  for (const auto& [field, field_type] :
       duckdb::StructType::GetChildTypes(type)) {
    if (field == name) return field_type;
  }
  return LogicalType::INVALID;
}

Error Unreadable(std::span<const std::string> files, const Error& cause) {
  if (!IsAboutFiles(cause)) return cause;
  std::string names = files.front();
  if (files.size() > 1)
    names += fmt::format(" (or one of {} more)", files.size() - 1);
  // Another checkpoint may do in any case, but a store that cannot be reached
  // has broken none.
  const ErrorCode code = cause.code == ErrorCode::kUnavailable
                             ? ErrorCode::kUnavailable
                             : ErrorCode::kCorruption;
  return {code, "DELTA_CHECKPOINT_UNREADABLE",
          fmt::format("the checkpoint {} cannot be read: {}", names,
                      cause.message)};
}

Result<Checkpoint> OpenCheckpoint(store::Store& store,
                                  duckdb::DatabaseInstance& database,
                                  std::span<const LogFileName> files,
                                  const CheckpointNeeds& needs) {
  const auto cache = CheckpointCache::Of(database);
  std::string key;
  if (cache) {
    key = CheckpointCache::KeyOf(store, files, needs);
    if (auto known = cache->Find(key)) return *std::move(known);
  }
  Reader reader(store, database, needs);
  BAYOU_TRY(reader.ReadManifest(files));
  BAYOU_TRY(reader.ReadSidecars());
  Checkpoint checkpoint = std::move(reader).Take();
  if (cache) cache->Keep(std::move(key), checkpoint);
  return checkpoint;
}

}  // namespace bayou::log

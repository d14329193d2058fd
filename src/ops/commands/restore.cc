// SPDX-License-Identifier: Apache-2.0
#include "ops/commands/restore.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "base/sum.h"
#include "kernel/log/file_key_set.h"
#include "kernel/protocol/metadata_number.h"
#include "kernel/protocol/table_features.h"
#include "kernel/protocol/table_schema.h"
#include "kernel/transaction/transaction.h"
#include "ops/commands/clustering.h"
#include "ops/commands/column_mapper.h"
#include "ops/commands/kept_files.h"
#include "ops/commands/kept_properties.h"
#include "ops/commands/whole_commit.h"

namespace bayou::commands {
namespace {

using protocol::AddFile;
using protocol::Field;
using protocol::Metadata;
using protocol::MetadataNumber;
using protocol::Protocol;
using table::Snapshot;
using transaction::Transaction;

// --------------------------------------------------------- what never goes
// back

using Names = std::optional<std::vector<std::string>>;

Names Union(const Names& a, const Names& b) {
  if (!a) return b;
  std::set<std::string> all(a->begin(), a->end());
  if (b) all.insert(b->begin(), b->end());
  return std::vector<std::string>(all.begin(), all.end());
}

// A protocol with the features of both.
Protocol Merged(const Protocol& current, const Protocol& target) {
  const auto has = protocol::SupportedFeatures(current);
  const auto needed = protocol::SupportedFeatures(target);
  if (std::ranges::includes(has, needed)) return current;
  Protocol merged = protocol::WithoutFeature(current, "");
  const Protocol other = protocol::WithoutFeature(target, "");
  merged.min_reader_version =
      std::max(merged.min_reader_version, other.min_reader_version);
  merged.reader_features = Union(merged.reader_features, other.reader_features);
  merged.writer_features = Union(merged.writer_features, other.writer_features);
  return merged;
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

Result<Metadata> RestoredMetadata(const Snapshot& current,
                                  const Snapshot& target) {
  Metadata restored = target.metadata();
  restored.id = current.metadata().id;
  BAYOU_ASSIGN(auto schema, protocol::ParseSchema(restored.schema_string));
  KeepIdentityMarks(current.schema(), schema);
  restored.schema_string = protocol::SchemaToJson(schema);
  KeepProperties(current.metadata().configuration, restored.configuration);
  if (target.column_mapping() != protocol::ColumnMappingMode::kNone) {
    restored.configuration["delta.columnMapping.maxColumnId"] = std::to_string(
        std::max(LastColumnId(current.metadata(), current.schema()),
                 LastColumnId(target.metadata(), target.schema())));
  }
  return restored;
}

void StageClustering(const RestoreRequest& request, Transaction& transaction) {
  const std::string domain(kClusteringDomain);
  const auto& now = request.current->state().domains();
  const auto& then = request.target->state().domains();
  const auto current = now.find(domain);
  const auto target = then.find(domain);
  if (target != then.end()) {
    if (current == now.end() ||
        current->second.configuration != target->second.configuration) {
      transaction.SetDomain(target->second);
    }
  } else if (current != now.end()) {
    protocol::DomainMetadata removed = current->second;
    removed.removed = true;
    transaction.SetDomain(std::move(removed));
  }
}

// -------------------------------------------------------------------- the
// files

template <typename Visit>
Status VisitFiles(const Snapshot& snapshot, const log::FileFields& fields,
                  Visit visit) {
  BAYOU_ASSIGN(const auto cursor, snapshot.state().Files(fields, nullptr));
  std::vector<AddFile> batch;
  for (bool more = true; more;) {
    BAYOU_ASSIGN(more, cursor->Next(batch));
    for (AddFile& file : batch) BAYOU_TRY(visit(std::move(file)));
  }
  return {};
}

Result<log::FileKeySet> KeysOf(const Snapshot& snapshot) {
  log::FileKeySet keys;
  BAYOU_TRY(VisitFiles(snapshot, {}, [&](const AddFile& file) -> Status {
    keys.Insert(protocol::FileKey(file.path, file.deletion_vector));
    return {};
  }));
  return keys;
}

constexpr log::FileFields kAllFields{
    .stats = true, .tags = true, .row_tracking = true};

// Of files outside of the table's folder nothing is known.
Result<bool> IsThere(const Snapshot& snapshot, const AddFile& file) {
  const auto exists =
      [&](const std::optional<std::string>& name) -> Result<bool> {
    if (!name) return true;
    const auto found = snapshot.store().Head(*name);
    if (found) return true;
    if (found.error().code == ErrorCode::kNotFound) return false;
    return tl::unexpected<Error>(found.error());
  };
  BAYOU_ASSIGN(const bool data, exists(NameInTable(snapshot, file.path)));
  if (!data) return false;
  BAYOU_ASSIGN(const auto vector, NameInTable(snapshot, file.deletion_vector));
  return exists(vector);
}

tl::unexpected<Error> MissingFiles(const RestoreRequest& request,
                                   const std::vector<std::string>& missing) {
  constexpr std::size_t kNamed = 10;
  std::string names;
  for (std::size_t i = 0; i < std::min(kNamed, missing.size()); ++i)
    names += (i == 0 ? "" : ", ") + missing[i];
  return Fail(
      ErrorCode::kNotFound, "DELTA_RESTORE_MISSING_FILES",
      fmt::format("table {}: {} files of version {} are gone (VACUUM, or by "
                  "hand), among them {}; nothing was changed; restore a later "
                  "version, or SET bayou_ignore_missing_files = true to go "
                  "without their rows",
                  request.current->location(), missing.size(),
                  request.target->version(), names));
}

Status StageFiles(const RestoreRequest& request, Transaction& transaction,
                  RestoreResult& result) {
  BAYOU_ASSIGN(const auto now, KeysOf(*request.current));
  BAYOU_ASSIGN(const auto then, KeysOf(*request.target));
  std::vector<AddFile> restored;
  BAYOU_TRY(
      VisitFiles(*request.target, kAllFields, [&](AddFile file) -> Status {
        const bool stays = now.Contains(file.path, file.deletion_vector);
        if (!stays) {
          BAYOU_ASSIGN(const bool is_there, IsThere(*request.current, file));
          if (!is_there) {
            result.missing_files.push_back(file.path);
            return {};
          }
        }
        ++result.table_files;
        result.table_bytes = Sum(result.table_bytes, file.size);
        if (stays) return {};
        ++result.files_restored;
        result.bytes_restored = Sum(result.bytes_restored, file.size);
        file.data_change = true;
        restored.push_back(std::move(file));
        return {};
      }));
  if (!result.missing_files.empty() && !request.ignore_missing_files)
    return MissingFiles(request, result.missing_files);
  transaction.AdoptFiles(std::move(restored));
  return VisitFiles(
      *request.current, kAllFields, [&](const AddFile& file) -> Status {
        if (then.Contains(file.path, file.deletion_vector)) return {};
        ++result.files_removed;
        result.bytes_removed = Sum(result.bytes_removed, file.size);
        transaction.RemoveFile(file);
        return {};
      });
}

// ------------------------------------------------------------------ the commit

transaction::Operation OperationOf(const RestoreRequest& request,
                                   const RestoreResult& result) {
  transaction::Operation operation;
  operation.name = "RESTORE";
  operation.parameters = {
      {"version",
       request.timestamp ? "null" : std::to_string(request.target->version())},
      {"timestamp", request.timestamp
                        ? transaction::TextParameter(*request.timestamp)
                        : "null"}};
  operation.metrics = {{"tableSizeAfterRestore", result.table_bytes},
                       {"numOfFilesAfterRestore", result.table_files},
                       {"numRemovedFiles", result.files_removed},
                       {"numRestoredFiles", result.files_restored},
                       {"removedFilesSize", result.bytes_removed},
                       {"restoredFilesSize", result.bytes_restored}};
  return operation;
}

std::vector<std::string> ApplicationsAhead(const RestoreRequest& request) {
  std::vector<std::string> ahead;
  const auto& then = request.target->state().transactions();
  for (const auto& [id, app] : request.current->state().transactions()) {
    const auto before = then.find(id);
    if (before == then.end() || before->second.version < app.version)
      ahead.push_back(id);
  }
  return ahead;
}

}  // namespace

Result<RestoreResult> Restore(const RestoreRequest& request,
                              duckdb::DatabaseInstance& database, Env& env) {
  RestoreResult result;
  const Snapshot& current = *request.current;
  BAYOU_ASSIGN(Transaction transaction, Transaction::On(request.current, env));
  if (request.target->version() == current.version()) {
    BAYOU_ASSIGN(const auto totals, current.state().Totals());
    result.table_files = totals.files;
    result.table_bytes = totals.bytes;
    return result;
  }
  // Whoever changes the table meanwhile was not seen, and must not be lost.
  transaction.ReadWholeTable();
  transaction.SetProtocol(
      Merged(current.protocol(), request.target->protocol()));
  BAYOU_ASSIGN(Metadata metadata, RestoredMetadata(current, *request.target));
  transaction.SetMetadata(std::move(metadata));
  StageClustering(request, transaction);
  BAYOU_TRY(StageFiles(request, transaction, result));
  result.applications_ahead = ApplicationsAhead(request);
  BAYOU_ASSIGN(
      result.version,
      CommitWhole(transaction, OperationOf(request, result), database, env));
  return result;
}

}  // namespace bayou::commands

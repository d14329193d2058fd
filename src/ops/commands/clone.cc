// SPDX-License-Identifier: Apache-2.0
#include "ops/commands/clone.h"

#include <fmt/format.h>

#include <duckdb/parallel/task_scheduler.hpp>
#include <filesystem>
#include <utility>
#include <vector>

#include "base/uri_path.h"
#include "kernel/engine/for_each.h"
#include "kernel/log/file_key_set.h"
#include "kernel/protocol/file_statistics.h"
#include "kernel/protocol/table_features.h"
#include "kernel/scan/data_file_place.h"
#include "kernel/scan/deleted_rows.h"
#include "kernel/scan/scanned_table.h"
#include "kernel/store/location.h"
#include "kernel/transaction/row_ids.h"
#include "kernel/transaction/transaction.h"
#include "kernel/write/deletion_vector_writer.h"
#include "ops/commands/alter_table.h"
#include "ops/commands/cloned_files.h"
#include "ops/commands/create_table.h"
#include "ops/commands/file_copy.h"
#include "ops/commands/lasting_state.h"
#include "ops/commands/live_files.h"
#include "ops/commands/row_tracking_columns.h"
#include "ops/commands/table_place.h"
#include "ops/commands/whole_commit.h"

namespace bayou::commands {
namespace {

using protocol::AddFile;
using protocol::Metadata;
using protocol::Protocol;
using table::Snapshot;
using transaction::Transaction;

// ------------------------------------------------------------------- the place

std::string RealPath(const std::string& location) {
  if (store::HasRegisteredScheme(location)) return location;
  std::error_code failed;
  const auto path = std::filesystem::weakly_canonical(location, failed);
  return failed ? location : path.string();
}

// Each table's VACUUM, and whoever deletes its folder, would be at the other's
// files.
Status CheckApart(const CloneRequest& request) {
  const std::string source = RealPath(request.source->location());
  const std::string clone = RealPath(request.location);
  if (source == clone) {
    return Fail(ErrorCode::kInvalidArgument,
                "DELTA_UNSUPPORTED_CLONE_REPLACE_SAME_TABLE",
                fmt::format("table {} cannot become a clone of itself; RESTORE "
                            "makes it what it was at an earlier version",
                            request.location));
  }
  if (!clone.starts_with(source + "/") && !source.starts_with(clone + "/"))
    return {};
  return Fail(ErrorCode::kInvalidArgument, "DELTA_INVALID_CLONE_PATH",
              fmt::format("the clone {} and its source {} lie one in the "
                          "other; choose another place",
                          request.location, request.source->location()));
}

// ---------------------------------------------------------------- the metadata

// The source with the properties that the clone is to have beside its own.
Result<std::shared_ptr<const Snapshot>> WithProperties(
    const CloneRequest& request, Env& env) {
  if (request.properties.empty()) return request.source;
  BAYOU_ASSIGN(const TableChange change,
               PlanAlteration(*request.source,
                              SetProperties{request.properties,
                                            request.allows_unknown_properties},
                              env));
  return request.source->Changed(change.metadata, change.protocol);
}

constexpr const char* kRowIdColumn =
    "delta.rowTracking.materializedRowIdColumnName";
constexpr const char* kRowVersionColumn =
    "delta.rowTracking.materializedRowCommitVersionColumnName";

// Of commits and of row ids each table has its own.
void DropOwnNotes(Metadata& metadata) {
  for (const char* key : {"delta.inCommitTimestampEnablementVersion",
                          "delta.inCommitTimestampEnablementTimestamp",
                          "delta.requireCheckpointProtectionBeforeVersion",
                          kRowIdColumn, kRowVersionColumn}) {
    metadata.configuration.erase(key);
  }
}

Metadata NewMetadata(const Snapshot& coming, Env& env) {
  Metadata metadata = coming.metadata();
  metadata.id = NewUuid(env);
  metadata.created_time = env.NowMs();
  DropOwnNotes(metadata);
  return metadata;
}

Result<Metadata> ReplacedMetadata(const Snapshot& replaced,
                                  const Snapshot& coming) {
  BAYOU_ASSIGN(Metadata metadata, MetadataInPlaceOf(replaced, coming));
  metadata.name = replaced.metadata().name;
  metadata.created_time = replaced.metadata().created_time;
  auto& properties = metadata.configuration;
  if (coming.properties().in_commit_timestamps())
    properties["delta.enableInCommitTimestamps"] = "true";
  for (const char* key : {kRowIdColumn, kRowVersionColumn}) {
    const auto& own = replaced.metadata().configuration;
    properties.erase(key);
    if (const auto found = own.find(key); found != own.end())
      properties.insert(*found);
  }
  return metadata;
}

Status CheckMapping(const Snapshot& replaced, const Snapshot& coming) {
  if (replaced.column_mapping() == coming.column_mapping()) return {};
  return Fail(
      ErrorCode::kUnsupported, "DELTA_UNSUPPORTED_COLUMN_MAPPING_MODE_CHANGE",
      fmt::format("table {} has another column mapping than {}, of which it is "
                  "to become a clone; clone to another place",
                  replaced.location(), coming.location()));
}

// A transaction that makes the table, or makes it anew; without its files.
Result<Transaction> Begin(const CloneRequest& request, const Snapshot& coming,
                          Env& env) {
  const Snapshot* replaced = request.replaced.get();
  Protocol protocol = coming.protocol();
  if (protocol::Supports(protocol, "catalogManaged"))
    protocol = protocol::WithoutFeature(protocol, "catalogManaged");
  Metadata metadata = NewMetadata(coming, env);
  if (replaced != nullptr) {
    BAYOU_TRY(CheckMapping(*replaced, coming));
    protocol = MergedProtocol(replaced->protocol(), protocol);
    BAYOU_ASSIGN(metadata, ReplacedMetadata(*replaced, coming));
  }
  if (request.properties.contains("comment")) {
    metadata.description = request.properties.at("comment");
  } else if (replaced != nullptr) {
    metadata.description = replaced->metadata().description;
  } else {
    metadata.description.reset();
  }
  if (protocol::Supports(protocol, "rowTracking"))
    NameRowTrackingColumns(metadata.configuration, env);
  BAYOU_TRY(protocol::CheckWritable(protocol, metadata, request.location));
  if (replaced == nullptr) {
    BAYOU_TRY(CheckPlaceForTable(request.location));
    return Transaction::Create(store::OpenStore(request.location),
                               std::move(protocol), std::move(metadata), env);
  }
  BAYOU_ASSIGN(Transaction transaction, Transaction::On(request.replaced, env));
  // Whoever changes the table meanwhile was not seen, and must not be lost.
  transaction.ReadWholeTable();
  transaction.SetProtocol(std::move(protocol));
  transaction.SetMetadata(std::move(metadata));
  return transaction;
}

// ------------------------------------------------------------------- the files

Status CheckCanGetRowIds(const Transaction& transaction, const AddFile& file) {
  if (!transaction::AssignsRowIds(transaction.protocol(),
                                  transaction.metadata()) ||
      protocol::ReadStatistics(file.stats.value_or(""), {}).num_records) {
    return {};
  }
  return Fail(ErrorCode::kUnsupported,
              "DELTA_CLONE_WITH_ROW_TRACKING_WITHOUT_STATS",
              fmt::format("{}: the clone's rows would be tracked, and file {} "
                          "does not say how many it has; write it anew first",
                          transaction.location(), file.path));
}

void Remove(const AddFile& live, Transaction& transaction,
            CloneResult& result) {
  ++result.files_removed;
  result.bytes_removed += live.size;
  transaction.RemoveFile(live);
}

// The source's files as they go into the clone, where they get ids anew.
Result<std::vector<AddFile>> FilesOf(const CloneRequest& request,
                                     const Transaction& transaction,
                                     CloneResult& result) {
  std::vector<AddFile> files;
  BAYOU_TRY(
      VisitFiles(*request.source, kAllFields, [&](AddFile file) -> Status {
        BAYOU_TRY(CheckCanGetRowIds(transaction, file));
        ++result.source_files;
        result.source_bytes += file.size;
        file.data_change = true;
        file.base_row_id.reset();
        file.default_row_commit_version.reset();
        files.push_back(std::move(file));
        return {};
      }));
  return files;
}

Status StageReferences(const CloneRequest& request, Transaction& transaction,
                       CloneResult& result) {
  BAYOU_ASSIGN(std::vector<AddFile> files,
               FilesOf(request, transaction, result));
  log::FileKeySet coming;
  for (AddFile& file : files) {
    BAYOU_ASSIGN(file, ByAbsolutePath(*request.source, std::move(file)));
    coming.Insert(protocol::FileKey(file.path, file.deletion_vector));
  }
  log::FileKeySet kept;
  if (request.replaced) {
    BAYOU_TRY(VisitFiles(
        *request.replaced, kAllFields, [&](const AddFile& live) -> Status {
          if (coming.Contains(live.path, live.deletion_vector)) {
            kept.Insert(protocol::FileKey(live.path, live.deletion_vector));
          } else {
            Remove(live, transaction, result);
          }
          return {};
        }));
  }
  std::erase_if(files, [&](const AddFile& file) {
    return kept.Contains(file.path, file.deletion_vector);
  });
  transaction.AdoptFiles(std::move(files));
  return {};
}

// Brings copies of the source's files into a deep clone.
class Copier {
 public:
  Copier(duckdb::ClientContext& context, const CloneRequest& request,
         Transaction& transaction, Env& env)
      : context_(context),
        request_(request),
        transaction_(transaction),
        env_(env),
        vectors_(*transaction.shared_store(), env) {}

  Status Run(CloneResult& result) {
    BAYOU_ASSIGN(source_, scan::DescribeTable(request_.source, request_.scan));
    BAYOU_ASSIGN(std::vector<AddFile> files,
                 FilesOf(request_, transaction_, result));
    if (request_.replaced) {
      BAYOU_ASSIGN(known_, CopiedFiles::Of(*request_.replaced));
    }
    for (const AddFile& file : files) BAYOU_TRY(Stage(file));
    for (const AddFile& live : known_.Others())
      Remove(live, transaction_, result);
    std::vector<std::string> names;
    const Status written = vectors_.Finish(&names);
    for (std::string& name : names) transaction_.OwnFile(std::move(name));
    BAYOU_TRY(written);
    BAYOU_TRY(CopyData());
    for (const AddFile& copy : copies_) {
      ++result.files_copied;
      result.bytes_copied += copy.size;
    }
    transaction_.AdoptFiles(std::move(copies_));
    return {};
  }

 private:
  Status Stage(const AddFile& file) {
    const AddFile* known = known_.Take(*request_.source, file);
    if (known != nullptr && HasDeletedRowsOf(*known, file)) return {};
    AddFile copy = file;
    copy.path =
        known != nullptr ? known->path : PercentEncodePath(NameForCopy(file));
    BAYOU_TRY(CopyVector(file, copy));
    NoteOrigin(*request_.source, file, copy);
    if (known != nullptr) {
      copy.size = known->size;
      copy.modification_time = known->modification_time;
      copy.base_row_id = known->base_row_id;
      copy.default_row_commit_version = known->default_row_commit_version;
      transaction_.ReplaceFile(*known, std::move(copy));
      return {};
    }
    BAYOU_ASSIGN(std::string place, scan::PlaceOfFile(*source_, file.path));
    places_.push_back(std::move(place));
    origins_.push_back(file.path);
    transaction_.OwnFile(CanonicalPath(copy.path));
    copies_.push_back(std::move(copy));
    return {};
  }

  // In the same folder, so that the names of partitions are to be seen.
  std::string NameForCopy(const AddFile& file) {
    const std::string path = CanonicalPath(file.path);
    const std::size_t slash = path.rfind('/');
    const bool has_folder = !IsAbsolutePath(path) && slash != std::string::npos;
    return (has_folder ? path.substr(0, slash + 1) : std::string()) +
           "part-00000-" + NewUuid(env_) + "-c000.parquet";
  }

  Status CopyVector(const AddFile& file, AddFile& copy) {
    const auto& vector = file.deletion_vector;
    if (!vector || vector->storage_type == 'i') return {};
    BAYOU_ASSIGN(const auto rows,
                 scan::LoadDeletionVector(*source_, file.path, *vector));
    BAYOU_ASSIGN(copy.deletion_vector, vectors_.Add(rows));
    return {};
  }

  Status CopyData() {
    const auto threads = static_cast<std::size_t>(
        duckdb::TaskScheduler::GetScheduler(context_).NumberOfThreads());
    return engine::ForEach(copies_.size(), threads,
                           [this](std::size_t i) { return CopyOne(i); });
  }

  Status CopyOne(std::size_t i) {
    if (context_.IsInterrupted())
      return Fail(ErrorCode::kCancelled, "INTERRUPTED", "CLONE was cancelled");
    BAYOU_TRY(scan::CheckLinks(*source_, origins_[i]));
    auto size = CopyFile(context_, places_[i], *transaction_.shared_store(),
                         CanonicalPath(copies_[i].path));
    if (!size) return InContext(size.error(), origins_[i]);
    copies_[i].size = *size;
    copies_[i].modification_time = env_.NowMs();
    return {};
  }

  tl::unexpected<Error> InContext(Error error, const std::string& file) const {
    if (error.code == ErrorCode::kNotFound) {
      error.condition = "DELTA_FILE_NOT_FOUND";
      error.message = "it is gone, maybe vacuumed; clone a newer version";
    }
    error.message = fmt::format("file {} of {}: {}", file, source_->Describe(),
                                error.message);
    return tl::unexpected<Error>(std::move(error));
  }

  duckdb::ClientContext& context_;
  const CloneRequest& request_;
  Transaction& transaction_;
  Env& env_;
  std::shared_ptr<scan::ScannedTable> source_;
  CopiedFiles known_;
  write::DeletionVectorWriter vectors_;
  // What is to be copied, side by side.
  std::vector<AddFile> copies_;
  std::vector<std::string> places_;
  std::vector<std::string> origins_;
};

// Whoever has written to the source until now goes on with its deep clone.
void StageApplications(const CloneRequest& request, Transaction& transaction) {
  static const std::map<std::string, protocol::SetTransaction> kNone;
  const auto& known =
      request.replaced ? request.replaced->state().transactions() : kNone;
  for (const auto& [id, app] : request.source->state().transactions()) {
    const auto found = known.find(id);
    if (found == known.end() || found->second.version < app.version)
      transaction.SetAppVersion(app);
  }
}

// ------------------------------------------------------------------ the commit

transaction::Operation OperationOf(const CloneRequest& request,
                                   const CloneResult& result) {
  transaction::Operation operation;
  operation.name = "CLONE";
  operation.parameters = {
      {"source", transaction::TextParameter("delta.`" +
                                            request.source->location() + "`")},
      {"sourceVersion", std::to_string(request.source->version())}};
  operation.metrics = {{"sourceTableSize", result.source_bytes},
                       {"sourceNumOfFiles", result.source_files},
                       {"numRemovedFiles", result.files_removed},
                       {"numCopiedFiles", result.files_copied},
                       {"removedFilesSize", result.bytes_removed},
                       {"copiedFilesSize", result.bytes_copied}};
  operation.user_metadata = request.user_metadata;
  return operation;
}

Result<CloneResult> Commit(duckdb::ClientContext& context,
                           const CloneRequest& request,
                           Transaction& transaction, Env& env) {
  CloneResult result;
  const Status staged =
      request.is_deep ? Copier(context, request, transaction, env).Run(result)
                      : StageReferences(request, transaction, result);
  if (!staged) {
    transaction.Abandon();
    return tl::unexpected<Error>(staged.error());
  }
  if (request.is_deep) StageApplications(request, transaction);
  BAYOU_ASSIGN(
      result.version,
      CommitWhole(transaction, OperationOf(request, result), *context.db, env));
  return result;
}

}  // namespace

Result<CloneResult> Clone(duckdb::ClientContext& context,
                          const CloneRequest& request, Env& env) {
  BAYOU_TRY(CheckApart(request));
  BAYOU_ASSIGN(const auto coming, WithProperties(request, env));
  BAYOU_ASSIGN(Transaction transaction, Begin(request, *coming, env));
  StageClusteringOf(request.replaced.get(), *coming, transaction);
  const bool is_local = !store::HasRegisteredScheme(request.location);
  std::error_code ignored;
  const bool makes_folder =
      is_local && !std::filesystem::exists(request.location, ignored);
  // While files are copied, others are told that they are going to be a table.
  if (is_local && request.is_deep) MarkPlace(request.location);
  auto result = Commit(context, request, transaction, env);
  if (!result && makes_folder) RemoveEmptyFolders(request.location);
  return result;
}

}  // namespace bayou::commands

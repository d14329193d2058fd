// SPDX-License-Identifier: Apache-2.0
#include "sql/pending_write.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <set>
#include <string_view>
#include <utility>
#include <variant>

#include "base/env.h"
#include "kernel/protocol/file_statistics.h"
#include "kernel/protocol/table_schema.h"
#include "ops/commands/after_commit.h"
#include "ops/commands/row_id_backfill.h"

namespace bayou::sql {
namespace {

Status OneTableOnly(const std::string& changed, const std::string& other) {
  return Fail(
      ErrorCode::kUnsupported, "DELTA_MULTI_TABLE_TRANSACTION",
      fmt::format("this transaction has changed table {} and cannot change {} "
                  "too, for a commit belongs to one table; COMMIT first",
                  changed, other));
}

}  // namespace

Status PendingWrite::BeginChange(
    std::shared_ptr<const table::Snapshot> snapshot,
    transaction::Operation operation) {
  DropIncomplete();
  if (transaction_) {
    if (altered_) return CheckAlterable(snapshot->location());
    if (transaction_->location() == snapshot->location()) {
      // Another's table of the name would not have what goes into this one.
      creation_.if_not_exists = false;
      ++statements_;
      transaction_->NextStatement();
      return NoteApplication();
    }
    return OneTableOnly(transaction_->location(), snapshot->location());
  }
  BAYOU_ASSIGN(auto transaction, transaction::Transaction::On(
                                     std::move(snapshot), Env::System()));
  Begin(std::move(transaction), std::move(operation));
  return NoteApplication();
}

Status PendingWrite::NoteApplication() {
  if (!application_) return {};
  const auto& [app_id, version] = *application_;
  const auto known = transaction_->AppVersion(app_id);
  if (known && *known >= version) {
    return Fail(ErrorCode::kConflict, "DELTA_CONCURRENT_TRANSACTION",
                fmt::format("table {}: it has version {} of the application {} "
                            "already; nothing was changed",
                            transaction_->location(), *known, app_id));
  }
  transaction_->SetAppVersion({app_id, version, Env::System().NowMs()});
  return {};
}

void PendingWrite::FinishChange(
    const std::vector<std::pair<std::string, std::int64_t>>& metrics) {
  for (const auto& [name, value] : metrics) Metric(name) += value;
  Complete();
}

void PendingWrite::Complete() {
  complete_ = true;
  preview_.reset();
}

std::int64_t& PendingWrite::Metric(const std::string& name) {
  auto& metrics = operation_.metrics;
  const auto known = std::ranges::find(
      metrics, name, &std::pair<std::string, std::int64_t>::first);
  if (known != metrics.end()) return known->second;
  return metrics.emplace_back(name, 0).second;
}

// Of files that several statements brought and took away, what is left counts;
// those that are only described anew do not.
void PendingWrite::CountFilesAnew(const transaction::StagedActions& staged) {
  std::set<std::string_view> removed;
  for (const auto& file : staged.removes) removed.insert(file.path);
  std::int64_t added_files = 0;
  std::int64_t added_bytes = 0;
  std::int64_t added_rows = 0;
  for (const auto& file : staged.adds) {
    if (removed.erase(file.path) > 0) continue;
    ++added_files;
    added_bytes += file.size;
    added_rows += protocol::ReadStatistics(file.stats.value_or(""), {})
                      .num_records.value_or(0);
  }
  std::int64_t removed_bytes = 0;
  for (const auto& file : staged.removes) {
    if (removed.contains(file.path)) removed_bytes += file.size.value_or(0);
  }
  for (auto& [name, value] : operation_.metrics) {
    if (name == "numFiles" || name == "numAddedFiles") value = added_files;
    if (name == "numOutputBytes" || name == "numAddedBytes")
      value = added_bytes;
    if (name == "numOutputRows") value = added_rows;
    if (name == "numRemovedFiles") value = std::ssize(removed);
    if (name == "numRemovedBytes") value = removed_bytes;
  }
}

Status PendingWrite::BeginCreate(const std::string& location,
                                 const commands::TableDefinition& definition,
                                 Creation creation) {
  DropIncomplete();
  BAYOU_TRY(CheckUnchanged(location, "replace it"));
  if (transaction_) return OneTableOnly(transaction_->location(), location);
  auto created = commands::CreateTable(location, definition, Env::System());
  // Another may have made it since the statement was planned.
  const bool exists = !created && creation.Accepts(created.error());
  if (exists && !creation.as_select) return {};
  BAYOU_ASSIGN(auto transaction, std::move(created));
  auto operation = commands::CreateTableOperation(
      transaction, creation.as_select, definition);
  Begin(std::move(transaction), std::move(operation));
  creation_ = creation;
  std::error_code ignored;
  made_folder_ = !std::filesystem::exists(location, ignored);
  commands::MarkPlace(location);
  if (!creation.as_select) Complete();
  return creation.as_select ? NoteApplication() : Status{};
}

Status PendingWrite::BeginReplace(
    const std::shared_ptr<const table::Snapshot>& replaced,
    const commands::TableDefinition& definition, bool as_select) {
  DropIncomplete();
  BAYOU_TRY(CheckUnchanged(replaced->location(), "replace it"));
  if (transaction_)
    return OneTableOnly(transaction_->location(), replaced->location());
  BAYOU_ASSIGN(auto transaction,
               commands::ReplaceTable(replaced, definition, Env::System()));
  auto operation =
      commands::CreateTableOperation(transaction, as_select, definition);
  std::int64_t bytes = 0;
  for (const auto& file : transaction.staged().removes)
    bytes += file.size.value_or(0);
  operation.metrics = {
      {"numRemovedFiles",
       static_cast<std::int64_t>(transaction.staged().removes.size())},
      {"numRemovedBytes", bytes}};
  Begin(std::move(transaction), std::move(operation));
  if (!as_select) Complete();
  return as_select ? NoteApplication() : Status{};
}

void PendingWrite::Begin(transaction::Transaction transaction,
                         transaction::Operation operation) {
  transaction_.emplace(std::move(transaction));
  operation_ = std::move(operation);
  complete_ = made_folder_ = altered_ = false;
  creation_ = {};
  statements_ = 1;
}

// After BEGIN, a statement can fail and the transaction go on.
void PendingWrite::DropIncomplete() {
  if (!complete_) Rollback();
}

Status PendingWrite::CheckAlterable(const std::string& location) const {
  if (!transaction_ || !complete_) return {};
  return Fail(
      ErrorCode::kUnsupported, "DELTA_ALTER_IN_TRANSACTION",
      fmt::format(
          "table {}: ALTER TABLE stands alone in its transaction, which "
          "has changed table {} already; COMMIT first",
          location, transaction_->location()));
}

Status PendingWrite::Alter(std::shared_ptr<const table::Snapshot> snapshot,
                           const commands::TableChange& change) {
  DropIncomplete();
  BAYOU_TRY(CheckAlterable(snapshot->location()));
  BAYOU_ASSIGN(auto transaction, transaction::Transaction::On(
                                     std::move(snapshot), Env::System()));
  if (change.changes_protocol) transaction.SetProtocol(change.protocol);
  if (change.changes_metadata) transaction.SetMetadata(change.metadata);
  if (change.domain) transaction.SetDomain(*change.domain);
  if (change.reads_table || change.existing_rows) transaction.ReadWholeTable();
  BAYOU_TRY(commands::ChangeRowIds(transaction, change.row_ids));
  Begin(std::move(transaction), change.operation);
  altered_ = true;
  Complete();
  return {};
}

Status PendingWrite::BeginIdentity(write::IdentityValues& values) const {
  BAYOU_ASSIGN(const auto schema,
               protocol::TableSchema(transaction_->protocol(),
                                     transaction_->metadata()));
  return values.Begin(schema);
}

Status PendingWrite::MoveIdentityMarks(const write::IdentityValues& values) {
  protocol::Metadata metadata = transaction_->metadata();
  BAYOU_ASSIGN(auto schema, protocol::ParseSchema(metadata.schema_string));
  if (!values.MoveMarks(schema)) return {};
  metadata.schema_string = protocol::SchemaToJson(schema);
  // Others let a commit pass that says it moves nothing but the marks.
  const bool moves_only_marks =
      !transaction_->staged().metadata ||
      operation_.tags.contains("delta.identity.schemaUpdate");
  transaction_->SetMetadata(std::move(metadata));
  if (moves_only_marks) operation_.tags["delta.identity.schemaUpdate"] = "true";
  return {};
}

void PendingWrite::AddFiles(write::WrittenFiles written) {
  Metric("numFiles") += std::ssize(written.files);
  Metric("numOutputRows") += written.rows;
  Metric("numOutputBytes") += written.bytes;
  transaction_->AddFiles(std::move(written.files));
  Complete();
}

std::optional<std::string> PendingWrite::made_table() const {
  if (!transaction_ || !complete_ || !transaction_->creates_table())
    return std::nullopt;
  return transaction_->location();
}

Result<std::shared_ptr<const table::Snapshot>> PendingWrite::Preview(
    const std::string& location) {
  if (!transaction_ || !complete_ || transaction_->location() != location)
    return nullptr;
  if (preview_) return preview_;
  std::vector<protocol::Action> actions;
  transaction_->staged().ForEach(
      [&](const auto& action) { actions.emplace_back(action); });
  // Whether a write was done already is a question to what is committed.
  std::erase_if(actions, [](const protocol::Action& action) {
    return std::holds_alternative<protocol::SetTransaction>(action);
  });
  BAYOU_ASSIGN(preview_, table::Snapshot::Preview(
                             transaction_->shared_store(), database_,
                             transaction_->base().get(), std::move(actions)));
  return preview_;
}

Status PendingWrite::CheckUnchanged(const std::string& location,
                                    std::string_view what) const {
  if (!transaction_ || !complete_ || transaction_->location() != location)
    return {};
  return Fail(
      ErrorCode::kUnsupported, "DELTA_UNCOMMITTED_CHANGE",
      fmt::format("table {} has changes of this transaction, and a statement "
                  "in it cannot {}; COMMIT first",
                  location, what));
}

Result<std::optional<transaction::Transaction>> PendingWrite::Commit(
    std::optional<std::string> user_metadata) {
  DropIncomplete();
  if (!transaction_) return std::nullopt;
  preview_.reset();
  transaction::Transaction transaction =
      *std::exchange(transaction_, std::nullopt);
  // A change that found no row. An append is a version without rows, too.
  if (transaction.staged().empty() && operation_.name != "WRITE")
    return std::nullopt;
  operation_.user_metadata = std::move(user_metadata);
  if (statements_ > 1) CountFilesAnew(transaction.staged());
  const Result<protocol::Version> version = transaction.Commit(operation_);
  if (!version) {
    Abandon(transaction);
    if (creation_.Accepts(version.error())) return std::nullopt;
    return tl::unexpected<Error>(version.error());
  }
  commands::FollowCommit(transaction, *version, database_, Env::System());
  return std::optional(std::move(transaction));
}

void PendingWrite::Rollback() {
  complete_ = false;
  preview_.reset();
  if (!transaction_) return;
  Abandon(*transaction_);
  transaction_.reset();
}

void PendingWrite::Abandon(transaction::Transaction& transaction) {
  transaction.Abandon();
  if (made_folder_) commands::RemoveEmptyFolders(transaction.location());
}

}  // namespace bayou::sql

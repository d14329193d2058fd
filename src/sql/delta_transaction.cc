// SPDX-License-Identifier: Apache-2.0
#include "sql/delta_transaction.h"

#include "kernel/engine/engine.h"
#include "sql/auto_compact.h"
#include "sql/commit_failure.h"
#include "sql/write_mode.h"
#include "sql/write_options.h"

namespace bayou::sql {

DeltaTransaction::DeltaTransaction(duckdb::TransactionManager& owner,
                                   duckdb::ClientContext& client)
    : Transaction(owner, client), database_(*client.db), pending_(*client.db) {}

DeltaTransaction& DeltaTransaction::Get(duckdb::ClientContext& context,
                                        duckdb::Catalog& catalog) {
  return Transaction::Get(context, catalog).Cast<DeltaTransaction>();
}

Result<std::shared_ptr<const table::Snapshot>> DeltaTransaction::Open(
    const std::string& location, const table::TimeTravel& at) {
  if (at.version || at.timestamp_ms)
    return table::Snapshot::Open(location, database_, at);
  const auto client = context.lock();
  const auto& overwrite = WriteMode::Of(*client);
  if (!overwrite || !overwrite->old_rows_went) {
    BAYOU_ASSIGN(auto preview, pending_.Preview(location));
    if (preview) return preview;
  }
  if (const auto known = latest_.find(location); known != latest_.end())
    return known->second;
  BAYOU_ASSIGN(auto snapshot, table::Snapshot::Open(location, database_));
  return latest_[location] = std::move(snapshot);
}

DeltaTable& DeltaTransaction::Keep(duckdb::unique_ptr<DeltaTable> table) {
  kept_.push_back(std::move(table));
  return *kept_.back();
}

Result<DeltaTable*> DeltaTransaction::Table(duckdb::SchemaCatalogEntry& schema,
                                            const std::string& name,
                                            const std::string& location,
                                            const table::TimeTravel& at) {
  const std::lock_guard lock(mutex_);
  BAYOU_ASSIGN(auto snapshot, Open(location, at));
  const bool is_latest = !at.version && !at.timestamp_ms;
  const Key key{schema.name, name, location,
                is_latest ? -1 : snapshot->version(),
                is_latest ? snapshot.get() : nullptr};
  if (const auto known = entries_.find(key); known != entries_.end())
    return known->second;
  const auto client = context.lock();
  return entries_[key] = &Keep(
             DeltaTable::Make(*client, schema, name, std::move(snapshot)));
}

DeltaTable& DeltaTransaction::ListedTable(duckdb::SchemaCatalogEntry& schema,
                                          const std::string& name,
                                          const std::string& location) {
  const Result<DeltaTable*> table = Table(schema, name, location, {});
  if (table) return **table;
  const std::lock_guard lock(mutex_);
  return Keep(DeltaTable::MakeUnreadable(schema, name, table.error()));
}

void DeltaTransaction::Change(std::shared_ptr<const table::Snapshot> changed) {
  const std::lock_guard lock(mutex_);
  const std::string location = changed->location();
  latest_[location] = std::move(changed);
}

std::shared_ptr<scan::ScanReads> DeltaTransaction::PlanScan(
    const table::Snapshot& version) {
  const std::lock_guard lock(mutex_);
  const std::string& location = version.location();
  const auto latest = latest_.find(location);
  if (latest == latest_.end() || latest->second->version() != version.version())
    return nullptr;  // What was true of a version in the past stays true.
  auto& reads = reads_[location];
  if (!reads) reads = std::make_shared<scan::ScanReads>();
  return reads;
}

Result<std::optional<transaction::Transaction>> DeltaTransaction::Commit(
    std::optional<std::string> user_metadata) {
  if (pending_.transaction() != nullptr) {
    transaction::Transaction& change = pending_.change();
    const auto found = reads_.find(change.location());
    if (found != reads_.end()) {
      if (found->second->whole_table()) change.ReadWholeTable();
      for (const auto& scan : found->second->scans()) change.ReadFiles(scan);
    }
  }
  return pending_.Commit(std::move(user_metadata));
}

duckdb::Transaction& DeltaTransactionManager::StartTransaction(
    duckdb::ClientContext& context) {
  auto transaction = duckdb::make_uniq<DeltaTransaction>(*this, context);
  DeltaTransaction& started = *transaction;
  const std::lock_guard lock(mutex_);
  running_[&started] = std::move(transaction);
  return started;
}

duckdb::ErrorData DeltaTransactionManager::CommitTransaction(
    duckdb::ClientContext& context, duckdb::Transaction& transaction) {
  auto& ours = transaction.Cast<DeltaTransaction>();
  const bool commits = ours.pending().transaction() != nullptr;
  const auto outcome = ours.Commit(UserMetadataOf(context));
  if (commits && outcome) NextWrite::Of(context).Committed();
  if (outcome && *outcome) AutoCompact::Of(context).Note(context, **outcome);
  RollbackTransaction(transaction);  // Nothing is pending any more.
  if (!outcome) CommitFailure::Of(context).Note(outcome.error());
  if (outcome) return {};
  try {
    engine::Throw(outcome.error());
  } catch (const std::exception& exception) {
    return duckdb::ErrorData(exception);
  }
}

void DeltaTransactionManager::RollbackTransaction(
    duckdb::Transaction& transaction) {
  duckdb::unique_ptr<DeltaTransaction> finished;
  const std::lock_guard lock(mutex_);
  const auto found = running_.find(&transaction);
  if (found == running_.end()) return;
  finished = std::move(found->second);
  running_.erase(found);
}

}  // namespace bayou::sql

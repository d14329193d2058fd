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
    : Transaction(owner, client),
      database_(*client.db),
      tables_(TransactionTables::Of(client)) {}

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
  return tables_->Latest(location, overwrite && overwrite->old_rows_went);
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
  if (snapshot->is_preview()) DropOlderPreviews(*snapshot);
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

void DeltaTransaction::DropOlderPreviews(const table::Snapshot& preview) {
  const auto is_older = [&](const DeltaTable* table) {
    const auto& other = table->snapshot();
    return other && other->is_preview() && other.get() != &preview &&
           other->location() == preview.location();
  };
  std::erase_if(entries_, [&](const auto& e) { return is_older(e.second); });
  std::erase_if(kept_, [&](const auto& kept) { return is_older(kept.get()); });
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
  const auto outcome = ours.tables().Commit(UserMetadataOf(context));
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

// SPDX-License-Identifier: Apache-2.0
#include "sql/transaction_tables.h"

#include <duckdb/main/client_context_state.hpp>
#include <duckdb/transaction/meta_transaction.hpp>
#include <utility>

namespace bayou::sql {
namespace {

// Of one connection: the tables of its running transaction.
class Running final : public duckdb::ClientContextState {
 public:
  static Running& Of(duckdb::ClientContext& context) {
    return *context.registered_state->GetOrCreate<Running>(
        "bayou_transaction_tables");
  }

  duckdb::transaction_t transaction = 0;
  std::weak_ptr<TransactionTables> tables;
};

}  // namespace

std::shared_ptr<TransactionTables> TransactionTables::Of(
    duckdb::ClientContext& context) {
  Running& running = Running::Of(context);
  const auto transaction =
      duckdb::MetaTransaction::Get(context).global_transaction_id;
  auto tables = running.tables.lock();
  if (tables && running.transaction == transaction) return tables;
  tables = std::make_shared<TransactionTables>(*context.db);
  running.transaction = transaction;
  running.tables = tables;
  return tables;
}

Result<std::shared_ptr<const table::Snapshot>> TransactionTables::Latest(
    const std::string& location, bool old_rows) {
  const std::lock_guard lock(mutex_);
  if (changed_ && changed_->location() == location) return changed_;
  if (!old_rows) {
    BAYOU_ASSIGN(auto preview, pending_.Preview(location));
    if (preview) return preview;
  }
  if (const auto known = latest_.find(location); known != latest_.end())
    return known->second;
  BAYOU_ASSIGN(auto snapshot, table::Snapshot::Open(location, database_));
  return latest_[location] = std::move(snapshot);
}

std::shared_ptr<const table::Snapshot> TransactionTables::Committed(
    const std::string& location) {
  const std::lock_guard lock(mutex_);
  const auto known = latest_.find(location);
  return known == latest_.end() ? nullptr : known->second;
}

void TransactionTables::Change(std::shared_ptr<const table::Snapshot> changed) {
  const std::lock_guard lock(mutex_);
  changed_ = std::move(changed);
}

void TransactionTables::EndStatement(duckdb::ClientContext& context) {
  if (const auto tables = Running::Of(context).tables.lock())
    tables->Change(nullptr);
}

std::shared_ptr<scan::ScanReads> TransactionTables::PlanScan(
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

Result<std::optional<transaction::Transaction>> TransactionTables::Commit(
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

}  // namespace bayou::sql

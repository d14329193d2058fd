// SPDX-License-Identifier: Apache-2.0
//
// One SQL transaction on a database of Delta tables. It sees one version of
// each table: the one that was the latest when it first looked, with what it
// has changed itself.
#pragma once

#include <duckdb.hpp>
#include <duckdb/transaction/transaction.hpp>
#include <duckdb/transaction/transaction_manager.hpp>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "kernel/scan/scan_reads.h"
#include "kernel/table/snapshot.h"
#include "sql/delta_table.h"
#include "sql/pending_write.h"

namespace bayou::sql {

class DeltaTransaction : public duckdb::Transaction {
 public:
  DeltaTransaction(duckdb::TransactionManager& manager,
                   duckdb::ClientContext& context);

  static DeltaTransaction& Get(duckdb::ClientContext& context,
                               duckdb::Catalog& catalog);

  // The version of the table that `at` asks for, as an entry that lives as long
  // as the transaction. The latest version is looked up once, and has the
  // changes that are pending, but for the INSERT of an overwrite, which sees
  // the rows that it replaces. Errors: see Snapshot::Open.
  Result<DeltaTable*> Table(duckdb::SchemaCatalogEntry& schema,
                            const std::string& name,
                            const std::string& location,
                            const table::TimeTravel& at);

  // From now on the table is the one of `changed`, whose commit is yet to come.
  void Change(std::shared_ptr<const table::Snapshot> changed);

  // The same for listings: a table that cannot be opened has no columns, and
  // says why in its comment.
  DeltaTable& ListedTable(duckdb::SchemaCatalogEntry& schema,
                          const std::string& name, const std::string& location);

  // A scan of `version` of the table is planned: where it is to be noted when
  // it runs, if that is the version on which changes are built; else nullptr.
  std::shared_ptr<scan::ScanReads> PlanScan(const table::Snapshot& version);

  PendingWrite& pending() { return pending_; }
  // Commits what is pending; it depends on what was read. See
  // PendingWrite::Commit.
  Result<std::optional<transaction::Transaction>> Commit(
      std::optional<std::string> user_metadata);

 private:
  // Schema, name, location; of an old version its number, else the snapshot.
  using Key = std::tuple<std::string, std::string, std::string,
                         protocol::Version, const table::Snapshot*>;

  Result<std::shared_ptr<const table::Snapshot>> Open(
      const std::string& location, const table::TimeTravel& at);
  DeltaTable& Keep(duckdb::unique_ptr<DeltaTable> table);

  duckdb::DatabaseInstance& database_;
  std::mutex mutex_;
  std::map<std::string, std::shared_ptr<const table::Snapshot>> latest_;
  std::map<Key, DeltaTable*> entries_;
  std::vector<duckdb::unique_ptr<DeltaTable>> kept_;
  std::map<std::string, std::shared_ptr<scan::ScanReads>> reads_;
  PendingWrite pending_;
};

class DeltaTransactionManager : public duckdb::TransactionManager {
 public:
  using TransactionManager::TransactionManager;

  duckdb::Transaction& StartTransaction(
      duckdb::ClientContext& context) override;
  duckdb::ErrorData CommitTransaction(
      duckdb::ClientContext& context,
      duckdb::Transaction& transaction) override;
  void RollbackTransaction(duckdb::Transaction& transaction) override;
  void Checkpoint(duckdb::ClientContext&, bool) override {
  }  // Nothing of ours to save.

 private:
  std::mutex mutex_;
  std::unordered_map<duckdb::Transaction*, duckdb::unique_ptr<DeltaTransaction>>
      running_;
};

}  // namespace bayou::sql

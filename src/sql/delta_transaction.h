// SPDX-License-Identifier: Apache-2.0
//
// One SQL transaction on a database of Delta tables. It sees one version of
// each table: the one that was the latest when it first looked, with what it
// has changed itself (see transaction_tables.h). Here are the database's
// entries for them.
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

#include "kernel/table/snapshot.h"
#include "sql/delta_table.h"
#include "sql/transaction_tables.h"

namespace bayou::sql {

class DeltaTransaction : public duckdb::Transaction {
 public:
  DeltaTransaction(duckdb::TransactionManager& manager,
                   duckdb::ClientContext& context);

  static DeltaTransaction& Get(duckdb::ClientContext& context,
                               duckdb::Catalog& catalog);

  // The version of the table that `at` asks for, as an entry that lives as long
  // as the transaction, or until a later statement sees other changes in it.
  // The latest version has the changes that are pending, but for the INSERT of
  // an overwrite, which sees the rows that it replaces. Errors: see
  // Snapshot::Open.
  Result<DeltaTable*> Table(duckdb::SchemaCatalogEntry& schema,
                            const std::string& name,
                            const std::string& location,
                            const table::TimeTravel& at);

  // The same for listings: a table that cannot be opened has no columns, and
  // says why in its comment.
  DeltaTable& ListedTable(duckdb::SchemaCatalogEntry& schema,
                          const std::string& name, const std::string& location);

  TransactionTables& tables() { return *tables_; }
  PendingWrite& pending() { return tables_->pending(); }

 private:
  // Schema, name, location; of an old version its number, else the snapshot.
  using Key = std::tuple<std::string, std::string, std::string,
                         protocol::Version, const table::Snapshot*>;

  Result<std::shared_ptr<const table::Snapshot>> Open(
      const std::string& location, const table::TimeTravel& at);
  DeltaTable& Keep(duckdb::unique_ptr<DeltaTable> table);
  // Entries of what earlier statements saw of their changes are of no use.
  void DropOlderPreviews(const table::Snapshot& preview);

  duckdb::DatabaseInstance& database_;
  const std::shared_ptr<TransactionTables> tables_;
  std::mutex mutex_;
  std::map<Key, DeltaTable*> entries_;
  std::vector<duckdb::unique_ptr<DeltaTable>> kept_;
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

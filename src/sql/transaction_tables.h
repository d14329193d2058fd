// SPDX-License-Identifier: Apache-2.0
//
// What one SQL transaction has seen of tables, and makes of one of them. A
// table is the same whichever way a statement names it, in the lake or by its
// path, so this belongs to the transaction and not to one of its databases.
#pragma once

#include <duckdb.hpp>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "kernel/scan/scan_reads.h"
#include "kernel/table/snapshot.h"
#include "kernel/transaction/transaction.h"
#include "sql/pending_write.h"

namespace bayou::sql {

class TransactionTables {
 public:
  explicit TransactionTables(duckdb::DatabaseInstance& database)
      : database_(database), pending_(database) {}

  // Those of the transaction that runs in `context`. They live as long as one
  // of its databases holds them.
  static std::shared_ptr<TransactionTables> Of(duckdb::ClientContext& context);

  // The latest version, which is looked up once, with the changes that are
  // pending, unless `old_rows` are asked for. Errors: see Snapshot::Open.
  Result<std::shared_ptr<const table::Snapshot>> Latest(
      const std::string& location, bool old_rows);
  // As it was looked up, without changes; nullptr: it was not.
  std::shared_ptr<const table::Snapshot> Committed(const std::string& location);

  // For the statement that runs the table is that of `changed`, whose commit is
  // yet to come.
  void Change(std::shared_ptr<const table::Snapshot> changed);
  // What the statement did not write is forgotten.
  static void EndStatement(duckdb::ClientContext& context);

  // A scan of `version` of the table is planned: where it is to be noted when
  // it runs, if that is the version on which changes are built; else nullptr.
  std::shared_ptr<scan::ScanReads> PlanScan(const table::Snapshot& version);

  PendingWrite& pending() { return pending_; }
  // Commits what is pending; it depends on what was read. See
  // PendingWrite::Commit.
  Result<std::optional<transaction::Transaction>> Commit(
      std::optional<std::string> user_metadata);

 private:
  duckdb::DatabaseInstance& database_;
  std::mutex mutex_;
  std::map<std::string, std::shared_ptr<const table::Snapshot>> latest_;
  std::shared_ptr<const table::Snapshot> changed_;  // By the statement.
  std::map<std::string, std::shared_ptr<scan::ScanReads>> reads_;
  PendingWrite pending_;
};

}  // namespace bayou::sql

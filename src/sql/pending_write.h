// SPDX-License-Identifier: Apache-2.0
//
// The changes that one SQL transaction has made so far. They belong to one
// table and become one commit of it, at COMMIT, or when the statement ends
// where there is no BEGIN.
#pragma once

#include <cstdint>
#include <duckdb.hpp>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bayou/result.h"
#include "kernel/table/snapshot.h"
#include "kernel/transaction/transaction.h"
#include "kernel/write/identity_values.h"
#include "kernel/write/table_writer.h"
#include "ops/commands/alter_table.h"
#include "ops/commands/create_table.h"
#include "sql/write_options.h"

namespace bayou::sql {

// How a statement makes a new table.
struct Creation {
  bool as_select = false;
  bool if_not_exists = false;  // Another's table of the name is as good.

  bool Accepts(const Error& error) const {
    return if_not_exists && error.condition == "DELTA_TABLE_ALREADY_EXISTS";
  }
};

// Used by one statement at a time.
class PendingWrite {
 public:
  explicit PendingWrite(duckdb::DatabaseInstance& database)
      : database_(database) {}
  PendingWrite(const PendingWrite&) = delete;
  PendingWrite& operator=(const PendingWrite&) = delete;
  ~PendingWrite() { Rollback(); }

  // What is begun from now on is the write of an application.
  void SetApplication(std::optional<AppVersion> application) {
    application_ = std::move(application);
  }

  // Begins a statement that is `operation` in the history, or goes on in its
  // transaction with another one.
  // Errors: kUnsupported, condition DELTA_MULTI_TABLE_TRANSACTION, when another
  // table has changes already; see Transaction::On.
  Status BeginChange(std::shared_ptr<const table::Snapshot> snapshot,
                     transaction::Operation operation);

  // Begins a new table. Errors: as above; see commands::CreateTable.
  Status BeginCreate(const std::string& location,
                     const commands::TableDefinition& definition,
                     Creation creation);

  // Begins a table in the place of another one. Errors: as above;
  // kUnsupported, DELTA_UNCOMMITTED_CHANGE, when that has changes already.
  Status BeginReplace(const std::shared_ptr<const table::Snapshot>& replaced,
                      const commands::TableDefinition& definition,
                      bool as_select);

  // Changes the table's metadata and protocol. Stands alone in its transaction.
  // Errors: see CheckAlterable; Transaction::On.
  Status Alter(std::shared_ptr<const table::Snapshot> snapshot,
               const commands::TableChange& change);
  // Errors: kUnsupported, condition DELTA_ALTER_IN_TRANSACTION, when the
  // transaction has changes already.
  Status CheckAlterable(const std::string& location) const;

  // Identity columns go on where the changes so far have left them, and the
  // marks move when the statement has given its values. Only after a
  // Begin...().
  Status BeginIdentity(write::IdentityValues& values) const;
  Status MoveIdentityMarks(const write::IdentityValues& values);

  // Adds what a statement wrote. Only after a Begin...().
  void AddFiles(write::WrittenFiles written);

  // What a statement stages after BeginChange(); then it says what it did.
  transaction::Transaction& change() { return *transaction_; }
  // The name under which the history has what began as a WRITE.
  void NameOperation(std::string name) { operation_.name = std::move(name); }
  void FinishChange(
      const std::vector<std::pair<std::string, std::int64_t>>& metrics);

  // Where the statements so far have made a table.
  std::optional<std::string> made_table() const;

  // The table with changes, or nullptr.
  const transaction::Transaction* transaction() const {
    return transaction_ ? &*transaction_ : nullptr;
  }

  // The table with what the statements so far have made of it; nullptr where
  // they have not changed it.
  Result<std::shared_ptr<const table::Snapshot>> Preview(
      const std::string& location);

  // Errors: kUnsupported, condition DELTA_UNCOMMITTED_CHANGE, when `location`
  // has changes that are not committed; it is in the way of `what`.
  Status CheckUnchanged(const std::string& location,
                        std::string_view what) const;

  // Commits what there is, and returns what was committed; afterwards nothing
  // is pending, whatever the outcome.
  Result<std::optional<transaction::Transaction>> Commit(
      std::optional<std::string> user_metadata);

  // Drops the changes and deletes the files that hold them.
  void Rollback();

 private:
  void Begin(transaction::Transaction transaction,
             transaction::Operation operation);
  void DropIncomplete();
  // Errors: kConflict, DELTA_CONCURRENT_TRANSACTION, when the table has the
  // application's write: it was not there when the statement was planned.
  Status NoteApplication();
  void Complete();
  std::int64_t& Metric(const std::string& name);
  void CountFilesAnew(const transaction::StagedActions& staged);
  void Abandon(transaction::Transaction& transaction);

  duckdb::DatabaseInstance& database_;
  std::optional<transaction::Transaction> transaction_;
  // Of what is complete, once somebody has asked for it.
  std::shared_ptr<const table::Snapshot> preview_;
  transaction::Operation operation_;
  std::optional<AppVersion> application_;
  Creation creation_;  // Of the transaction's new table.
  bool made_folder_ =
      false;               // What CREATE TABLE leaves behind is ours to remove.
  bool altered_ = false;   // Statements would be planned on what was before.
  bool complete_ = false;  // A statement has added all that it wanted to.
  int statements_ = 0;
};

}  // namespace bayou::sql

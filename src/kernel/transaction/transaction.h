// SPDX-License-Identifier: Apache-2.0
//
// Stages the changes to one table and commits them as one version: all or
// nothing, and only if what they were built on still holds.
//
// The commit is a file that is put where none is (Protocol: "Delta Log
// Entries"). Whoever puts it first has the version. The loser reads what the
// winner did: when that leaves its changes valid it tries the next version,
// with row ids and in-commit timestamp assigned anew; otherwise it reports a
// conflict. An answer that got lost is settled by reading the version back: the
// commit is ours if it carries our txnId.
#pragma once

#include <cstdint>
#include <duckdb.hpp>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/env.h"
#include "bayou/result.h"
#include "kernel/protocol/actions.h"
#include "kernel/store/store.h"
#include "kernel/table/snapshot.h"
#include "kernel/transaction/commit_info.h"
#include "kernel/transaction/conflict_checker.h"

namespace bayou::transaction {

using protocol::Version;

class Transaction {
 public:
  // On an existing table. Errors: kUnsupported (see protocol::CheckWritable),
  // before anything is written.
  static Result<Transaction> On(std::shared_ptr<const table::Snapshot> base,
                                Env& env);

  // The first version of a new table.
  static Transaction Create(std::shared_ptr<store::Store> store,
                            protocol::Protocol protocol,
                            protocol::Metadata metadata, Env& env);

  Transaction(Transaction&&) noexcept = default;
  Transaction& operator=(Transaction&&) noexcept = default;

  // A data file that is written and durable.
  void AddFiles(std::vector<protocol::AddFile> files);

  // The changes depend on every row of the base version.
  void ReadWholeTable() { reads_.whole_table = true; }

  const std::string& location() const { return store_->location(); }
  const protocol::Protocol& protocol() const { return protocol_; }
  const protocol::Metadata& metadata() const { return metadata_; }
  const std::shared_ptr<store::Store>& shared_store() const { return store_; }
  bool creates_table() const { return base_ == nullptr; }
  // Names the commit for good: it is commitInfo.txnId.
  const std::string& txn_id() const { return txn_id_; }

  // Makes the changes the next version of the table and returns it.
  // Errors: kConflict (see conflict_checker.h); kAlreadyExists, condition
  // DELTA_TABLE_ALREADY_EXISTS, when a new table was created by another;
  // kCommitUnknown when the outcome could not be found out: the data files must
  // stay; anything the store says. After an error the transaction is over.
  Result<Version> Commit(const Operation& operation);

  // Deletes the data files that were added, when no commit can name them.
  void Abandon();

 private:
  Transaction(std::shared_ptr<store::Store> store, Env& env)
      : store_(std::move(store)), env_(&env), txn_id_(NewUuid(env)) {}

  // What a version takes over from the one before.
  struct Predecessor {
    std::int64_t in_commit_timestamp = -1;
    std::int64_t row_id_high_water_mark = -1;
  };
  enum class Outcome {
    kCommitted,
    kLost,    // The version is another's, and we can take the next one.
    kNobody,  // Nobody has the version: try again.
  };

  Result<Predecessor> BasePredecessor() const;
  std::string Render(const Operation& operation, Version version,
                     const Predecessor& before) const;
  // Tries to become `version`. After kLost, `before` is what the version after
  // it takes over.
  Result<Outcome> Try(const Operation& operation, Version version,
                      Predecessor* before);
  Outcome Committed();
  tl::unexpected<Error> UnknownOutcome(Version version,
                                       const Error& reason) const;
  // nullopt: nobody has the version.
  Result<std::optional<WinningCommit>> ReadCommit(Version version) const;
  Status YieldTo(const WinningCommit& winner, Predecessor* before) const;

  std::shared_ptr<store::Store> store_;
  Env* env_;
  std::string txn_id_;
  std::shared_ptr<const table::Snapshot> base_;  // Null: a new table.
  protocol::Protocol protocol_;
  protocol::Metadata metadata_;
  ReadSet reads_;
  std::vector<protocol::AddFile> adds_;
  // A version that was ours, or that a request with an unknown end may still
  // make ours. Then the data files must stay.
  bool may_be_committed_ = false;
};

}  // namespace bayou::transaction

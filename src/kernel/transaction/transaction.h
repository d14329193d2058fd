// SPDX-License-Identifier: Apache-2.0
//
// Stages the changes to one table and commits them as one version: all or
// nothing, and only if what they were built on still holds.
//
// The commit is a file that is put where none is (Protocol: "Delta Log
// Entries"). Whoever puts it first has the version. The loser reads what the
// winner did: when that leaves its changes valid it tries the next version, on
// the protocol and metadata that the winner left, with row ids and in-commit
// timestamp assigned anew; otherwise it reports a conflict. An answer that got
// lost is settled by reading the version back: the commit is ours if it carries
// our txnId.
#pragma once

#include <cstdint>
#include <duckdb.hpp>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/env.h"
#include "bayou/result.h"
#include "kernel/protocol/actions.h"
#include "kernel/store/store.h"
#include "kernel/table/snapshot.h"
#include "kernel/transaction/commit_info.h"
#include "kernel/transaction/conflict_checker.h"
#include "kernel/transaction/row_level_merge.h"
#include "kernel/transaction/staged_actions.h"

namespace bayou::transaction {

using protocol::Version;

class Transaction {
 public:
  // On an existing table; what a changed snapshot changes is staged. Errors:
  // kUnsupported (see protocol::CheckWritable), before anything is written.
  static Result<Transaction> On(std::shared_ptr<const table::Snapshot> base,
                                Env& env);

  // The first version of a new table.
  static Transaction Create(std::shared_ptr<store::Store> store,
                            protocol::Protocol protocol,
                            protocol::Metadata metadata, Env& env);

  Transaction(Transaction&&) noexcept = default;
  Transaction& operator=(Transaction&&) noexcept = default;

  // ---- What is going to be committed. Files are written and durable already;
  // those that are new belong to the transaction: see Abandon().

  void AddFiles(std::vector<protocol::AddFile> files);  // New data files.
  // Puts files into the table that are there already: they are nobody's to
  // delete, whatever becomes of the transaction.
  void AdoptFiles(std::vector<protocol::AddFile> files);
  void AddChangeFiles(std::vector<protocol::CdcFile> files);
  // What is staged so far is the work of earlier statements: from now on its
  // files can be removed and replaced as those of the base version can.
  void NextStatement() { earlier_adds_ = staged_.adds.size(); }
  // Takes a file of the base version out. `data_change` false: its rows live on
  // in files that are added.
  void RemoveFile(const protocol::AddFile& live, bool data_change = true);
  // Puts `file` in the place of `live`, a file of the base version with the
  // same path: another deletion vector, other statistics, tags or row ids.
  void ReplaceFile(const protocol::AddFile& live, protocol::AddFile file);
  // A file beside the data files that no action names by its path, such as one
  // of deletion vectors; decoded, relative to the table.
  void OwnFile(std::string name);

  void SetProtocol(protocol::Protocol protocol);
  void SetMetadata(protocol::Metadata metadata);
  void SetDomain(protocol::DomainMetadata domain);
  // The highest version of an application counts.
  void SetAppVersion(protocol::SetTransaction app);

  // ---- What the changes depend on.

  void ReadWholeTable() { reads_.whole_table = true; }
  // The files of the base version that `files` keeps, and whatever else it
  // would keep.
  void ReadFiles(std::shared_ptr<const log::FilePredicate> files);
  // The same, where each row was judged by itself: see ReadSet::row_scans.
  void ReadRows(std::shared_ptr<const log::FilePredicate> files);
  // The version that the application has written last, or nullopt.
  std::optional<std::int64_t> AppVersion(const std::string& app_id);

  const std::string& location() const { return store_->location(); }
  // As they will be after the commit.
  const protocol::Protocol& protocol() const;
  const protocol::Metadata& metadata() const;
  const std::shared_ptr<const table::Snapshot>& base() const { return base_; }
  const std::shared_ptr<store::Store>& shared_store() const { return store_; }
  const StagedActions& staged() const { return staged_; }
  bool creates_table() const { return base_ == nullptr; }
  // Names the commit for good: it is commitInfo.txnId.
  const std::string& txn_id() const { return txn_id_; }

  // The commit as its file has it, once there is one.
  struct Committed {
    std::int64_t bytes = 0;
    StagedActions actions;  // With row ids, and the final metadata.
    std::optional<std::int64_t> in_commit_timestamp;  // Milliseconds.
    // What it adds to the files and bytes of the version before.
    log::FileTotals growth;
    // False when an earlier attempt may be what was committed, whose time was
    // another.
    bool is_certain = true;
  };
  const Committed& committed() const { return committed_; }

  // Makes the changes the next version of the table and returns it.
  // Errors: kConflict (see conflict_checker.h); kAlreadyExists, condition
  // DELTA_TABLE_ALREADY_EXISTS, when a new table was created by another;
  // kConstraint, DELTA_CANNOT_MODIFY_APPEND_ONLY, when rows would go from a
  // table with delta.appendOnly; kCommitUnknown when the outcome could not be
  // found out: the data files must stay; anything the store says. After an
  // error the transaction is over.
  Result<Version> Commit(const Operation& operation);

  // Deletes the files that it brought, when no commit can name them.
  void Abandon();

 private:
  Transaction(std::shared_ptr<store::Store> store, Env& env)
      : store_(std::move(store)), env_(&env), txn_id_(NewUuid(env)) {}

  // What a version takes over from the one before.
  struct Predecessor {
    std::int64_t timestamp = -1;  // Milliseconds; where the version needs it.
    std::int64_t row_id_high_water_mark = -1;
  };
  enum class Outcome {
    kCommitted,
    kLost,     // The version is another's, and we can take the next one.
    kNobody,   // Nobody has the version: try again.
    kBlocked,  // Its name is taken, by nothing that can be read.
  };

  bool HasInCommitTimestamps() const;
  bool EnablesInCommitTimestamps() const;
  bool DropsReaderFeature() const;
  Status CheckFeedColumns() const;
  Status CheckStaged() const;
  Result<Predecessor> BasePredecessor() const;
  // Whether an earlier statement has added the file; it no longer is then.
  bool TakeBack(const protocol::AddFile& live);
  void DeleteTakenBack();
  log::FileTotals Growth() const;
  // The text of the commit; `committed` gets the rest.
  Result<std::string> Render(const Operation& operation, Version version,
                             const Predecessor& before,
                             Committed* committed) const;
  Status CheckText(std::string_view commit) const;
  // Tries to become `version`. After kLost, `before` is what the version after
  // it takes over.
  Result<Outcome> Try(const Operation& operation, Version version,
                      Predecessor* before);
  Outcome Won();
  tl::unexpected<Error> Blocked(Version version) const;
  tl::unexpected<Error> UnknownOutcome(Version version,
                                       const Error& reason) const;
  // nullopt: nobody has the version.
  Result<std::optional<WinningCommit>> ReadCommit(Version version) const;
  Status YieldTo(const WinningCommit& winner, Predecessor* before);
  // Yields to whoever else has won meanwhile, up to the first free version.
  Status CatchUp(Version* version, Predecessor* before);
  std::vector<std::shared_ptr<const log::FilePredicate>> ScansThatMatter(
      IsolationLevel isolation) const;
  Status FindFilesRead(IsolationLevel isolation);
  // Rows that were read are in other files now.
  void FollowMovedRows(const WinningCommit& winner, IsolationLevel isolation);
  Status MergeRows(const RowLevelMerge& merge);
  Status Adopt(const WinningCommit& winner, Predecessor* before);

  std::shared_ptr<store::Store> store_;
  Env* env_;
  std::string txn_id_;
  std::string operation_ = {};  // For messages, once it is to be committed.
  std::shared_ptr<const table::Snapshot> base_;  // Null: a new table.
  // As in the base version, or as a winner has left them.
  protocol::Protocol protocol_;
  protocol::Metadata metadata_;
  StagedActions staged_;
  std::size_t earlier_adds_ = 0;      // The first so many of staged_.adds.
  std::set<std::string> taken_back_;  // Canonical paths.
  ReadSet reads_;
  std::optional<std::set<std::string>> files_read_;  // Once a race was lost.
  std::set<std::string> files_moved_to_;  // By winners; those of scans that
                                          // `files_read_` is about.
  // The first winner that counts as later: see conflict_checker.h.
  std::optional<Version> comes_before_;
  std::vector<std::string> own_files_;  // Decoded, relative to the table.
  // Files of the base version that `staged_` adds without removing them.
  log::FileTotals described_anew_;
  Committed committed_;
  // A version that was ours, or that a request with an unknown end may still
  // make ours. Then the data files must stay.
  bool may_be_committed_ = false;
};

}  // namespace bayou::transaction

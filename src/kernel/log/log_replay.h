// SPDX-License-Identifier: Apache-2.0
//
// Rebuilds one version of a table from a log segment.
//
// The newest commits are few and small: they are parsed into values. The
// checkpoint is large: it stays a Parquet relation, which each question reads
// with only the columns and row groups that it needs, minus the files that the
// newer commits touched. So memory does not grow with the table.
//
// Protocol: "Action Reconciliation", "Checkpoints", "V2 Spec".
#pragma once

#include <duckdb.hpp>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bayou/result.h"
#include "kernel/log/log_segment.h"
#include "kernel/protocol/actions.h"
#include "kernel/store/store.h"

namespace bayou::log {

class FileKeySet;           // See file_key_set.h.
struct CheckpointRelation;  // See checkpoint.h.
struct LogTail;             // See log_tail.h.

// One live file as a predicate sees it, without copies. Valid during the call.
struct FileView {
  std::string_view path;  // As in the log.
  // Keys and values of partitionValues; a value without data() is NULL.
  std::span<const std::pair<std::string_view, std::string_view>>
      partition_values;
  std::string_view stats;  // JSON text; empty = none.
  bool has_deletion_vector = false;
  std::int64_t size = 0;
  std::int64_t modification_time = 0;
};

// Decides which files a question needs. Called from several threads at once.
class FilePredicate {
 public:
  virtual ~FilePredicate() = default;
  virtual bool Keep(const FileView& file) const = 0;

  // False: Keep() does not look at `stats`, so they need not be read for it.
  virtual bool NeedsStats() const { return true; }

  // True: KeepStats() may be false, so that it pays to ask it first, before
  // anything but the statistics is read.
  virtual bool JudgesStats() const { return false; }

  // False only where Keep() is false whatever else the log says about the file.
  virtual bool KeepStats(std::string_view stats) const {
    (void)stats;
    return true;
  }

  // A SQL condition over the columns of a checkpoint's `add` struct that holds
  // for every file that Keep() keeps, in a form whose row groups DuckDB can
  // skip; empty = none. `add_type` tells which fields there are, among them
  // add.stats_parsed and add.partitionValues_parsed.
  virtual std::string CheckpointFilter(
      const duckdb::LogicalType& add_type) const {
    (void)add_type;
    return {};
  }
};

// Which fields of AddFile a question needs filled in; path, partition values,
// size, modification time and deletion vector always are.
struct FileFields {
  bool stats = false;
  bool tags = false;
  bool row_tracking = false;  // base_row_id, default_row_commit_version
};

// Delivers live files in no particular order.
class FileCursor {
 public:
  virtual ~FileCursor() = default;
  // Replaces `batch` with the next files (up to a few thousand); false at the
  // end, with `batch` empty.
  virtual Result<bool> Next(std::vector<protocol::AddFile>& batch) = 0;
};

struct FileTotals {
  std::int64_t files = 0;
  std::int64_t bytes = 0;
};

// A version of a table, replayed. Immutable; safe from any thread.
class LogState {
 public:
  // Reads the segment's deltas and the small actions of its checkpoint.
  // Errors: kCorruption, DELTA_CHECKPOINT_UNREADABLE with `unreadable` set to
  // the file's name, so that the caller can choose another segment; DELTA_LOG_*
  // for commits: not JSON, empty (zero bytes), protocol or metadata missing.
  static Result<std::shared_ptr<const LogState>> Replay(
      const std::shared_ptr<store::Store>& store,
      duckdb::DatabaseInstance& database, const LogSegment& segment,
      std::string* unreadable);

  // What the commit of `actions` would make of `base`; of a table that is yet
  // to be made, whose protocol and metadata are among them, if it is null. The
  // segment stays that of `base`.
  static std::shared_ptr<const LogState> Preview(
      duckdb::DatabaseInstance& database, const LogState* base,
      std::vector<protocol::Action> actions);
  virtual ~LogState() = default;

  virtual const LogSegment& segment() const = 0;
  virtual const protocol::Protocol& protocol() const = 0;
  virtual const protocol::Metadata& metadata() const = 0;
  virtual const std::map<std::string, protocol::SetTransaction>& transactions()
      const = 0;
  // Removed domains are not in it.
  virtual const std::map<std::string, protocol::DomainMetadata>& domains()
      const = 0;

  // The files of this version. `predicate` may be null: every file.
  virtual Result<std::unique_ptr<FileCursor>> Files(
      const FileFields& fields,
      std::shared_ptr<const FilePredicate> predicate) const = 0;

  // Counts without delivering; reads two columns of the checkpoint.
  virtual Result<FileTotals> Totals() const = 0;

  // Tombstones younger than `cutoff_ms`, for checkpoints and VACUUM.
  virtual Result<std::vector<protocol::RemoveFile>> Tombstones(
      std::int64_t cutoff_ms) const = 0;

  // What the state is made of, for who writes a checkpoint of it: values, and
  // the relations below them minus what the values touch.
  virtual const LogTail& tail() const = 0;
  virtual const std::vector<CheckpointRelation>& relations() const = 0;
  virtual const std::shared_ptr<const FileKeySet>& touched() const = 0;
};

}  // namespace bayou::log

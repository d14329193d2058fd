// SPDX-License-Identifier: Apache-2.0
//
// The rows of a snapshot's checkpoint as SQL: what the older checkpoint says
// and the newer commits do not touch, in its order, then what they say.
// Protocol: "Checkpoint Schema".
#pragma once

#include <cstdint>
#include <duckdb.hpp>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "bayou/result.h"
#include "kernel/log/checkpoint.h"
#include "kernel/log/file_filter.h"
#include "kernel/log/typed_columns.h"
#include "kernel/table/snapshot.h"

namespace bayou::table {

class CheckpointQuery {
 public:
  // Tombstones older than `tombstone_cutoff_ms` are left out.
  CheckpointQuery(const Snapshot& snapshot, duckdb::DatabaseInstance& database,
                  std::int64_t tombstone_cutoff_ms);

  // Leaves out what these files of the older checkpoint, given by their native
  // paths, say.
  void LeaveOut(const std::set<std::string>& files);

  // A connection that knows the functions which the statements call.
  std::unique_ptr<duckdb::Connection> Connect() const;

  // The file actions: columns `add` and `remove`. Fields that no file can have
  // are left out: a million NULLs cost time to write and to read.
  Result<std::string> FilesSql() const;

  // The types of its columns, which do not depend on what is left out.
  struct Types {
    duckdb::LogicalType add;
    duckdb::LogicalType remove;
  };
  Result<Types> FileTypes() const;

  // Those of one of so many parts, counted from 0.
  Result<std::string> PartSql(int part, int parts) const;

  // The other actions, if they are wanted, and behind them the file actions of
  // `files`, which is SQL.
  std::string AllSql(const std::string& files, bool with_others = true) const;

  // The manifest of a V2 checkpoint with these sidecars. It has the columns of
  // file actions, too, though no rows in them: delta-spark asks for them.
  Result<std::string> ManifestSql(
      Version version, const protocol::StringMap& tags,
      const std::vector<protocol::Sidecar>& sidecars) const;

  std::int64_t tombstone_cutoff_ms() const { return tombstone_cutoff_ms_; }

 private:
  // What only some features bring, of which most tables have none.
  struct OptionalFields {
    bool deletion_vectors = false;
    bool row_ids = false;
    bool clustering = false;
  };

  Result<OptionalFields> Fields() const;
  log::FileFilter Filter() const;
  const char* DomainColumn() const;  // Empty where there is none.
  Result<std::string> LiveSql() const;
  std::string TombstonesSql() const;
  std::string StatisticsFields() const;

  const Snapshot& snapshot_;
  duckdb::DatabaseInstance& database_;
  std::int64_t tombstone_cutoff_ms_;
  log::TypedColumns columns_;
  std::vector<log::CheckpointRelation> relations_;  // Not left out.
};

}  // namespace bayou::table

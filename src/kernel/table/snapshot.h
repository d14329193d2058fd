// SPDX-License-Identifier: Apache-2.0
//
// One version of a table: its schema, properties and files. What every reader
// and every transaction starts from.
#pragma once

#include <cstdint>
#include <duckdb.hpp>
#include <memory>
#include <optional>
#include <string>

#include "bayou/result.h"
#include "kernel/log/commit_history.h"
#include "kernel/log/log_replay.h"
#include "kernel/protocol/schema.h"
#include "kernel/protocol/table_properties.h"
#include "kernel/store/store.h"

namespace bayou::table {

using protocol::Version;

// Which version is asked for: the latest, a version, or a time in milliseconds.
struct TimeTravel {
  std::optional<Version> version;
  std::optional<std::int64_t> timestamp_ms;
};

class Snapshot {
 public:
  // Opens the table at `location` (absolute path): one listing from the hint
  // on, the commits after the checkpoint, a few columns of the checkpoint.
  // Falls back to older checkpoints when one cannot be read.
  // Errors: see log_listing.h, log_segment.h, log_replay.h, table_features.h
  // (reading); kCorruption when schema and partition columns contradict each
  // other; kUnsupported, condition DELTA_CATALOG_MANAGED, for the latest
  // version of catalog-managed tables opened by path. Every message names the
  // table and the version.
  static Result<std::shared_ptr<const Snapshot>> Open(
      const std::string& location, duckdb::DatabaseInstance& database,
      const TimeTravel& at = {});

  // The same on a store that is already there (tests, simulation).
  static Result<std::shared_ptr<const Snapshot>> Open(
      std::shared_ptr<store::Store> store, duckdb::DatabaseInstance& database,
      const TimeTravel& at = {});

  // True when a `_delta_log` with at least one file is at `location`. Creates
  // nothing, never fails.
  static bool IsTable(const std::string& location);

  const std::string& location() const { return store_->location(); }
  store::Store& store() const { return *store_; }
  const std::shared_ptr<store::Store>& shared_store() const { return store_; }
  Version version() const { return state_->segment().version; }
  const log::LogState& state() const { return *state_; }
  const std::shared_ptr<const log::LogState>& shared_state() const {
    return state_;
  }
  const protocol::Protocol& protocol() const {
    return planned_ ? planned_->protocol : state_->protocol();
  }
  const protocol::Metadata& metadata() const {
    return planned_ ? planned_->metadata : state_->metadata();
  }
  const protocol::Schema& schema() const { return schema_; }
  protocol::TableProperties properties() const {
    return protocol::TableProperties(metadata().configuration);
  }
  // Column mapping as in force: kNone unless the protocol supports it too.
  protocol::ColumnMappingMode column_mapping() const { return column_mapping_; }
  bool IsPartitionColumn(std::string_view name) const;
  // Where in-commit timestamps hold, for log::CommitTimestamp and the like.
  std::optional<log::InCommitTimestampRange> in_commit_timestamps() const;

  // The same files under the schema that a transaction is about to give the
  // table; a transaction on it commits the change with what else it does.
  // Errors: kCorruption for a schema that cannot be parsed.
  Result<std::shared_ptr<const Snapshot>> Changed(
      protocol::Metadata metadata, protocol::Protocol protocol) const;
  bool is_changed() const { return planned_.has_value(); }

  // The table as `actions` would leave it, in the order of a commit: what a
  // transaction sees of its own changes. version() stays that of `base`; -1
  // where that is null, for a table that the actions make. Nobody can build a
  // commit on it. Errors: kCorruption for a schema that cannot be parsed.
  static Result<std::shared_ptr<const Snapshot>> Preview(
      std::shared_ptr<store::Store> store, duckdb::DatabaseInstance& database,
      const Snapshot* base, std::vector<protocol::Action> actions);
  bool is_preview() const { return is_preview_; }

  // The time of this version's commit, in milliseconds.
  Result<std::int64_t> Timestamp() const;

 private:
  struct Planned {
    protocol::Metadata metadata;
    protocol::Protocol protocol;
  };

  Snapshot() = default;
  static Result<std::shared_ptr<Snapshot>> Of(
      std::shared_ptr<store::Store> store,
      std::shared_ptr<const log::LogState> state);

  std::shared_ptr<store::Store> store_;
  std::shared_ptr<const log::LogState> state_;
  std::optional<Planned> planned_;
  bool is_preview_ = false;
  protocol::Schema schema_;
  protocol::ColumnMappingMode column_mapping_ =
      protocol::ColumnMappingMode::kNone;
};

}  // namespace bayou::table

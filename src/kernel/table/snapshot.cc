// SPDX-License-Identifier: Apache-2.0
#include "kernel/table/snapshot.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "base/uri_path.h"
#include "kernel/log/log_listing.h"
#include "kernel/protocol/table_features.h"
#include "kernel/protocol/table_schema.h"
#include "kernel/store/location.h"

namespace bayou::table {
namespace {

using log::LogFileName;
using log::LogSegment;
using log::LogState;

// Names the table in a message that lower layers wrote without knowing it.
tl::unexpected<Error> Named(Error error, const std::string& location) {
  if (error.message.find(location) == std::string::npos) {
    error.message = fmt::format("table {}: {}", location, error.message);
  }
  return tl::unexpected(std::move(error));
}

// The files of the log, from the hinted checkpoint on or all of them.
struct Listing {
  std::vector<LogFileName> files;
  bool is_whole = true;
};

Result<Listing> ListFromHint(store::Store& store,
                             std::optional<Version> target) {
  const auto hint = log::ReadLastCheckpoint(store);
  const bool helps = hint && (!target || hint->version <= *target);
  const Version first = helps ? hint->version : 0;
  BAYOU_ASSIGN(auto files, log::ListLog(store, first));
  return Listing{std::move(files), first == 0};
}

// The segment for `target`. A hint that leads nowhere costs a second listing.
Result<LogSegment> ChooseSegment(store::Store& store,
                                 std::optional<Version> target,
                                 const std::set<std::string>& passed_over,
                                 Listing& listing) {
  auto segment = log::ChooseLogSegment(listing.files, target, passed_over);
  if (segment || listing.is_whole) return segment;
  BAYOU_ASSIGN(listing.files, log::ListLog(store, 0));
  listing.is_whole = true;
  return log::ChooseLogSegment(listing.files, target, passed_over);
}

// Replays `target`, or the newest version; a checkpoint or compacted file that
// cannot be read is passed over for as long as there is another way.
Result<std::shared_ptr<const LogState>> Replay(
    const std::shared_ptr<store::Store>& store,
    duckdb::DatabaseInstance& database, std::optional<Version> target) {
  BAYOU_ASSIGN(Listing listing, ListFromHint(*store, target));
  std::set<std::string> passed_over;
  std::optional<Error> cause;
  while (true) {
    auto segment = ChooseSegment(*store, target, passed_over, listing);
    if (!segment) return tl::unexpected(cause.value_or(segment.error()));
    std::string unreadable;
    auto state = LogState::Replay(store, database, *segment, &unreadable);
    if (state || unreadable.empty()) return state;
    passed_over.insert(unreadable);
    cause = state.error();
  }
}

bool IsCatalogManaged(const protocol::Protocol& protocol) {
  return protocol::Supports(protocol, "catalogManaged") ||
         protocol::Supports(protocol, "catalogOwned") ||
         protocol::Supports(protocol, "catalogOwned-preview");
}

Status CheckProtocol(const LogState& state, const std::string& location,
                     bool version_is_given) {
  // A version that is asked for by its number needs no more than the commits
  // that the catalog has published.
  if (IsCatalogManaged(state.protocol()) && !version_is_given) {
    return Fail(
        ErrorCode::kUnsupported, "DELTA_CATALOG_MANAGED",
        fmt::format("table {} is managed by a catalog, and only that catalog "
                    "knows its latest version; read it through its catalog, or "
                    "with VERSION AS OF a version that it has published (up to "
                    "{})",
                    location, state.segment().version));
  }
  return protocol::CheckReadable(state.protocol(), location);
}

Status CheckPartitionColumns(const LogState& state,
                             const protocol::Schema& schema) {
  for (const std::string& column : state.metadata().partition_columns) {
    const protocol::Field* field = schema.Find(column);
    if (!field || field->type.IsNested()) {
      return Fail(ErrorCode::kCorruption, "DELTA_SCHEMA_INVALID",
                  fmt::format("version {} names the partition column '{}', {}",
                              state.segment().version, column,
                              field ? "whose type cannot partition a table"
                                    : "which its schema does not have"));
    }
  }
  return {};
}

// The newest commit in the log, or -1.
Result<Version> LatestCommit(store::Store& store) {
  BAYOU_ASSIGN(const auto files, log::ListLog(store, 0));
  Version latest = -1;
  for (const LogFileName& file : files) {
    if (file.kind == log::LogFileKind::kCommit)
      latest = std::max(latest, file.version);
  }
  return latest;
}

// The version of a time. The table's state is replayed only when in-commit
// timestamps can be in play.
Result<Version> VersionAt(const std::shared_ptr<store::Store>& store,
                          duckdb::DatabaseInstance& database,
                          std::int64_t timestamp_ms) {
  BAYOU_ASSIGN(Version latest, LatestCommit(*store));
  std::optional<log::InCommitTimestampRange> range;
  if (log::MayHaveInCommitTimestamps(*store, latest)) {
    BAYOU_ASSIGN(const auto snapshot, Snapshot::Open(store, database));
    range = snapshot->in_commit_timestamps();
    latest = snapshot->version();
  }
  return log::VersionAtTimestamp(*store, timestamp_ms, range, latest, false);
}

}  // namespace

Result<std::shared_ptr<const Snapshot>> Snapshot::Open(
    const std::string& location, duckdb::DatabaseInstance& database,
    const TimeTravel& at) {
  return Open(store::OpenStore(location), database, at);
}

Result<std::shared_ptr<const Snapshot>> Snapshot::Open(
    std::shared_ptr<store::Store> store, duckdb::DatabaseInstance& database,
    const TimeTravel& at) {
  const std::string location = store->location();
  if (at.timestamp_ms) {
    auto version = VersionAt(store, database, *at.timestamp_ms);
    if (!version) return Named(std::move(version).error(), location);
    return Open(std::move(store), database,
                {.version = *version, .timestamp_ms = {}});
  }

  auto state = Replay(store, database, at.version);
  if (!state) return Named(std::move(state).error(), location);
  if (const Status readable =
          CheckProtocol(**state, location, at.version.has_value());
      !readable) {
    return Named(readable.error(), location);
  }
  return Of(std::move(store), *std::move(state));
}

Result<std::shared_ptr<Snapshot>> Snapshot::Of(
    std::shared_ptr<store::Store> store,
    std::shared_ptr<const log::LogState> state) {
  const std::string& location = store->location();
  auto schema = protocol::TableSchema(state->protocol(), state->metadata());
  if (!schema) {
    Error error = std::move(schema).error();
    error.message =
        fmt::format("the schema of table {} at version {} is invalid: {}",
                    location, state->segment().version, error.message);
    return tl::unexpected(std::move(error));
  }
  if (const Status valid = CheckPartitionColumns(*state, *schema); !valid) {
    return Named(valid.error(), location);
  }

  std::shared_ptr<Snapshot> snapshot(new Snapshot);
  snapshot->store_ = std::move(store);
  snapshot->state_ = std::move(state);
  snapshot->schema_ = *std::move(schema);
  snapshot->column_mapping_ = protocol::ColumnMappingInForce(
      snapshot->protocol(), snapshot->metadata());
  return snapshot;
}

Result<std::shared_ptr<const Snapshot>> Snapshot::Preview(
    std::shared_ptr<store::Store> store, duckdb::DatabaseInstance& database,
    const Snapshot* base, std::vector<protocol::Action> actions) {
  BAYOU_ASSIGN(
      auto preview,
      Of(std::move(store),
         LogState::Preview(database, base ? base->state_.get() : nullptr,
                           std::move(actions))));
  preview->is_preview_ = true;
  return preview;
}

Result<std::shared_ptr<const Snapshot>> Snapshot::Changed(
    protocol::Metadata metadata, protocol::Protocol protocol) const {
  std::shared_ptr<Snapshot> changed(new Snapshot);
  changed->store_ = store_;
  changed->state_ = state_;
  changed->is_preview_ = is_preview_;
  BAYOU_ASSIGN(changed->schema_, protocol::ParseSchema(metadata.schema_string));
  changed->planned_ = Planned{std::move(metadata), std::move(protocol)};
  if (protocol::Supports(changed->protocol(), "columnMapping"))
    changed->column_mapping_ = changed->properties().column_mapping_mode();
  return changed;
}

bool Snapshot::IsTable(const std::string& location) {
  const auto store = store::OpenStore(location);
  // Two look-ups answer for nearly every table; a listing does for the rest.
  for (const std::string& name :
       {std::string(log::kLastCheckpoint), log::CommitName(0)}) {
    if (store->Head(JoinPath(log::kLogFolder, name))) return true;
  }
  const auto files = store->List(log::kLogFolder, "0");
  return files && !files->empty();
}

bool Snapshot::IsPartitionColumn(std::string_view name) const {
  const protocol::Field* field = schema_.Find(name);
  for (const std::string& column : metadata().partition_columns) {
    if (field && schema_.Find(column) == field) return true;
  }
  return false;
}

std::optional<log::InCommitTimestampRange> Snapshot::in_commit_timestamps()
    const {
  const protocol::TableProperties table = properties();
  if (!table.in_commit_timestamps() ||
      !protocol::Supports(protocol(), "inCommitTimestamp")) {
    return std::nullopt;
  }
  return log::InCommitTimestampRange{
      table.in_commit_timestamp_enablement_version().value_or(0)};
}

Result<std::int64_t> Snapshot::Timestamp() const {
  const LogSegment& segment = state_->segment();
  // A cleaned-up commit leaves its checkpoint, which was written right after
  // it.
  if (!segment.last_commit && !segment.checkpoint.empty() &&
      segment.checkpoint.front().version == segment.version) {
    return segment.checkpoint.front().modified_ms;
  }
  return log::CommitTimestamp(*store_, segment.version, in_commit_timestamps());
}

}  // namespace bayou::table

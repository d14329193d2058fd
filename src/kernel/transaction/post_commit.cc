// SPDX-License-Identifier: Apache-2.0
#include "kernel/transaction/post_commit.h"

#include "kernel/log/log_listing.h"
#include "kernel/protocol/table_properties.h"
#include "kernel/table/checkpoint_writer.h"
#include "kernel/table/log_cleanup.h"
#include "kernel/table/snapshot.h"
#include "kernel/transaction/checksum_writer.h"

namespace bayou::transaction {
namespace {

Result<std::vector<std::int64_t>> BytesOf(store::Store& store,
                                          log::VersionRange range) {
  BAYOU_ASSIGN(const auto listing, log::ListLog(store, range.first));
  std::vector<std::int64_t> bytes;
  for (const log::LogFileName& file : listing) {
    if (file.kind == log::LogFileKind::kCommit && file.version <= range.last) {
      bytes.push_back(file.size);
    }
  }
  return bytes;
}

Status Checkpoint(const Transaction& transaction, Version version,
                  duckdb::DatabaseInstance& database, Env& env) {
  table::TimeTravel at;
  at.version = version;
  BAYOU_ASSIGN(const auto snapshot,
               table::Snapshot::Open(transaction.shared_store(), database, at));
  if (table::HasCheckpoint(*snapshot)) return {};
  BAYOU_TRY(table::WriteCheckpoint(*snapshot, database, env));
  if (!snapshot->properties().expired_log_cleanup()) return {};
  BAYOU_ASSIGN(const table::LogCleanup cleanup,
               table::PlanLogCleanup(*snapshot, database, env));
  return table::RunLogCleanup(snapshot->store(), cleanup);
}

Status LookAfterLog(const Transaction& transaction, Version version,
                    duckdb::DatabaseInstance& database, Env& env,
                    const table::LogPolicy& policy) {
  store::Store& store = *transaction.shared_store();
  const table::CommitSize size{
      .bytes = transaction.committed().bytes,
      .actions = transaction.staged().size(),
  };
  // Most commits need nothing, and then nothing is read.
  BAYOU_ASSIGN(
      const table::LogWork work,
      policy.After(
          version, size,
          protocol::TableProperties(transaction.metadata().configuration),
          [&](log::VersionRange range) { return BytesOf(store, range); }));
  if (work.compaction) BAYOU_TRY(log::CompactLog(store, *work.compaction));
  if (work.checkpoint) {
    BAYOU_TRY(Checkpoint(transaction, version, database, env));
  }
  return {};
}

}  // namespace

Status RunPostCommit(const Transaction& transaction, Version version,
                     duckdb::DatabaseInstance& database, Env& env,
                     const table::LogPolicy& policy) {
  const Status checksum = WriteChecksum(transaction, version);
  BAYOU_TRY(LookAfterLog(transaction, version, database, env, policy));
  return checksum;
}

}  // namespace bayou::transaction

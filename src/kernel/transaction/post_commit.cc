// SPDX-License-Identifier: Apache-2.0
#include "kernel/transaction/post_commit.h"

#include "kernel/protocol/table_properties.h"
#include "kernel/table/checkpoint_writer.h"
#include "kernel/table/snapshot.h"

namespace bayou::transaction {

Status RunPostCommit(const Transaction& transaction, Version version,
                     duckdb::DatabaseInstance& database, Env& env) {
  const protocol::TableProperties properties(
      transaction.metadata().configuration);
  // Most commits end here, before anything is read.
  if (version == 0 || version % properties.checkpoint_interval() != 0)
    return {};
  table::TimeTravel at;
  at.version = version;
  BAYOU_ASSIGN(const auto snapshot,
               table::Snapshot::Open(transaction.shared_store(), database, at));
  if (!table::IsCheckpointDue(*snapshot)) return {};
  return table::WriteCheckpoint(*snapshot, database, env);
}

}  // namespace bayou::transaction

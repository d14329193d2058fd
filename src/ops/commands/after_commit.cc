// SPDX-License-Identifier: Apache-2.0
#include "ops/commands/after_commit.h"

#include <fmt/format.h>

#include <cstdio>

#include "kernel/protocol/manifest_property.h"
#include "kernel/table/snapshot.h"
#include "kernel/transaction/post_commit.h"
#include "ops/commands/symlink_manifest.h"

namespace bayou::commands {
namespace {

Status RenewManifests(const transaction::Transaction& transaction,
                      duckdb::DatabaseInstance& database) {
  const transaction::StagedActions& actions = transaction.committed().actions;
  const bool has_files = !actions.adds.empty() || !actions.removes.empty() ||
                         !actions.change_files.empty();
  if (!has_files || !protocol::KeepsManifests(transaction.metadata()))
    return {};
  // The latest version, not ours: the manifests must not go back behind what
  // another has committed meanwhile.
  BAYOU_ASSIGN(const auto snapshot,
               table::Snapshot::Open(transaction.shared_store(), database));
  const table::Snapshot* base = transaction.base().get();
  const bool knows_partitions =
      base != nullptr && base->metadata().partition_columns ==
                             snapshot->metadata().partition_columns;
  BAYOU_TRY(knows_partitions ? UpdateSymlinkManifest(*snapshot, actions)
                             : GenerateSymlinkManifest(*snapshot));
  return {};
}

}  // namespace

void FollowCommit(const transaction::Transaction& transaction,
                  protocol::Version version, duckdb::DatabaseInstance& database,
                  Env& env) {
  const auto note = [&](std::string_view what, const Status& done) {
    if (done) return;
    fmt::print(stderr, "note: table {}: version {} is committed, but {}: {}\n",
               transaction.location(), version, what, done.error().message);
  };
  note("its log could not be looked after",
       transaction::RunPostCommit(transaction, version, database, env));
  note(
      "its manifests are still those of a version before; GENERATE "
      "symlink_format_manifest writes them anew",
      RenewManifests(transaction, database));
}

}  // namespace bayou::commands

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

bool KeepsManifests(const table::Snapshot* snapshot) {
  return snapshot != nullptr && protocol::KeepsManifests(snapshot->metadata());
}

// Whether what the manifests of other partitions say still holds.
bool KnowsPartitions(const transaction::Transaction& transaction,
                     const table::Snapshot& latest) {
  const table::Snapshot* base = transaction.base().get();
  return KeepsManifests(base) && base->metadata().partition_columns ==
                                     latest.metadata().partition_columns;
}

// Those of the latest version. Who wrote them of an older one may have done so
// after somebody else wrote newer ones, so it looks again until nobody has
// committed meanwhile: the last one to write has written the latest.
Status RenewManifests(const transaction::Transaction& transaction,
                      duckdb::DatabaseInstance& database) {
  const transaction::StagedActions& actions = transaction.committed().actions;
  const bool has_files = !actions.adds.empty() || !actions.removes.empty() ||
                         !actions.change_files.empty();
  const bool begins = !KeepsManifests(transaction.base().get());
  if (!protocol::KeepsManifests(transaction.metadata()) ||
      (!has_files && !begins))
    return {};
  for (protocol::Version written = -1;;) {
    BAYOU_ASSIGN(const auto latest,
                 table::Snapshot::Open(transaction.shared_store(), database));
    if (latest->version() == written) return {};
    written = latest->version();
    BAYOU_TRY(KnowsPartitions(transaction, *latest)
                  ? UpdateSymlinkManifest(*latest, actions)
                  : GenerateSymlinkManifest(*latest));
  }
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

// SPDX-License-Identifier: Apache-2.0
#include "kernel/log/checkpoint_cache.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/uri_path.h"

namespace bayou::log {
namespace {

constexpr std::size_t kMostKept = 16;
// A manifest in JSON may list every file.
constexpr std::size_t kMostActions = 1'000;

}  // namespace

void CheckpointCache::TurnOn(duckdb::DatabaseInstance& database) {
  database.GetObjectCache().GetOrCreate<CheckpointCache>(ObjectType());
}

duckdb::shared_ptr<CheckpointCache> CheckpointCache::Of(
    duckdb::DatabaseInstance& database) {
  return database.GetObjectCache().Get<CheckpointCache>(ObjectType());
}

std::string CheckpointCache::KeyOf(const store::Store& store,
                                   std::span<const LogFileName> files,
                                   const CheckpointNeeds& needs) {
  std::string key = fmt::format("{}{}", needs.protocol, needs.metadata);
  for (const LogFileName& file : files) {
    key += fmt::format(" {} {} {}",
                       store.NativePath(JoinPath(kLogFolder, file.name)),
                       file.size, file.modified_ms);
  }
  return key;
}

std::optional<Checkpoint> CheckpointCache::Find(const std::string& key) {
  const std::lock_guard lock(mutex_);
  const auto found = std::ranges::find(kept_, key, &Kept::key);
  if (found == kept_.end()) return std::nullopt;
  kept_.splice(kept_.begin(), kept_, found);
  return found->checkpoint;
}

void CheckpointCache::Keep(std::string key, const Checkpoint& checkpoint) {
  if (checkpoint.actions.size() > kMostActions) return;
  const std::lock_guard lock(mutex_);
  kept_.push_front({std::move(key), checkpoint});
  if (kept_.size() > kMostKept) kept_.pop_back();
}

}  // namespace bayou::log

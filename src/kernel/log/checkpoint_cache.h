// SPDX-License-Identifier: Apache-2.0
//
// Remembers the checkpoints that were opened in a database: a session opens a
// table for each statement, and its checkpoint is the same until there is a
// new one. Off until it is turned on: it takes a file of the same path, size
// and time for the same file.
#pragma once

#include <duckdb.hpp>
#include <duckdb/storage/object_cache.hpp>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>

#include "kernel/log/checkpoint.h"

namespace bayou::log {

class CheckpointCache final : public duckdb::ObjectCacheEntry {
 public:
  static void TurnOn(duckdb::DatabaseInstance& database);
  // Null where it is off.
  static duckdb::shared_ptr<CheckpointCache> Of(
      duckdb::DatabaseInstance& database);

  // Names what OpenCheckpoint reads of the checkpoint.
  static std::string KeyOf(const store::Store& store,
                           std::span<const LogFileName> files,
                           const CheckpointNeeds& needs);

  std::optional<Checkpoint> Find(const std::string& key);
  void Keep(std::string key, const Checkpoint& checkpoint);

  static duckdb::string ObjectType() { return "bayou_checkpoints"; }
  duckdb::string GetObjectType() override { return ObjectType(); }
  duckdb::optional_idx GetEstimatedCacheMemory() const override {
    return {};  // Small, and never evicted.
  }

 private:
  struct Kept {
    std::string key;
    Checkpoint checkpoint;
  };
  std::mutex mutex_;
  std::list<Kept> kept_;  // The latest used one first.
};

}  // namespace bayou::log

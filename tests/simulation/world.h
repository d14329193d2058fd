// SPDX-License-Identifier: Apache-2.0
//
// One table in memory, and its clients: each a session of its own, with its own
// clock, whose every store call passes an adversary.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/env.h"
#include "bayou/session.h"
#include "kernel/store/faulty_store.h"
#include "kernel/store/memory_store.h"
#include "simulation/baton.h"
#include "simulation/chance.h"
#include "simulation/witness.h"

namespace bayou::simulation {

constexpr int kMaxClients = 7;

// Time goes on by one millisecond at every store call.
class WorldClock final : public Env {
 public:
  std::int64_t NowMs() override { return now_ms; }
  std::uint64_t Random() override { return 0; }
  std::int64_t now_ms = 1'700'000'000'000;
};

// What a statement has returned.
struct Answer {
  std::vector<std::string> columns;
  std::vector<std::vector<std::int64_t>> rows;  // NULL as INT64_MIN.
};

class World;

class Client final : public Env, public store::Adversary {
 public:
  Client(World& world, int number, std::uint64_t seed);

  // Runs statements as this client. With its store calls others interleave,
  // and they can fail.
  Status Run(std::string_view sql, Answer* answer = nullptr);
  Status Checkpoint();

  // The table's name in SQL: delta.`...`.
  std::string Table() const { return "delta.`" + location() + "`"; }
  std::string location() const;

  // From now on an adversary of this kind; nullptr: none.
  void MeetAdversary(std::shared_ptr<store::Adversary> adversary) {
    adversary_ = std::move(adversary);
  }
  void SkewClock(std::int64_t by_ms) { skew_ms_ = by_ms; }
  std::int64_t faults() const { return faults_; }

  std::int64_t NowMs() override;
  std::uint64_t Random() override { return chance_.Next(); }
  store::Fault Before(const store::StoreCall& call) override;
  void After(const store::StoreCall& call, const Status& done) override;

 private:
  World& world_;
  int number_;
  Session& session_;
  Chance chance_;
  std::shared_ptr<store::Adversary> adversary_;
  std::int64_t skew_ms_ = 0;
  std::int64_t faults_ = 0;  // Met so far.
};

// There is one at a time in a process.
class World {
 public:
  // `name` tells the table from those of other worlds, which the sessions'
  // caches may remember.
  World(const std::string& name, std::uint64_t seed, int clients);
  ~World();

  Client& client(int number) {
    return *clients_[static_cast<std::size_t>(number)];
  }
  int clients() const { return static_cast<int>(clients_.size()); }
  // Without faults, and seen by nobody.
  std::shared_ptr<store::Store> Files() const;
  // Begins with the files of another world's table.
  void CopyFiles(store::Store& files);
  // The level that Databricks gives to tables, and that no statement sets. Only
  // at version 0.
  void UseWriteSerializable();

  void Watch(Witness* witness) { witness_ = witness; }
  Witness* witness() { return witness_; }
  Baton& baton() { return baton_; }
  WorldClock& clock() { return clock_; }
  const std::string& name() const { return name_; }

  // The engine's file system names files with the table's folder before them.
  std::string_view NameInTable(std::string_view name) const;

  // A number that stands for all store calls so far, their order and faults.
  std::uint64_t trace() const { return trace_; }
  void Trace(int client, const store::StoreCall& call, store::Fault fault);
  // Writes each call to standard output, too.
  static void ShowCalls(bool show);
  // All worlds of a process use the same ones, which have to go before main()
  // ends (see engine::StartEngine).
  static void EndSessions();

  std::shared_ptr<store::Store> Open(const std::string& location);

 private:
  std::string name_;
  WorldClock clock_;
  std::shared_ptr<store::Memory> memory_;
  std::vector<std::shared_ptr<Client>> clients_;
  Witness* witness_ = nullptr;
  Baton baton_;
  std::uint64_t trace_ = 14695981039346656037U;
};

}  // namespace bayou::simulation

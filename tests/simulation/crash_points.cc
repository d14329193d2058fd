// SPDX-License-Identifier: Apache-2.0
#include "simulation/crash_points.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "simulation/world.h"

namespace bayou::simulation {
namespace {

using store::Fault;
using Then = store::NthCallAdversary::Then;

constexpr int kReader = 0;
constexpr int kWriter = 1;
constexpr int kRepeater = 2;

// `{t}` stands for the table.
struct Operation {
  const char* name;
  std::vector<const char*> statements;
  bool makes_table = false;
};

const std::vector<Operation>& Operations() {
  static const std::vector<Operation> operations = {
      {"INSERT", {"INSERT INTO {t} (k, v, p) VALUES (7, 7, 0), (70, 7, 7)"}},
      {"INSERT SELECT",
       {"INSERT INTO {t} (k, v, p) SELECT k, v + 1, p FROM {t}"}},
      {"DELETE", {"DELETE FROM {t} WHERE k < 15"}},
      {"DELETE of a file", {"DELETE FROM {t} WHERE k >= 20"}},
      {"UPDATE", {"UPDATE {t} SET v = v + 1 WHERE k BETWEEN 5 AND 25"}},
      {"MERGE",
       {"MERGE INTO {t} AS t USING (VALUES (1, 0), (99, 9)) AS s(k, p) ON t.k "
        "= s.k WHEN MATCHED THEN UPDATE SET v = -1 WHEN NOT MATCHED THEN "
        "INSERT (k, v, p) VALUES (s.k, 0, s.p)"}},
      {"INSERT OVERWRITE",
       {"INSERT OVERWRITE {t} (k, v, p) SELECT * FROM (VALUES (3, 3, 0))"}},
      {"REPLACE WHERE",
       {"INSERT INTO {t} REPLACE WHERE k < 15 SELECT * FROM (VALUES "
        "(3, 3, 0))"}},
      {"OPTIMIZE", {"OPTIMIZE {t}"}},
      {"TRUNCATE", {"TRUNCATE TABLE {t}"}},
      {"ADD COLUMN", {"ALTER TABLE {t} ADD COLUMN c BIGINT"}},
      {"SET TBLPROPERTIES",
       {"ALTER TABLE {t} SET TBLPROPERTIES ('delta.appendOnly' = 'false')"}},
      {"ADD CONSTRAINT",
       {"ALTER TABLE {t} ADD CONSTRAINT positive CHECK (k >= 0)"}},
      {"BEGIN ... COMMIT",
       {"BEGIN TRANSACTION", "DELETE FROM {t} WHERE k < 15",
        "INSERT INTO {t} (k, v, p) VALUES (8, 8, 0)", "COMMIT"}},
      {"CREATE OR REPLACE TABLE AS",
       {"CREATE OR REPLACE TABLE {t} AS SELECT 1::BIGINT AS k, 2::BIGINT AS v, "
        "0::BIGINT AS p"}},
      {"CREATE TABLE", {"CREATE TABLE {t} (k BIGINT)"}, true},
      {"CREATE TABLE AS",
       {"CREATE TABLE {t} AS SELECT range AS k FROM range(3)"},
       true},
      {"checkpoint", {}},
  };
  return operations;
}

struct Kind {
  const char* name;
  const char* properties;
};
constexpr Kind kKinds[] = {
    {"plain", "'delta.checkpointInterval' = '100'"},
    {"vectors",
     "'delta.checkpointInterval' = '100', "
     "'delta.enableDeletionVectors' = 'true'"},
    {"everything",
     "'delta.checkpointInterval' = '1', 'delta.checkpointPolicy' = 'v2', "
     "'delta.enableDeletionVectors' = 'true', 'delta.enableChangeDataFeed' = "
     "'true', 'delta.enableRowTracking' "
     "= 'true', 'delta.enableInCommitTimestamps' = 'true', "
     "'delta.columnMapping.mode' = 'name'"},
};

struct Spoiling {
  const char* name;
  Fault fault;
  Then then;
};
constexpr Spoiling kSpoilings[] = {
    {"refused", Fault::kRefused, Then::kGoesOn},
    {"request lost", Fault::kRequestLost, Then::kGoesOn},
    {"answer lost", Fault::kAnswerLost, Then::kGoesOn},
    {"dead before", Fault::kRequestLost, Then::kIsDead},
    {"dead after", Fault::kAnswerLost, Then::kIsDead},
};

std::string With(const Client& client, std::string_view sql) {
  std::string text(sql);
  for (std::size_t at; (at = text.find("{t}")) != std::string::npos;)
    text.replace(at, 3, client.Table());
  return text;
}

Status Do(Client& client, const Operation& operation) {
  if (operation.statements.empty()) return client.Checkpoint();
  for (const char* sql : operation.statements) {
    const Status done = client.Run(With(client, sql));
    if (done) continue;
    if (operation.statements.size() > 1) (void)client.Run("ROLLBACK");
    return done;
  }
  return {};
}

// The latest version, columns and rows; `none` when there is no table.
std::string Look(World& world) {
  Client& reader = world.client(kReader);
  Answer answer;
  const Status read =
      reader.Run("SELECT * FROM " + reader.Table() + " ORDER BY ALL", &answer);
  if (!read) {
    if (read.error().code == ErrorCode::kNotFound) return "none";
    return "unreadable: " + read.error().message;
  }
  const auto log = world.Files()->List("_delta_log", "");
  Version latest = -1;
  for (const auto& file : *log) {
    if (const auto version = VersionOfCommit("_delta_log/" + file.name))
      latest = std::max(latest, *version);
  }
  std::string text =
      fmt::format("version {}: {}", latest, fmt::join(answer.columns, ","));
  for (const auto& row : answer.rows)
    text += fmt::format(" {}", fmt::join(row, ","));
  return text;
}

class CrashPoints {
 public:
  CrashPoints(const Operation& operation, const Kind& kind, Totals& totals)
      : operation_(operation), kind_(kind), totals_(totals) {}

  void Run(const Share& share) {
    if (!MakeTemplate()) return;
    for (const Spoiling& spoiling : kSpoilings) {
      for (std::int64_t call = 0; !share.IsOver() && Spoil(spoiling, call);
           ++call) {
      }
    }
  }

 private:
  // False: nothing can be judged.
  bool MakeTemplate() {
    World world(NewName(), seed_, 3);
    Client& client = world.client(kReader);
    if (!operation_.makes_table) {
      std::string set_up = fmt::format(
          "CREATE TABLE {} (k BIGINT, v BIGINT, p BIGINT) TBLPROPERTIES ({})",
          client.Table(), kind_.properties);
      for (const char* range : {"0, 20", "20, 30"}) {
        set_up += fmt::format(
            "; INSERT INTO {} SELECT range, range, range // 10 FROM range({})",
            client.Table(), range);
      }
      if (!Succeeds(client.Run(set_up))) return false;
    }
    template_ = world.Files();
    before_ = Look(world);
    World after(NewName(), seed_, 3);
    after.CopyFiles(*template_);
    if (!Succeeds(Do(after.client(kWriter), operation_))) return false;
    after_ = Look(after);
    return true;
  }

  // False: the operation makes no call of that number.
  bool Spoil(const Spoiling& spoiling, std::int64_t call) {
    World world(NewName(), seed_, 3);
    world.CopyFiles(*template_);
    const auto adversary = std::make_shared<store::NthCallAdversary>(
        call, spoiling.fault, spoiling.then);
    Client& writer = world.client(kWriter);
    writer.MeetAdversary(adversary);
    const Status done = Do(writer, operation_);
    if (adversary->calls() <= call) return false;
    const std::string what = Judge(world, done, spoiling.then == Then::kIsDead);
    if (what.empty()) {
      ++totals_.passed;
    } else {
      ++totals_.failed;
      fmt::print("{} on the table {}, call {} {}: {}\n", operation_.name,
                 kind_.name, call, spoiling.name, what);
    }
    return true;
  }

  // What is wrong; empty: nothing.
  std::string Judge(World& world, const Status& done, bool is_dead) {
    const std::string found = Look(world);
    const std::string said =
        done ? "done"
             : fmt::format("[{}] {}", done.error().condition,
                           done.error().message);
    if (found != before_ && found != after_)
      return fmt::format("{}; neither before nor after: {}", said, found);
    if (done && found != after_) return "reported as done, and is not";
    const bool knows =
        !is_dead && !done && done.error().code != ErrorCode::kCommitUnknown;
    if (knows && found != before_) return "failed, but is done: " + said;
    if (knows && (done.error().code == ErrorCode::kCorruption ||
                  done.error().code == ErrorCode::kInternal)) {
      return "blames the table for the store's failure: " + said;
    }
    ++totals_.counts[found == after_ ? "after" : "before"];
    if (found == after_) return "";
    const Status again = Do(world.client(kRepeater), operation_);
    if (!again) return "cannot be run again: " + again.error().message;
    const std::string then = Look(world);
    if (then == after_) return "";
    return "run again, it is not done once: " + then;
  }

  bool Succeeds(const Status& done) {
    if (done) return true;
    ++totals_.failed;
    fmt::print("{} on the table {}, without a fault: {}\n", operation_.name,
               kind_.name, done.error().message);
    return false;
  }
  // The sessions' caches know files by their names.
  static std::string NewName() { return fmt::format("crash{}", ++seed_); }

  const Operation& operation_;
  const Kind& kind_;
  Totals& totals_;
  inline static std::uint64_t seed_ = 0;
  std::shared_ptr<store::Store> template_;
  std::string before_;
  std::string after_;
};

}  // namespace

Totals RunCrashPoints(const Share& share) {
  Totals totals;
  std::uint64_t index = 0;
  for (const Operation& operation : Operations()) {
    for (const Kind& kind : kKinds) {
      if (operation.makes_table && &kind != &kKinds[0]) continue;
      if (share.Has(index++) && !share.IsOver())
        CrashPoints(operation, kind, totals).Run(share);
    }
  }
  return totals;
}

}  // namespace bayou::simulation

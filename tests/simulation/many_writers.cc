// SPDX-License-Identifier: Apache-2.0
#include "simulation/many_writers.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <utility>
#include <vector>

#include "simulation/oracle.h"
#include "simulation/world.h"

namespace bayou::simulation {
namespace {

constexpr int kOperations = 200;
constexpr int kVersionsReadAtTheEnd = 5;

constexpr std::int64_t kHourMs = 3'600'000;
constexpr int kMaxSkewMs = 3'600'000;
// With room for two skewed clocks this is less than the retention of tables
// that are vacuumed: no operation takes longer, and for as long every version
// can be read.
constexpr std::int64_t kKeptMs = 40 * kHourMs;
constexpr std::int64_t kAlwaysMs = 1'000'000 * kHourMs;
constexpr const char* kRetention = "interval 48 hours";
constexpr const char* kLogRetention = "interval 72 hours";

// What a seed decides before anything happens.
struct Setting {
  int clients = 2;
  bool write_serializable = false;
  bool partitioned = false;
  bool has_checkpoints = false;
  bool adds_columns = false;  // REPLACE WHERE has to know them all.
  bool has_vacuum = false;    // And time that passes.
  store::FaultRates faults;
  std::string properties;

  static Setting Draw(Chance& chance);
};

Setting Setting::Draw(Chance& chance) {
  Setting setting;
  setting.clients = chance.Between(2, 6);
  setting.write_serializable = chance.OneIn(3);
  setting.partitioned = chance.OneIn(4);
  setting.has_checkpoints = chance.OneIn(4);
  setting.adds_columns = chance.OneIn(2);
  setting.has_vacuum = chance.OneIn(3);
  if (!chance.OneIn(3)) {
    const int scale = 1 << chance.Below(4);
    setting.faults = {.refused = 5 * scale,
                      .request_lost = 5 * scale,
                      .answer_lost = 5 * scale,
                      .stale = chance.OneIn(2) ? 10 * scale : 0,
                      .crash = 2 * scale};
  }
  std::vector<std::pair<const char*, const char*>> properties = {
      {"delta.checkpointInterval", setting.has_checkpoints ? "20" : "1000"}};
  if (setting.has_checkpoints && chance.OneIn(2))
    properties.emplace_back("delta.checkpointPolicy", "v2");
  if (setting.has_vacuum) {
    properties.emplace_back("delta.deletedFileRetentionDuration", kRetention);
    properties.emplace_back("delta.logRetentionDuration", kLogRetention);
  }
  for (const char* name :
       {"delta.enableDeletionVectors", "delta.enableRowTracking",
        "delta.enableInCommitTimestamps", "delta.enableChangeDataFeed"}) {
    if (chance.OneIn(3)) properties.emplace_back(name, "true");
  }
  if (chance.OneIn(5))
    properties.emplace_back("delta.columnMapping.mode", "name");
  for (const auto& [name, value] : properties) {
    setting.properties += fmt::format(
        "{}'{}' = '{}'", setting.properties.empty() ? "" : ", ", name, value);
  }
  return setting;
}

class ManyWriters {
 public:
  ManyWriters(std::uint64_t seed, const std::string& name)
      : chance_(seed),
        setting_(Setting::Draw(chance_)),
        world_(name, seed, setting_.clients + 1),
        oracle_(world_.Files(), world_.clock(),
                setting_.has_vacuum ? kKeptMs : kAlwaysMs,
                setting_.write_serializable) {}

  Outcome Run();

 private:
  // The client that has no part in it: makes the table, reads it at the end.
  static constexpr int kBystander = 0;

  void CreateTable();
  void RunClient(int number, std::uint64_t seed);
  void Step(int number, Chance& chance);
  void Write(int number, Change change, bool as_transaction);
  void Read(int number, Chance& chance);
  void ReadVersion(int number, Chance& chance);
  void Checkpoint(int number);
  void LetTimePass(Chance& chance);
  void CheckOutcome(int number, const Change& change, Version before,
                    const Status& done, std::int64_t faults);
  void CheckFailure(int number, const Error& error, std::int64_t faults);
  void CheckEveryVersion();
  Result<TableState> Select(int number, std::string_view at);
  void Count(const std::string& what) { ++outcome_.counts[what]; }
  void Fault(int number, const std::string& text) {
    oracle_.Fault(fmt::format("client {}: {}", number, text));
  }

  Chance chance_;
  Setting setting_;
  World world_;
  Oracle oracle_;
  int columns_ = 0;  // Names given out.
  // When the clients that are at work began with it.
  std::map<int, std::int64_t> began_ms_;
  Outcome outcome_;
};

Outcome ManyWriters::Run() {
  CreateTable();
  std::vector<Baton::Task> tasks;
  for (int number = 1; number < world_.clients(); ++number) {
    const std::uint64_t seed = chance_.Next();
    tasks.push_back([this, number, seed] { RunClient(number, seed); });
  }
  world_.baton().Run(tasks, chance_.Next());
  if (!oracle_.fault()) CheckEveryVersion();
  outcome_.fault = oracle_.fault();
  outcome_.trace = world_.trace();
  return std::move(outcome_);
}

void ManyWriters::CreateTable() {
  Change creation;
  oracle_.Announce(kBystander, &creation);
  world_.Watch(&oracle_);
  const Status created =
      world_.client(kBystander)
          .Run(fmt::format("CREATE TABLE {} (k BIGINT, v BIGINT, p BIGINT) {} "
                           "TBLPROPERTIES ({})",
                           world_.client(kBystander).Table(),
                           setting_.partitioned ? "PARTITIONED BY (p)" : "",
                           setting_.properties));
  oracle_.Announce(kBystander, nullptr);
  if (!created) Fault(kBystander, created.error().message);
  if (oracle_.latest() != 0) Fault(kBystander, "the table was not created");
  if (setting_.write_serializable) world_.UseWriteSerializable();
}

void ManyWriters::RunClient(int number, std::uint64_t seed) {
  Chance chance(seed);
  Client& client = world_.client(number);
  if (chance.OneIn(3))
    client.SkewClock(chance.Between(-kMaxSkewMs, kMaxSkewMs));
  for (int i = kOperations / setting_.clients; i > 0; --i) {
    if (oracle_.fault()) return;
    // A client that has crashed is a new one by the next operation.
    client.MeetAdversary(std::make_shared<store::SeededAdversary>(
        chance.Next(), setting_.faults));
    began_ms_[number] = world_.clock().now_ms;
    Step(number, chance);
    began_ms_.erase(number);
  }
}

void ManyWriters::Step(int number, Chance& chance) {
  const auto draw = [&](StatementKind kind) {
    return Statement::Draw(kind, chance);
  };
  const auto write = [&](std::vector<Statement> statements,
                         bool as_transaction = false) {
    Write(number, {std::move(statements), {}}, as_transaction);
  };
  const int kind = chance.Below(100);
  if (kind < 25) return write({draw(StatementKind::kAppend)});
  if (kind < 33) return write({draw(StatementKind::kAppendSum)});
  if (kind < 45) return write({draw(StatementKind::kMerge)});
  if (kind < 54) return write({draw(StatementKind::kDelete)});
  if (kind < 64) return write({draw(StatementKind::kUpdate)});
  if (kind < 66) return write({draw(StatementKind::kOverwrite)});
  if (kind < 67) return write({draw(StatementKind::kRewrite)});
  if (kind < 71) return write({draw(StatementKind::kOptimize)});
  if (kind < 73 && !setting_.adds_columns)
    return write({draw(StatementKind::kReplaceWhere)});
  if (kind < 74) return write({draw(StatementKind::kTruncate)});
  if (kind < 75 && chance.OneIn(3))
    return write({draw(StatementKind::kTrackRows)});
  if (kind < 76 && setting_.adds_columns) {
    Statement add;
    add.kind = StatementKind::kAddColumn;
    add.column = fmt::format("c{}", ++columns_);
    return write({add});
  }
  if (kind < 82) {
    constexpr std::array kFirst = {
        StatementKind::kAppend, StatementKind::kDelete, StatementKind::kUpdate};
    return write({draw(kFirst[static_cast<std::size_t>(chance.Below(3))]),
                  draw(StatementKind::kAppend)},
                 true);
  }
  if (kind < 83 && setting_.has_checkpoints) return Checkpoint(number);
  if (kind < 86 && setting_.has_vacuum) return LetTimePass(chance);
  if (kind < 90 && setting_.has_vacuum) {
    return write({draw(chance.OneIn(3) ? StatementKind::kVacuumLite
                                       : StatementKind::kVacuum)});
  }
  if (kind < 93) return ReadVersion(number, chance);
  return Read(number, chance);
}

void ManyWriters::Write(int number, Change change, bool as_transaction) {
  Client& client = world_.client(number);
  const Version before = oracle_.latest();
  const std::int64_t faults = client.faults();
  oracle_.Announce(number, &change);
  Status done;
  if (as_transaction) done = client.Run("BEGIN TRANSACTION");
  for (const Statement& statement : change.statements) {
    if (done) done = client.Run(statement.Sql(client.Table()));
  }
  if (as_transaction) {
    if (done) {
      done = client.Run("COMMIT");
    } else {
      (void)client.Run("ROLLBACK");
    }
  }
  oracle_.Announce(number, nullptr);
  CheckOutcome(number, change, before, done, client.faults() - faults);
}

// What was reported is what happened.
void ManyWriters::CheckOutcome(int number, const Change& change, Version before,
                               const Status& done, std::int64_t faults) {
  const bool committed = !change.commits.empty();
  const std::string sql = change.statements.back().Sql("t");
  if (done) {
    Count(committed ? "committed" : "found nothing to change");
    if (committed) return;
    // It may have looked at a version before those that it saw arrive.
    const Version first = setting_.faults.stale > 0 ? 0 : before;
    for (Version version = first; version <= oracle_.latest(); ++version) {
      if (change.FindsNothingIn(oracle_.At(version))) return;
    }
    return Fault(number, sql + " was reported as done, and was not");
  }
  const Error& error = done.error();
  if (error.condition == "DELTA_CANNOT_VACUUM_LITE")
    return Count("VACUUM LITE did not suffice");
  if (error.code == ErrorCode::kCommitUnknown) {
    Count("outcome unknown");
    if (faults == 0) Fault(number, sql + ": unknown without a reason");
    return;
  }
  if (committed && !change.IsVacuum()) {
    return Fault(number, fmt::format("{} failed, but is version {}: {}", sql,
                                     change.commits[0], error.message));
  }
  if (error.code == ErrorCode::kConflict) {
    Count("conflict");
    // Safe, and more than need be: the statement is only run again.
    if (setting_.faults.stale == 0 && !oracle_.IsRealConflict(change, before))
      Count("conflict with rows of other keys");
    return;
  }
  CheckFailure(number, error, faults);
}

// A store that could not be reached is no reason to call the table broken.
void ManyWriters::CheckFailure(int number, const Error& error,
                               std::int64_t faults) {
  Count("failed");
  if (faults == 0 || error.code == ErrorCode::kCorruption ||
      error.code == ErrorCode::kInternal) {
    Fault(number, fmt::format("[{}] {}", error.condition, error.message));
  }
}

Result<TableState> ManyWriters::Select(int number, std::string_view at) {
  Client& client = world_.client(number);
  Answer answer;
  BAYOU_TRY(client.Run(fmt::format("SELECT * FROM {}{}", client.Table(), at),
                       &answer));
  TableState state;
  state.added_columns = static_cast<int>(answer.columns.size()) - 3;
  for (const auto& row : answer.rows) state.Add({row[0], row[1]});
  for (const auto& row : answer.rows) {
    const bool has_null_columns =
        std::all_of(row.begin() + 3, row.end(),
                    [](auto value) { return value == INT64_MIN; });
    if (row[2] != row[0] / 10 || !has_null_columns)
      Fault(number, "a row has values that nobody wrote");
  }
  return state;
}

void ManyWriters::Read(int number, Chance&) {
  const std::int64_t faults = world_.client(number).faults();
  const Version first = setting_.faults.stale > 0 ? 0 : oracle_.latest();
  const Result<TableState> read = Select(number, "");
  Count("read");
  if (!read) {
    return CheckFailure(number, read.error(),
                        world_.client(number).faults() - faults);
  }
  for (Version version = oracle_.latest(); version >= first; --version) {
    if (*read == oracle_.At(version)) return;
  }
  Fault(number, fmt::format("read what is no version from {} to {}: {}", first,
                            oracle_.latest(), Describe(*read)));
}

void ManyWriters::ReadVersion(int number, Chance& chance) {
  const Version version = chance.Below(static_cast<int>(oracle_.latest()) + 1);
  const std::int64_t faults = world_.client(number).faults();
  const Result<TableState> read =
      Select(number, fmt::format(" VERSION AS OF {}", version));
  Count("read of a version");
  if (!read) {
    const bool looked_stale = setting_.faults.stale > 0;
    if (looked_stale && read.error().code == ErrorCode::kInvalidArgument)
      return;
    if (read.error().code == ErrorCode::kNotFound && oracle_.MayBeGone(version))
      return Count("a version that was gone");
    return CheckFailure(number, read.error(),
                        world_.client(number).faults() - faults);
  }
  if (*read == oracle_.At(version)) return;
  Fault(number, fmt::format("version {} holds {}, not {}", version,
                            Describe(*read), Describe(oracle_.At(version))));
}

void ManyWriters::Checkpoint(int number) {
  Client& client = world_.client(number);
  const std::int64_t faults = client.faults();
  const Status done = client.Checkpoint();
  Count("checkpoint");
  if (!done) CheckFailure(number, done.error(), client.faults() - faults);
}

// Hours, but never so many that what is at work, or the newest version, which a
// stale listing hides, were older than what is kept.
void ManyWriters::LetTimePass(Chance& chance) {
  const std::int64_t later =
      world_.clock().now_ms + chance.Between(6, 18) * kHourMs;
  std::int64_t oldest = oracle_.CommittedAt(oracle_.latest());
  for (const auto& [number, began] : began_ms_)
    oldest = std::min(oldest, began);
  if (later - oldest > kKeptMs) return;
  world_.clock().now_ms = later;
  Count("time passed");
}

// The last versions, the first and some between, as a new reader sees them.
void ManyWriters::CheckEveryVersion() {
  const auto check = [&](Version version, std::string_view at) {
    const Result<TableState> read = Select(kBystander, at);
    if (!read && oracle_.MayBeGone(version)) return;
    if (!read) return Fault(kBystander, read.error().message);
    if (*read == oracle_.At(version)) return;
    Fault(kBystander,
          fmt::format("in the end version {} holds {}, not {}", version,
                      Describe(*read), Describe(oracle_.At(version))));
  };
  check(oracle_.latest(), "");
  for (int i = 0; i < kVersionsReadAtTheEnd; ++i) {
    const Version version =
        chance_.Below(static_cast<int>(oracle_.latest()) + 1);
    check(version, fmt::format(" VERSION AS OF {}", version));
  }
}

}  // namespace

Outcome SimulateManyWriters(std::uint64_t seed, const std::string& name) {
  return ManyWriters(seed, name).Run();
}

}  // namespace bayou::simulation

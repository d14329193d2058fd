// SPDX-License-Identifier: Apache-2.0
#include "simulation/histories.h"

#include <fmt/format.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "simulation/history_checker.h"
#include "simulation/world.h"

namespace bayou::simulation {
namespace {

constexpr int kClients = 4;
constexpr int kTransactions = 60;  // Of a history.
constexpr int kHistoryKeys = 8;
constexpr int kBystander = kClients;

// A transaction's row says (key, its number, -1); each append that it saw is a
// row (key, its number, the number seen).
class History final : public Witness {
 public:
  History(std::uint64_t seed, HistoryLevel level)
      : chance_(seed),
        level_(level),
        world_(fmt::format("h{}", seed), seed, kClients + 1) {}

  std::optional<std::string> Run(Totals& totals);

  void Saw(int client, store::CallKind kind, std::string_view name,
           std::string_view, const Status& done) override {
    const auto version = VersionOfCommit(name);
    if (!version || kind != store::CallKind::kPutIfAbsent || !done) return;
    const auto index = static_cast<std::size_t>(client);
    if (running_[index] >= 0) At(running_[index]).version = *version;
  }

 private:
  AppendTransaction& At(int number) {
    return history_[static_cast<std::size_t>(number)];
  }
  void RunClient(int client, std::uint64_t seed);
  std::string Sql(int client, int number);
  Status ReadBack();

  Chance chance_;
  HistoryLevel level_;
  World world_;
  std::vector<int> running_ = std::vector<int>(kClients + 1, -1);
  std::vector<AppendTransaction> history_;  // By number.
  std::vector<Error> failures_;
};

std::optional<std::string> History::Run(Totals& totals) {
  Client& bystander = world_.client(kBystander);
  const Status created = bystander.Run(
      fmt::format("CREATE TABLE {} (k BIGINT, v BIGINT, p BIGINT) "
                  "TBLPROPERTIES ('owner' = 'simulation')",
                  bystander.Table()));
  if (!created) return created.error().message;
  if (level_ == HistoryLevel::kWriteSerializable) world_.UseWriteSerializable();
  world_.Watch(this);
  std::vector<Baton::Task> tasks;
  for (int client = 0; client < kClients; ++client) {
    const std::uint64_t seed = chance_.Next();
    tasks.push_back([this, client, seed] { RunClient(client, seed); });
  }
  world_.baton().Run(tasks, chance_.Next());
  world_.Watch(nullptr);
  if (const Status read = ReadBack(); !read) return read.error().message;
  std::vector<AppendTransaction> committed;
  std::map<int, int> index;
  for (std::size_t i = 0; i < history_.size(); ++i) {
    if (history_[i].version < 0) continue;
    index[static_cast<int>(i)] = static_cast<int>(committed.size());
    committed.push_back(history_[i]);
  }
  for (AppendTransaction& transaction : committed) {
    std::set<int> seen;
    for (const int number : transaction.seen) {
      if (!index.contains(number)) return "an append was seen that never was";
      seen.insert(index[number]);
    }
    transaction.seen = std::move(seen);
  }
  totals.counts["transactions committed"] += static_cast<int>(committed.size());
  totals.counts["transactions failed"] += static_cast<int>(failures_.size());
  return FindForbidden(committed, level_);
}

void History::RunClient(int number, std::uint64_t seed) {
  Chance chance(seed);
  Client& client = world_.client(number);
  const bool fails = chance.OneIn(2);
  for (int i = 0; i < kTransactions / kClients; ++i) {
    if (fails) {
      client.MeetAdversary(std::make_shared<store::SeededAdversary>(
          chance.Next(), store::FaultRates{.refused = 20,
                                           .request_lost = 20,
                                           .answer_lost = 20,
                                           .stale = 50,
                                           .crash = 10}));
    }
    const int transaction = static_cast<int>(history_.size());
    AppendTransaction& drawn = history_.emplace_back();
    drawn.written_key = chance.Below(kHistoryKeys);
    if (!chance.OneIn(4)) drawn.read_key = chance.Below(kHistoryKeys);
    running_[static_cast<std::size_t>(number)] = transaction;
    const Status done = client.Run(Sql(number, transaction));
    running_[static_cast<std::size_t>(number)] = -1;
    if (!done) failures_.push_back(done.error());
  }
}

std::string History::Sql(int client, int number) {
  const AppendTransaction& transaction = At(number);
  const std::string table = world_.client(client).Table();
  if (!transaction.read_key) {
    return fmt::format("INSERT INTO {} (k, v, p) VALUES ({}, {}, -1)", table,
                       transaction.written_key, number);
  }
  return fmt::format(
      "INSERT INTO {0} (k, v, p) SELECT {1}, {2}, -1 UNION ALL SELECT {1}, "
      "{2}, v FROM {0} WHERE k = {3} AND p = -1",
      table, transaction.written_key, number, *transaction.read_key);
}

Status History::ReadBack() {
  Client& bystander = world_.client(kBystander);
  Answer answer;
  BAYOU_TRY(bystander.Run("SELECT v, p FROM " + bystander.Table(), &answer));
  for (const auto& row : answer.rows) {
    if (row[1] >= 0)
      At(static_cast<int>(row[0])).seen.insert(static_cast<int>(row[1]));
  }
  return {};
}

// A checker that finds nothing proves nothing.
bool CheckerFindsWriteSkew() {
  const std::vector<AppendTransaction> skew = {
      {.version = 1, .written_key = 1, .read_key = 2, .seen = {}},
      {.version = 2, .written_key = 2, .read_key = 1, .seen = {}}};
  const std::vector<AppendTransaction> late = {
      {.version = 1, .written_key = 1, .read_key = {}, .seen = {}},
      {.version = 2, .written_key = 2, .read_key = 1, .seen = {}}};
  return FindForbidden(skew, HistoryLevel::kWriteSerializable) &&
         FindForbidden(late, HistoryLevel::kSerializable) &&
         !FindForbidden(late, HistoryLevel::kWriteSerializable);
}

}  // namespace

Totals RunHistories(const Share& share, std::uint64_t first_seed,
                    int transactions) {
  Totals totals;
  (CheckerFindsWriteSkew() ? totals.passed : totals.failed) += 1;
  const int histories = (transactions + kTransactions - 1) / kTransactions;
  for (std::uint64_t i = 0; i < static_cast<std::uint64_t>(histories); ++i) {
    if (!share.Has(i)) continue;
    if (share.IsOver()) break;
    const auto level = (i / 2) % 2 == 0 ? HistoryLevel::kSerializable
                                        : HistoryLevel::kWriteSerializable;
    const auto forbidden = History(first_seed + i, level).Run(totals);
    ++(forbidden ? totals.failed : totals.passed);
    if (forbidden)
      fmt::print("history of seed {}: {}\n", first_seed + i, *forbidden);
  }
  return totals;
}

}  // namespace bayou::simulation

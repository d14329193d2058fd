// SPDX-License-Identifier: Apache-2.0
//
// bayou_simulation many-writers|crash-points|histories|tasks [options]
//
// Closes with `N passed, N failed`. A failure names the seed that replays it.
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "simulation/crash_points.h"
#include "simulation/histories.h"
#include "simulation/many_writers.h"
#include "simulation/tasks_elsewhere.h"
#include "simulation/totals.h"
#include "simulation/world.h"

namespace bayou::simulation {
namespace {

struct Options {
  std::uint64_t first = 1;
  std::uint64_t seeds = 100;
  int seconds = 0;  // 0: until all seeds are done.
  int transactions = 10'000;
  int jobs = 1;
  bool show_calls = false;
};

// A commit that got no checkpoint says so on standard error, which happens
// thousands of times.
void SilenceNotes() {
  const int nowhere = ::open("/dev/null", O_WRONLY);
  ::dup2(nowhere, STDERR_FILENO);
  ::close(nowhere);
}

Totals RunManyWriters(const Options& options, const Share& share) {
  Totals totals;
  for (std::uint64_t i = 0; i < options.seeds; ++i) {
    if (!share.Has(i)) continue;
    if (share.IsOver()) break;
    const std::uint64_t seed = options.first + i;
    Outcome outcome = SimulateManyWriters(seed, fmt::format("s{}", seed));
    // A failure that cannot be replayed would be worth nothing.
    if (i == static_cast<std::uint64_t>(share.number) && !outcome.fault &&
        SimulateManyWriters(seed, fmt::format("s{}-again", seed)).trace !=
            outcome.trace) {
      outcome.fault = "a second run of the seed goes another way";
    }
    for (const auto& [what, count] : outcome.counts)
      totals.counts[what] += count;
    ++(outcome.fault ? totals.failed : totals.passed);
    if (outcome.fault) {
      fmt::print("seed {}: {}\n  ./dev simulate --first {} --seeds 1\n", seed,
                 *outcome.fault, seed);
    }
    if (options.seeds == 1) fmt::print("trace {:016x}\n", outcome.trace);
    std::fflush(stdout);
  }
  return totals;
}

void Send(const Totals& totals, int end) {
  std::string text = fmt::format("{} {}\n", totals.passed, totals.failed);
  for (const auto& [what, count] : totals.counts)
    text += fmt::format("{} {}\n", count, what);
  (void)!::write(end, text.data(), text.size());
}

// Adds what a job has sent; one that has not got so far has failed.
void Receive(int end, Totals& totals) {
  std::FILE* const pipe = ::fdopen(end, "r");
  int passed = 0;
  int failed = 0;
  if (std::fscanf(pipe, "%d %d\n", &passed, &failed) != 2) failed = 1;
  totals.passed += passed;
  totals.failed += failed;
  char what[100];
  for (int count = 0; std::fscanf(pipe, "%d %99[^\n]\n", &count, what) == 2;)
    totals.counts[what] += count;
  std::fclose(pipe);
}

// A process for each job: there is one world at a time in each.
Totals RunJobs(int count, int seconds,
               const std::function<Totals(const Share&)>& run) {
  Share share;
  share.of = count;
  if (seconds > 0) {
    share.deadline =
        std::chrono::steady_clock::now() + std::chrono::seconds(seconds);
  }
  if (count == 1) return run(share);
  std::vector<std::pair<pid_t, int>> jobs;
  for (int number = 0; number < count; ++number) {
    int ends[2];
    if (::pipe(ends) != 0) return {.passed = 0, .failed = 1, .counts = {}};
    const pid_t child = ::fork();
    if (child == 0) {
      share.number = number;
      Send(run(share), ends[1]);
      std::fflush(stdout);
      ::_exit(0);
    }
    ::close(ends[1]);
    jobs.emplace_back(child, ends[0]);
  }
  Totals totals;
  for (const auto& [child, end] : jobs) {
    Receive(end, totals);
    ::waitpid(child, nullptr, 0);
  }
  return totals;
}

int Main(int argc, char** argv) {
  CLI::App app("Proofs by simulation");
  Options options;
  app.require_subcommand(1);
  app.add_option("--jobs", options.jobs, "processes")->check(CLI::Range(1, 64));
  app.add_flag("--show-calls", options.show_calls, "print every store call");
  app.add_option("--seconds", options.seconds, "begin no case after that time");
  app.add_option("--first", options.first, "the first seed");
  auto* many_writers =
      app.add_subcommand("many-writers", "many clients on a failing store");
  many_writers->add_option("--seeds", options.seeds, "how many seeds");
  auto* crash_points = app.add_subcommand(
      "crash-points", "every store call of every operation fails");
  auto* histories = app.add_subcommand(
      "histories", "what isolation levels forbid does not happen");
  histories->add_option("--transactions", options.transactions, "in all");
  auto* tasks = app.add_subcommand(
      "tasks", "others run the tasks of OPTIMIZE, and see nothing else");
  for (auto* subcommand : {many_writers, crash_points, histories, tasks})
    subcommand->fallthrough();
  CLI11_PARSE(app, argc, argv);
  SilenceNotes();
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
  World::ShowCalls(options.show_calls);
  const Totals totals =
      RunJobs(options.jobs, options.seconds, [&](const Share& share) {
        if (*crash_points) return RunCrashPoints(share);
        if (*tasks) return RunTasksElsewhere(share);
        if (*histories)
          return RunHistories(share, options.first, options.transactions);
        return RunManyWriters(options, share);
      });
  World::EndSessions();
  for (const auto& [what, count] : totals.counts)
    fmt::print("{:>9} {}\n", count, what);
  fmt::print("{} passed, {} failed\n", totals.passed, totals.failed);
  return totals.failed == 0 && totals.passed > 0 ? 0 : 1;
}

}  // namespace
}  // namespace bayou::simulation

int main(int argc, char** argv) { return bayou::simulation::Main(argc, argv); }

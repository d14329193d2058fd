// SPDX-License-Identifier: Apache-2.0
#include "simulation/history_checker.h"

#include <fmt/format.h>

namespace bayou::simulation {
namespace {

using Graph = std::vector<std::vector<int>>;  // To whom it has to come before.

Graph Dependencies(const std::vector<AppendTransaction>& history) {
  Graph graph(history.size());
  for (std::size_t reader = 0; reader < history.size(); ++reader) {
    if (!history[reader].read_key) continue;
    for (std::size_t writer = 0; writer < history.size(); ++writer) {
      if (reader == writer ||
          history[writer].written_key != *history[reader].read_key) {
        continue;
      }
      const bool saw = history[reader].seen.contains(static_cast<int>(writer));
      graph[saw ? writer : reader].push_back(
          static_cast<int>(saw ? reader : writer));
    }
  }
  return graph;
}

// Takes out, again and again, who has to come after nobody; a cycle is left.
std::optional<std::string> FindCycle(const Graph& graph) {
  std::vector<int> waits_for(graph.size());
  for (const auto& after : graph) {
    for (const int next : after) ++waits_for[static_cast<std::size_t>(next)];
  }
  std::vector<std::size_t> free;
  for (std::size_t i = 0; i < graph.size(); ++i) {
    if (waits_for[i] == 0) free.push_back(i);
  }
  std::size_t taken = 0;
  for (; !free.empty(); ++taken) {
    const std::size_t one = free.back();
    free.pop_back();
    for (const int next : graph[one]) {
      if (--waits_for[static_cast<std::size_t>(next)] == 0)
        free.push_back(static_cast<std::size_t>(next));
    }
  }
  if (taken == graph.size()) return std::nullopt;
  std::string text = "a cycle among transactions";
  for (std::size_t i = 0; i < graph.size(); ++i) {
    if (waits_for[i] > 0) text += fmt::format(" {}", i);
  }
  return text;
}

std::optional<std::string> FindAgainstVersions(
    const std::vector<AppendTransaction>& history, HistoryLevel level) {
  for (std::size_t reader = 0; reader < history.size(); ++reader) {
    const AppendTransaction& reads = history[reader];
    for (std::size_t writer = 0; writer < history.size(); ++writer) {
      const AppendTransaction& writes = history[writer];
      if (reader == writer || writes.written_key != reads.read_key) continue;
      const bool saw = reads.seen.contains(static_cast<int>(writer));
      if (saw == (writes.version < reads.version)) continue;
      if (!saw && level == HistoryLevel::kWriteSerializable &&
          !writes.read_key) {
        continue;
      }
      return fmt::format("version {} {} version {}", reads.version,
                         saw ? "saw the later" : "did not see", writes.version);
    }
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::string> FindForbidden(
    const std::vector<AppendTransaction>& history, HistoryLevel level) {
  if (auto cycle = FindCycle(Dependencies(history))) return cycle;
  return FindAgainstVersions(history, level);
}

}  // namespace bayou::simulation

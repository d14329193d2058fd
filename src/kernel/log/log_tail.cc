// SPDX-License-Identifier: Apache-2.0
#include "kernel/log/log_tail.h"

#include <fmt/format.h>

#include <algorithm>
#include <thread>
#include <utility>

#include "base/uri_path.h"

namespace bayou::log {
namespace {

using Actions = std::vector<protocol::Action>;

// So many files are parsed before their actions are reconciled, so that the
// parsed form of a long history is never in memory at once.
constexpr std::size_t kBatch = 512;

// From so many files on, a second thread pays for itself.
constexpr std::size_t kManyFiles = 64;

// Larger files are parsed piece by piece while their actions are reconciled: the
// parsed form of a commit takes more memory than its text.
constexpr std::size_t kPiece = std::size_t{4} << 20;

// A commit or compacted file: parsed, or as text when it is large.
struct Delta {
  std::string path;
  Actions actions;
  std::string text;
};

Result<Delta> ReadDelta(store::Store& store, const LogFileName& file) {
  const std::string name = JoinPath(kLogFolder, file.name);
  Delta delta{.path = JoinPath(store.location(), name), .actions = {}, .text = {}};
  BAYOU_ASSIGN(std::string text, store.Read(name));
  if (text.find_first_not_of(" \t\r\n") == std::string::npos) {
    return Fail(ErrorCode::kCorruption, "DELTA_LOG_EMPTY_COMMIT",
                fmt::format("{} is empty: its writer probably died before the content "
                            "reached the disk; restore the file, or delete it if it is "
                            "the newest commit",
                            delta.path));
  }
  if (text.size() > 2 * kPiece) {
    delta.text = std::move(text);
  } else {
    BAYOU_ASSIGN(delta.actions, protocol::ParseActions(text, delta.path));
  }
  return delta;
}

// Takes the lines of `text` from the last to the first.
Status TakePieces(std::string_view text, const std::string& path, LogTail& tail) {
  std::string_view rest = text;
  while (!rest.empty()) {
    const std::size_t newline =
        rest.size() > kPiece ? rest.rfind('\n', rest.size() - kPiece) : std::string_view::npos;
    const std::size_t begin = newline == std::string_view::npos ? 0 : newline + 1;
    auto actions = protocol::ParseActions(rest.substr(begin), path);
    if (!actions) {
      // Once more from the start, for the right line number.
      BAYOU_TRY(protocol::ParseActions(text, path));
      return tl::unexpected<Error>(std::move(actions).error());
    }
    tail.Take(*std::move(actions));
    rest = rest.substr(0, begin);
  }
  return {};
}

Status TakeDelta(Delta delta, LogTail& tail) {
  tail.Take(std::move(delta.actions));
  return TakePieces(delta.text, delta.path, tail);
}

std::vector<Result<Delta>> ReadAll(store::Store& store,
                                   std::span<const LogFileName> files) {
  std::vector<Result<Delta>> results(files.size());
  const auto read = [&](std::size_t first, std::size_t end) {
    for (std::size_t i = first; i < end; ++i) results[i] = ReadDelta(store, files[i]);
  };
  if (files.size() < kManyFiles) {
    read(0, files.size());
  } else {
    std::thread other(read, 0, files.size() / 2);
    read(files.size() / 2, files.size());
    other.join();
  }
  return results;
}

struct Reconcile {
  LogTail& tail;

  void operator()(protocol::Protocol&& protocol) const {
    if (!tail.protocol) tail.protocol = std::move(protocol);
  }
  void operator()(protocol::Metadata&& metadata) const {
    if (!tail.metadata) tail.metadata = std::move(metadata);
  }
  void operator()(protocol::SetTransaction&& transaction) const {
    std::string app_id = transaction.app_id;
    tail.transactions.try_emplace(std::move(app_id), std::move(transaction));
  }
  void operator()(protocol::DomainMetadata&& domain) const {
    std::string name = domain.domain;
    tail.domains.try_emplace(std::move(name), std::move(domain));
  }
  void operator()(protocol::AddFile&& add) const {
    if (tail.touched.Insert(protocol::FileKey(add.path, add.deletion_vector))) {
      tail.adds.push_back(std::move(add));
    }
  }
  void operator()(protocol::RemoveFile&& remove) const {
    if (tail.touched.Insert(protocol::FileKey(remove.path, remove.deletion_vector))) {
      tail.removes.push_back(std::move(remove));
    }
  }
  // Not part of a table's state.
  void operator()(protocol::CdcFile&&) const {}
  void operator()(protocol::CommitInfo&&) const {}
  void operator()(protocol::CheckpointMetadata&&) const {}
  void operator()(protocol::Sidecar&&) const {}
};

}  // namespace

void LogTail::Take(protocol::Action older) {
  std::visit(Reconcile{*this}, std::move(older));
}

void LogTail::Take(std::vector<protocol::Action> older) {
  for (auto action = older.rbegin(); action != older.rend(); ++action) {
    Take(std::move(*action));
  }
}

Status ReadDeltas(store::Store& store, std::span<const LogFileName> deltas,
                  LogTail& tail, std::string* unreadable) {
  while (!deltas.empty()) {
    const std::size_t count = std::min(deltas.size(), kBatch);
    const auto batch = deltas.last(count);
    std::vector<Result<Delta>> results = ReadAll(store, batch);
    for (std::size_t i = count; i-- > 0;) {
      const Status taken = results[i] ? TakeDelta(*std::move(results[i]), tail)
                                      : tl::unexpected<Error>(results[i].error());
      if (!taken) {
        if (batch[i].kind == LogFileKind::kCompacted) *unreadable = batch[i].name;
        return taken;
      }
    }
    deltas = deltas.first(deltas.size() - count);
  }
  return {};
}

}  // namespace bayou::log

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

// So many files, or bytes, are parsed before their actions are reconciled, so
// that the parsed form of a long history is never in memory at once.
constexpr std::size_t kBatch = 512;
constexpr std::int64_t kBatchBytes = std::int64_t{64} << 20;

// From so many files on, a second thread pays for itself.
constexpr std::size_t kManyFiles = 64;

// Larger files are read and parsed piece by piece while their actions are
// reconciled, so that neither text nor parsed form is in memory as a whole.
constexpr std::int64_t kPiece = std::int64_t{4} << 20;

bool IsLarge(const LogFileName& file) { return file.size > 2 * kPiece; }

std::string NameOf(const LogFileName& file) {
  return JoinPath(kLogFolder, file.name);
}

// The actions of a file that is not large.
Result<Actions> ReadDelta(store::Store& store, const LogFileName& file) {
  const std::string path = JoinPath(store.location(), NameOf(file));
  BAYOU_ASSIGN(const std::string text, store.Read(NameOf(file)));
  if (text.find_first_not_of(" \t\r\n") == std::string::npos) {
    return Fail(
        ErrorCode::kCorruption, "DELTA_LOG_EMPTY_COMMIT",
        fmt::format("{} is empty: its writer probably died before the content "
                    "reached the disk; restore the file, or delete it if it is "
                    "the newest commit",
                    path));
  }
  return protocol::ParseActions(text, path);
}

// Takes whole lines of `text`; what is wrong with them is told by parsing the
// file from its start, for the right line number.
Status TakeLines(store::Store& store, const LogFileName& file,
                 std::string_view text, LogTail& tail) {
  const std::string path = JoinPath(store.location(), NameOf(file));
  auto actions = protocol::ParseActions(text, path);
  if (!actions) {
    BAYOU_ASSIGN(const std::string whole, store.Read(NameOf(file)));
    BAYOU_TRY(protocol::ParseActions(whole, path));
    return tl::unexpected<Error>(std::move(actions).error());
  }
  tail.Take(*std::move(actions));
  return {};
}

// Takes the lines of a large file from the last to the first.
Status TakePieces(store::Store& store, const LogFileName& file, LogTail& tail) {
  std::string rest;  // The end of a line whose start is not read yet.
  for (std::int64_t end = file.size; end > 0;) {
    const std::int64_t begin = std::max<std::int64_t>(0, end - kPiece);
    BAYOU_ASSIGN(std::string piece,
                 store.ReadRange(NameOf(file), begin, end - begin));
    piece += rest;
    std::size_t first_line = 0;
    if (begin > 0) {
      const std::size_t newline = piece.find('\n');
      first_line = newline == std::string::npos ? piece.size() : newline + 1;
    }
    BAYOU_TRY(TakeLines(store, file, std::string_view(piece).substr(first_line),
                        tail));
    piece.resize(first_line);
    rest = std::move(piece);
    if (rest.size() > protocol::kMaxLineSize) {
      return Fail(ErrorCode::kCorruption, "DELTA_LOG_INVALID",
                  fmt::format("{} has a line that is longer than 64 MiB",
                              JoinPath(store.location(), NameOf(file))));
    }
    end = begin;
  }
  return {};
}

// How many of the last files are parsed together: at least one.
std::size_t BatchOf(std::span<const LogFileName> files) {
  std::size_t count = 0;
  std::int64_t bytes = 0;
  for (auto file = files.rbegin(); file != files.rend() && count < kBatch;
       ++file) {
    if (!IsLarge(*file)) bytes += file->size;
    if (count > 0 && bytes > kBatchBytes) break;
    ++count;
  }
  return count;
}

std::vector<Result<Actions>> ReadAll(store::Store& store,
                                     std::span<const LogFileName> files,
                                     bool with_second_thread) {
  std::vector<Result<Actions>> results(files.size());
  const auto read = [&](std::size_t first, std::size_t end) {
    for (std::size_t i = first; i < end; ++i) {
      if (!IsLarge(files[i])) results[i] = ReadDelta(store, files[i]);
    }
  };
  if (!with_second_thread || files.size() < kManyFiles) {
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
    if (tail.touched.Insert(
            protocol::FileKey(remove.path, remove.deletion_vector))) {
      tail.removes.push_back(std::move(remove));
    }
  }
  // Not part of a table's state.
  void operator()(protocol::CdcFile&&) const {}
  void operator()(protocol::CommitInfo&&) const {}
  void operator()(protocol::CheckpointMetadata&&) const {}
  void operator()(protocol::Sidecar&&) const {}
};

Status TakeActions(Result<Actions> actions, LogTail& tail) {
  if (!actions) return tl::unexpected<Error>(std::move(actions).error());
  tail.Take(*std::move(actions));
  return {};
}

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
                  LogTail& tail, std::string* unreadable,
                  bool with_second_thread) {
  while (!deltas.empty()) {
    const std::size_t count = BatchOf(deltas);
    const auto batch = deltas.last(count);
    std::vector<Result<Actions>> results =
        ReadAll(store, batch, with_second_thread);
    for (std::size_t i = count; i-- > 0;) {
      const Status taken = IsLarge(batch[i])
                               ? TakePieces(store, batch[i], tail)
                               : TakeActions(std::move(results[i]), tail);
      if (!taken) {
        if (batch[i].kind == LogFileKind::kCompacted)
          *unreadable = batch[i].name;
        return taken;
      }
    }
    deltas = deltas.first(deltas.size() - count);
  }
  return {};
}

}  // namespace bayou::log

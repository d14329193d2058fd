// SPDX-License-Identifier: Apache-2.0
#include "kernel/log/log_compaction.h"

#include <fmt/format.h>

#include <utility>
#include <vector>

#include "base/uri_path.h"
#include "kernel/log/log_listing.h"
#include "kernel/log/log_tail.h"
#include "kernel/protocol/actions.h"

namespace bayou::log {
namespace {

// Every commit of the range, ascending.
Result<std::vector<LogFileName>> CommitsOf(store::Store& store,
                                           VersionRange range) {
  BAYOU_ASSIGN(std::vector<LogFileName> listing, ListLog(store, range.first));
  std::vector<LogFileName> commits;
  Version next = range.first;
  for (LogFileName& file : listing) {
    if (file.kind != LogFileKind::kCommit || file.version != next) continue;
    if (next > range.last) break;
    commits.push_back(std::move(file));
    ++next;
  }
  if (next <= range.last) {
    return Fail(ErrorCode::kCorruption, "DELTA_LOG_GAP",
                fmt::format("the commit of version {} is missing from the log "
                            "of table {}, so that versions {} to {} cannot be "
                            "compacted",
                            next, store.location(), range.first, range.last));
  }
  return commits;
}

class Lines {
 public:
  void Add(const protocol::Action& action) {
    text_ += protocol::ActionToJson(action);
    text_ += '\n';
  }
  std::string Take() && { return std::move(text_); }

 private:
  std::string text_;
};

std::string Render(const LogTail& tail) {
  Lines lines;
  if (tail.protocol) lines.Add(*tail.protocol);
  if (tail.metadata) lines.Add(*tail.metadata);
  for (const auto& [app_id, transaction] : tail.transactions) {
    lines.Add(transaction);
  }
  for (const auto& [name, domain] : tail.domains) lines.Add(domain);
  for (const protocol::RemoveFile& remove : tail.removes) lines.Add(remove);
  for (const protocol::AddFile& add : tail.adds) lines.Add(add);
  return std::move(lines).Take();
}

}  // namespace

Result<CompactedLog> CompactLog(store::Store& store, VersionRange range) {
  if (range.first < 0 || range.size() < 2) {
    return Fail(ErrorCode::kInvalidArgument, "DELTA_INVALID_COMPACTION_RANGE",
                fmt::format("versions {} to {} of table {} make no compacted "
                            "file: it stands for two commits or more",
                            range.first, range.last, store.location()));
  }
  BAYOU_ASSIGN(const std::vector<LogFileName> commits, CommitsOf(store, range));
  LogTail tail;
  std::string unreadable;
  BAYOU_TRY(ReadDeltas(store, commits, tail, &unreadable));
  const std::string text = Render(tail);
  CompactedLog compacted{.name = CompactedName(range.first, range.last),
                         .bytes = static_cast<std::int64_t>(text.size()),
                         .written = !text.empty()};
  if (text.empty()) return compacted;  // Commits that changed nothing.
  const Status put =
      store.PutIfAbsent(JoinPath(kLogFolder, compacted.name), text);
  if (!put) {
    if (put.error().code != ErrorCode::kAlreadyExists) {
      return tl::unexpected<Error>(put.error());
    }
    compacted.written = false;
  }
  return compacted;
}

}  // namespace bayou::log

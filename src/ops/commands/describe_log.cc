// SPDX-License-Identifier: Apache-2.0
#include "ops/commands/describe_log.h"

#include <set>
#include <string>

#include "kernel/log/log_segment.h"
#include "kernel/store/store.h"

namespace bayou::commands {
namespace {

std::set<std::string> NamesOf(const log::LogSegment& segment) {
  std::set<std::string> names;
  for (const log::LogFileName& file : segment.checkpoint)
    names.insert(file.name);
  for (const log::LogFileName& file : segment.deltas) names.insert(file.name);
  return names;
}

}  // namespace

Result<std::vector<LogFileRow>> DescribeLog(const table::Snapshot& snapshot) {
  BAYOU_ASSIGN(const std::vector<store::ObjectMeta> objects,
               snapshot.store().List(log::kLogFolder, ""));
  const std::set<std::string> used = NamesOf(snapshot.state().segment());
  std::vector<LogFileRow> rows;
  std::vector<LogFileRow> others;
  for (const store::ObjectMeta& object : objects) {
    LogFileRow row{log::ParseLogFileName(object.name),
                   used.contains(object.name)};
    row.file.size = object.size;
    row.file.modified_ms = object.modified_ms;
    (row.file.kind == log::LogFileKind::kOther ? others : rows)
        .push_back(std::move(row));
  }
  rows.insert(rows.end(), others.begin(), others.end());
  return rows;
}

std::string_view KindName(log::LogFileKind kind) {
  switch (kind) {
    case log::LogFileKind::kCommit:
      return "commit";
    case log::LogFileKind::kCompacted:
      return "compacted";
    case log::LogFileKind::kCheckpoint:
      return "checkpoint";
    case log::LogFileKind::kChecksum:
      return "checksum";
    case log::LogFileKind::kOther:
      return "other";
  }
  return "other";
}

}  // namespace bayou::commands

// SPDX-License-Identifier: Apache-2.0
#include "ops/commands/describe_history.h"

#include "base/json.h"

namespace bayou::commands {
namespace {

using Element = simdjson::dom::element;

std::optional<std::string> AsText(Element value) {
  if (value.is_null()) return std::nullopt;
  std::string_view text;
  if (value.get(text) == simdjson::SUCCESS) return std::string(text);
  JsonBuffer buffer;
  JsonWriter writer(buffer);
  CopyJson(value, writer);
  return TakeText(buffer);
}

std::optional<TextMap> AsMap(Element value) {
  simdjson::dom::object object;
  if (value.get(object) != simdjson::SUCCESS) return std::nullopt;
  TextMap map;
  for (const auto [key, member] : object)
    map[std::string(key)] = AsText(member);
  return map;
}

std::optional<std::int64_t> AsInteger(Element value) {
  std::int64_t integer = 0;
  if (value.get(integer) != simdjson::SUCCESS) return std::nullopt;
  return integer;
}

std::optional<bool> AsBool(Element value) {
  bool flag = false;
  if (value.get(flag) != simdjson::SUCCESS) return std::nullopt;
  return flag;
}

void SetField(HistoryRow& row, std::string_view key, Element value) {
  if (key == "userId") row.user_id = AsText(value);
  if (key == "userName") row.user_name = AsText(value);
  if (key == "operation") row.operation = AsText(value);
  if (key == "operationParameters") row.operation_parameters = AsMap(value);
  if (key == "job") row.job = AsMap(value);
  if (key == "notebook") row.notebook = AsMap(value);
  if (key == "clusterId") row.cluster_id = AsText(value);
  if (key == "readVersion") row.read_version = AsInteger(value);
  if (key == "isolationLevel") row.isolation_level = AsText(value);
  if (key == "isBlindAppend") row.is_blind_append = AsBool(value);
  if (key == "operationMetrics") row.operation_metrics = AsMap(value);
  if (key == "userMetadata") row.user_metadata = AsText(value);
  if (key == "engineInfo") row.engine_info = AsText(value);
}

}  // namespace

HistoryRow ParseCommitInfo(std::string_view json) {
  HistoryRow row;
  simdjson::dom::parser parser;
  const Result<Element> parsed = ParseJson(parser, json);
  simdjson::dom::object object;
  if (!parsed || parsed->get(object) != simdjson::SUCCESS) return row;
  for (const auto [key, value] : object) SetField(row, key, value);
  return row;
}

Result<std::vector<HistoryRow>> DescribeHistory(const table::Snapshot& snapshot,
                                                std::int64_t limit) {
  BAYOU_ASSIGN(const std::vector<log::HistoryEntry> entries,
               log::ReadHistory(snapshot.store(), snapshot.version(), limit,
                                snapshot.in_commit_timestamps()));
  std::vector<HistoryRow> rows;
  for (const log::HistoryEntry& entry : entries) {
    HistoryRow row;
    if (entry.info) row = ParseCommitInfo(entry.info->json);
    row.version = entry.version;
    row.timestamp_ms = entry.timestamp_ms;
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace bayou::commands

// SPDX-License-Identifier: Apache-2.0
#include "kernel/protocol/version_checksum.h"

#include <utility>
#include <variant>

#include "base/json.h"

namespace bayou::protocol {
namespace {

using simdjson::dom::element;

// The actions in a checksum are spelled as in a commit, without their name.
std::string WithName(std::string_view name, element value) {
  return "{\"" + std::string(name) + "\":" + JsonText(value) + "}";
}

std::string WithoutName(const Action& action) {
  const std::string line = ActionToJson(action);
  const std::size_t first = line.find(':') + 1;
  return line.substr(first, line.size() - 1 - first);
}

template <typename Value>
Result<Value> ReadAction(std::string_view name, element value,
                         std::string_view file) {
  BAYOU_ASSIGN(std::vector<Action> actions,
               ParseActions(WithName(name, value), file));
  if (actions.size() == 1) {
    if (auto* action = std::get_if<Value>(&actions.front()))
      return std::move(*action);
  }
  return Fail(ErrorCode::kCorruption, "DELTA_CHECKSUM_INVALID",
              std::string(name) + " is missing");
}

template <typename Value>
Status ReadActions(std::string_view name, element value, std::string_view file,
                   std::optional<std::vector<Value>>& out) {
  simdjson::dom::array items;
  if (value.get(items) != simdjson::SUCCESS) {
    return Fail(ErrorCode::kCorruption, "DELTA_CHECKSUM_INVALID",
                "the list of " + std::string(name) + " is no array");
  }
  out.emplace();
  for (const element item : items) {
    BAYOU_ASSIGN(out->emplace_back(), ReadAction<Value>(name, item, file));
  }
  return {};
}

Result<std::int64_t> ReadCount(const simdjson::dom::object& fields,
                               const char* key) {
  std::int64_t count = -1;
  if (fields[key].get(count) == simdjson::SUCCESS && count >= 0) return count;
  return Fail(ErrorCode::kCorruption, "DELTA_CHECKSUM_INVALID",
              std::string(key) + " is missing, or is no count");
}

Status ExpectOne(const simdjson::dom::object& fields, const char* key) {
  BAYOU_ASSIGN(const std::int64_t count, ReadCount(fields, key));
  if (count == 1) return {};
  return Fail(ErrorCode::kCorruption, "DELTA_CHECKSUM_INVALID",
              std::string(key) + " is not 1");
}

Result<VersionChecksum> ReadFields(const simdjson::dom::object& fields,
                                   std::string_view file) {
  VersionChecksum checksum;
  BAYOU_ASSIGN(checksum.table_size_bytes, ReadCount(fields, "tableSizeBytes"));
  BAYOU_ASSIGN(checksum.num_files, ReadCount(fields, "numFiles"));
  BAYOU_TRY(ExpectOne(fields, "numMetadata"));
  BAYOU_TRY(ExpectOne(fields, "numProtocol"));
  std::string_view txn_id;
  if (!fields["txnId"].get(txn_id)) checksum.txn_id = txn_id;
  std::int64_t time = 0;
  if (!fields["inCommitTimestampOpt"].get(time))
    checksum.in_commit_timestamp = time;
  for (const auto& [key, value] : fields) {
    if (value.is_null()) continue;
    if (key == "metadata") {
      BAYOU_ASSIGN(checksum.metadata,
                   ReadAction<Metadata>("metaData", value, file));
    } else if (key == "protocol") {
      BAYOU_ASSIGN(checksum.protocol,
                   ReadAction<Protocol>("protocol", value, file));
    } else if (key == "setTransactions") {
      BAYOU_TRY(ReadActions("txn", value, file, checksum.set_transactions));
    } else if (key == "domainMetadata") {
      BAYOU_TRY(
          ReadActions("domainMetadata", value, file, checksum.domain_metadata));
    }
  }
  return checksum;
}

void WriteAction(JsonWriter& writer, const Action& action) {
  const std::string json = WithoutName(action);
  writer.RawValue(json.data(), json.size(), rapidjson::kObjectType);
}

template <typename Value>
void Write(JsonWriter& writer, std::string_view key,
           const std::optional<Value>& action) {
  if (!action) return;
  WriteKey(writer, key);
  WriteAction(writer, *action);
}

template <typename Value>
void Write(JsonWriter& writer, std::string_view key,
           const std::optional<std::vector<Value>>& actions) {
  if (!actions) return;
  WriteKey(writer, key);
  writer.StartArray();
  for (const Value& action : *actions) WriteAction(writer, action);
  writer.EndArray();
}

}  // namespace

Result<VersionChecksum> ParseVersionChecksum(std::string_view text,
                                             std::string_view file) {
  simdjson::dom::parser parser;
  const auto root = ParseJson(parser, text);
  simdjson::dom::object fields;
  const bool is_object = root && !root->get(fields);
  Result<VersionChecksum> checksum =
      is_object ? ReadFields(fields, file)
                : Fail(ErrorCode::kCorruption, "DELTA_CHECKSUM_INVALID",
                       "it is no JSON object");
  if (checksum) return checksum;
  return Fail(ErrorCode::kCorruption, "DELTA_CHECKSUM_INVALID",
              "the version checksum " + std::string(file) +
                  " cannot be used: " + checksum.error().message);
}

std::string VersionChecksumToJson(const VersionChecksum& checksum) {
  JsonBuffer buffer;
  JsonWriter writer(buffer);
  writer.StartObject();
  if (checksum.txn_id) {
    WriteKey(writer, "txnId");
    WriteString(writer, *checksum.txn_id);
  }
  const auto number = [&](std::string_view key, std::int64_t value) {
    WriteKey(writer, key);
    writer.Int64(value);
  };
  number("tableSizeBytes", checksum.table_size_bytes);
  number("numFiles", checksum.num_files);
  number("numMetadata", 1);
  number("numProtocol", 1);
  if (checksum.in_commit_timestamp)
    number("inCommitTimestampOpt", *checksum.in_commit_timestamp);
  Write(writer, "setTransactions", checksum.set_transactions);
  Write(writer, "domainMetadata", checksum.domain_metadata);
  Write(writer, "metadata", checksum.metadata);
  Write(writer, "protocol", checksum.protocol);
  writer.EndObject();
  return TakeText(buffer);
}

}  // namespace bayou::protocol

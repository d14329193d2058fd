// SPDX-License-Identifier: Apache-2.0
#include "kernel/transaction/commit_info.h"

#include "base/json.h"
#include "bayou/version.h"

namespace bayou::transaction {
namespace {

void WriteRaw(JsonWriter& writer, const std::string& json) {
  writer.RawValue(json.data(), json.size(), rapidjson::kObjectType);
}

}  // namespace

std::string TextParameter(std::string_view text) {
  JsonBuffer buffer;
  JsonWriter writer(buffer);
  WriteString(writer, text);
  return TakeText(buffer);
}

std::string ListParameter(const std::vector<std::string>& items) {
  JsonBuffer buffer;
  JsonWriter writer(buffer);
  writer.StartArray();
  for (const std::string& item : items) WriteString(writer, item);
  writer.EndArray();
  return TextParameter(TakeText(buffer));
}

std::string MapParameter(const protocol::StringMap& items) {
  JsonBuffer buffer;
  JsonWriter writer(buffer);
  writer.StartObject();
  for (const auto& [key, value] : items) {
    WriteKey(writer, key);
    WriteString(writer, value);
  }
  writer.EndObject();
  return TextParameter(TakeText(buffer));
}

protocol::CommitInfo MakeCommitInfo(const Operation& operation,
                                    const CommitFacts& facts) {
  JsonBuffer buffer;
  JsonWriter writer(buffer);
  writer.StartObject();
  if (facts.in_commit_timestamp) {
    writer.Key("inCommitTimestamp");
    writer.Int64(*facts.in_commit_timestamp);
  }
  writer.Key("timestamp");
  writer.Int64(facts.timestamp);
  writer.Key("operation");
  WriteString(writer, operation.name);
  writer.Key("operationParameters");
  writer.StartObject();
  for (const auto& [name, json] : operation.parameters) {
    WriteKey(writer, name);
    WriteRaw(writer, json);
  }
  writer.EndObject();
  if (facts.read_version) {
    writer.Key("readVersion");
    writer.Int64(*facts.read_version);
  }
  writer.Key("isolationLevel");
  WriteString(writer, Name(facts.isolation));
  writer.Key("isBlindAppend");
  writer.Bool(facts.is_blind_append);
  writer.Key("operationMetrics");
  writer.StartObject();
  for (const auto& [name, value] : operation.metrics) {
    WriteKey(writer, name);
    WriteString(writer, std::to_string(value));
  }
  writer.EndObject();
  if (operation.user_metadata) {
    writer.Key("userMetadata");
    WriteString(writer, *operation.user_metadata);
  }
  if (!operation.tags.empty()) {
    writer.Key("tags");
    writer.StartObject();
    for (const auto& [name, value] : operation.tags) {
      WriteKey(writer, name);
      WriteString(writer, value);
    }
    writer.EndObject();
  }
  writer.Key("engineInfo");
  WriteString(writer, std::string("Bayou/") + kVersion);
  writer.Key("txnId");
  WriteString(writer, facts.txn_id);
  writer.EndObject();

  protocol::CommitInfo info;
  info.timestamp = facts.timestamp;
  info.in_commit_timestamp = facts.in_commit_timestamp;
  info.operation = operation.name;
  info.txn_id = facts.txn_id;
  info.is_blind_append = facts.is_blind_append;
  info.json = TakeText(buffer);
  return info;
}

}  // namespace bayou::transaction

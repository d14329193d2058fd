// SPDX-License-Identifier: Apache-2.0
#include "kernel/table/checkpoint_hint.h"

#include <fmt/format.h>

#include <algorithm>
#include <duckdb/common/crypto/md5.hpp>
#include <utility>

#include "base/json.h"
#include "base/uri_path.h"
#include "kernel/log/log_listing.h"

namespace bayou::table {
namespace {

// ---- The checksum -----------------------------------------------------------

using Leaves = std::vector<std::pair<std::string, std::string>>;  // By path.

bool IsUnreserved(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
         (c >= '0' && c <= '9') ||
         std::string_view("-._~").find(c) != std::string_view::npos;
}

std::string Canonical(std::string_view text) {
  std::string encoded = "\"";
  for (const char c : text) {
    if (IsUnreserved(c)) {
      encoded += c;
    } else {
      encoded += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    }
  }
  return encoded + '"';
}

void Collect(simdjson::dom::element value, const std::string& path,
             Leaves& leaves) {
  const std::string before = path.empty() ? "" : path + '+';
  switch (value.type()) {
    case simdjson::dom::element_type::OBJECT:
      for (const auto field : value.get_object().value_unsafe()) {
        if (path.empty() && field.key == "checksum") continue;
        Collect(field.value, before + Canonical(field.key), leaves);
      }
      break;
    case simdjson::dom::element_type::ARRAY: {
      std::size_t position = 0;
      for (const auto item : value.get_array().value_unsafe()) {
        Collect(item, before + std::to_string(position++), leaves);
      }
      break;
    }
    case simdjson::dom::element_type::STRING:
      leaves.emplace_back(path, Canonical(value.get_string().value_unsafe()));
      break;
    default:
      leaves.emplace_back(path, JsonText(value));
  }
}

// ---- The hint ---------------------------------------------------------------

void Number(JsonWriter& writer, std::string_view key, std::int64_t value) {
  WriteKey(writer, key);
  writer.Int64(value);
}

void Text(JsonWriter& writer, std::string_view key, std::string_view value) {
  WriteKey(writer, key);
  WriteString(writer, value);
}

void WriteActions(JsonWriter& writer, const std::vector<std::string>& actions) {
  WriteKey(writer, "nonFileActions");
  writer.StartArray();
  for (const std::string& action : actions) {
    writer.RawValue(action.data(), action.size(), rapidjson::kObjectType);
  }
  writer.EndArray();
}

void WriteSidecars(JsonWriter& writer,
                   const std::vector<protocol::Sidecar>& sidecars) {
  WriteKey(writer, "sidecarFiles");
  writer.StartArray();
  for (const protocol::Sidecar& sidecar : sidecars) {
    writer.StartObject();
    Text(writer, "path", sidecar.path);
    Number(writer, "sizeInBytes", sidecar.size_in_bytes);
    Number(writer, "modificationTime", sidecar.modification_time);
    writer.EndObject();
  }
  writer.EndArray();
}

void WriteV2(JsonWriter& writer, const CheckpointHint::V2& v2) {
  constexpr std::size_t kLongest = 30;
  WriteKey(writer, "v2Checkpoint");
  writer.StartObject();
  Text(writer, "path", v2.manifest.name);
  Number(writer, "sizeInBytes", v2.manifest.size);
  Number(writer, "modificationTime", v2.manifest.modified_ms);
  if (!v2.non_file_actions.empty() && v2.non_file_actions.size() <= kLongest) {
    WriteActions(writer, v2.non_file_actions);
  }
  if (v2.sidecars.size() <= kLongest) WriteSidecars(writer, v2.sidecars);
  writer.EndObject();
}

}  // namespace

Result<std::string> JsonChecksum(std::string_view json) {
  simdjson::dom::parser parser;
  BAYOU_ASSIGN(const simdjson::dom::element object, ParseJson(parser, json));
  Leaves leaves;
  Collect(object, "", leaves);
  std::ranges::sort(leaves);
  std::string canonical;
  for (const auto& [path, value] : leaves) {
    canonical += (canonical.empty() ? "" : ",") + path + '=' + value;
  }
  duckdb::MD5Context md5;
  md5.Add(canonical);
  return md5.FinishHex();
}

// `version`, `size` and `parts` come first: readers that know no checksum take
// the front of the file.
std::string HintJson(const CheckpointHint& hint) {
  JsonBuffer buffer;
  JsonWriter writer(buffer);
  writer.StartObject();
  Number(writer, "version", hint.version);
  Number(writer, "size", hint.actions);
  if (hint.parts) Number(writer, "parts", *hint.parts);
  Number(writer, "sizeInBytes", hint.bytes);
  Number(writer, "numOfAddFiles", hint.totals.files);
  if (hint.v2) WriteV2(writer, *hint.v2);
  writer.EndObject();
  std::string json = TakeText(buffer);
  if (const auto checksum = JsonChecksum(json)) {
    json.pop_back();
    json += fmt::format(R"(,"checksum":"{}"}})", *checksum);
  }
  return json;
}

Status PutHint(store::Store& store, const CheckpointHint& hint) {
  const auto known = log::ReadLastCheckpoint(store);
  if (known && known->version > hint.version) return {};
  return store.Put(JoinPath(log::kLogFolder, log::kLastCheckpoint),
                   HintJson(hint));
}

}  // namespace bayou::table

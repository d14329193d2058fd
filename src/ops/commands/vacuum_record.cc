// SPDX-License-Identifier: Apache-2.0
#include "ops/commands/vacuum_record.h"

#include "base/json.h"
#include "base/uri_path.h"
#include "kernel/log/log_file_name.h"

namespace bayou::commands {
namespace {

using protocol::Version;

constexpr const char* kName = "_last_vacuum_info";
constexpr const char* kDoneUntil =
    "latestCommitVersionOutsideOfRetentionWindow";

constexpr const char* kLastFull = "lastFullVacuumVersion";

std::string Path() { return JoinPath(log::kLogFolder, kName); }

std::optional<Version> VersionOf(const simdjson::dom::element& json,
                                 const char* key, Version latest) {
  std::int64_t version = 0;
  if (json[key].get(version) != simdjson::SUCCESS || version < 0 ||
      version > latest) {
    return std::nullopt;
  }
  return version;
}

}  // namespace

VacuumRecord ReadVacuumRecord(store::Store& store, Version latest) {
  const auto text = store.Read(Path());
  if (!text) return {};
  simdjson::dom::parser parser;
  const auto json = ParseJson(parser, *text);
  if (!json) return {};
  return {VersionOf(*json, kDoneUntil, latest),
          VersionOf(*json, kLastFull, latest)};
}

Status WriteVacuumRecord(store::Store& store, const VacuumRecord& record) {
  JsonBuffer buffer;
  JsonWriter writer(buffer);
  writer.StartObject();
  if (record.done_until) {
    writer.Key(kDoneUntil);
    writer.Int64(*record.done_until);
  }
  if (record.last_full) {
    writer.Key(kLastFull);
    writer.Int64(*record.last_full);
  }
  writer.EndObject();
  return store.Put(Path(), TakeText(buffer) + "\n");
}

}  // namespace bayou::commands

// SPDX-License-Identifier: Apache-2.0
#include "kernel/log/log_listing.h"

#include <fmt/format.h>

#include "base/json.h"
#include "base/uri_path.h"
#include "kernel/store/location.h"

namespace bayou::log {
namespace {

std::optional<std::int64_t> Integer(simdjson::dom::object object,
                                    const char* key) {
  std::int64_t value = 0;
  if (object[key].get(value) != simdjson::SUCCESS) return std::nullopt;
  return value;
}

bool HasLog(store::Store& store) {
  const auto files = store.List(kLogFolder, "0");
  return files && !files->empty();
}

// The table in whose folder `location` lies, when there is one.
std::optional<std::string> EnclosingTable(std::string location) {
  while (true) {
    const std::size_t slash = location.find_last_of('/');
    if (slash == std::string::npos || slash == 0) return std::nullopt;
    location.resize(slash);
    if (HasLog(*store::OpenStore(location))) return location;
  }
}

bool HasParquet(const std::vector<store::ObjectMeta>& files) {
  for (const store::ObjectMeta& file : files) {
    if (file.name.ends_with(".parquet")) return true;
  }
  return false;
}

// Says what is at the place where somebody expected a table.
std::string WhatIsThere(store::Store& store) {
  const auto files = store.List("", "");
  if (!files) {
    if (files.error().code != ErrorCode::kNotFound)
      return files.error().message;
    return store.Head("") ? "it is a file; name the table's folder"
                          : "no such folder; check the path";
  }
  if (const auto table = EnclosingTable(store.location())) {
    return fmt::format("it is a folder inside the table {}; name that one",
                       *table);
  }
  if (HasParquet(*files)) {
    return "it holds Parquet files but no _delta_log: convert the folder to a "
           "table, "
           "or read the files with read_parquet";
  }
  if (files->empty()) return "the folder has no _delta_log and no files";
  return "the folder has no _delta_log";
}

}  // namespace

std::optional<LastCheckpoint> ParseLastCheckpoint(std::string_view text) {
  simdjson::dom::parser parser;
  const auto json = ParseJson(parser, text);
  simdjson::dom::object object;
  if (!json || json->get(object) != simdjson::SUCCESS) return std::nullopt;
  const auto version = Integer(object, "version");
  if (!version || *version < 0 || *version == INT64_MAX) return std::nullopt;
  return LastCheckpoint{*version, Integer(object, "numOfAddFiles"),
                        Integer(object, "sizeInBytes")};
}

std::optional<LastCheckpoint> ReadLastCheckpoint(store::Store& store) {
  const auto text = store.Read(JoinPath(kLogFolder, kLastCheckpoint));
  if (!text) return std::nullopt;
  return ParseLastCheckpoint(*text);
}

Result<std::vector<LogFileName>> ListLog(store::Store& store, Version first) {
  auto objects = store.List(kLogFolder, fmt::format("{:020}", first));
  if (!objects) {
    if (objects.error().code != ErrorCode::kNotFound) {
      return tl::unexpected<Error>(std::move(objects).error());
    }
    return Fail(ErrorCode::kNotFound, "DELTA_TABLE_NOT_FOUND",
                fmt::format("there is no Delta table at {}: {}",
                            store.location(), WhatIsThere(store)));
  }
  std::vector<LogFileName> files;
  files.reserve(objects->size());
  for (const store::ObjectMeta& object : *objects) {
    LogFileName file = ParseLogFileName(object.name);
    if (file.version < 0) continue;
    file.size = object.size;
    file.modified_ms = object.modified_ms;
    files.push_back(std::move(file));
  }
  return files;
}

}  // namespace bayou::log

// SPDX-License-Identifier: Apache-2.0
#include "ops/commands/vacuum_record.h"

#include <fmt/format.h>

#include "base/json.h"
#include "base/uri_path.h"
#include "kernel/log/log_file_name.h"

namespace bayou::commands {
namespace {

constexpr const char* kName = "_last_vacuum_info";
constexpr const char* kDoneUntil =
    "latestCommitVersionOutsideOfRetentionWindow";

std::string Path() { return JoinPath(log::kLogFolder, kName); }

}  // namespace

std::optional<protocol::Version> ReadVacuumRecord(store::Store& store) {
  const auto text = store.Read(Path());
  if (!text) return std::nullopt;
  simdjson::ondemand::parser parser;
  const simdjson::padded_string padded(*text);
  simdjson::ondemand::document document;
  std::int64_t version = 0;
  if (parser.iterate(padded).get(document) != simdjson::SUCCESS ||
      document[kDoneUntil].get(version) != simdjson::SUCCESS || version < 0) {
    return std::nullopt;
  }
  return version;
}

Status WriteVacuumRecord(store::Store& store,
                         std::optional<protocol::Version> done_until) {
  return store.Put(Path(), done_until ? fmt::format("{{\"{}\":{}}}\n",
                                                    kDoneUntil, *done_until)
                                      : "{}\n");
}

}  // namespace bayou::commands

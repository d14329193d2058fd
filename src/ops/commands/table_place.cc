// SPDX-License-Identifier: Apache-2.0
#include "ops/commands/table_place.h"

#include <fmt/format.h>

#include <filesystem>

#include "base/uri_path.h"
#include "kernel/log/log_file_name.h"
#include "kernel/table/snapshot.h"

namespace bayou::commands {

Status CheckPlaceForTable(const std::string& location) {
  namespace fs = std::filesystem;
  if (table::Snapshot::IsTable(location)) {
    return Fail(
        ErrorCode::kAlreadyExists, "DELTA_TABLE_ALREADY_EXISTS",
        fmt::format("table {} exists already; use another name, or CREATE "
                    "TABLE IF NOT EXISTS",
                    location));
  }
  std::error_code error;
  const fs::file_status status = fs::status(location, error);
  if (fs::exists(status) && !fs::is_directory(status)) {
    return Fail(ErrorCode::kInvalidArgument, "DELTA_PATH_NOT_A_FOLDER",
                fmt::format("{} is a file; a table needs a folder of its own",
                            location));
  }
  // Where there is a log's folder, the files are those of another that makes
  // the table, or was interrupted: whoever commits first has made it.
  if (!fs::is_directory(status) ||
      fs::is_directory(JoinPath(location, log::kLogFolder), error)) {
    return {};
  }
  fs::recursive_directory_iterator entry(location, error), end;
  for (; !error && entry != end; entry.increment(error)) {
    if (entry->path().extension() != ".parquet") continue;
    return Fail(
        ErrorCode::kInvalidArgument, "DELTA_PATH_HAS_PARQUET_FILES",
        fmt::format(
            "{} is no table, but holds Parquet files such as {}; choose "
            "an empty folder, or CONVERT TO DELTA what is there",
            location, entry->path().filename().string()));
  }
  return {};
}

}  // namespace bayou::commands

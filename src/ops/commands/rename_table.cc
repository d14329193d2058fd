// SPDX-License-Identifier: Apache-2.0
#include "ops/commands/rename_table.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <stdio.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace bayou::commands {
namespace {

// The name is in the folder above.
void SyncFolderOf(const std::string& path) {
  const std::string folder = path.substr(0, path.rfind('/') + 1);
  const int descriptor = open(folder.c_str(), O_RDONLY | O_DIRECTORY);
  if (descriptor < 0) return;
  (void)fsync(descriptor);
  (void)close(descriptor);
}

}  // namespace

Status RenameTable(const std::string& from, const std::string& to) {
  if (renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(),
                RENAME_NOREPLACE) == 0) {
    SyncFolderOf(from);
    SyncFolderOf(to);
    return {};
  }
  const int reason = errno;
  if (reason == EEXIST || reason == ENOTEMPTY) {
    return Fail(ErrorCode::kAlreadyExists, "DELTA_TABLE_ALREADY_EXISTS",
                fmt::format("{} is there already; choose another name", to));
  }
  return Fail(reason == EACCES || reason == EPERM ? ErrorCode::kPermissionDenied
                                                  : ErrorCode::kUnavailable,
              "FILE_RENAME_FAILED",
              fmt::format("{} could not be renamed to {}: {}", from, to,
                          std::strerror(reason)));
}

}  // namespace bayou::commands

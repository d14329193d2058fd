// SPDX-License-Identifier: Apache-2.0
//
// ALTER TABLE ... RENAME TO: a lake's table is a folder, and its name the
// folder's.
#pragma once

#include <string>

#include "bayou/result.h"

namespace bayou::commands {

// Gives the folder another name, at once and whole. Who has the table open
// under the old name finds it no more. Errors: kAlreadyExists, condition
// DELTA_TABLE_ALREADY_EXISTS; kUnavailable or kPermissionDenied,
// FILE_RENAME_FAILED.
Status RenameTable(const std::string& from, const std::string& to);

}  // namespace bayou::commands

// SPDX-License-Identifier: Apache-2.0
//
// Paths as the log writes them and as file systems want them.
//
// A path in the log is a URI reference (RFC 2396): percent-encoded, relative to
// the table's folder or absolute. A path on disk is bytes. They are converted
// exactly once in each direction; comparing paths means comparing decoded ones.
#pragma once

#include <string>
#include <string_view>

#include "bayou/result.h"

namespace bayou {

// Decodes %XX once. A stray `%` that no two hexadecimal digits follow stays as
// it is, as Hadoop's Path does.
std::string PercentDecode(std::string_view text);

// Encodes a relative path for the log: everything but unreserved characters
// (RFC 2396: letters, digits and -_.!~*'()), `/` and the path characters
// ; @ & = + $ , is written as %XX of its UTF-8 bytes. A colon too: bare, it
// would make a scheme of what stands before it.
std::string PercentEncodePath(std::string_view path);

// Escapes a partition value or column name for a folder name as Hive does:
// control characters, 0x7F and any of " # % ' * / : = ? \ { [ ] ^ become %XX.
std::string HiveEscape(std::string_view text);

// `file:/a`, `file:///a` and `/a` name the same file; this is its canonical
// form: the decoded absolute path for the local file system, `scheme://...`
// decoded otherwise, and the decoded text for a relative path. Only `file:/`
// and `xxx://` begin a URI; `ts=10:00/f` is relative.
std::string CanonicalPath(std::string_view log_path);

bool IsAbsolutePath(std::string_view canonical_path);

// What a user typed as the place of a table: `file:` URIs are decoded, anything
// else is taken literally. The result is absolute, without `.` segments or a
// trailing slash; `..` and symbolic links are kept.
// Errors: kInvalidArgument; kUnsupported for the URI of another store.
Result<std::string> LocationFromUser(std::string_view text);

// Refuses relative paths that leave the folder they are relative to, hold NUL,
// or have `.`, `..` or empty segments (threat T1). `path` is decoded.
// Errors: kCorruption, condition DELTA_PATH_OUTSIDE_TABLE.
Status CheckRelativePath(std::string_view path);

std::string JoinPath(std::string_view folder, std::string_view name);

}  // namespace bayou

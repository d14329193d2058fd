// SPDX-License-Identifier: Apache-2.0
//
// Where the files lie that the log names: data files and deletion vectors.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "bayou/result.h"
#include "kernel/scan/scanned_table.h"

namespace bayou::scan {

// A path of the log as the engine opens it. Relative paths lie in the table's
// folder, and so may absolute ones; any other absolute path (of a shallow
// clone) is read only when the user allows it (threat T1). Errors: kCorruption
// or kPermissionDenied, condition DELTA_PATH_OUTSIDE_TABLE; kUnsupported,
// DELTA_UNSUPPORTED_STORE, for the URI of another store.
Result<std::string> PlaceOfFile(const ScannedTable& table,
                                std::string_view log_path);

// To be called when the file is opened. Errors: kPermissionDenied,
// DELTA_PATH_OUTSIDE_TABLE, when a link in the table's folder leads out of it.
Status CheckLinks(const ScannedTable& table, std::string_view log_path);

// Bytes of such a file. `canonical_path` is decoded: see base/uri_path.h.
// Errors: as PlaceOfFile, CheckLinks and store::Store::ReadRange.
Result<std::string> ReadBytes(const ScannedTable& table,
                              std::string_view canonical_path,
                              std::int64_t offset, std::int64_t length);

// The path as Spark shows it in _metadata.file_path: an absolute URI.
std::string UriOfPlace(std::string_view place);

}  // namespace bayou::scan

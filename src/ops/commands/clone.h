// SPDX-License-Identifier: Apache-2.0
//
// CLONE: makes a table what another one is at a version of its own: schema,
// partitions, properties, protocol, files. It has a history of its own and no
// row ids of the source's; what was said of the source (its name, its comment)
// is not said of it.
//
// A shallow clone copies nothing: it names the source's files, until the source
// is vacuumed. A deep clone has copies of them, and also what applications
// count as written. Cloned again it copies only what is new.
#pragma once

#include <cstdint>
#include <duckdb.hpp>
#include <memory>
#include <optional>
#include <string>

#include "base/env.h"
#include "bayou/result.h"
#include "kernel/scan/table_scan.h"
#include "kernel/table/snapshot.h"

namespace bayou::commands {

struct CloneRequest {
  std::shared_ptr<const table::Snapshot> source;
  std::string location;  // Of the clone; absolute.
  // What is there already, to be replaced; null: a new table.
  std::shared_ptr<const table::Snapshot> replaced;
  bool is_deep = false;
  protocol::StringMap properties;  // Beside the source's; as the user wrote.
  bool allows_unknown_properties = false;
  scan::ScanOptions scan;  // How files of the source may be read.
  std::optional<std::string> user_metadata = {};
};

struct CloneResult {
  protocol::Version version = 0;  // Of the clone.
  std::int64_t source_bytes = 0;
  std::int64_t source_files = 0;
  std::int64_t files_removed = 0;  // Of what was replaced.
  std::int64_t bytes_removed = 0;
  std::int64_t files_copied = 0;
  std::int64_t bytes_copied = 0;
};

// Errors: kInvalidArgument, conditions DELTA_INVALID_CLONE_PATH and
// DELTA_UNSUPPORTED_CLONE_REPLACE_SAME_TABLE, for a clone inside of its source,
// around it, or in its place; kUnsupported for a source that Bayou could not
// write, for another column mapping than the replaced table's, and for rows
// that cannot get ids; kNotFound, DELTA_FILE_NOT_FOUND, for files of the source
// that are gone; those of PlanAlteration for the properties, of CreateTable for
// the place, of Transaction::Commit. Then nothing was changed, and no copy is
// left.
Result<CloneResult> Clone(duckdb::ClientContext& context,
                          const CloneRequest& request, Env& env);

}  // namespace bayou::commands

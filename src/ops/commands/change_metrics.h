// SPDX-License-Identifier: Apache-2.0
//
// What DELETE, UPDATE and MERGE report in the history and to who ran them,
// under the names that delta-spark gives it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ops/commands/file_changes.h"

namespace bayou::commands {

struct ChangeCounts {
  std::int64_t rows_deleted = 0;
  std::int64_t rows_updated = 0;
  std::int64_t rows_inserted = 0;
  std::int64_t rows_copied = 0;  // Kept, in files that were rewritten.
  // Of those above, by clauses WHEN NOT MATCHED BY SOURCE.
  std::int64_t rows_deleted_by_source = 0;
  std::int64_t rows_updated_by_source = 0;
  std::optional<std::int64_t> source_rows;  // Absent: nobody counted.

  FileChanges::Counts old_files;
  std::int64_t files_added = 0;
  std::int64_t bytes_added = 0;
  std::int64_t change_files = 0;
  std::int64_t scan_ms = 0;     // Until every row was known,
  std::int64_t rewrite_ms = 0;  // and from then on.
};

using Metrics = std::vector<std::pair<std::string, std::int64_t>>;

Metrics DeleteMetrics(const ChangeCounts& counts);
Metrics UpdateMetrics(const ChangeCounts& counts);
Metrics MergeMetrics(const ChangeCounts& counts);
Metrics TruncateMetrics(const ChangeCounts& counts);
// Of a WRITE, the part that is about the rows which were there before: all of
// them, or those that a condition names.
Metrics OverwriteMetrics(const ChangeCounts& counts);
Metrics ReplaceWhereMetrics(const ChangeCounts& counts);

// The one row of the statement's result.
Metrics RowsChangedResult(const ChangeCounts& counts);  // DELETE, UPDATE.
Metrics MergeResult(const ChangeCounts& counts);

}  // namespace bayou::commands

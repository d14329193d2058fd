// SPDX-License-Identifier: Apache-2.0
#include "ops/commands/change_metrics.h"

namespace bayou::commands {
namespace {

// A vector that replaces another counts as one added and one removed.
void AddVectors(const std::string& prefix, const FileChanges::Counts& files,
                Metrics& metrics) {
  metrics.emplace_back(prefix + "DeletionVectorsAdded",
                       files.vectors_added + files.vectors_updated);
  metrics.emplace_back(prefix + "DeletionVectorsRemoved",
                       files.vectors_removed + files.vectors_updated);
  metrics.emplace_back(prefix + "DeletionVectorsUpdated",
                       files.vectors_updated);
}

void AddTimes(const ChangeCounts& counts, Metrics& metrics) {
  metrics.emplace_back("executionTimeMs", counts.scan_ms + counts.rewrite_ms);
  metrics.emplace_back("scanTimeMs", counts.scan_ms);
  metrics.emplace_back("rewriteTimeMs", counts.rewrite_ms);
}

Metrics RowMetrics(const ChangeCounts& counts, const char* rows_name,
                   std::int64_t rows) {
  Metrics metrics = {{"numRemovedFiles", counts.old_files.files_removed},
                     {"numRemovedBytes", counts.old_files.bytes_removed},
                     {"numCopiedRows", counts.rows_copied},
                     {"numAddedChangeFiles", counts.change_files},
                     {rows_name, rows},
                     {"numAddedFiles", counts.files_added},
                     {"numAddedBytes", counts.bytes_added}};
  AddVectors("num", counts.old_files, metrics);
  AddTimes(counts, metrics);
  return metrics;
}

}  // namespace

Metrics DeleteMetrics(const ChangeCounts& counts) {
  return RowMetrics(counts, "numDeletedRows", counts.rows_deleted);
}

Metrics UpdateMetrics(const ChangeCounts& counts) {
  return RowMetrics(counts, "numUpdatedRows", counts.rows_updated);
}

Metrics MergeMetrics(const ChangeCounts& counts) {
  Metrics metrics;
  if (counts.source_rows)
    metrics.emplace_back("numSourceRows", *counts.source_rows);
  metrics.insert(metrics.end(),
                 {{"numTargetRowsInserted", counts.rows_inserted},
                  {"numTargetRowsUpdated", counts.rows_updated},
                  {"numTargetRowsDeleted", counts.rows_deleted},
                  {"numTargetRowsMatchedUpdated",
                   counts.rows_updated - counts.rows_updated_by_source},
                  {"numTargetRowsMatchedDeleted",
                   counts.rows_deleted - counts.rows_deleted_by_source},
                  {"numTargetRowsNotMatchedBySourceUpdated",
                   counts.rows_updated_by_source},
                  {"numTargetRowsNotMatchedBySourceDeleted",
                   counts.rows_deleted_by_source},
                  {"numTargetRowsCopied", counts.rows_copied},
                  {"numOutputRows", counts.rows_inserted + counts.rows_updated +
                                        counts.rows_copied},
                  {"numTargetFilesAdded", counts.files_added},
                  {"numTargetFilesRemoved", counts.old_files.files_removed},
                  {"numTargetBytesAdded", counts.bytes_added},
                  {"numTargetBytesRemoved", counts.old_files.bytes_removed},
                  {"numTargetChangeFilesAdded", counts.change_files}});
  AddVectors("numTarget", counts.old_files, metrics);
  AddTimes(counts, metrics);
  return metrics;
}

Metrics TruncateMetrics(const ChangeCounts& counts) {
  return {{"numRemovedFiles", counts.old_files.files_removed},
          {"executionTimeMs", counts.scan_ms + counts.rewrite_ms}};
}

Metrics OverwriteMetrics(const ChangeCounts& counts) {
  return {{"numRemovedFiles", counts.old_files.files_removed},
          {"numRemovedBytes", counts.old_files.bytes_removed}};
}

Metrics ReplaceWhereMetrics(const ChangeCounts& counts) {
  Metrics metrics = OverwriteMetrics(counts);
  metrics.emplace_back("numAddedChangeFiles", counts.change_files);
  metrics.emplace_back("numDeletedRows", counts.rows_deleted);
  metrics.emplace_back("numCopiedRows", counts.rows_copied);
  return metrics;
}

Metrics RowsChangedResult(const ChangeCounts& counts) {
  return {{"num_affected_rows",
           counts.rows_deleted + counts.rows_updated + counts.rows_inserted}};
}

Metrics MergeResult(const ChangeCounts& counts) {
  Metrics result = RowsChangedResult(counts);
  result.insert(result.end(), {{"num_updated_rows", counts.rows_updated},
                               {"num_deleted_rows", counts.rows_deleted},
                               {"num_inserted_rows", counts.rows_inserted}});
  return result;
}

}  // namespace bayou::commands

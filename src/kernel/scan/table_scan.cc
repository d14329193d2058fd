// SPDX-License-Identifier: Apache-2.0
#include "kernel/scan/table_scan.h"

#include <utility>
#include <vector>

#include "kernel/engine/engine.h"
#include "kernel/log/file_view.h"
#include "kernel/scan/data_file_list.h"
#include "kernel/scan/file_pruning.h"
#include "kernel/scan/scan_binding.h"
#include "kernel/scan/scanned_table.h"

namespace bayou::scan {

BoundScan BindScan(duckdb::ClientContext& context,
                   std::shared_ptr<const table::Snapshot> snapshot,
                   const ScanOptions& options) {
  std::shared_ptr<const ScannedTable> table =
      engine::Unwrap(DescribeTable(std::move(snapshot), options));
  return BindFiles(context, table, SnapshotFiles(table));
}

void VisitFiles(const duckdb::FunctionData& scan,
                const std::function<void(const FileVerdict&)>& visit) {
  const DataFileList& list = FilesOf(scan);
  const auto cursor = engine::Unwrap(list.source()->Open(nullptr));
  std::vector<duckdb::shared_ptr<DataFile>> files;
  log::PartitionView partition;
  for (bool more = true; more;) {
    files.clear();
    more = engine::Unwrap(cursor->Next(files));
    for (const auto& file : files) {
      FilePruning::Judgement judgement;
      if (list.pruning()) {
        judgement = engine::Unwrap(
            list.pruning()->Judge(log::ViewOf(file->add, partition)));
      }
      visit({file->add, judgement.verdict == FilePruning::Verdict::kKept,
             judgement.verdict == FilePruning::Verdict::kByPartition,
             judgement.condition});
    }
  }
}

}  // namespace bayou::scan

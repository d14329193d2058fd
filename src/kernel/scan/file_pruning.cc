// SPDX-License-Identifier: Apache-2.0
#include "kernel/scan/file_pruning.h"

namespace bayou::scan {

std::shared_ptr<const FilePruning> FilePruning::WithFilters(
    duckdb::ClientContext&, std::shared_ptr<const ScannedTable>,
    std::shared_ptr<const FilePruning> before, duckdb::MultiFilePushdownInfo&,
    duckdb::vector<duckdb::unique_ptr<duckdb::Expression>>&) {
  return before;
}

std::shared_ptr<const FilePruning> FilePruning::WithTableFilters(
    duckdb::ClientContext&, std::shared_ptr<const ScannedTable>,
    std::shared_ptr<const FilePruning> before,
    const duckdb::vector<duckdb::column_t>&, duckdb::TableFilterSet&) {
  return before;
}

}  // namespace bayou::scan

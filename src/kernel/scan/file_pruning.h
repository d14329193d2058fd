// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <duckdb.hpp>

#include <memory>

#include "kernel/log/log_replay.h"
#include "kernel/scan/scanned_table.h"

#include "duckdb/common/multi_file/multi_file_list.hpp"
#include "duckdb/planner/table_filter.hpp"

namespace bayou::scan {

class FilePruning : public log::FilePredicate {
 public:
  static std::shared_ptr<const FilePruning> WithFilters(
      duckdb::ClientContext& context, std::shared_ptr<const ScannedTable> table,
      std::shared_ptr<const FilePruning> before,
      duckdb::MultiFilePushdownInfo& info,
      duckdb::vector<duckdb::unique_ptr<duckdb::Expression>>& filters);
  static std::shared_ptr<const FilePruning> WithTableFilters(
      duckdb::ClientContext& context, std::shared_ptr<const ScannedTable> table,
      std::shared_ptr<const FilePruning> before,
      const duckdb::vector<duckdb::column_t>& column_ids,
      duckdb::TableFilterSet& filters);
};

}  // namespace bayou::scan

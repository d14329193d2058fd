// SPDX-License-Identifier: Apache-2.0
//
// Whether the log tells the truth about what is in a data file: rows, bounds
// and null counts of its columns. Reads the file.
#pragma once

#include <duckdb.hpp>
#include <memory>
#include <string>
#include <vector>

#include "bayou/result.h"
#include "kernel/protocol/actions.h"
#include "kernel/scan/table_scan.h"
#include "kernel/table/snapshot.h"
#include "kernel/write/file_layout.h"

namespace bayou::commands {

class DataExamination {
 public:
  // Errors: those of PlanFileLayout.
  static Result<DataExamination> Prepare(
      duckdb::ClientContext& context,
      std::shared_ptr<const table::Snapshot> snapshot,
      const scan::ScanOptions& options);

  // What the log says wrongly of the file's data, in sentences. Safe from
  // several threads. Errors: why the file or its vector cannot be read.
  Result<std::vector<std::string>> Look(const protocol::AddFile& file) const;

 private:
  DataExamination(duckdb::ClientContext& context,
                  std::shared_ptr<const table::Snapshot> snapshot,
                  const scan::ScanOptions& options,
                  std::shared_ptr<const write::FileLayout> layout)
      : context_(&context),
        snapshot_(std::move(snapshot)),
        options_(options),
        layout_(std::move(layout)) {}

  // The statistics that a writer would give, of all rows and columns.
  std::string ReadData(const protocol::AddFile& file) const;  // Throws.

  duckdb::ClientContext* context_;
  std::shared_ptr<const table::Snapshot> snapshot_;
  scan::ScanOptions options_;
  std::shared_ptr<const write::FileLayout> layout_;
};

}  // namespace bayou::commands

// SPDX-License-Identifier: Apache-2.0
#include "kernel/scan/scanned_table.h"

#include <utility>

#include "kernel/engine/types.h"
#include "kernel/protocol/type_widening.h"

namespace bayou::scan {

std::string ScannedTable::Describe() const {
  return "table " + snapshot->location() + ", version " +
         std::to_string(snapshot->version());
}

Result<std::shared_ptr<ScannedTable>> DescribeTable(
    std::shared_ptr<const table::Snapshot> snapshot,
    const ScanOptions& options) {
  if (auto known = protocol::CheckTypeChanges(snapshot->schema()); !known) {
    Error error = std::move(known).error();
    error.message = "table " + snapshot->location() + ": " + error.message;
    return tl::unexpected<Error>(std::move(error));
  }
  auto table = std::make_shared<ScannedTable>();
  table->options = options;
  for (const protocol::Field& field : snapshot->schema().fields) {
    table->columns.push_back({field, engine::ToLogicalType(field.type),
                              snapshot->IsPartitionColumn(field.name)});
  }
  table->snapshot = std::move(snapshot);
  return table;
}

}  // namespace bayou::scan

// SPDX-License-Identifier: Apache-2.0
//
// Gives rows numbers by which they are sorted so that rows with near values in
// several columns lie together: the position on a space-filling curve of the
// point whose coordinates are the values' ranks. Ranks are told from a sample,
// so that each column counts the same, however its values are spread.
#pragma once

#include <cstdint>
#include <duckdb.hpp>
#include <vector>

#include "base/env.h"
#include "kernel/scan/scan_stream.h"
#include "ops/commands/value_ranks.h"

namespace bayou::commands {

enum class Curve : std::uint8_t { kZOrder, kHilbert };

// A column of a chunk, or a field below it.
struct ClusteringColumn {
  duckdb::idx_t column = 0;
  std::vector<duckdb::idx_t> fields;  // From the column to the value.
};

class ClusteringOrder {
 public:
  // Reads all rows of `sample`, which has the top-level columns of `columns`,
  // each once, in the order of `sampled`, their positions among the table's.
  // Throws DuckDB exceptions.
  static ClusteringOrder Learn(duckdb::ClientContext& context,
                               scan::ScanStream& sample,
                               const std::vector<duckdb::idx_t>& sampled,
                               std::vector<ClusteringColumn> columns,
                               Curve curve, Env& env);

  // Fills `numbers`, UBIGINT, for rows in which the columns are at their own
  // positions. Safe from any thread. Throws DuckDB exceptions.
  void Number(duckdb::DataChunk& rows, duckdb::Vector& numbers) const;

 private:
  class Sample;

  std::vector<ClusteringColumn> columns_;
  Curve curve_ = Curve::kZOrder;
  int bits_ = 1;
  std::vector<ValueRanks> ranks_;  // Of each column.
};

}  // namespace bayou::commands

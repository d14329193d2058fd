// SPDX-License-Identifier: Apache-2.0
//
// Encodes row groups with DuckDB's Parquet writer, and sees to it that variants
// come out as Delta has them, which that writer alone does not: they are taken
// apart ("shredded") only where the layout says so, and NULL is NULL and no
// variant that holds null. Protocol: "Variant Data Type", "Variant Shredding".
#pragma once

#include <duckdb.hpp>
#include <duckdb/function/copy_function.hpp>
#include <memory>

#include "kernel/write/file_layout.h"

namespace duckdb {
class ParquetWriter;
class ParquetWriteTransformData;
struct PreparedRowGroup;
}  // namespace duckdb

namespace bayou::write {

struct DeletePreparedRowGroup {
  void operator()(duckdb::PreparedRowGroup* row_group) const;
};
using EncodedRowGroup =
    std::unique_ptr<duckdb::PreparedRowGroup, DeletePreparedRowGroup>;

// For one file. Throws DuckDB exceptions.
class RowGroupEncoder {
 public:
  // `file`: the state of DuckDB's Parquet writer.
  RowGroupEncoder(duckdb::ClientContext& context, const FileLayout& layout,
                  duckdb::GlobalFunctionData& file);
  ~RowGroupEncoder();

  // Used by one thread at a time, beside Write(). `rows` are of the layout's
  // stored types.
  EncodedRowGroup Encode(duckdb::ColumnDataCollection& rows);

  // Behind those that were written before.
  void Write(EncodedRowGroup row_group);

 private:
  void SettleVariants(duckdb::ColumnDataCollection& first_rows);

  duckdb::ClientContext& context_;
  const FileLayout& layout_;
  duckdb::ParquetWriter& writer_;
  // How rows become what is stored, where they are not; null: they are, or it
  // is not settled yet.
  duckdb::unique_ptr<duckdb::ParquetWriteTransformData> stored_;
};

}  // namespace bayou::write

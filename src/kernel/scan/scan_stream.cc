// SPDX-License-Identifier: Apache-2.0
#include "kernel/scan/scan_stream.h"

#include <utility>

namespace bayou::scan {

ScanStream::ScanStream(duckdb::ClientContext& context, BoundScan scan,
                       duckdb::vector<duckdb::column_t> columns)
    : context_(context), scan_(std::move(scan)), columns_(std::move(columns)) {
  for (const duckdb::column_t column : columns_) {
    const auto hidden = HiddenColumnOf(column);
    types_.push_back(hidden ? HiddenColumnType(*hidden) : scan_.types[column]);
  }
  auto input = Input();
  global_ = scan_.function.init_global(context, input);
}

ScanStream::Reader::Reader(ScanStream& stream)
    : stream_(stream),
      thread_(stream.context_),
      context_(stream.context_, thread_, nullptr) {
  auto input = stream.Input();
  local_ =
      stream.scan_.function.init_local(context_, input, stream.global_.get());
}

void ScanStream::Reader::Next(duckdb::DataChunk& rows) {
  rows.Reset();
  if (!local_) return;
  duckdb::TableFunctionInput input(stream_.scan_.bind_data.get(), local_.get(),
                                   stream_.global_.get());
  input.async_result = duckdb::AsyncResultType::IMPLICIT;
  stream_.scan_.function.function(context_.client, input, rows);
}

duckdb::vector<duckdb::column_t> AllColumns(const BoundScan& scan) {
  duckdb::vector<duckdb::column_t> columns;
  for (duckdb::idx_t i = 0; i < scan.types.size(); ++i) columns.push_back(i);
  return columns;
}

}  // namespace bayou::scan

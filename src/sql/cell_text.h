// SPDX-License-Identifier: Apache-2.0
//
// A result's values as text, a chunk of rows at a time.
#pragma once

#include <duckdb.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bayou/session.h"

namespace bayou::sql {

class CellText {
 public:
  // `context` gives the session's time zone; it and `types` outlive this.
  CellText(duckdb::ClientContext& context,
           const duckdb::vector<duckdb::LogicalType>& types, CellFormat format);

  // Throws DuckDB exceptions, for values that have no text.
  void Load(duckdb::DataChunk& chunk);

  // The cells of a row of the chunk; valid until the next call of either.
  std::span<const std::optional<std::string_view>> Row(std::size_t row);

 private:
  std::string_view JsonCell(std::size_t column, const duckdb::string_t& text);

  duckdb::ClientContext& context_;
  const duckdb::vector<duckdb::LogicalType>& types_;
  CellFormat format_;
  duckdb::DataChunk* chunk_ = nullptr;
  duckdb::DataChunk texts_;
  std::vector<std::string> json_;  // One buffer for each column.
  std::vector<std::optional<std::string_view>> cells_;
};

}  // namespace bayou::sql

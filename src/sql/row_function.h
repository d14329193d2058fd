// SPDX-License-Identifier: Apache-2.0
//
// A table function whose rows are few: they are made at once when it runs. It
// may be a command, whose rows tell what it did.
#pragma once

#include <duckdb.hpp>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "kernel/table/snapshot.h"

namespace bayou::sql {

using Row = std::vector<duckdb::Value>;

struct Column {
  const char* name;
  duckdb::LogicalType type;
};

// What the bind of such a function returns.
struct RowQuery : public duckdb::TableFunctionData {
  std::function<std::vector<Row>(duckdb::ClientContext&)> rows;
  // How much of the work is done, in percent; called from other threads. May be
  // empty.
  std::function<double()> progress;

  // The statement shall bind anew each time: the table may have changed.
  bool SupportStatementCache() const override { return false; }
};

duckdb::TableFunction RowFunction(
    const char* name, const duckdb::vector<duckdb::LogicalType>& arguments,
    duckdb::table_function_bind_t bind);

// For a bind: gives the columns out and keeps how the rows are made.
duckdb::unique_ptr<duckdb::FunctionData> BindRows(
    const std::vector<Column>& columns,
    duckdb::vector<duckdb::LogicalType>& types,
    duckdb::vector<duckdb::string>& names,
    std::function<std::vector<Row>(duckdb::ClientContext&)> rows);

// version => n and timestamp => t, which a function takes that looks at a
// table.
void AddTimeTravel(duckdb::TableFunction& function);
// Throws when both are given, or one that makes no sense.
table::TimeTravel TimeTravelArgument(
    duckdb::ClientContext& context,
    const duckdb::TableFunctionBindInput& input);

// The argument that names a table. Throws for NULL.
std::string TableArgument(const duckdb::TableFunctionBindInput& input);

duckdb::Value OptionalText(const std::optional<std::string>& text);
duckdb::Value TextList(const std::vector<std::string>& texts);
duckdb::Value TimestampValue(std::int64_t milliseconds);
// Any map from text to text or optional text.
template <typename Map>
duckdb::Value TextMapValue(const Map& map) {
  duckdb::vector<duckdb::Value> keys;
  duckdb::vector<duckdb::Value> values;
  for (const auto& [key, value] : map) {
    keys.emplace_back(key);
    values.push_back(OptionalText(value));
  }
  return duckdb::Value::MAP(duckdb::LogicalType::VARCHAR,
                            duckdb::LogicalType::VARCHAR, std::move(keys),
                            std::move(values));
}

}  // namespace bayou::sql

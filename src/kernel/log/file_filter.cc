// SPDX-License-Identifier: Apache-2.0
#include "kernel/log/file_filter.h"

#include <duckdb/execution/expression_executor.hpp>
#include <duckdb/main/client_context_state.hpp>
#include <duckdb/main/extension/extension_loader.hpp>
#include <duckdb/planner/expression/bound_function_expression.hpp>
#include <mutex>
#include <utility>
#include <vector>

#include "kernel/engine/engine.h"
#include "kernel/log/chunk_columns.h"
#include "kernel/log/file_view.h"
#include "kernel/log/kept_rows.h"

namespace bayou::log {
namespace {

using duckdb::DataChunk;
using duckdb::idx_t;
using duckdb::LogicalType;
using duckdb::Vector;

constexpr const char* kFilterState = "bayou_file_filter";

// The filter of a connection's queries.
struct FilterState final : duckdb::ClientContextState {
  explicit FilterState(FileFilter the_filter) : filter(std::move(the_filter)) {}
  FileFilter filter;
};

struct FilterBindData final : duckdb::FunctionData {
  explicit FilterBindData(duckdb::shared_ptr<FilterState> the_state)
      : state(std::move(the_state)) {}
  duckdb::unique_ptr<duckdb::FunctionData> Copy() const override {
    return duckdb::make_uniq<FilterBindData>(state);
  }
  bool Equals(const duckdb::FunctionData& other) const override {
    return state == other.Cast<FilterBindData>().state;
  }
  duckdb::shared_ptr<FilterState> state;
};

const FileFilter& FilterOf(const duckdb::ExpressionState& state) {
  return state.expr.Cast<duckdb::BoundFunctionExpression>()
      .bind_info->Cast<FilterBindData>()
      .state->filter;
}

bool* FlatBooleans(Vector& vector) {
  vector.SetVectorType(duckdb::VectorType::FLAT_VECTOR);
  return duckdb::FlatVector::GetData<bool>(vector);
}

void KeepFile(DataChunk& args, duckdb::ExpressionState& state, Vector& result) {
  const FileFilter& filter = FilterOf(state);
  const idx_t count = args.size();
  const Column path(args.data[0], count);
  const MapColumn partition(args.data[1], count);
  const Column size(args.data[2], count);
  const Column modified(args.data[3], count);
  const VectorColumns vector(args, 4, count);
  const Column stats(args.data[9], count);

  std::vector<std::pair<std::string_view, std::string_view>> values;
  bool* keep = FlatBooleans(result);
  for (idx_t row = 0; row < count; ++row) {
    const auto descriptor = vector.At(row);
    keep[row] = !path.IsNull(row) &&
                !filter.touched->Contains(path.Text(row), descriptor);
    if (!keep[row] || !filter.predicate) continue;
    values.clear();
    partition.ForEach(
        row, [&](auto key, auto value) { values.emplace_back(key, value); });
    keep[row] = filter.predicate->Keep(
        {.path = path.Text(row),
         .partition_values = values,
         .stats = stats.Text(row),
         .has_deletion_vector = descriptor.has_value(),
         .size = size.Optional<std::int64_t>(row).value_or(0),
         .modification_time =
             modified.Optional<std::int64_t>(row).value_or(0)});
  }
}

void KeepStats(DataChunk& args, duckdb::ExpressionState& state,
               Vector& result) {
  const FilePredicate& predicate = *FilterOf(state).predicate;
  const Column stats(args.data[0], args.size());
  bool* keep = FlatBooleans(result);
  for (idx_t row = 0; row < args.size(); ++row) {
    keep[row] = predicate.KeepStats(stats.Text(row));
  }
}

void KeepRow(DataChunk& args, duckdb::ExpressionState& state, Vector& result) {
  const idx_t count = args.size();
  const Column file(args.data[0], count);
  const Column number(args.data[1], count);
  const auto* rows = count == 0
                         ? nullptr
                         : FilterOf(state).rows->Of(std::string(file.Text(0)));
  bool* keep = FlatBooleans(result);
  for (idx_t row = 0; row < count; ++row) {
    const auto at = static_cast<std::size_t>(number.At<std::int64_t>(row));
    keep[row] = rows != nullptr && at < rows->size() && (*rows)[at];
  }
}

duckdb::unique_ptr<duckdb::FunctionData> BindFilter(
    duckdb::ClientContext& context, duckdb::ScalarFunction& function,
    duckdb::vector<duckdb::unique_ptr<duckdb::Expression>>&) {
  auto state = context.registered_state->Get<FilterState>(kFilterState);
  if (!state) {
    throw duckdb::BinderException("%s is internal to Bayou", function.name);
  }
  return duckdb::make_uniq<FilterBindData>(std::move(state));
}

// DuckDB moves conditions on one column into the scan, and tries there which of
// them is best asked first. That is the number of the row, always: so the
// costly conditions are to stay outside, as volatile ones do.
enum class Cost : std::uint8_t { kLow, kHigh };

void Register(duckdb::ExtensionLoader& loader, const char* name,
              duckdb::vector<LogicalType> arguments,
              duckdb::scalar_function_t function, Cost cost) {
  duckdb::ScalarFunction scalar(name, std::move(arguments),
                                LogicalType::BOOLEAN, std::move(function),
                                BindFilter);
  scalar.SetNullHandling(duckdb::FunctionNullHandling::SPECIAL_HANDLING);
  if (cost == Cost::kHigh) scalar.SetVolatile();
  loader.RegisterFunction(scalar);
}

void RegisterFunctions(duckdb::DatabaseInstance& database) {
  static std::mutex mutex;  // All of them are there, or none.
  const std::lock_guard lock(mutex);
  duckdb::ExtensionLoader loader(database, "bayou");
  if (loader.TryGetFunction("bayou_keep_file")) return;
  const LogicalType map =
      LogicalType::MAP(LogicalType::VARCHAR, LogicalType::VARCHAR);
  Register(loader, "bayou_keep_file",
           {LogicalType::VARCHAR, map, LogicalType::BIGINT, LogicalType::BIGINT,
            LogicalType::VARCHAR, LogicalType::VARCHAR, LogicalType::INTEGER,
            LogicalType::INTEGER, LogicalType::BIGINT, LogicalType::VARCHAR},
           KeepFile, Cost::kHigh);
  Register(loader, "bayou_keep_stats", {LogicalType::VARCHAR}, KeepStats,
           Cost::kHigh);
  Register(loader, "bayou_keep_row",
           {LogicalType::VARCHAR, LogicalType::BIGINT}, KeepRow, Cost::kLow);
}

}  // namespace

std::unique_ptr<duckdb::Connection> ConnectFor(
    duckdb::DatabaseInstance& database, FileFilter filter) {
  RegisterFunctions(database);
  auto connection = engine::Connect(database);
  connection->context->registered_state->Insert(
      kFilterState, duckdb::make_shared_ptr<FilterState>(std::move(filter)));
  return connection;
}

bool Keeps(const FilePredicate* predicate, const protocol::AddFile& file) {
  if (!predicate) return true;
  PartitionView values;
  return predicate->Keep(ViewOf(file, values));
}

}  // namespace bayou::log

// SPDX-License-Identifier: Apache-2.0
#include "kernel/log/checkpoint_part.h"

#include <duckdb/main/extension/extension_loader.hpp>
#include <mutex>

#include "kernel/log/chunk_columns.h"
#include "kernel/protocol/spark_hash.h"

namespace bayou::log {
namespace {

constexpr const char* kFunction = "bayou_checkpoint_part";

void PartOf(duckdb::DataChunk& args, duckdb::ExpressionState&,
            duckdb::Vector& result) {
  const duckdb::idx_t count = args.size();
  const Column path(args.data[0], count);
  const Column vector(args.data[1], count);
  const Column parts(args.data[2], count);
  result.SetVectorType(duckdb::VectorType::FLAT_VECTOR);
  auto* part = duckdb::FlatVector::GetData<std::int32_t>(result);
  for (duckdb::idx_t row = 0; row < count; ++row) {
    std::int32_t hash = protocol::kSparkSeed;
    if (!path.IsNull(row)) hash = protocol::SparkHash(path.Text(row), hash);
    if (!vector.IsNull(row)) hash = protocol::SparkHash(vector.Text(row), hash);
    part[row] = protocol::SparkPart(hash, parts.At<std::int32_t>(row));
  }
}

}  // namespace

void RegisterCheckpointPart(duckdb::DatabaseInstance& database) {
  static std::mutex mutex;
  const std::lock_guard lock(mutex);
  duckdb::ExtensionLoader loader(database, "bayou");
  if (loader.TryGetFunction(kFunction)) return;
  using duckdb::LogicalType;
  duckdb::ScalarFunction function(
      kFunction,
      {LogicalType::VARCHAR, LogicalType::VARCHAR, LogicalType::INTEGER},
      LogicalType::INTEGER, PartOf);
  function.SetNullHandling(duckdb::FunctionNullHandling::SPECIAL_HANDLING);
  loader.RegisterFunction(function);
}

}  // namespace bayou::log

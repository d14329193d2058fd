// SPDX-License-Identifier: Apache-2.0
//
// The DuckDB instance that a process shares, and the border at which its
// exceptions become errors. Only kernel/engine and the modules above it know
// DuckDB. What is said to throw throws DuckDB's exceptions; nothing else here
// does.
#pragma once

#include <cstdint>
#include <duckdb.hpp>
#include <memory>
#include <string>
#include <type_traits>

#include "bayou/result.h"

namespace bayou::engine {

struct EngineOptions {
  std::uint64_t memory_limit = 0;  // Bytes; 0 = DuckDB's default.
  int threads = 0;                 // 0 = one for each core.
};

// A DuckDB database in memory, with parquet, json and icu built in. No
// extension is ever downloaded or loaded by itself. It must go before the
// thread locals of the thread that destroys it, on which DuckDB's allocator
// still calls: an engine in a static variable corrupts the heap as the program
// ends.
Result<std::shared_ptr<duckdb::DuckDB>> StartEngine(
    const EngineOptions& options);

// A connection for Bayou's own queries: no progress bar, no user settings, time
// zone UTC, insertion order not preserved.
std::unique_ptr<duckdb::Connection> Connect(duckdb::DatabaseInstance& database);

// Runs one statement to its end. The calling thread works along with the
// engine's threads, and sleeps where DuckDB's own Query() would spin while they
// finish.
Result<duckdb::unique_ptr<duckdb::MaterializedQueryResult>> Run(
    duckdb::Connection& connection, const std::string& sql);

// The same up to where the first rows are ready; the others are computed while
// they are fetched.
Result<duckdb::unique_ptr<duckdb::QueryResult>> Start(
    duckdb::Connection& connection, const std::string& sql);

// As Start, of a statement that is prepared to stream its rows. Throws.
duckdb::unique_ptr<duckdb::QueryResult> Start(
    duckdb::PendingQueryResult& pending);

// The next rows, never an empty chunk; nullptr at the end. Throws.
duckdb::unique_ptr<duckdb::DataChunk> Fetch(duckdb::QueryResult& result);

// DuckDB's error as ours. An Error that crossed DuckDB inside an exception (see
// Throw) comes out as it went in.
Error FromDuckDB(const duckdb::ErrorData& error);

// Carries an Error through DuckDB's stack: the only way Bayou throws, and only
// from functions that DuckDB calls.
[[noreturn]] void Throw(const Error& error);

template <typename T>
T Unwrap(Result<T> result) {
  if (!result) Throw(result.error());
  if constexpr (!std::is_void_v<T>) return *std::move(result);
}

// Runs `work`, which calls DuckDB, and turns what it throws into an Error.
template <typename Work>
auto Guard(Work&& work) -> Result<std::invoke_result_t<Work>> {
  try {
    if constexpr (std::is_void_v<std::invoke_result_t<Work>>) {
      work();
      return {};
    } else {
      return work();
    }
  } catch (const std::exception& exception) {
    return tl::unexpected<Error>(FromDuckDB(duckdb::ErrorData(exception)));
  }
}

// Quotes for SQL that Bayou builds (threat T12): the only two ways in which a
// name or a text gets into a statement.
std::string Identifier(std::string_view name);  // "name"
std::string Literal(std::string_view text);     // 'text'

}  // namespace bayou::engine

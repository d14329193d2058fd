// SPDX-License-Identifier: Apache-2.0
//
// Hands the rows of one query to others, in their order: a long result that
// several COPYs write, one behind the other. The query runs on while its rows
// are taken, on the engine's other threads, and holds no more than a few chunks
// that nobody has taken yet.
#pragma once

#include <cstdint>
#include <duckdb.hpp>
#include <memory>
#include <string>

#include "bayou/result.h"

namespace bayou::engine {

class RowPipe {
 public:
  // Starts `sql` on `source`, which is for the pipe alone from here on.
  static Result<RowPipe> Open(std::unique_ptr<duckdb::Connection> source,
                              const std::string& sql);

  // Whether there are rows left. Errors: those of the query.
  Result<bool> HasRows();

  // The SQL of a table with the next rows, at least `count` of them if there
  // are so many, for one query of `sink`, at once.
  std::string Next(duckdb::Connection& sink, std::int64_t count);

  struct State;

 private:
  explicit RowPipe(std::shared_ptr<State> state) : state_(std::move(state)) {}
  std::shared_ptr<State> state_;
};

}  // namespace bayou::engine

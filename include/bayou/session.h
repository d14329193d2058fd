// SPDX-License-Identifier: Apache-2.0
//
// A Session is one embedded SQL engine that speaks Delta: DuckDB's SQL plus
// Delta's statements, over the tables of one folder (the lake) and over tables
// named by path. It is what the command line, and any program that embeds
// Bayou, talks to.
//
// A Session is used from one thread at a time, except for Interrupt() and
// Progress(), which any thread may call while Run() is at work. Close it before
// main() returns: one in a static variable ends after things that its engine
// still needs.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bayou/result.h"

namespace bayou {

struct SessionOptions {
  // The folder attached as database `lake`: its sub-folders `<table>` (schema
  // `main`) and `<schema>/<table>` that hold a `_delta_log` are its tables.
  std::string lake = ".";

  // Reads data files that the log names outside the table's folder, as shallow
  // clones do. Off: such a table is refused, because a table is untrusted.
  bool allow_external_paths = false;

  // Upper bound of the engine's memory in bytes; 0 = the engine's default.
  std::uint64_t memory_limit = 0;
  int threads = 0;  // 0 = one for each core.
};

// How a cell's value is turned into text.
enum class CellFormat : std::uint8_t {
  kText,  // As SQL casts it to VARCHAR: `2024-01-01`, `{'a': 1}`.
  kJson,  // One JSON value: `"2024-01-01"`, `{"a":1}`, `null`. A map becomes an
          // object, a decimal a number, bytes a string of \xNN escapes.
};

struct ResultColumn {
  std::string name;
  std::string type;         // DuckDB's spelling, as in DESCRIBE.
  bool is_numeric = false;  // Tables align such columns to the right.
};

// Receives the rows of each statement that returns any, in order.
class ResultSink {
 public:
  virtual ~ResultSink() = default;

  // The next statement runs; `is_last`: none follows in this text.
  virtual void Next(bool is_last) { (void)is_last; }

  // A new result begins. Returns how the rows' cells shall be rendered.
  virtual CellFormat Begin(std::span<const ResultColumn> columns) = 0;

  // One row; nullopt is SQL NULL (under kJson NULL arrives as `null`). Valid
  // during the call. An error ends the statement and is returned by Run().
  virtual Status Row(
      std::span<const std::optional<std::string_view>> cells) = 0;

  // The result is complete: all its rows were delivered.
  virtual Status End() = 0;

  // A statement that returns no rows changed, or wrote, this many.
  virtual void Changed(std::uint64_t rows) { (void)rows; }
};

class Session {
 public:
  // Errors: kInvalidArgument when `options.lake` is not a folder.
  static Result<std::unique_ptr<Session>> Open(const SessionOptions& options);
  virtual ~Session() = default;

  // Runs the statements of `sql`, separated by semicolons, one after another,
  // and stops at the first error. Rows reach `sink` while the query runs, so
  // memory does not grow with the result.
  virtual Status Run(std::string_view sql, ResultSink& sink) = 0;

  // Makes a Run() in progress end with kCancelled. Harmless when none is.
  virtual void Interrupt() = 0;

  // Share of the running query that is done, 0 to 1, or nullopt when unknown.
  virtual std::optional<double> Progress() = 0;

  // Words that can continue `text` at byte `cursor`: keywords, tables, columns,
  // settings. Each replaces the bytes from `start` to `cursor`.
  struct Completion {
    std::string text;
    std::size_t start = 0;
  };
  virtual std::vector<Completion> Complete(std::string_view text,
                                           std::size_t cursor) = 0;
};

// True when `text` ends outside of quotes and comments, with the semicolon that
// ends its last statement: the shell runs it then.
bool IsCompleteStatement(std::string_view text);

}  // namespace bayou

// SPDX-License-Identifier: Apache-2.0
//
// Results on standard output, in one of four formats.
#pragma once

#include <cstdint>
#include <cstdio>
#include <functional>
#include <memory>
#include <optional>
#include <string_view>

#include "bayou/session.h"

namespace bayou::cli {

enum class Format : std::uint8_t {
  kTable,      // Aligned columns for people; many columns one below another.
  kCsv,        // RFC 4180 with a header; NULL is empty, an empty text is "".
  kJson,       // One array of objects: of several results, the last.
  kJsonLines,  // One object a line.
};

std::optional<Format> FormatByName(std::string_view name);

struct OutputOptions {
  std::FILE* file = stdout;
  std::size_t terminal_width = 0;  // Tables are cut to it; 0: not cut.
};

// A sink that also counts what went through it. What it was told of a result is
// written when the result ends: who reads it may wait for it.
class Output : public ResultSink {
 public:
  // Called before the first row of a result is written.
  std::function<void()> before_rows;

  std::uint64_t rows() const { return rows_; }
  std::optional<std::uint64_t> changed() const { return changed_; }
  bool has_result() const { return has_result_; }
  // All statements have run.
  virtual Status Finish() { return {}; }
  // Before statements are run: forgets what was before.
  virtual void Reset() {
    rows_ = 0;
    changed_.reset();
    has_result_ = false;
  }

  void Changed(std::uint64_t rows) override {
    changed_ = changed_.value_or(0) + rows;
  }

 protected:
  void CountResult() {
    has_result_ = true;
    if (before_rows) before_rows();
  }
  void CountRow() { ++rows_; }

 private:
  std::uint64_t rows_ = 0;
  std::optional<std::uint64_t> changed_;
  bool has_result_ = false;
};

std::unique_ptr<Output> MakeOutput(Format format, const OutputOptions& options);

// Writes, and says so when the other end is gone or the disk is full.
Status WriteAll(std::FILE* file, std::string_view text);
Status Flush(std::FILE* file);

}  // namespace bayou::cli

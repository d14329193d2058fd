// SPDX-License-Identifier: Apache-2.0
#include "frontends/cli/output.h"

#include <array>
#include <cerrno>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "frontends/cli/table_output.h"

namespace bayou::cli {
namespace {

using Cells = std::span<const std::optional<std::string_view>>;

tl::unexpected<Error> OutputFailed() {
  return Fail(
      ErrorCode::kUnavailable, "OUTPUT_FAILED",
      std::string("the result could not be written: ") + std::strerror(errno));
}

class CsvOutput final : public Output {
 public:
  explicit CsvOutput(std::FILE* file) : file_(file) {}

  CellFormat Begin(std::span<const ResultColumn> columns) override {
    CountResult();
    line_.clear();
    for (std::size_t i = 0; i < columns.size(); ++i) Append(i, columns[i].name);
    line_ += '\n';
    return CellFormat::kText;
  }

  Status Row(Cells cells) override {
    BAYOU_TRY(Flush());
    CountRow();
    for (std::size_t i = 0; i < cells.size(); ++i) Append(i, cells[i]);
    line_ += '\n';
    return {};
  }

  Status End() override {
    BAYOU_TRY(Flush());
    return cli::Flush(file_);
  }

 private:
  void Append(std::size_t column, std::optional<std::string_view> cell) {
    if (column > 0) line_ += ',';
    if (!cell) return;
    const bool quoted =
        cell->empty() || cell->find_first_of(",\"\r\n") != cell->npos;
    if (!quoted) {
      line_ += *cell;
      return;
    }
    line_ += '"';
    for (const char c : *cell) line_.append(c == '"' ? 2 : 1, c);
    line_ += '"';
  }

  Status Flush() {
    BAYOU_TRY(WriteAll(file_, line_));
    line_.clear();
    return {};
  }

  std::FILE* file_;
  std::string line_;
};

class JsonOutput final : public Output {
 public:
  JsonOutput(std::FILE* file, bool lines) : file_(file), lines_(lines) {}

  CellFormat Begin(std::span<const ResultColumn> columns) override {
    CountResult();
    keys_.clear();
    for (const ResultColumn& column : columns)
      keys_.push_back(Quoted(column.name) + ":");
    text_.clear();
    if (!lines_) text_ += '[';
    first_ = true;
    return CellFormat::kJson;
  }

  Status Row(Cells cells) override {
    CountRow();
    if (!first_ && !lines_) text_ += ",\n";
    first_ = false;
    text_ += '{';
    for (std::size_t i = 0; i < cells.size(); ++i) {
      if (i > 0) text_ += ',';
      text_ += keys_[i];
      text_ += cells[i].value_or("null");
    }
    text_ += lines_ ? "}\n" : "}";
    BAYOU_TRY(WriteAll(file_, text_));
    text_.clear();
    return {};
  }

  Status End() override {
    if (!lines_) text_ += "]\n";
    BAYOU_TRY(WriteAll(file_, text_));
    return cli::Flush(file_);
  }

 private:
  static std::string Quoted(std::string_view text) {
    std::string out = "\"";
    for (const char c : text) {
      const auto byte = static_cast<unsigned char>(c);
      if (c == '"' || c == '\\') {
        out += '\\';
        out += c;
      } else if (byte < 0x20) {
        char escape[8];
        std::snprintf(escape, sizeof escape, "\\u%04x", byte);
        out += escape;
      } else {
        out += c;
      }
    }
    return out + '"';
  }

  std::FILE* file_;
  bool lines_;
  bool first_ = true;
  std::vector<std::string> keys_;
  std::string text_;
};

// One document, whatever the number of statements: what comes before the last
// one waits in a file for whether there is a later result.
class JsonDocumentOutput final : public Output {
 public:
  explicit JsonDocumentOutput(std::FILE* file)
      : file_(file), direct_(file, false) {}

  void Next(bool is_last) override { is_last_ = is_last; }

  // Statements that failed have left a result that nobody is to see.
  void Reset() override {
    Output::Reset();
    held_.reset();
    held_file_.reset();
  }

  CellFormat Begin(std::span<const ResultColumn> columns) override {
    CountResult();
    held_.reset();
    held_file_.reset(is_last_ ? nullptr : std::tmpfile());
    if (held_file_) held_.emplace(held_file_.get(), false);
    return Target().Begin(columns);
  }

  Status Row(Cells cells) override {
    CountRow();
    return Target().Row(cells);
  }

  Status End() override { return Target().End(); }

  Status Finish() override {
    if (!held_file_) return {};
    if (std::fseek(held_file_.get(), 0, SEEK_SET) != 0) return OutputFailed();
    std::array<char, 1 << 16> bytes;
    while (const std::size_t count =
               std::fread(bytes.data(), 1, bytes.size(), held_file_.get())) {
      BAYOU_TRY(WriteAll(file_, {bytes.data(), count}));
    }
    held_.reset();
    held_file_.reset();
    return cli::Flush(file_);
  }

 private:
  JsonOutput& Target() { return held_ ? *held_ : direct_; }

  std::FILE* file_;
  JsonOutput direct_;
  bool is_last_ = true;
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> held_file_{nullptr,
                                                             std::fclose};
  std::optional<JsonOutput> held_;
};

}  // namespace

std::optional<Format> FormatByName(std::string_view name) {
  if (name == "table") return Format::kTable;
  if (name == "csv") return Format::kCsv;
  if (name == "json") return Format::kJson;
  if (name == "jsonl") return Format::kJsonLines;
  return std::nullopt;
}

std::unique_ptr<Output> MakeOutput(Format format,
                                   const OutputOptions& options) {
  switch (format) {
    case Format::kTable:
      return MakeTableOutput(options);
    case Format::kCsv:
      return std::make_unique<CsvOutput>(options.file);
    case Format::kJson:
      return std::make_unique<JsonDocumentOutput>(options.file);
    case Format::kJsonLines:
      return std::make_unique<JsonOutput>(options.file, true);
  }
  return nullptr;
}

Status WriteAll(std::FILE* file, std::string_view text) {
  if (std::fwrite(text.data(), 1, text.size(), file) == text.size()) return {};
  return OutputFailed();
}

Status Flush(std::FILE* file) {
  if (std::fflush(file) == 0) return {};
  return OutputFailed();
}

}  // namespace bayou::cli

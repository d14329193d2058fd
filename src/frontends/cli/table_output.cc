// SPDX-License-Identifier: Apache-2.0
#include "frontends/cli/table_output.h"

#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

#include "frontends/cli/text_width.h"

namespace bayou::cli {
namespace {

constexpr std::size_t kRowsThatDecide = 1000;
constexpr std::size_t kNarrowest = 10;  // No column is cut below this.
constexpr std::string_view kBetween = " │ ";
constexpr std::size_t kBetweenWidth = 3;
constexpr std::string_view kNull = "NULL";

class TableOutput final : public Output {
 public:
  explicit TableOutput(const OutputOptions& options) : options_(options) {}

  CellFormat Begin(std::span<const ResultColumn> columns) override {
    CountResult();
    // The plan that EXPLAIN returns is a drawing and no table.
    is_drawing_ = columns.size() == 2 && columns[0].name == "explain_key" &&
                  columns[1].name == "explain_value";
    names_.clear();
    right_.clear();
    rows_.clear();
    widths_.clear();
    laid_out_ = false;
    is_expanded_ = false;
    row_number_ = 0;
    for (const ResultColumn& column : columns) {
      names_.push_back(Printable(column.name));
      right_.push_back(column.is_numeric);
    }
    return CellFormat::kText;
  }

  Status Row(std::span<const std::optional<std::string_view>> cells) override {
    CountRow();
    if (is_drawing_) return WriteAll(options_.file, cells[1].value_or(""));
    std::vector<std::string> row;
    for (const auto& cell : cells)
      row.push_back(Printable(cell.value_or(kNull)));
    if (laid_out_) return Write(row);
    rows_.push_back(std::move(row));
    return rows_.size() < kRowsThatDecide ? Status{} : LayOut();
  }

  Status End() override {
    if (is_drawing_ || laid_out_) return {};
    return LayOut();
  }

 private:
  Status LayOut() {
    laid_out_ = true;
    for (std::size_t i = 0; i < names_.size(); ++i) {
      std::size_t width = Width(names_[i]);
      for (const auto& row : rows_) width = std::max(width, Width(row[i]));
      widths_.push_back(width);
    }
    is_expanded_ = !FitTerminal();
    if (!is_expanded_) {
      BAYOU_TRY(WriteRow(names_));
      BAYOU_TRY(WriteRule());
    }
    for (const auto& row : rows_) BAYOU_TRY(Write(row));
    rows_.clear();
    return {};
  }

  // Takes from the widest column until all fit; false where they cannot.
  bool FitTerminal() {
    if (options_.terminal_width == 0 || widths_.empty()) return true;
    const std::size_t between = kBetweenWidth * (widths_.size() - 1) + 2;
    std::size_t total =
        std::accumulate(widths_.begin(), widths_.end(), between);
    while (total > options_.terminal_width) {
      const auto widest = std::ranges::max_element(widths_);
      if (*widest <= kNarrowest) return widths_.size() == 1;
      --*widest;
      --total;
    }
    return true;
  }

  Status Write(const std::vector<std::string>& cells) {
    return is_expanded_ ? WriteExpanded(cells) : WriteRow(cells);
  }

  // A line for each column, with all of its value.
  Status WriteExpanded(const std::vector<std::string>& cells) {
    std::size_t width = 0;
    for (const std::string& name : names_) width = std::max(width, Width(name));
    line_ = "── row " + std::to_string(++row_number_) + " ──\n";
    for (std::size_t i = 0; i < cells.size(); ++i) {
      line_ += ' ' + names_[i];
      line_.append(width - Width(names_[i]), ' ');
      line_ += std::string(kBetween) + cells[i] + '\n';
    }
    return WriteAll(options_.file, line_);
  }

  Status WriteRow(const std::vector<std::string>& cells) {
    line_.assign(1, ' ');
    for (std::size_t i = 0; i < cells.size(); ++i) {
      if (i > 0) line_ += kBetween;
      const std::string cell = CutToWidth(cells[i], widths_[i]);
      const std::size_t blanks = widths_[i] - std::min(widths_[i], Width(cell));
      if (right_[i]) line_.append(blanks, ' ');
      line_ += cell;
      if (!right_[i] && i + 1 < cells.size()) line_.append(blanks, ' ');
    }
    line_ += '\n';
    return WriteAll(options_.file, line_);
  }

  Status WriteRule() {
    line_.clear();
    for (std::size_t i = 0; i < widths_.size(); ++i) {
      if (i > 0) line_ += "┼";
      for (std::size_t n = 0; n < widths_[i] + 2; ++n) line_ += "─";
    }
    line_ += '\n';
    return WriteAll(options_.file, line_);
  }

  OutputOptions options_;
  bool is_drawing_ = false;
  bool laid_out_ = false;
  bool is_expanded_ = false;  // Too many columns for the terminal.
  std::size_t row_number_ = 0;
  std::vector<std::string> names_;
  std::vector<bool> right_;
  std::vector<std::vector<std::string>> rows_;
  std::vector<std::size_t> widths_;
  std::string line_;
};

}  // namespace

std::unique_ptr<Output> MakeTableOutput(const OutputOptions& options) {
  return std::make_unique<TableOutput>(options);
}

}  // namespace bayou::cli

// SPDX-License-Identifier: Apache-2.0
#include "sql/error_place.h"

#include <algorithm>
#include <duckdb.hpp>
#include <duckdb/parser/query_error_context.hpp>
#include <optional>

namespace bayou::sql {
namespace {

constexpr std::string_view kMark = "\n\nLINE ";
constexpr std::string_view kLine = "LINE ";
constexpr std::string_view kCut = "...";

bool IsAscii(std::string_view text) {
  return std::ranges::all_of(
      text, [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}

std::size_t StartOfLine(std::string_view text, int number) {
  std::size_t start = 0;
  for (int line = 1; line < number && start != std::string_view::npos; ++line) {
    start = text.find('\n', start);
    if (start != std::string_view::npos) ++start;
  }
  return start;
}

// Reads `LINE <number>: <shown>\n<blanks>^` back into a byte of `sql`. Columns
// are bytes in ASCII text alone.
std::optional<std::size_t> PlaceIn(std::string_view sql,
                                   std::string_view excerpt) {
  const std::size_t colon = excerpt.find(": ");
  const std::size_t end = excerpt.find('\n');
  const std::size_t caret = excerpt.find('^', end);
  if (colon == std::string_view::npos || end == std::string_view::npos ||
      caret == std::string_view::npos || !IsAscii(excerpt)) {
    return std::nullopt;
  }
  const int number =
      std::atoi(std::string(excerpt.substr(kLine.size(), colon)).c_str());
  std::string_view shown = excerpt.substr(colon + 2, end - colon - 2);
  std::size_t column = caret - end - 1;
  if (column < colon + 2) return std::nullopt;
  column -= colon + 2;
  if (shown.starts_with(kCut) && column >= kCut.size()) {
    shown.remove_prefix(kCut.size());
    column -= kCut.size();
  }
  if (shown.ends_with(kCut)) shown.remove_suffix(kCut.size());
  const std::size_t line = StartOfLine(sql, number);
  if (line == std::string_view::npos) return std::nullopt;
  const std::size_t found = sql.find(shown, line);
  if (found == std::string_view::npos) return std::nullopt;
  return found + column;
}

}  // namespace

std::string AtWrittenPlace(const std::string& message, const EditedText& sql,
                           std::string_view written) {
  if (sql.text == written) return message;
  const std::size_t mark = message.rfind(kMark);
  if (mark == std::string::npos) return message;
  const auto place =
      PlaceIn(sql.text, std::string_view(message).substr(mark + 2));
  if (!place) return message;
  return duckdb::QueryErrorContext::Format(
      std::string(written), message.substr(0, mark), sql.Original(*place));
}

}  // namespace bayou::sql

// SPDX-License-Identifier: Apache-2.0
#include "kernel/protocol/statistics_columns.h"

#include <algorithm>
#include <optional>
#include <set>
#include <string_view>

namespace bayou::protocol {
namespace {

char Lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

// A dotted name in one form for comparison: names do not contain NUL.
std::string Joined(const std::vector<std::string>& names) {
  std::string joined;
  for (const std::string& name : names) {
    if (!joined.empty()) joined += '\0';
    for (const char c : name) joined += Lower(c);
  }
  return joined;
}

// Splits `a, b.c, `d.e`` into dotted names; backticks quote, doubled ones are
// one backtick.
std::set<std::string> ParseColumnList(std::string_view text) {
  std::set<std::string> columns;
  std::vector<std::string> names(1);
  bool quoted = false;
  const auto end_column = [&] {
    if (!(names.size() == 1 && names[0].empty())) columns.insert(Joined(names));
    names.assign(1, {});
  };
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '`') {
      const bool doubled = quoted && i + 1 < text.size() && text[i + 1] == '`';
      if (doubled) {
        names.back() += '`';
        ++i;
      } else {
        quoted = !quoted;
      }
    } else if (quoted || (c != ',' && c != '.' && c != ' ')) {
      names.back() += c;
    } else if (c == '.') {
      names.emplace_back();
    } else if (c == ',') {
      end_column();
    }
  }
  end_column();
  return columns;
}

class Chooser {
 public:
  Chooser(std::optional<std::set<std::string>> named, int limit)
      : named_(std::move(named)), limit_(limit) {}

  // `chosen`: a struct around the field was named.
  void Visit(const Field& field, std::size_t position, bool chosen) {
    here_.position.push_back(position);
    here_.path.push_back(field.physical_name());
    names_.push_back(field.name);
    if (named_ && named_->erase(Joined(names_)) > 0) chosen = true;
    if (field.type.kind == TypeKind::kStruct) {
      for (std::size_t i = 0; i < field.type.fields.size(); ++i) {
        Visit(field.type.fields[i], i, chosen);
      }
    } else if (named_ ? chosen : limit_ < 0 || leaves_ < limit_) {
      here_.type = field.type;
      columns_.push_back(here_);
    }
    if (field.type.kind != TypeKind::kStruct) ++leaves_;
    here_.position.pop_back();
    here_.path.pop_back();
    names_.pop_back();
  }

  Result<std::vector<StatisticsColumn>> Take() && {
    if (named_ && !named_->empty()) {
      std::string name = *named_->begin();
      std::replace(name.begin(), name.end(), '\0', '.');
      return Fail(ErrorCode::kInvalidArgument, "DELTA_INVALID_TABLE_PROPERTY",
                  "delta.dataSkippingStatsColumns names column " + name +
                      ", which the table does not have outside of its "
                      "partition columns; correct the property");
    }
    return std::move(columns_);
  }

 private:
  std::optional<std::set<std::string>> named_;  // Not met yet.
  int limit_;
  int leaves_ = 0;
  StatisticsColumn here_;
  std::vector<std::string> names_;
  std::vector<StatisticsColumn> columns_;
};

}  // namespace

bool HasBounds(TypeKind kind) {
  switch (kind) {
    case TypeKind::kByte:
    case TypeKind::kShort:
    case TypeKind::kInteger:
    case TypeKind::kLong:
    case TypeKind::kFloat:
    case TypeKind::kDouble:
    case TypeKind::kDecimal:
    case TypeKind::kString:
    case TypeKind::kDate:
    case TypeKind::kTimestamp:
    case TypeKind::kTimestampNtz:
      return true;
    default:
      return false;
  }
}

Result<std::vector<StatisticsColumn>> ChooseStatisticsColumns(
    const Schema& schema, const std::vector<std::size_t>& partition_columns,
    const TableProperties& properties) {
  std::optional<std::set<std::string>> named;
  if (const auto list = properties.stats_columns())
    named = ParseColumnList(*list);
  Chooser chooser(std::move(named), properties.num_indexed_columns());
  for (std::size_t i = 0; i < schema.fields.size(); ++i) {
    const bool partition =
        std::find(partition_columns.begin(), partition_columns.end(), i) !=
        partition_columns.end();
    if (!partition) chooser.Visit(schema.fields[i], i, false);
  }
  return std::move(chooser).Take();
}

}  // namespace bayou::protocol

// SPDX-License-Identifier: Apache-2.0
#include "simulation/table_state.h"

#include <fmt/format.h>

#include <algorithm>

namespace bayou::simulation {
namespace {

std::string Values(const std::vector<Row>& rows) {
  std::string text;
  for (const Row& row : rows) {
    text += fmt::format("{}({}, {}, {})", text.empty() ? "" : ", ", row.k,
                        row.v, row.p());
  }
  return text;
}

// Takes the rows of keys from `low` to `high` out.
std::map<Row, int> TakeOut(TableState& state, std::int64_t low,
                           std::int64_t high) {
  std::map<Row, int> taken;
  const auto first = state.rows.lower_bound({low, INT64_MIN});
  const auto last = state.rows.upper_bound({high, INT64_MAX});
  taken.insert(first, last);
  state.rows.erase(first, last);
  return taken;
}

Row DrawRow(Chance& chance, int low, int high) {
  return {chance.Between(low, high), chance.Below(1000)};
}

std::vector<Row> DrawRows(Chance& chance, int low, int high) {
  std::vector<Row> rows;
  for (int i = chance.Between(1, 3); i > 0; --i)
    rows.push_back(DrawRow(chance, low, high));
  return rows;
}

void KeepEachKeyOnce(std::vector<Row>& rows) {
  std::ranges::sort(rows);
  const auto same = [](const Row& a, const Row& b) { return a.k == b.k; };
  rows.erase(std::ranges::unique(rows, same).begin(), rows.end());
}

}  // namespace

void TableState::Add(const Row& row, int count) {
  if ((rows[row] += count) == 0) rows.erase(row);
}

std::string Describe(const TableState& state) {
  std::string text = fmt::format("{} added columns;", state.added_columns);
  int shown = 0;
  for (const auto& [row, count] : state.rows) {
    if (++shown > 100) return text + " ...";
    text += fmt::format(" {}:{}", row.k, row.v);
    if (count != 1) text += fmt::format("*{}", count);
  }
  return text;
}

Statement Statement::Draw(StatementKind kind, Chance& chance) {
  Statement drawn;
  drawn.kind = kind;
  drawn.low = chance.Below(kKeys);
  drawn.high = std::min(kKeys - 1, drawn.low + chance.Below(15));
  drawn.amount = chance.Between(1, 9);
  switch (kind) {
    case StatementKind::kAppend:
    case StatementKind::kMerge:
    case StatementKind::kOverwrite:
      drawn.rows = DrawRows(chance, 0, kKeys - 1);
      break;
    case StatementKind::kReplaceWhere:
      drawn.rows = DrawRows(chance, drawn.low, drawn.high);
      break;
    case StatementKind::kAppendSum:
      drawn.rows = {DrawRow(chance, 0, kKeys - 1)};
      break;
    default:
      break;
  }
  if (kind == StatementKind::kMerge) KeepEachKeyOnce(drawn.rows);
  return drawn;
}

std::string Statement::Sql(std::string_view table) const {
  switch (kind) {
    case StatementKind::kAppend:
      return fmt::format("INSERT INTO {} (k, v, p) VALUES {}", table,
                         Values(rows));
    case StatementKind::kAppendSum:
      return fmt::format(
          "INSERT INTO {0} (k, v, p) SELECT {1}, coalesce(sum(v), 0)::BIGINT, "
          "{2} FROM {0} WHERE k BETWEEN {3} AND {4}",
          table, rows[0].k, rows[0].p(), low, high);
    case StatementKind::kMerge:
      return fmt::format(
          "MERGE INTO {} AS t USING (VALUES {}) AS s(k, v, p) ON t.k = s.k "
          "WHEN MATCHED THEN UPDATE SET v = s.v "
          "WHEN NOT MATCHED THEN INSERT (k, v, p) VALUES (s.k, s.v, s.p)",
          table, Values(rows));
    case StatementKind::kDelete:
      return fmt::format("DELETE FROM {} WHERE k BETWEEN {} AND {}", table, low,
                         high);
    case StatementKind::kUpdate:
      return fmt::format("UPDATE {} SET v = v + {} WHERE k BETWEEN {} AND {}",
                         table, amount, low, high);
    case StatementKind::kOverwrite:
      return fmt::format(
          "INSERT OVERWRITE {} (k, v, p) SELECT * FROM (VALUES {})", table,
          Values(rows));
    case StatementKind::kReplaceWhere:
      return fmt::format(
          "INSERT INTO {} REPLACE WHERE k BETWEEN {} AND {} SELECT * "
          "FROM (VALUES {})",
          table, low, high, Values(rows));
    case StatementKind::kRewrite:
      return fmt::format("INSERT OVERWRITE {0} SELECT * FROM {0}", table);
    case StatementKind::kOptimize:
      return fmt::format("OPTIMIZE {}", table);
    case StatementKind::kTruncate:
      return fmt::format("TRUNCATE TABLE {}", table);
    case StatementKind::kAddColumn:
      return fmt::format("ALTER TABLE {} ADD COLUMN {} BIGINT", table, column);
    case StatementKind::kTrackRows:
      return fmt::format(
          "ALTER TABLE {} SET TBLPROPERTIES ('delta.enableRowTracking' = "
          "'true')",
          table);
    case StatementKind::kVacuum:
      return fmt::format("VACUUM {}", table);
    case StatementKind::kVacuumLite:
      return fmt::format("VACUUM {} LITE", table);
  }
  return "";
}

void Statement::ApplyTo(TableState& state) const {
  switch (kind) {
    case StatementKind::kAppend:
      break;
    case StatementKind::kAppendSum: {
      std::int64_t sum = 0;
      TableState copy = state;
      for (const auto& [row, count] : TakeOut(copy, low, high))
        sum += row.v * count;
      state.Add({rows[0].k, sum});
      return;
    }
    case StatementKind::kMerge:
      for (const Row& source : rows) {
        const auto matched = TakeOut(state, source.k, source.k);
        for (const auto& [row, count] : matched) state.Add(source, count);
        if (matched.empty()) state.Add(source);
      }
      return;
    case StatementKind::kDelete:
      TakeOut(state, low, high);
      return;
    case StatementKind::kUpdate:
      for (const auto& [row, count] : TakeOut(state, low, high))
        state.Add({row.k, row.v + amount}, count);
      return;
    case StatementKind::kOverwrite:
    case StatementKind::kTruncate:
      state.rows.clear();
      break;
    case StatementKind::kReplaceWhere:
      TakeOut(state, low, high);
      break;
    case StatementKind::kAddColumn:
      ++state.added_columns;
      return;
    case StatementKind::kRewrite:
    case StatementKind::kOptimize:
    case StatementKind::kTrackRows:
    case StatementKind::kVacuum:
    case StatementKind::kVacuumLite:
      return;
  }
  for (const Row& row : rows) state.Add(row);
}

bool Statement::FindsNothingIn(const TableState& state) const {
  if (kind == StatementKind::kOptimize || kind == StatementKind::kTrackRows ||
      IsVacuum())
    return true;
  if (kind == StatementKind::kTruncate || kind == StatementKind::kRewrite)
    return state.rows.empty();
  if (kind != StatementKind::kDelete && kind != StatementKind::kUpdate)
    return false;
  TableState copy = state;
  return TakeOut(copy, low, high).empty();
}

bool Statement::Reads(std::int64_t key) const {
  switch (kind) {
    case StatementKind::kAppend:
    case StatementKind::kAddColumn:
    case StatementKind::kTrackRows:
    case StatementKind::kVacuum:
    case StatementKind::kVacuumLite:
      return false;
    case StatementKind::kOverwrite:
    case StatementKind::kRewrite:
    case StatementKind::kTruncate:
      return true;
    case StatementKind::kMerge:
      return key >= rows.front().k && key <= rows.back().k;
    default:
      return key >= low && key <= high;
  }
}

}  // namespace bayou::simulation

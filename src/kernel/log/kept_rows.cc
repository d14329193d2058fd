// SPDX-License-Identifier: Apache-2.0
#include "kernel/log/kept_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <duckdb/parallel/task_scheduler.hpp>
#include <utility>

#include "kernel/engine/engine.h"
#include "kernel/engine/exact_parquet.h"
#include "kernel/log/chunk_columns.h"
#include "kernel/log/file_filter.h"

namespace bayou::log {
namespace {

// Fewer rows are read as quickly as they are looked at.
constexpr std::int64_t kFewRows = 20'000;
// A bit for each row is held, whatever the footer says that there are.
constexpr std::int64_t kMostRows = 100'000'000;
// The other fields of one row in so many cost less than the look saves.
constexpr std::int64_t kKeptOneIn = 16;
// A query names each file of its own.
constexpr std::size_t kManyFiles = 64;

using Relations = std::vector<CheckpointRelation>;

// The condition that a file of the relation is judged by: typed columns where
// they say something, which are short; else the text of the statistics. Empty:
// there is none.
std::string JudgeSql(const CheckpointRelation& relation,
                     const FilePredicate& predicate) {
  const auto has = [&](const char* field, duckdb::LogicalTypeId type) {
    return FieldType(relation.add, field).id() == type;
  };
  if (!has("size", duckdb::LogicalTypeId::BIGINT)) return {};
  std::string typed = predicate.CheckpointFilter(relation.add);
  if (!typed.empty()) return typed;
  const bool has_text = has("stats", duckdb::LogicalTypeId::VARCHAR);
  return has_text && predicate.JudgesStats() ? "bayou_keep_stats(add.stats)"
                                             : "";
}

using Conditions = std::map<std::string, std::string>;

// By file; empty when some of them cannot be judged.
Conditions ConditionsOf(const Relations& relations,
                        const FilePredicate& predicate) {
  Conditions conditions;
  for (const CheckpointRelation& relation : relations) {
    if (FieldType(relation.add, "path").id() == duckdb::LogicalTypeId::INVALID)
      continue;
    const std::string condition = JudgeSql(relation, predicate);
    if (condition.empty()) return {};
    for (const std::string& file : relation.files) conditions[file] = condition;
  }
  if (conditions.size() > kManyFiles) conditions.clear();
  return conditions;
}

// The footer answers.
Result<std::int64_t> CountRows(duckdb::Connection& connection,
                               const std::string& file) {
  const auto counted = engine::Run(
      connection, "SELECT count(*) FROM " + engine::ParquetRelation({{file}}));
  if (!counted) return tl::unexpected(Unreadable({{file}}, counted.error()));
  return (*counted)->GetValue(0, 0).GetValue<std::int64_t>();
}

// Rows that are files have a size, with or without statistics.
std::string LookSql(const std::string& file, const std::string& condition,
                    std::int64_t from, std::int64_t to) {
  return fmt::format(
      "SELECT {} AS file, file_row_number AS row FROM {} WHERE file_row_number "
      ">= {} AND "
      "file_row_number < {} AND add.size IS NOT NULL AND ({})",
      engine::Literal(file), engine::ParquetRelation({{file}}), from, to,
      condition);
}

// One part for each thread, however many files there are. DuckDB runs the parts
// of a union side by side below an aggregate, and one by one below a result.
std::string LookSql(const std::map<std::string, std::vector<bool>>& rows,
                    const Conditions& conditions, std::int64_t threads) {
  const auto parts = std::max<std::int64_t>(
      1, threads / static_cast<std::int64_t>(rows.size()));
  std::string sql;
  for (const auto& [file, kept] : rows) {
    const auto count = static_cast<std::int64_t>(kept.size());
    for (std::int64_t part = 0; part < parts; ++part) {
      if (!sql.empty()) sql += " UNION ALL ";
      sql += LookSql(file, conditions.at(file), count * part / parts,
                     count * (part + 1) / parts);
    }
  }
  return "SELECT file, list(row) FROM (" + sql + ") GROUP BY file";
}

}  // namespace

Result<std::shared_ptr<const KeptRows>> KeptRows::Look(
    duckdb::DatabaseInstance& database, const Relations& relations,
    const std::shared_ptr<const FilePredicate>& predicate) {
  if (!predicate) return nullptr;
  const Conditions conditions = ConditionsOf(relations, *predicate);
  if (conditions.empty()) return nullptr;
  std::vector<std::string> files;
  for (const auto& [file, condition] : conditions) files.push_back(file);
  const auto connection = ConnectFor(database, {predicate, nullptr, nullptr});
  auto kept = std::make_shared<KeptRows>();
  std::map<std::string, std::int64_t> counts;
  std::int64_t total = 0;
  for (const std::string& file : files) {
    BAYOU_ASSIGN(const std::int64_t count, CountRows(*connection, file));
    if (count < 0 || count > kMostRows) return nullptr;
    counts[file] = count;
    total += count;
  }
  if (total < kFewRows || total > kMostRows) return nullptr;
  for (const auto& [file, count] : counts) {
    kept->rows_[file].resize(static_cast<std::size_t>(count));
  }

  const std::string sql =
      LookSql(kept->rows_, conditions,
              duckdb::TaskScheduler::GetScheduler(database).NumberOfThreads());
  const auto found = engine::Run(*connection, sql);
  if (!found) return tl::unexpected(Unreadable(files, found.error()));
  const auto taken = engine::Guard([&] { return kept->Take(**found); });
  if (!taken) return tl::unexpected(Unreadable(files, taken.error()));
  if (*taken > total / kKeptOneIn) return nullptr;
  return kept;
}

std::int64_t KeptRows::Take(duckdb::MaterializedQueryResult& found) {
  std::int64_t taken = 0;
  std::map<std::string, std::vector<bool>> rows;
  while (const auto chunk = engine::Fetch(found)) {
    const Column file(chunk->data[0], chunk->size());
    const Column lists(chunk->data[1], chunk->size());
    const Column numbers(duckdb::ListVector::GetEntry(chunk->data[1]),
                         duckdb::ListVector::GetListSize(chunk->data[1]));
    for (duckdb::idx_t i = 0; i < chunk->size(); ++i) {
      auto kept = rows_.extract(std::string(file.Text(i)));
      const auto& list = lists.At<duckdb::list_entry_t>(i);
      for (duckdb::idx_t at = list.offset; at < list.offset + list.length;
           ++at) {
        kept.mapped().at(
            static_cast<std::size_t>(numbers.At<std::int64_t>(at))) = true;
      }
      taken += static_cast<std::int64_t>(list.length);
      rows.insert(std::move(kept));
    }
  }
  rows_ = std::move(rows);
  return taken;
}

std::string KeptRowSql(const std::string& file) {
  return fmt::format("bayou_keep_row({}, file_row_number)",
                     engine::Literal(file));
}

}  // namespace bayou::log

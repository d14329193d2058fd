// SPDX-License-Identifier: Apache-2.0
#include "ops/commands/validate_data.h"

#include <fmt/format.h>

#include <optional>
#include <utility>

#include "kernel/engine/engine.h"
#include "kernel/engine/types.h"
#include "kernel/protocol/file_statistics.h"
#include "kernel/scan/chosen_rows.h"
#include "kernel/scan/scan_stream.h"
#include "kernel/scan/value_range.h"
#include "kernel/write/file_statistics_writer.h"

namespace bayou::commands {
namespace {

using protocol::AddFile;
using protocol::ColumnBounds;
using protocol::TypeKind;

// Texts are not cut, so that bounds can be compared.
constexpr std::size_t kWholeTexts = std::size_t{1} << 30;

std::string NameOf(const protocol::ColumnPath& path) {
  std::string name;
  for (const std::string& step : path) name += (name.empty() ? "" : ".") + step;
  return name;
}

bool IsTime(TypeKind kind) {
  return kind == TypeKind::kTimestamp || kind == TypeKind::kTimestampNtz;
}

// What is read of times is cut off to milliseconds, as in statistics, and may
// stand for a little more.
bool IsLess(const duckdb::Value& read, const duckdb::Value& bound,
            TypeKind kind) {
  if (!IsTime(kind)) return read < bound;
  const auto micros = [](const duckdb::Value& time) {
    return time.GetValueUnsafe<std::int64_t>();
  };
  return micros(read) < micros(bound) - scan::kLostMicros;
}

bool IsGreater(const duckdb::Value& read, const scan::ValueRange& range) {
  if (!(read > *range.max)) return false;
  return !range.max_is_prefix || !duckdb::StringValue::Get(read).starts_with(
                                     duckdb::StringValue::Get(*range.max));
}

// How the bounds that the log gives contradict those that were read.
std::optional<std::string> Contradiction(
    const protocol::StatisticsColumn& column, const ColumnBounds& said,
    std::optional<std::int64_t> said_rows, const ColumnBounds& read,
    std::int64_t rows) {
  const scan::ValueRange range =
      scan::RangeOf(said, said_rows, column.type, column.path.size() > 1);
  const auto bound = [&](const std::optional<std::string>& text) {
    return text ? engine::ParseBound(*text, column.type) : std::nullopt;
  };
  const auto min = bound(read.min);
  const auto max = bound(read.max);
  const std::string name = NameOf(column.path);
  if (range.min && min && IsLess(*min, *range.min, column.type.kind)) {
    return fmt::format("column {} has {}, below its minimum {}", name,
                       min->ToString(), range.min->ToString());
  }
  if (range.max && max && IsGreater(*max, range)) {
    return fmt::format("column {} has {}, above its maximum {}", name,
                       max->ToString(), range.max->ToString());
  }
  const std::int64_t nulls = read.null_count.value_or(0);
  if (!range.can_be_null && nulls > 0) {
    return fmt::format("column {} has {} NULLs, the statistics none", name,
                       nulls);
  }
  if (!range.can_be_value && nulls < rows)
    return fmt::format("column {} has values, the statistics only NULLs", name);
  return std::nullopt;
}

}  // namespace

Result<DataExamination> DataExamination::Prepare(
    duckdb::ClientContext& context,
    std::shared_ptr<const table::Snapshot> snapshot,
    const scan::ScanOptions& options) {
  protocol::Metadata metadata = snapshot->metadata();
  metadata.configuration.erase("delta.dataSkippingStatsColumns");
  metadata.configuration["delta.dataSkippingNumIndexedCols"] = "-1";
  BAYOU_ASSIGN(const auto planned,
               write::PlanFileLayout(snapshot->protocol(), metadata,
                                     snapshot->schema()));
  auto layout = write::WithExtraColumns(*planned, {});
  layout->string_prefix = kWholeTexts;
  return DataExamination(context, std::move(snapshot), options,
                         std::move(layout));
}

std::string DataExamination::ReadData(const AddFile& file) const {
  AddFile whole = file;
  whole.deletion_vector.reset();
  scan::BoundScan scan = scan::BindChosenRows(
      *context_, snapshot_, options_, {{std::move(whole), {}, {}}}, false);
  auto columns = scan::AllColumns(scan);
  scan::ScanStream stream(*context_, std::move(scan), std::move(columns));
  scan::ScanStream::Reader reader(stream);
  duckdb::DataChunk rows;
  rows.Initialize(*context_, stream.types());
  write::FileStatisticsWriter statistics(layout_);
  for (;;) {
    if (context_->IsInterrupted()) throw duckdb::InterruptException();
    reader.Next(rows);
    if (rows.size() == 0) return statistics.ToJson();
    statistics.Update(rows);
  }
}

Result<std::vector<std::string>> DataExamination::Look(
    const AddFile& file) const {
  BAYOU_ASSIGN(const std::string json,
               engine::Guard([&] { return ReadData(file); }));
  std::vector<protocol::ColumnPath> paths;
  for (const auto& column : layout_->statistics) paths.push_back(column.path);
  const auto read = protocol::ReadStatistics(json, paths);
  const auto said = protocol::ReadStatistics(file.stats.value_or(""), paths);
  const std::int64_t rows = read.num_records.value_or(0);

  std::vector<std::string> wrong;
  if (said.num_records && *said.num_records != rows) {
    wrong.push_back(fmt::format("the file has {} rows, the statistics say {}",
                                rows, *said.num_records));
  }
  for (std::size_t i = 0; i < layout_->statistics.size(); ++i) {
    if (i >= said.columns.size() || i >= read.columns.size()) break;
    auto contradiction = Contradiction(layout_->statistics[i], said.columns[i],
                                       said.num_records, read.columns[i], rows);
    if (contradiction) wrong.push_back(*std::move(contradiction));
  }
  BAYOU_ASSIGN(const auto deleted,
               scan::DeletedRowsOf(snapshot_, options_, file));
  if (const auto last = deleted.Max();
      last && *last >= static_cast<std::uint64_t>(rows)) {
    wrong.push_back(
        fmt::format("the deletion vector deletes row {} of a file with {} rows",
                    *last, rows));
  }
  return wrong;
}

}  // namespace bayou::commands

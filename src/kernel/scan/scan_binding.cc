// SPDX-License-Identifier: Apache-2.0
#include "kernel/scan/scan_binding.h"

#include <algorithm>
#include <duckdb/catalog/catalog.hpp>
#include <duckdb/catalog/catalog_entry/table_function_catalog_entry.hpp>
#include <duckdb/common/multi_file/multi_file_states.hpp>
#include <duckdb/parser/tableref/table_function_ref.hpp>
#include <utility>

#include "kernel/scan/data_file_reader.h"
#include "kernel/scan/exact_statistics.h"
#include "kernel/scan/file_pruning.h"
#include "kernel/scan/hidden_columns.h"

namespace bayou::scan {
namespace {

using duckdb::ClientContext;
using duckdb::FunctionData;
using duckdb::MultiFileBindData;

const DataFileReader& ReaderOf(const FunctionData& data) {
  return data.Cast<MultiFileBindData>()
      .multi_file_reader->Cast<DataFileReader>();
}

duckdb::unique_ptr<duckdb::MultiFileReader> MakeReader(
    const duckdb::TableFunction& function) {
  return duckdb::make_uniq<DataFileReader>(
      duckdb::shared_ptr_cast<duckdb::TableFunctionInfo, ScanFunctionInfo>(
          function.function_info));
}

duckdb::virtual_column_map_t VirtualColumns(
    ClientContext&, duckdb::optional_ptr<FunctionData> data) {
  auto& bound = data->Cast<MultiFileBindData>();
  bound.virtual_columns = HiddenColumns(*ReaderOf(bound).table().snapshot);
  // What DuckDB reads when it needs rows but no column: count(*).
  bound.virtual_columns.emplace(
      duckdb::COLUMN_IDENTIFIER_EMPTY,
      duckdb::TableColumn("", duckdb::LogicalType::BOOLEAN));
  return bound.virtual_columns;
}

// Row ids come from two columns of a file, and the Parquet reader's filters
// know only one.
bool SupportsPushdown(const FunctionData&, duckdb::idx_t column) {
  const auto hidden = HiddenColumnOf(column);
  return !hidden || *hidden < HiddenColumn::kRowId;
}

duckdb::unique_ptr<duckdb::GlobalTableFunctionState> Begin(
    ClientContext& context, duckdb::TableFunctionInitInput& input) {
  const DataFileReader& reader = ReaderOf(*input.bind_data);
  const bool finds_rows_to_change =
      std::ranges::any_of(input.column_ids, [](const duckdb::column_t column) {
        return HiddenColumnOf(column) == HiddenColumn::kFileNumber;
      });
  if (const auto& reads = reader.table().options.reads;
      reads && !finds_rows_to_change) {
    reads->Note(FilesOf(*input.bind_data).pruning());
  }
  return reader.info().begin_parquet_scan(context, input);
}

// DuckDB's own scan, with the file and the table named when a file is broken.
void Scan(ClientContext& context, duckdb::TableFunctionInput& input,
          duckdb::DataChunk& output) {
  const DataFileReader& reader = ReaderOf(*input.bind_data);
  try {
    reader.info().parquet_scan(context, input, output);
  } catch (const std::exception& failure) {
    if (!input.local_state) throw;
    const auto& state = input.local_state->Cast<duckdb::MultiFileLocalState>();
    if (!state.reader) throw;
    reader.Rethrow(context, state.reader->file, failure);
  }
}

duckdb::BindInfo DescribeBinding(
    const duckdb::optional_ptr<FunctionData> data) {
  duckdb::BindInfo info(duckdb::ScanType::EXTERNAL);
  info.table = ReaderOf(*data).table().options.entry;
  return info;
}

// What EXPLAIN shows of the scan. Looks at every live file of the table.
duckdb::InsertionOrderPreservingMap<std::string> Explain(
    duckdb::TableFunctionToStringInput& input) {
  const ScannedTable& table = ReaderOf(*input.bind_data).table();
  std::size_t total = 0;
  std::size_t by_partition = 0;
  std::size_t by_statistics = 0;
  VisitFiles(*input.bind_data, [&](const FileVerdict& verdict) {
    ++total;
    if (verdict.kept) return;
    ++(verdict.by_partition ? by_partition : by_statistics);
  });
  const auto left = total - by_partition - by_statistics;
  duckdb::InsertionOrderPreservingMap<std::string> shown;
  shown["Table"] = table.snapshot->location();
  shown["Version"] = std::to_string(table.snapshot->version());
  shown["Files"] = std::to_string(left) + " of " + std::to_string(total) +
                   " (partition pruning " + std::to_string(by_partition) +
                   ", statistics " + std::to_string(by_statistics) + ")";
  return shown;
}

duckdb::vector<duckdb::PartitionStatistics> PartitionStatisticsOf(
    ClientContext&, duckdb::GetPartitionStatsInput& input) {
  // The answer of count(*), maybe: then there will be no scan.
  if (const auto& reads = ReaderOf(*input.bind_data).table().options.reads)
    reads->Note(FilesOf(*input.bind_data).pruning());
  return ExactStatistics(FilesOf(*input.bind_data));
}

duckdb::TableFunction ParquetScan(ClientContext& context) {
  auto& catalog = duckdb::Catalog::GetSystemCatalog(context);
  auto& entry = catalog.GetEntry<duckdb::TableFunctionCatalogEntry>(
      context, DEFAULT_SCHEMA, "parquet_scan");
  return entry.functions.GetFunctionByArguments(context,
                                                {duckdb::LogicalType::VARCHAR});
}

}  // namespace

bool IsTableScan(const duckdb::TableFunction& function) {
  return function.function == Scan;
}

const DataFileList& FilesOf(const FunctionData& scan) {
  return scan.Cast<MultiFileBindData>().file_list->Cast<DataFileList>();
}

std::shared_ptr<const OpenedFiles> OpenedFilesOf(const FunctionData& scan) {
  return ReaderOf(scan).info().opened;
}

BoundScan BindFiles(ClientContext& context,
                    std::shared_ptr<const ScannedTable> table,
                    std::shared_ptr<const DataFileSource> source) {
  BoundScan scan;
  duckdb::TableFunction& function = scan.function;
  function = ParquetScan(context);
  auto info = duckdb::make_shared_ptr<ScanFunctionInfo>();
  info->parquet_scan = function.function;
  info->begin_parquet_scan = function.init_global;
  info->source = std::move(source);
  const std::string location = table->snapshot->location();
  info->table = std::move(table);

  function.name = "bayou_scan";
  function.function_info = info;
  function.function = Scan;
  function.init_global = Begin;
  function.get_multi_file_reader = MakeReader;
  function.get_virtual_columns = VirtualColumns;
  function.get_bind_info = DescribeBinding;
  function.supports_pushdown_type = SupportsPushdown;
  function.to_string = Explain;
  // DuckDB's own answer from what a file's footer says, deleted rows and all.
  function.get_partition_stats = PartitionStatisticsOf;
  function.statistics = nullptr;
  function.statistics_extended = nullptr;
  // A plan that holds such a scan cannot be stored: it stands for a version.
  function.serialize = nullptr;
  function.deserialize = nullptr;
  function.verify_serialization = false;
  // It would read the rows again by their file's place in the list, which a
  // second list, pruned by other filters, need not share.
  function.get_row_id_columns = nullptr;
  function.late_materialization = false;

  duckdb::vector<duckdb::Value> inputs = {duckdb::Value(location)};
  // Without it, row groups whose bounds leave out NaN are skipped for NaN too.
  duckdb::named_parameter_map_t options = {
      {"can_have_nan", duckdb::Value::BOOLEAN(true)}};
  duckdb::vector<duckdb::LogicalType> no_types;
  duckdb::vector<duckdb::string> no_names;
  const duckdb::TableFunctionRef ref;
  duckdb::TableFunctionBindInput input(inputs, options, no_types, no_names,
                                       info.get(), nullptr, function, ref);
  scan.bind_data = function.bind(context, input, scan.types, scan.names);
  VirtualColumns(context, scan.bind_data.get());
  return scan;
}

}  // namespace bayou::scan

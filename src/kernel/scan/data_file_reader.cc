// SPDX-License-Identifier: Apache-2.0
#include "kernel/scan/data_file_reader.h"

#include <duckdb/execution/expression_executor.hpp>
#include <duckdb/planner/expression/bound_constant_expression.hpp>
#include <duckdb/planner/expression/bound_reference_expression.hpp>
#include <duckdb/planner/filter/expression_filter.hpp>
#include <duckdb/planner/filter/optional_filter.hpp>
#include <parquet_reader.hpp>
#include <string>
#include <utility>

#include "kernel/engine/engine.h"
#include "kernel/engine/types.h"
#include "kernel/scan/column_mapping.h"
#include "kernel/scan/data_file_place.h"
#include "kernel/scan/deleted_rows.h"
#include "kernel/scan/hidden_columns.h"

namespace bayou::scan {
namespace {

using duckdb::ColumnIndex;
using duckdb::idx_t;
using duckdb::Value;
using protocol::ColumnMappingMode;
using ExpressionPtr = duckdb::unique_ptr<duckdb::Expression>;

ExpressionPtr Constant(Value value) {
  return duckdb::make_uniq<duckdb::BoundConstantExpression>(std::move(value));
}

// Sets up the reading of one file: for each column of the scan an expression
// over the columns that the Parquet reader delivers.
class FileSetup {
 public:
  FileSetup(const ScannedTable& table, OpenedFiles& opened,
            const DataFile& file, duckdb::MultiFileReaderData& data,
            duckdb::ClientContext& context)
      : table_(table),
        opened_(opened),
        file_(file),
        data_(data),
        reader_(data.reader->Cast<duckdb::ParquetReader>()),
        context_(context),
        mode_(table.snapshot->column_mapping()) {}

  // False: a filter refuses all rows of the file.
  bool Run(const duckdb::vector<ColumnIndex>& columns,
           duckdb::optional_ptr<duckdb::TableFilterSet> filters) {
    CheckFieldIds();
    reader_.deletion_filter =
        engine::Unwrap(RowFilterOf(table_, file_, reader_.NumRows()));
    auto pushed = duckdb::make_uniq<duckdb::TableFilterSet>();
    for (idx_t i = 0; i < columns.size(); ++i) {
      const duckdb::TableFilter* filter = nullptr;
      if (filters) {
        const auto found = filters->filters.find(i);
        if (found != filters->filters.end()) filter = found->second.get();
      }
      if (!AddColumn(i, columns[i], filter, *pushed)) return false;
    }
    if (!pushed->filters.empty()) reader_.filters = std::move(pushed);
    return true;
  }

 private:
  // A file that names no field ids would read as all NULL: rows made up.
  void CheckFieldIds() const {
    if (mode_ == ColumnMappingMode::kId && !HasFieldIds(reader_.columns)) {
      engine::Throw({ErrorCode::kCorruption, "DELTA_FILE_SCHEMA_MISMATCH",
                     "data file " + reader_.GetFileName() + " of " +
                         table_.Describe() +
                         " has no field ids, by which the columns of this "
                         "table are mapped (delta.columnMapping.mode = id)"});
    }
  }

  bool AddColumn(idx_t position, const ColumnIndex& column,
                 const duckdb::TableFilter* filter,
                 duckdb::TableFilterSet& pushed) {
    if (auto value = ConstantOf(column)) {
      data_.constant_map.Add(duckdb::MultiFileGlobalIndex(position), *value);
      data_.expressions.push_back(Constant(*value));
      return !filter || Accepts(*filter, *value);
    }
    if (const auto hidden = HiddenColumnOf(column.GetPrimaryIndex())) {
      data_.expressions.push_back(ReadHidden(*hidden));
      // Made of two columns, and the reader filters one. What a query asks of
      // them is filtered above the scan; what a join adds is only a short cut.
      if (*hidden >= HiddenColumn::kRowId) return true;
    } else {
      data_.expressions.push_back(ReadStored(column, *StoredPosition(column)));
    }
    if (filter) PushFilter(*filter, data_.expressions.back(), pushed);
    return true;
  }

  std::optional<Value> ConstantOf(const ColumnIndex& column) {
    const idx_t id = column.GetPrimaryIndex();
    if (const auto hidden = HiddenColumnOf(id)) {
      if (*hidden == HiddenColumn::kFileNumber)
        return Value::BIGINT(opened_.Add(file_.add));
      const FileIdentity identity{file_.add.path, file_.add.size,
                                  file_.add.modification_time};
      return engine::Unwrap(HiddenConstant(table_, identity, *hidden));
    }
    if (duckdb::IsVirtualColumn(id)) return Value(duckdb::LogicalType::BOOLEAN);
    const ScannedColumn& scanned = table_.columns[id];
    if (!scanned.is_mapped) {  // The table's own may have the same name.
      for (const auto& [name, value] : file_.constants) {
        if (name == scanned.field.name) return value;
      }
    }
    if (scanned.is_partition) return PartitionValue(scanned);
    if (!StoredPosition(column)) return Value(scanned.type);
    return std::nullopt;
  }

  Value PartitionValue(const ScannedColumn& column) const {
    auto value = PartitionValueOf(file_.add.partition_values, column);
    if (value) return *std::move(value);
    Error error = std::move(value).error();
    error.message = "partition column " + column.field.name + " of file " +
                    file_.add.path + " (" + table_.Describe() +
                    "): " + error.message;
    engine::Throw(error);
  }

  static Result<Value> PartitionValueOf(const protocol::PartitionValues& values,
                                        const ScannedColumn& column) {
    const auto found = values.find(column.field.physical_name());
    if (found == values.end()) return Value(column.type);
    return engine::ParsePartitionValue(found->second, column.field.type);
  }

  std::optional<idx_t> StoredPosition(const ColumnIndex& column) const {
    const ScannedColumn& scanned = table_.columns[column.GetPrimaryIndex()];
    return FindColumn(reader_.columns, scanned.field,
                      scanned.is_mapped ? mode_ : ColumnMappingMode::kNone);
  }

  // A reference to column `stored` of the file, which is read from now on.
  ExpressionPtr Read(ColumnIndex stored) {
    const idx_t local = reader_.column_ids.size();
    const idx_t id = stored.GetPrimaryIndex();
    reader_.column_ids.push_back(duckdb::MultiFileLocalColumnId(id));
    reader_.column_indexes.push_back(std::move(stored));
    return duckdb::make_uniq<duckdb::BoundReferenceExpression>(
        reader_.columns[id].type, local);
  }

  ExpressionPtr ReadStored(const ColumnIndex& column, idx_t stored) {
    const ScannedColumn& scanned = table_.columns[column.GetPrimaryIndex()];
    auto conversion =
        ResolveColumn(reader_, stored, scanned.field.type, scanned.type, mode_);
    if (!conversion) {
      Error error = std::move(conversion).error();
      error.message = "data file " + reader_.GetFileName() + " of " +
                      table_.Describe() + ": " + error.message;
      engine::Throw(error);
    }
    auto input =
        Read(ResolveProjection(stored, column, *conversion, scanned.type));
    return Convert(std::move(input), *std::move(conversion));
  }

  ExpressionPtr ReadRowIndex() {
    const idx_t id = reader_.columns.size();
    reader_.columns.emplace_back("file_row_number",
                                 duckdb::LogicalType::BIGINT);
    reader_.AddVirtualColumn(COLUMN_IDENTIFIER_FILE_ROW_NUMBER);
    return Read(ColumnIndex(id));
  }

  ExpressionPtr ReadHidden(HiddenColumn column) {
    const auto properties = table_.snapshot->properties();
    switch (column) {
      case HiddenColumn::kRowId: {
        auto stored = ReadMaterialized(properties.materialized_row_id_column());
        return RowTrackingExpression(
            std::move(stored), Tracked(file_.add.base_row_id), ReadRowIndex());
      }
      case HiddenColumn::kRowCommitVersion: {
        auto stored = ReadMaterialized(
            properties.materialized_row_commit_version_column());
        return RowTrackingExpression(
            std::move(stored), Tracked(file_.add.default_row_commit_version),
            nullptr);
      }
      default:
        return ReadRowIndex();
    }
  }

  ExpressionPtr ReadMaterialized(const std::optional<std::string>& name) {
    if (!name) return nullptr;
    for (idx_t i = 0; i < reader_.columns.size(); ++i) {
      if (reader_.columns[i].name == *name &&
          reader_.columns[i].type.id() == duckdb::LogicalTypeId::BIGINT) {
        return Read(ColumnIndex(i));
      }
    }
    return nullptr;
  }

  std::int64_t Tracked(const std::optional<std::int64_t>& value) const {
    if (value) return *value;
    if (table_.snapshot->is_preview()) {
      engine::Throw({ErrorCode::kUnsupported, "DELTA_UNCOMMITTED_READ",
                     "rows that this transaction has added to " +
                         table_.Describe() +
                         " get their row ids with its commit; COMMIT first"});
    }
    engine::Throw({ErrorCode::kCorruption, "DELTA_ROW_TRACKING_INVALID",
                   "data file " + file_.add.path + " of " + table_.Describe() +
                       " has no row ids; read the table without "
                       "_metadata.row_id and _metadata.row_commit_version"});
  }

  bool Accepts(const duckdb::TableFilter& filter, const Value& value) const {
    if (filter.filter_type == duckdb::TableFilterType::OPTIONAL_FILTER &&
        !filter.Cast<duckdb::OptionalFilter>().child_filter) {
      return true;
    }
    const auto condition =
        filter.ToExpression(duckdb::BoundConstantExpression(value));
    const Value verdict =
        duckdb::ExpressionExecutor::EvaluateScalar(context_, *condition, true);
    return !verdict.IsNull() && verdict.GetValue<bool>();
  }

  // Hands a filter to the Parquet reader, which skips row groups and rows by
  // it.
  void PushFilter(const duckdb::TableFilter& filter, ExpressionPtr& expression,
                  duckdb::TableFilterSet& pushed) {
    const idx_t local = LastRead();
    if (expression->type != duckdb::ExpressionType::BOUND_REF) {
      // The filter is about the table's values: the reader converts first, and
      // the scan then takes its result as it is.
      const idx_t stored = reader_.column_indexes[local].GetPrimaryIndex();
      const auto type = expression->return_type;
      PointAtFirst(*expression);
      reader_.expression_map[stored] = std::move(expression);
      expression =
          duckdb::make_uniq<duckdb::BoundReferenceExpression>(type, local);
    }
    pushed.filters.emplace(local, filter.Copy());
  }

  idx_t LastRead() const { return reader_.column_ids.size() - 1; }

  static void PointAtFirst(duckdb::Expression& expression) {
    if (expression.type == duckdb::ExpressionType::BOUND_REF) {
      expression.Cast<duckdb::BoundReferenceExpression>().index = 0;
    }
    duckdb::ExpressionIterator::EnumerateChildren(
        expression, [](duckdb::Expression& child) { PointAtFirst(child); });
  }

  static constexpr duckdb::column_t COLUMN_IDENTIFIER_FILE_ROW_NUMBER =
      duckdb::MultiFileReader::COLUMN_IDENTIFIER_FILE_ROW_NUMBER;

  const ScannedTable& table_;
  OpenedFiles& opened_;
  const DataFile& file_;
  duckdb::MultiFileReaderData& data_;
  duckdb::ParquetReader& reader_;
  duckdb::ClientContext& context_;
  const ColumnMappingMode mode_;
};

bool IsAboutTheFile(duckdb::ExceptionType type) {
  switch (type) {
    case duckdb::ExceptionType::IO:
    case duckdb::ExceptionType::INVALID:
    case duckdb::ExceptionType::INVALID_INPUT:
    case duckdb::ExceptionType::NOT_IMPLEMENTED:
    case duckdb::ExceptionType::SERIALIZATION:
    case duckdb::ExceptionType::UNKNOWN_TYPE:
    case duckdb::ExceptionType::INTERNAL:
      return true;
    default:
      return false;
  }
}

}  // namespace

duckdb::shared_ptr<duckdb::MultiFileList> DataFileReader::CreateFileList(
    duckdb::ClientContext&, const duckdb::vector<duckdb::string>&,
    const duckdb::FileGlobInput&) {
  return duckdb::make_shared_ptr<DataFileList>(info_->table, info_->source,
                                               nullptr);
}

bool DataFileReader::Bind(duckdb::MultiFileOptions&, duckdb::MultiFileList&,
                          duckdb::vector<duckdb::LogicalType>& types,
                          duckdb::vector<duckdb::string>& names,
                          duckdb::MultiFileReaderBindData&) {
  for (const ScannedColumn& column : table().columns) {
    types.push_back(column.type);
    names.push_back(column.field.name);
  }
  return true;
}

void DataFileReader::BindOptions(duckdb::MultiFileOptions& options,
                                 duckdb::MultiFileList&,
                                 duckdb::vector<duckdb::LogicalType>&,
                                 duckdb::vector<duckdb::string>&,
                                 duckdb::MultiFileReaderBindData&) {
  // Folder names say nothing here: partition values are in the log.
  options.auto_detect_hive_partitioning = false;
  options.hive_partitioning = false;
  options.union_by_name = false;
}

duckdb::shared_ptr<duckdb::BaseFileReader> DataFileReader::CreateReader(
    duckdb::ClientContext& context, duckdb::GlobalTableFunctionState& gstate,
    const duckdb::OpenFileInfo& file, idx_t file_idx,
    const duckdb::MultiFileBindData& bind_data) {
  engine::Unwrap(CheckLinks(table(), DataFileOf(file).add.path));
  try {
    return MultiFileReader::CreateReader(context, gstate, file, file_idx,
                                         bind_data);
  } catch (const std::exception& failure) {
    Rethrow(context, file, failure);
  }
}

duckdb::ReaderInitializeType DataFileReader::InitializeReader(
    duckdb::MultiFileReaderData& reader_data, const duckdb::MultiFileBindData&,
    const duckdb::vector<duckdb::MultiFileColumnDefinition>&,
    const duckdb::vector<ColumnIndex>& columns,
    duckdb::optional_ptr<duckdb::TableFilterSet> filters,
    duckdb::ClientContext& context, duckdb::MultiFileGlobalState&) {
  const DataFile& file = DataFileOf(reader_data.reader->file);
  return FileSetup(table(), *info_->opened, file, reader_data, context)
                 .Run(columns, filters)
             ? duckdb::ReaderInitializeType::INITIALIZED
             : duckdb::ReaderInitializeType::SKIP_READING_FILE;
}

duckdb::unique_ptr<duckdb::MultiFileReader> DataFileReader::Copy() const {
  return duckdb::make_uniq<DataFileReader>(info_);
}

void DataFileReader::Rethrow(duckdb::ClientContext& context,
                             const duckdb::OpenFileInfo& file,
                             const std::exception& failure) const {
  const duckdb::ErrorData data(failure);
  if (!IsAboutTheFile(data.Type())) throw;
  Error error = engine::FromDuckDB(data);
  if (error.condition.starts_with("DELTA_")) throw;  // It says all already.
  if (!duckdb::FileSystem::GetFileSystem(context).FileExists(file.path)) {
    engine::Throw({ErrorCode::kNotFound, "DELTA_FILE_NOT_FOUND",
                   "data file " + file.path + " of " + table().Describe() +
                       " does not exist; it may have been vacuumed, or deleted "
                       "by hand"});
  }
  // The machine, or the store, refuses: the file may well be right.
  const bool refused = error.code == ErrorCode::kPermissionDenied ||
                       error.code == ErrorCode::kResourceExhausted ||
                       error.code == ErrorCode::kUnavailable;
  engine::Throw({refused ? error.code : ErrorCode::kCorruption,
                 refused ? error.condition : "DELTA_PARQUET_INVALID",
                 "cannot read data file " + file.path + " of " +
                     table().Describe() + ": " + error.message});
}

}  // namespace bayou::scan

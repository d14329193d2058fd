// SPDX-License-Identifier: Apache-2.0
#include "ops/commands/convert.h"

#include <algorithm>
#include <duckdb/parallel/task_scheduler.hpp>
#include <functional>
#include <utility>

#include "base/uri_path.h"
#include "kernel/engine/engine.h"
#include "kernel/engine/for_each.h"
#include "kernel/protocol/letter_case.h"
#include "kernel/scan/parquet_footer.h"
#include "kernel/table/snapshot.h"
#include "kernel/write/file_layout.h"
#include "kernel/write/file_statistics_writer.h"
#include "ops/commands/create_table.h"
#include "ops/commands/whole_commit.h"

namespace bayou::commands {
namespace {

using protocol::AddFile;
using protocol::Field;
using protocol::Schema;
using scan::ParquetFooter;

// Calls `work` with the number of each file, from all of the engine's threads.
Status ForEachFile(duckdb::ClientContext& context, std::size_t files,
                   const std::function<Status(std::size_t)>& work) {
  const auto threads = static_cast<std::size_t>(
      duckdb::TaskScheduler::GetScheduler(context).NumberOfThreads());
  return engine::ForEach(files, threads, [&](std::size_t i) -> Status {
    if (context.IsInterrupted()) {
      return Fail(ErrorCode::kCancelled, "INTERRUPTED",
                  "CONVERT TO DELTA was cancelled");
    }
    return work(i);
  });
}

// The columns that files have, in the order in which they are found.
Result<Schema> DataSchema(duckdb::ClientContext& context, store::Store& store,
                          const std::vector<FoundFile>& files) {
  std::vector<Schema> schemas(files.size());
  BAYOU_TRY(ForEachFile(context, files.size(), [&](std::size_t i) -> Status {
    BAYOU_ASSIGN(
        const ParquetFooter footer,
        ParquetFooter::Read(context, store.NativePath(files[i].file.name)));
    schemas[i] = footer.schema();
    return {};
  }));
  Schema schema;
  for (std::size_t i = 0; i < files.size(); ++i)
    BAYOU_TRY(MergeSchema(schemas[i], files[i].file.name, schema));
  return schema;
}

// A column that folders give is theirs, whatever the files say of it.
TableDefinition DefinitionOf(Schema data, const std::vector<Field>& partition) {
  TableDefinition definition;
  std::erase_if(data.fields, [&](const Field& field) {
    return std::ranges::any_of(partition, [&](const Field& column) {
      return protocol::EqualIgnoringCase(column.name, field.name);
    });
  });
  definition.columns = std::move(data.fields);
  for (const Field& column : partition) {
    definition.columns.push_back(column);
    definition.partition_columns.push_back(column.name);
  }
  return definition;
}

Result<std::string> StatisticsOf(
    duckdb::ClientContext& context, const std::string& place,
    const std::shared_ptr<const write::FileLayout>& layout) {
  BAYOU_ASSIGN(const ParquetFooter footer, ParquetFooter::Read(context, place));
  std::vector<write::FileStatisticsWriter::Summary> columns;
  for (const protocol::StatisticsColumn& column : layout->statistics) {
    scan::ColumnSummary summary = footer.Summarize(column.path, column.type);
    columns.push_back(
        {summary.null_count, std::move(summary.min), std::move(summary.max)});
  }
  write::FileStatisticsWriter statistics(layout);
  statistics.Take(footer.rows(), columns);
  return statistics.ToJson();
}

AddFile AddOf(const FoundFile& found, const std::vector<Field>& partition) {
  AddFile add;
  add.path = PercentEncodePath(found.file.name);
  add.size = found.file.size;
  add.modification_time = found.file.modified_ms;
  for (std::size_t i = 0; i < partition.size(); ++i)
    add.partition_values[partition[i].name] = found.partition[i].second;
  return add;
}

transaction::Operation OperationOf(const ConvertRequest& request,
                                   const std::vector<Field>& partition,
                                   std::int64_t files) {
  std::vector<std::string> names;
  for (const Field& column : partition) names.push_back(column.name);
  transaction::Operation operation;
  operation.name = "CONVERT";
  operation.parameters = {
      {"numFiles", std::to_string(files)},
      {"partitionedBy", transaction::ListParameter(names)},
      {"collectStats", request.collects_statistics ? "true" : "false"},
      {"sourceFormat", transaction::TextParameter("parquet")}};
  operation.metrics = {{"numConvertedFiles", files}};
  operation.user_metadata = request.user_metadata;
  return operation;
}

}  // namespace

Result<ConvertResult> Convert(duckdb::ClientContext& context,
                              const ConvertRequest& request, Env& env) {
  ConvertResult result;
  if (table::Snapshot::IsTable(request.location)) {
    result.was_table = true;
    return result;
  }
  const auto store = store::OpenLocalStore(request.location);
  BAYOU_ASSIGN(FoundFiles found, FindParquetFiles(*store));
  result.ignored = std::move(found.ignored);
  BAYOU_ASSIGN(const std::vector<Field> partition,
               PartitionColumnsOf(request, found.files));
  BAYOU_ASSIGN(Schema data, DataSchema(context, *store, found.files));
  BAYOU_ASSIGN(
      auto transaction,
      CreateTableAround(request.location,
                        DefinitionOf(std::move(data), partition), env));
  std::vector<AddFile> adds;
  for (const FoundFile& file : found.files) {
    adds.push_back(AddOf(file, partition));
    ++result.files;
    result.bytes += file.file.size;
  }
  if (request.collects_statistics) {
    BAYOU_ASSIGN(const Schema schema,
                 protocol::ParseSchema(transaction.metadata().schema_string));
    BAYOU_ASSIGN(const auto layout,
                 write::PlanFileLayout(transaction.protocol(),
                                       transaction.metadata(), schema));
    BAYOU_TRY(ForEachFile(context, adds.size(), [&](std::size_t i) -> Status {
      const std::string place = store->NativePath(found.files[i].file.name);
      auto stats = engine::Guard(
          [&] { return engine::Unwrap(StatisticsOf(context, place, layout)); });
      if (!stats) {
        Error error = stats.error();
        error.message = "statistics of file " + place + ": " + error.message;
        return tl::unexpected<Error>(std::move(error));
      }
      adds[i].stats = *std::move(stats);
      return {};
    }));
  }
  transaction.AdoptFiles(std::move(adds));
  BAYOU_TRY(CommitWhole(transaction,
                        OperationOf(request, partition, result.files),
                        *context.db, env));
  return result;
}

}  // namespace bayou::commands

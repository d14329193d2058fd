// SPDX-License-Identifier: Apache-2.0
#include "kernel/log/tail_relation.h"

#include <duckdb/main/client_context_state.hpp>
#include <duckdb/main/extension/extension_loader.hpp>
#include <mutex>
#include <optional>
#include <utility>

#include "kernel/engine/types.h"
#include "kernel/log/log_tail.h"

namespace bayou::log {
namespace {

using duckdb::DataChunk;
using duckdb::idx_t;
using duckdb::LogicalType;
using duckdb::Value;

constexpr const char* kSourceState = "bayou_state_source";

struct SourceState final : duckdb::ClientContextState {
  explicit SourceState(StateSource the_source)
      : source(std::move(the_source)) {}
  StateSource source;
};

duckdb::shared_ptr<SourceState> SourceOf(duckdb::ClientContext& context,
                                         const std::string& function) {
  auto state = context.registered_state->Get<SourceState>(kSourceState);
  if (!state)
    throw duckdb::BinderException("%s is internal to Bayou", function);
  return state;
}

// ---- Values ----------------------------------------------------------------

const LogicalType kText = LogicalType::VARCHAR;
const LogicalType kLong = LogicalType::BIGINT;
const LogicalType kInteger = LogicalType::INTEGER;
LogicalType TextMap() { return LogicalType::MAP(kText, kText); }

Value OrNull(const std::optional<std::string>& text) {
  return text ? Value(*text) : Value(kText);
}
Value OrNull(std::optional<std::int64_t> number) {
  return number ? Value::BIGINT(*number) : Value(kLong);
}

Value MapOf(const protocol::NullableStringMap& map) {
  duckdb::vector<Value> keys;
  duckdb::vector<Value> values;
  for (const auto& [key, value] : map) {
    keys.emplace_back(key);
    values.push_back(OrNull(value));
  }
  return Value::MAP(kText, kText, std::move(keys), std::move(values));
}

Value MapOf(const protocol::StringMap& map) {
  return MapOf(protocol::NullableStringMap(map.begin(), map.end()));
}

Value ListOf(const std::vector<std::string>& texts) {
  duckdb::vector<Value> values;
  for (const std::string& text : texts) values.emplace_back(text);
  return Value::LIST(kText, std::move(values));
}

Value ListOrNull(const std::optional<std::vector<std::string>>& texts) {
  return texts ? ListOf(*texts) : Value(LogicalType::LIST(kText));
}

using Vectors = std::optional<protocol::DeletionVectorDescriptor>;

// The columns of a deletion vector, all NULL where there is none.
duckdb::vector<Value> VectorValues(const Vectors& vector) {
  if (!vector) {
    return {Value(kText), Value(kText), Value(kInteger), Value(kInteger),
            Value(kLong)};
  }
  return {Value(std::string(1, vector->storage_type)),
          Value(vector->path_or_inline_dv),
          vector->offset ? Value::INTEGER(*vector->offset) : Value(kInteger),
          Value::INTEGER(vector->size_in_bytes),
          Value::BIGINT(vector->cardinality)};
}

LogicalType VectorType() {
  return LogicalType::STRUCT({{"storageType", kText},
                              {"pathOrInlineDv", kText},
                              {"offset", kInteger},
                              {"sizeInBytes", kInteger},
                              {"cardinality", kLong}});
}

// ---- Rows of the table functions --------------------------------------------

using Row = duckdb::vector<Value>;

struct Table {
  duckdb::vector<LogicalType> types;
  duckdb::vector<std::string> names;
};

Table AddsTable() {
  return {{kText, TextMap(), kLong, kLong, kText, kText, kInteger, kInteger,
           kLong, kText, TextMap(), kText, kLong, kLong},
          {"path", "partition_values", "size", "modification_time",
           "vector_type", "vector_path", "vector_offset", "vector_size",
           "vector_cardinality", "stats", "tags", "clustering_provider",
           "base_row_id", "default_row_commit_version"}};
}

Row AddRow(const protocol::AddFile& add) {
  Row row = {Value(add.path), MapOf(add.partition_values),
             Value::BIGINT(add.size), Value::BIGINT(add.modification_time)};
  for (Value& value : VectorValues(add.deletion_vector))
    row.push_back(std::move(value));
  row.push_back(OrNull(add.stats));
  row.push_back(add.tags.empty() ? Value(TextMap()) : MapOf(add.tags));
  row.push_back(OrNull(add.clustering_provider));
  row.push_back(OrNull(add.base_row_id));
  row.push_back(OrNull(add.default_row_commit_version));
  return row;
}

Table RemovesTable() {
  return {{LogicalType::STRUCT({{"path", kText},
                                {"deletionTimestamp", kLong},
                                {"dataChange", LogicalType::BOOLEAN},
                                {"extendedFileMetadata", LogicalType::BOOLEAN},
                                {"partitionValues", TextMap()},
                                {"size", kLong},
                                {"deletionVector", VectorType()},
                                {"baseRowId", kLong},
                                {"defaultRowCommitVersion", kLong}})},
          {"remove"}};
}

// Without statistics and tags: checkpoints leave them out of tombstones.
Row RemoveRow(const protocol::RemoveFile& remove) {
  const LogicalType type = RemovesTable().types[0];
  return {Value::STRUCT(
      type,
      {Value(remove.path), OrNull(remove.deletion_timestamp),
       Value::BOOLEAN(false), Value::BOOLEAN(remove.extended_file_metadata),
       MapOf(remove.partition_values), OrNull(remove.size),
       remove.deletion_vector
           ? Value::STRUCT(VectorType(), VectorValues(remove.deletion_vector))
           : Value(VectorType()),
       OrNull(remove.base_row_id), OrNull(remove.default_row_commit_version)})};
}

Table SmallTable() {
  const LogicalType transaction = LogicalType::STRUCT(
      {{"appId", kText}, {"version", kLong}, {"lastUpdated", kLong}});
  const LogicalType metadata = LogicalType::STRUCT(
      {{"id", kText},
       {"name", kText},
       {"description", kText},
       {"format",
        LogicalType::STRUCT({{"provider", kText}, {"options", TextMap()}})},
       {"schemaString", kText},
       {"partitionColumns", LogicalType::LIST(kText)},
       {"configuration", TextMap()},
       {"createdTime", kLong}});
  const LogicalType protocol =
      LogicalType::STRUCT({{"minReaderVersion", kInteger},
                           {"minWriterVersion", kInteger},
                           {"readerFeatures", LogicalType::LIST(kText)},
                           {"writerFeatures", LogicalType::LIST(kText)}});
  const LogicalType domain =
      LogicalType::STRUCT({{"domain", kText},
                           {"configuration", kText},
                           {"removed", LogicalType::BOOLEAN}});
  return {{transaction, metadata, protocol, domain},
          {"txn", "metaData", "protocol", "domainMetadata"}};
}

// A row of SmallTable with one action, in column `position`.
Row SmallRow(const Table& table, std::size_t position,
             duckdb::vector<Value> fields) {
  Row row;
  for (const LogicalType& type : table.types) row.emplace_back(type);
  row[position] = Value::STRUCT(table.types[position], std::move(fields));
  return row;
}

Value ProtocolVersion(int version) { return Value::INTEGER(version); }

std::vector<Row> SmallRows(const LogState& state) {
  const Table table = SmallTable();
  const protocol::Protocol& protocol = state.protocol();
  const protocol::Metadata& metadata = state.metadata();
  const LogicalType format =
      LogicalType::STRUCT({{"provider", kText}, {"options", TextMap()}});
  std::vector<Row> rows = {
      SmallRow(table, 2,
               {ProtocolVersion(protocol.min_reader_version),
                ProtocolVersion(protocol.min_writer_version),
                ListOrNull(protocol.reader_features),
                ListOrNull(protocol.writer_features)}),
      SmallRow(
          table, 1,
          {Value(metadata.id), OrNull(metadata.name),
           OrNull(metadata.description),
           Value::STRUCT(format, {Value(metadata.format_provider),
                                  MapOf(metadata.format_options)}),
           Value(metadata.schema_string), ListOf(metadata.partition_columns),
           MapOf(metadata.configuration), OrNull(metadata.created_time)})};
  for (const auto& [id, transaction] : state.transactions()) {
    rows.push_back(SmallRow(table, 0,
                            {Value(id), Value::BIGINT(transaction.version),
                             OrNull(transaction.last_updated)}));
  }
  for (const auto& [name, domain] : state.domains()) {
    rows.push_back(SmallRow(
        table, 3,
        {Value(name), Value(domain.configuration), Value::BOOLEAN(false)}));
  }
  return rows;
}

// ---- Table functions --------------------------------------------------------

// One of the three: its columns, and its rows one after the other.
struct Kind {
  const char* name;
  Table (*table)();
  // Appends row `i` to `rows` unless it is left out; false behind the last.
  bool (*read)(const StateSource& source, idx_t i, std::vector<Row>& rows);
};

// In the order of the commits: the tail has taken them newest first.
bool ReadAdd(const StateSource& source, idx_t i, std::vector<Row>& rows) {
  const auto& adds = source.state->tail().adds;
  if (i >= adds.size()) return false;
  rows.push_back(AddRow(adds[adds.size() - 1 - i]));
  return true;
}

bool ReadRemove(const StateSource& source, idx_t i, std::vector<Row>& rows) {
  const auto& removes = source.state->tail().removes;
  if (i >= removes.size()) return false;
  if (removes[i].deletion_timestamp.value_or(0) > source.tombstone_cutoff_ms) {
    rows.push_back(RemoveRow(removes[i]));
  }
  return true;
}

bool ReadSmall(const StateSource& source, idx_t i, std::vector<Row>& rows) {
  if (i > 0) return false;
  rows = SmallRows(*source.state);
  return true;
}

constexpr Kind kKinds[] = {{"bayou_tail_adds", AddsTable, ReadAdd},
                           {"bayou_tail_removes", RemovesTable, ReadRemove},
                           {"bayou_small_actions", SmallTable, ReadSmall}};

struct TableBindData final : duckdb::TableFunctionData {
  duckdb::shared_ptr<SourceState> state;
  const Kind* kind = nullptr;
};

struct TableProgress final : duckdb::GlobalTableFunctionState {
  idx_t next = 0;
  std::vector<Row> rows;  // Read, not yet given out.
  idx_t given = 0;
};

template <int kKind>
duckdb::unique_ptr<duckdb::FunctionData> BindTable(
    duckdb::ClientContext& context, duckdb::TableFunctionBindInput&,
    duckdb::vector<LogicalType>& types, duckdb::vector<std::string>& names) {
  auto data = duckdb::make_uniq<TableBindData>();
  data->kind = &kKinds[kKind];
  data->state = SourceOf(context, data->kind->name);
  Table table = data->kind->table();
  types = std::move(table.types);
  names = std::move(table.names);
  return data;
}

duckdb::unique_ptr<duckdb::GlobalTableFunctionState> StartTable(
    duckdb::ClientContext&, duckdb::TableFunctionInitInput&) {
  return duckdb::make_uniq<TableProgress>();
}

void ReadTable(duckdb::ClientContext&, duckdb::TableFunctionInput& input,
               DataChunk& output) {
  const auto& data = input.bind_data->Cast<TableBindData>();
  auto& progress = input.global_state->Cast<TableProgress>();
  idx_t count = 0;
  while (count < STANDARD_VECTOR_SIZE) {
    if (progress.given == progress.rows.size()) {
      progress.rows.clear();
      progress.given = 0;
      if (!data.kind->read(data.state->source, progress.next++, progress.rows))
        break;
      continue;
    }
    const Row& row = progress.rows[progress.given++];
    for (idx_t column = 0; column < row.size(); ++column) {
      output.SetValue(column, count, row[column]);
    }
    ++count;
  }
  output.SetCardinality(count);
}

template <int kKind>
duckdb::TableFunction MakeTable() {
  return {kKinds[kKind].name, {}, ReadTable, BindTable<kKind>, StartTable};
}

void Register(duckdb::DatabaseInstance& database) {
  static std::mutex mutex;  // All of them are there, or none.
  const std::lock_guard lock(mutex);
  duckdb::ExtensionLoader loader(database, "bayou");
  if (loader.TryGetTableFunction(kKinds[0].name)) return;
  loader.RegisterFunction(MakeTable<0>());
  loader.RegisterFunction(MakeTable<1>());
  loader.RegisterFunction(MakeTable<2>());
}

}  // namespace

void UseState(duckdb::Connection& connection, StateSource source) {
  Register(*connection.context->db);
  connection.context->registered_state->Insert(
      kSourceState, duckdb::make_shared_ptr<SourceState>(std::move(source)));
}

}  // namespace bayou::log

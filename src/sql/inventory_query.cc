// SPDX-License-Identifier: Apache-2.0
#include "sql/inventory_query.h"

#include <array>
#include <duckdb/catalog/catalog_search_path.hpp>
#include <duckdb/main/client_data.hpp>
#include <memory>
#include <optional>
#include <utility>

#include "kernel/engine/engine.h"
#include "kernel/engine/streaming.h"
#include "sql/dialect.h"
#include "sql/lake_folder.h"
#include "sql/token.h"

namespace bayou::sql {
namespace {

using commands::InventoryEntry;
using duckdb::DataChunk;
using duckdb::idx_t;
using duckdb::LogicalType;
using duckdb::Value;

enum Wanted : std::size_t { kPath, kLength, kIsFolder, kModified, kCount };
constexpr std::array<const char*, kCount> kNames = {"path", "length", "isDir",
                                                    "modificationTime"};

bool Fits(std::size_t wanted, const LogicalType& type) {
  if (wanted == kPath) return type.id() == duckdb::LogicalTypeId::VARCHAR;
  if (wanted == kIsFolder) return type.id() == duckdb::LogicalTypeId::BOOLEAN;
  return type.IsIntegral();
}

// Where the columns stand. Throws.
std::array<idx_t, kCount> PositionsIn(const duckdb::QueryResult& result) {
  std::array<idx_t, kCount> positions{};
  for (std::size_t wanted = 0; wanted < kCount; ++wanted) {
    std::optional<idx_t> found;
    for (idx_t i = 0; i < result.names.size(); ++i) {
      if (EqualIgnoringCase(result.names[i], kNames[wanted]) &&
          Fits(wanted, result.types[i])) {
        found = i;
      }
    }
    if (!found) {
      engine::Throw(
          {ErrorCode::kInvalidArgument, "DELTA_INVALID_INVENTORY_SCHEMA",
           std::string("the inventory has no column ") + kNames[wanted] +
               " of the right type; it needs path VARCHAR, length BIGINT, "
               "isDir BOOLEAN and modificationTime BIGINT (milliseconds since "
               "1970)"});
    }
    positions[wanted] = *found;
  }
  return positions;
}

// nullopt: a row that says too little of what it is about.
std::optional<InventoryEntry> EntryAt(const DataChunk& rows, idx_t row,
                                      const std::array<idx_t, kCount>& at) {
  const auto cell = [&](Wanted wanted) {
    return rows.GetValue(at[wanted], row);
  };
  const auto number = [&](Wanted wanted) -> std::optional<std::int64_t> {
    Value value = cell(wanted);
    if (value.IsNull() || !value.DefaultTryCastAs(LogicalType::BIGINT))
      return std::nullopt;
    return value.GetValue<std::int64_t>();
  };
  const Value path = cell(kPath);
  const Value is_folder = cell(kIsFolder);
  const auto modified = number(kModified);
  if (path.IsNull() || is_folder.IsNull() || !modified) return std::nullopt;
  return InventoryEntry{path.GetValue<std::string>(),
                        number(kLength).value_or(0), is_folder.GetValue<bool>(),
                        *modified};
}

// A connection in which names mean what they mean in `context`.
std::unique_ptr<duckdb::Connection> ConnectLike(
    duckdb::ClientContext& context) {
  auto connection = engine::Connect(*context.db);
  const auto& path = *duckdb::ClientData::Get(context).catalog_search_path;
  duckdb::ClientData::Get(*connection->context)
      .catalog_search_path->Set(path.GetSetPaths(),
                                duckdb::CatalogSetPathType::SET_DIRECTLY);
  return connection;
}

// Throws.
void Read(duckdb::ClientContext& context, duckdb::Connection& connection,
          const std::string& query,
          const std::function<Status(const InventoryEntry&)>& visit) {
  const Statement translated = engine::Unwrap(Translate(query, PlaceAt));
  auto statements = connection.ExtractStatements(translated.sql.text);
  if (statements.size() != 1 ||
      statements[0]->type != duckdb::StatementType::SELECT_STATEMENT) {
    engine::Throw({ErrorCode::kInvalidArgument, "PARSE_SYNTAX_ERROR",
                   "the inventory of VACUUM is a table or one SELECT"});
  }
  auto pending =
      connection.PendingQuery(std::move(statements[0]), engine::Streaming());
  if (pending->HasError()) pending->ThrowError();
  const auto result = engine::Start(*pending);
  const auto positions = PositionsIn(*result);
  while (const auto rows = engine::Fetch(*result)) {
    if (context.IsInterrupted()) throw duckdb::InterruptException();
    for (idx_t row = 0; row < rows->size(); ++row) {
      if (const auto entry = EntryAt(*rows, row, positions))
        engine::Unwrap(visit(*entry));
    }
  }
}

}  // namespace

commands::Inventory InventoryOf(duckdb::ClientContext& context,
                                std::string query) {
  return [&context, query = std::move(query)](
             const std::function<Status(const InventoryEntry&)>& visit) {
    // A connection that an exception takes down does not wait for the threads
    // that are at work for it.
    std::unique_ptr<duckdb::Connection> connection;
    return engine::Guard([&] {
      connection = ConnectLike(context);
      Read(context, *connection, query, visit);
    });
  };
}

}  // namespace bayou::sql

// SPDX-License-Identifier: Apache-2.0
//
// Rows and layouts for the tests of this module, written as SQL.
#pragma once

#include <duckdb.hpp>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "kernel/engine/types.h"
#include "kernel/protocol/actions.h"
#include "kernel/write/file_layout.h"

namespace bayou::write {

class SqlRows {
 public:
  // The chunks of the query's result; at least one.
  std::vector<std::unique_ptr<duckdb::DataChunk>> Chunks(
      const std::string& query) {
    auto result = connection_.Query(query);
    if (result->HasError()) throw std::runtime_error(result->GetError());
    std::vector<std::unique_ptr<duckdb::DataChunk>> chunks;
    while (auto chunk = result->Fetch()) {
      chunks.emplace_back(chunk.release());
    }
    return chunks;
  }

  // The schema that a table made from the query's result has.
  protocol::Schema SchemaOf(const std::string& query) {
    auto result = connection_.Query(query);
    if (result->HasError()) throw std::runtime_error(result->GetError());
    protocol::Schema schema;
    for (std::size_t i = 0; i < result->names.size(); ++i) {
      protocol::Field field;
      field.name = result->names[i];
      field.type = engine::FromLogicalType(result->types[i]).value();
      schema.fields.push_back(std::move(field));
    }
    return schema;
  }

  duckdb::Connection& connection() { return connection_; }
  duckdb::ClientContext& context() { return *connection_.context; }

 private:
  duckdb::DuckDB database_{nullptr};
  duckdb::Connection connection_{database_};
};

inline std::shared_ptr<const FileLayout> LayoutFor(
    const protocol::Schema& schema,
    std::vector<std::string> partition_columns = {},
    protocol::StringMap properties = {},
    const protocol::Protocol& protocol = {}) {
  protocol::Metadata metadata;
  metadata.partition_columns = std::move(partition_columns);
  metadata.configuration = std::move(properties);
  return PlanFileLayout(protocol, metadata, schema).value();
}

}  // namespace bayou::write

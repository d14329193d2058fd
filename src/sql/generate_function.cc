// SPDX-License-Identifier: Apache-2.0
//
// bayou_generate: what GENERATE runs.
#include "base/uri_path.h"
#include "kernel/engine/engine.h"
#include "ops/commands/symlink_manifest.h"
#include "sql/row_function.h"
#include "sql/table_lookup.h"
#include "sql/token.h"
#include "sql/upkeep_functions.h"

namespace bayou::sql {
namespace {

using duckdb::ClientContext;
using duckdb::LogicalType;
using duckdb::Value;

constexpr const char* kSymlinkManifest = "symlink_format_manifest";

std::vector<Row> Run(ClientContext& context, const std::string& table) {
  const auto snapshot = OpenTable(context, table);
  const auto result =
      engine::Unwrap(commands::GenerateSymlinkManifest(*snapshot));
  return {{Value(JoinPath(snapshot->location(), commands::kManifestFolder)),
           Value::BIGINT(result.written), Value::BIGINT(result.deleted),
           Value::BIGINT(result.files)}};
}

duckdb::unique_ptr<duckdb::FunctionData> Bind(
    ClientContext&, duckdb::TableFunctionBindInput& input,
    duckdb::vector<LogicalType>& types, duckdb::vector<duckdb::string>& names) {
  const std::string mode = input.inputs.at(1).ToString();
  if (!EqualIgnoringCase(mode, kSymlinkManifest)) {
    engine::Throw({ErrorCode::kInvalidArgument,
                   "DELTA_UNSUPPORTED_GENERATE_MODE",
                   "GENERATE makes a " + std::string(kSymlinkManifest) +
                       ", and no " + mode});
  }
  return BindRows({{"path", LogicalType::VARCHAR},
                   {"numManifests", LogicalType::BIGINT},
                   {"numDeletedManifests", LogicalType::BIGINT},
                   {"numFiles", LogicalType::BIGINT}},
                  types, names,
                  [table = TableArgument(input)](ClientContext& context) {
                    return Run(context, table);
                  });
}

}  // namespace

duckdb::TableFunction GenerateFunction() {
  return RowFunction("bayou_generate",
                     {LogicalType::VARCHAR, LogicalType::VARCHAR}, Bind);
}

}  // namespace bayou::sql

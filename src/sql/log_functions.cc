// SPDX-License-Identifier: Apache-2.0
//
// bayou_checkpoint, bayou_compact_log and bayou_clean_log: what commits do for
// the log of a table when it is due, by hand.
#include "base/env.h"
#include "kernel/engine/engine.h"
#include "kernel/table/checkpoint_writer.h"
#include "kernel/table/log_cleanup.h"
#include "ops/commands/compact_log.h"
#include "sql/row_function.h"
#include "sql/standalone_command.h"
#include "sql/table_functions.h"
#include "sql/table_lookup.h"

namespace bayou::sql {
namespace {

using duckdb::ClientContext;
using duckdb::LogicalType;
using duckdb::Value;
using protocol::Version;

constexpr const char* kFirst = "first";
constexpr const char* kLast = "last";
constexpr const char* kDryRun = "dry_run";
constexpr const char* kV2 = "v2";
constexpr const char* kManifest = "manifest";
constexpr const char* kParts = "parts";

// What is asked for of a checkpoint's form; the table decides about the rest.
struct CheckpointWish {
  std::optional<bool> v2;
  std::optional<int> parts;
  bool json_manifest = false;
};

CheckpointWish WishArgument(const duckdb::TableFunctionBindInput& input) {
  CheckpointWish wish;
  if (const Value* v2 = NamedArgument(input, kV2))
    wish.v2 = v2->GetValue<bool>();
  if (const Value* parts = NamedArgument(input, kParts))
    wish.parts = parts->GetValue<std::int32_t>();
  const Value* manifest = NamedArgument(input, kManifest);
  if (manifest == nullptr) return wish;
  const std::string form =
      duckdb::StringUtil::Lower(manifest->GetValue<std::string>());
  if (form != "json" && form != "parquet") {
    engine::Throw(
        {ErrorCode::kInvalidArgument, "DELTA_INVALID_CHECKPOINT_MANIFEST",
         "the manifest of a V2 checkpoint is json or parquet, not " + form});
  }
  wish.json_manifest = form == "json";
  return wish;
}

table::CheckpointForm FormOf(const table::Snapshot& snapshot,
                             const CheckpointWish& wish) {
  using Spec = table::CheckpointForm::Spec;
  table::CheckpointForm form = engine::Unwrap(table::FormOf(snapshot));
  if (wish.v2) form.spec = *wish.v2 ? Spec::kV2 : Spec::kClassic;
  if (wish.parts) form.parts = *wish.parts;
  form.json_manifest = wish.json_manifest;
  return form;
}

std::vector<Row> Checkpoint(ClientContext& context, const std::string& table,
                            const CheckpointWish& wish) {
  const auto snapshot = BeginStandalone(context, table, "bayou_checkpoint");
  return {{Value::BIGINT(snapshot->version()),
           Value(engine::Unwrap(table::WriteCheckpoint(
               *snapshot, FormOf(*snapshot, wish), *context.db)))}};
}

duckdb::unique_ptr<duckdb::FunctionData> BindCheckpoint(
    ClientContext&, duckdb::TableFunctionBindInput& input,
    duckdb::vector<LogicalType>& types, duckdb::vector<duckdb::string>& names) {
  return BindRows(
      {{"version", LogicalType::BIGINT}, {"file", LogicalType::VARCHAR}}, types,
      names,
      [table = TableArgument(input), wish = WishArgument(input)](
          ClientContext& context) { return Checkpoint(context, table, wish); });
}

std::optional<Version> VersionArgument(
    const duckdb::TableFunctionBindInput& input, const char* name) {
  const Value* version = NamedArgument(input, name);
  if (version == nullptr) return std::nullopt;
  return version->GetValue<Version>();
}

// Both ends or neither.
std::optional<log::VersionRange> RangeArgument(
    const duckdb::TableFunctionBindInput& input) {
  const auto first = VersionArgument(input, kFirst);
  const auto last = VersionArgument(input, kLast);
  if (!first && !last) return std::nullopt;
  if (!first || !last) {
    engine::Throw({ErrorCode::kInvalidArgument,
                   "DELTA_INVALID_COMPACTION_RANGE",
                   "give the first and the last version to compact, or neither "
                   "for all since the checkpoint"});
  }
  return log::VersionRange{*first, *last};
}

std::vector<Row> CompactLog(ClientContext& context, const std::string& table,
                            std::optional<log::VersionRange> range) {
  const auto snapshot = BeginStandalone(context, table, "OPTIMIZE LOG");
  const auto compacted = engine::Unwrap(commands::CompactLog(*snapshot, range));
  if (!compacted) return {};
  return {{Value(compacted->name), Value::BIGINT(compacted->bytes),
           Value::BOOLEAN(compacted->written)}};
}

duckdb::unique_ptr<duckdb::FunctionData> BindCompactLog(
    ClientContext&, duckdb::TableFunctionBindInput& input,
    duckdb::vector<LogicalType>& types, duckdb::vector<duckdb::string>& names) {
  return BindRows({{"file", LogicalType::VARCHAR},
                   {"size", LogicalType::BIGINT},
                   {"written", LogicalType::BOOLEAN}},
                  types, names,
                  [table = TableArgument(input),
                   range = RangeArgument(input)](ClientContext& context) {
                    return CompactLog(context, table, range);
                  });
}

std::vector<Row> CleanLog(ClientContext& context, const std::string& table,
                          bool dry_run) {
  const auto snapshot =
      dry_run ? OpenTable(context, table)
              : BeginStandalone(context, table, "bayou_clean_log");
  const auto cleanup =
      engine::Unwrap(table::PlanLogCleanup(*snapshot, *context.db));
  if (!dry_run) {
    engine::Unwrap(table::RunLogCleanup(snapshot->store(), cleanup));
  }
  std::vector<Row> rows;
  for (const store::ObjectMeta& file : cleanup.files) {
    rows.push_back({Value(file.name), Value::BIGINT(file.size),
                    TimestampValue(file.modified_ms)});
  }
  return rows;
}

duckdb::unique_ptr<duckdb::FunctionData> BindCleanLog(
    ClientContext&, duckdb::TableFunctionBindInput& input,
    duckdb::vector<LogicalType>& types, duckdb::vector<duckdb::string>& names) {
  return BindRows(
      {{"path", LogicalType::VARCHAR},
       {"size", LogicalType::BIGINT},
       {"modificationTime", LogicalType::TIMESTAMP_TZ}},
      types, names,
      [table = TableArgument(input),
       dry_run = FlagArgument(input, kDryRun)](ClientContext& context) {
        return CleanLog(context, table, dry_run);
      });
}

}  // namespace

duckdb::TableFunction CheckpointFunction() {
  auto function =
      RowFunction("bayou_checkpoint", {LogicalType::VARCHAR}, BindCheckpoint);
  function.named_parameters[kV2] = LogicalType::BOOLEAN;
  function.named_parameters[kManifest] = LogicalType::VARCHAR;
  function.named_parameters[kParts] = LogicalType::INTEGER;
  return function;
}

duckdb::TableFunction CompactLogFunction() {
  auto function =
      RowFunction("bayou_compact_log", {LogicalType::VARCHAR}, BindCompactLog);
  function.named_parameters[kFirst] = LogicalType::BIGINT;
  function.named_parameters[kLast] = LogicalType::BIGINT;
  return function;
}

duckdb::TableFunction CleanLogFunction() {
  auto function =
      RowFunction("bayou_clean_log", {LogicalType::VARCHAR}, BindCleanLog);
  function.named_parameters[kDryRun] = LogicalType::BOOLEAN;
  return function;
}

}  // namespace bayou::sql

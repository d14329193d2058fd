// SPDX-License-Identifier: Apache-2.0
//
// bayou_vacuum: what VACUUM runs.
#include <fmt/format.h>

#include <cmath>
#include <cstdio>

#include "base/env.h"
#include "base/uri_path.h"
#include "kernel/engine/engine.h"
#include "ops/commands/vacuum.h"
#include "sql/commit_words.h"
#include "sql/inventory_query.h"
#include "sql/row_function.h"
#include "sql/settings.h"
#include "sql/standalone_command.h"
#include "sql/table_functions.h"
#include "sql/table_lookup.h"
#include "sql/token.h"

namespace bayou::sql {
namespace {

using commands::VacuumMode;
using commands::VacuumPlan;
using commands::VacuumProgress;
using commands::VacuumRequest;
using commands::VacuumResult;
using duckdb::ClientContext;
using duckdb::LogicalType;
using duckdb::Value;

constexpr const char* kRetainHours = "retain_hours";
constexpr const char* kMode = "mode";
constexpr const char* kDryRun = "dry_run";
constexpr const char* kDetails = "details";
constexpr const char* kOptimistic = "optimistic";
constexpr const char* kInventory = "inventory";

struct Vacuuming {
  std::string table;
  VacuumRequest request;
  std::string inventory;  // A query; empty: none.
  bool dry_run = false;
  bool details = false;
};

Value Number(std::int64_t value) { return Value::BIGINT(value); }
Value Number(const std::optional<std::int64_t>& value) {
  return value ? Value::BIGINT(*value) : Value(LogicalType::BIGINT);
}

// Names of files are bytes.
std::string Shown(const std::string& path) {
  return Value::StringIsValid(path) ? path : PercentEncodePath(path);
}

std::vector<std::string> NamesIn(const VacuumPlan& plan) {
  std::vector<std::string> names;
  for (const auto& file : plan.files) names.push_back(file.name);
  for (const auto& file : plan.temporary_log_files) names.push_back(file);
  for (const auto& folder : plan.folders) names.push_back(folder);
  return names;
}

std::vector<Row> Paths(const table::Snapshot& snapshot,
                       const VacuumPlan& plan) {
  std::vector<Row> rows;
  for (const std::string& name : NamesIn(plan))
    rows.push_back({Value(Shown(JoinPath(snapshot.location(), name)))});
  return rows;
}

// ------------------------------------------------------------------- a record

std::vector<Column> DetailColumns() {
  const LogicalType number = LogicalType::BIGINT;
  return {{"path", LogicalType::VARCHAR},
          {"isDryRun", LogicalType::BOOLEAN},
          {"skipped", LogicalType::BOOLEAN},
          {"reason", LogicalType::VARCHAR},
          {"typeOfVacuum", LogicalType::VARCHAR},
          {"specifiedRetentionMillis", number},
          {"defaultRetentionMillis", number},
          {"minRetainedTimestamp", number},
          {"dirsPresentBeforeDelete", number},
          {"filesAndDirsPresentBeforeDelete", number},
          {"objectsDeleted", number},
          {"sizeOfDataToDelete", number},
          {"expiredFiles", number},
          {"orphanedFiles", number},
          {"temporaryLogFiles", number},
          {"emptyFolders", number},
          {"timeTakenToIdentifyEligibleFiles", number},
          {"timeTakenForDelete", number},
          {"vacuumStartTime", number},
          {"vacuumEndTime", number},
          {"numPartitionColumns", number},
          {"latestCommitVersion", number},
          {"eligibleStartCommitVersion", number},
          {"eligibleEndCommitVersion", number},
          {"files", LogicalType::LIST(LogicalType::VARCHAR)}};
}

Row Details(const table::Snapshot& snapshot, const Vacuuming& vacuuming,
            const VacuumResult& result) {
  const VacuumPlan& plan = result.plan;
  std::int64_t orphans = 0;
  for (const auto& file : plan.files) orphans += file.is_orphan;
  const auto count = [](const auto& list) {
    return static_cast<std::int64_t>(list.size());
  };
  std::vector<std::string> names;
  if (vacuuming.dry_run) {
    for (const std::string& name : NamesIn(plan)) names.push_back(Shown(name));
  }
  return {
      Value(snapshot.location()),
      Value::BOOLEAN(vacuuming.dry_run),
      Value::BOOLEAN(plan.is_skipped),
      plan.reason.empty() ? Value(LogicalType::VARCHAR) : Value(plan.reason),
      plan.is_skipped ? Value(LogicalType::VARCHAR)
                      : Value(commands::NameOf(plan.mode)),
      Number(vacuuming.request.retention_ms),
      Number(snapshot.properties().deleted_file_retention().count()),
      Number(plan.cutoff_ms),
      Number(plan.folders_found),
      Number(plan.entries_found),
      Number(vacuuming.dry_run ? count(NamesIn(plan))
                               : result.files_deleted + result.folders_deleted),
      Number(plan.bytes()),
      Number(count(plan.files) - orphans),
      Number(orphans),
      Number(count(plan.temporary_log_files)),
      Number(count(plan.folders)),
      Number(result.delete_ms - result.start_ms),
      Number(result.end_ms - result.delete_ms),
      Number(result.start_ms),
      Number(result.end_ms),
      Number(count(snapshot.metadata().partition_columns)),
      Number(snapshot.version()),
      Number(plan.first_commit),
      Number(plan.last_commit),
      TextList(names)};
}

// -------------------------------------------------------------------- running

void NoteShortRetention(const table::Snapshot& snapshot,
                        VacuumRequest request) {
  request.checks_retention = true;
  const Status checked = commands::CheckRetention(snapshot, request);
  if (!checked) {
    fmt::print(stderr, "note: with the retention check, this is refused: {}\n",
               checked.error().message);
  }
}

void NoteSkip(const table::Snapshot& snapshot, const VacuumPlan& plan) {
  if (!plan.is_skipped) return;
  fmt::print(stderr, "note: VACUUM of table {} was skipped: {}\n",
             snapshot.location(), plan.reason);
}

void TakeInventory(ClientContext& context, Vacuuming& vacuuming) {
  if (!vacuuming.inventory.empty())
    vacuuming.request.inventory = InventoryOf(context, vacuuming.inventory);
}

std::vector<Row> Plan(ClientContext& context, Vacuuming vacuuming) {
  TakeInventory(context, vacuuming);
  const auto snapshot = OpenTable(context, vacuuming.table);
  NoteShortRetention(*snapshot, vacuuming.request);
  VacuumResult result;
  result.start_ms = Env::System().NowMs();
  result.plan = engine::Unwrap(
      commands::PlanVacuum(*snapshot, vacuuming.request, Env::System()));
  result.delete_ms = result.end_ms = Env::System().NowMs();
  NoteSkip(*snapshot, result.plan);
  if (!vacuuming.details) return Paths(*snapshot, result.plan);
  return {Details(*snapshot, vacuuming, result)};
}

std::vector<Row> Run(ClientContext& context, Vacuuming vacuuming,
                     VacuumProgress& progress) {
  TakeInventory(context, vacuuming);
  const auto snapshot = BeginStandalone(context, vacuuming.table, "VACUUM");
  vacuuming.request.checks_retention = BoolSetting(context, kRetentionCheck);
  if (!vacuuming.request.checks_retention)
    NoteShortRetention(*snapshot, vacuuming.request);
  vacuuming.request.user_metadata = WordsForCommit(context);
  const VacuumResult result = engine::Unwrap(commands::Vacuum(
      context, snapshot, vacuuming.request, progress, Env::System()));
  if (!result.plan.is_skipped) NoteCommitted(context);
  NoteSkip(*snapshot, result.plan);
  if (vacuuming.details) return {Details(*snapshot, vacuuming, result)};
  if (result.plan.is_skipped) return {};
  return {{Value(snapshot->location())}};
}

VacuumMode ModeOf(const std::string& text) {
  if (EqualIgnoringCase(text, "lite")) return VacuumMode::kLite;
  if (EqualIgnoringCase(text, "full")) return VacuumMode::kFull;
  engine::Throw({ErrorCode::kInvalidArgument, "DELTA_INVALID_VACUUM_MODE",
                 "the mode of VACUUM is FULL or LITE, not " + text});
}

// Hours are rounded to whole ones, as Spark does.
std::int64_t HoursToMs(double hours) {
  constexpr double kMost = 1e9;
  constexpr std::int64_t kHourMs = std::int64_t{60} * 60 * 1000;
  if (hours > kMost) {
    engine::Throw({ErrorCode::kInvalidArgument,
                   "DELTA_VACUUM_RETENTION_PERIOD_TOO_LONG",
                   "the retention time of VACUUM is too long: at most "
                   "1000000000 hours"});
  }
  // NaN has no place here either.
  if (!(hours >= -kMost)) {
    engine::Throw({ErrorCode::kInvalidArgument,
                   "DELTA_VACUUM_RETENTION_PERIOD_NEGATIVE",
                   "the retention time of VACUUM is a number of hours, and "
                   "not less than 0"});
  }
  return std::llround(hours) * kHourMs;
}

duckdb::unique_ptr<duckdb::FunctionData> Bind(
    ClientContext&, duckdb::TableFunctionBindInput& input,
    duckdb::vector<LogicalType>& types, duckdb::vector<duckdb::string>& names) {
  Vacuuming vacuuming;
  vacuuming.table = TableArgument(input);
  vacuuming.dry_run = FlagArgument(input, kDryRun);
  vacuuming.details = FlagArgument(input, kDetails);
  if (const Value* hours = NamedArgument(input, kRetainHours))
    vacuuming.request.retention_ms = HoursToMs(hours->GetValue<double>());
  if (const Value* mode = NamedArgument(input, kMode))
    vacuuming.request.mode = ModeOf(mode->ToString());
  if (NamedArgument(input, kOptimistic) != nullptr)
    vacuuming.request.is_optimistic = FlagArgument(input, kOptimistic);
  if (const Value* query = NamedArgument(input, kInventory))
    vacuuming.inventory = query->ToString();
  if (!vacuuming.inventory.empty() &&
      vacuuming.request.mode == VacuumMode::kLite) {
    engine::Throw({ErrorCode::kInvalidArgument, "DELTA_INVALID_VACUUM_MODE",
                   "VACUUM ... LITE looks at the log alone, and at no "
                   "inventory"});
  }
  auto progress = std::make_shared<VacuumProgress>();
  auto query = BindRows(
      vacuuming.details ? DetailColumns()
                        : std::vector<Column>{{"path", LogicalType::VARCHAR}},
      types, names, [vacuuming, progress](ClientContext& context) {
        return vacuuming.dry_run ? Plan(context, vacuuming)
                                 : Run(context, vacuuming, *progress);
      });
  query->Cast<RowQuery>().progress = [progress] {
    constexpr double kAll = 100;
    const std::int64_t planned = progress->planned;
    if (planned == 0) return 0.0;
    return kAll * static_cast<double>(progress->done) /
           static_cast<double>(planned);
  };
  return query;
}

}  // namespace

duckdb::TableFunction VacuumFunction() {
  auto function = RowFunction("bayou_vacuum", {LogicalType::VARCHAR}, Bind);
  function.named_parameters[kRetainHours] = LogicalType::DOUBLE;
  function.named_parameters[kMode] = LogicalType::VARCHAR;
  function.named_parameters[kDryRun] = LogicalType::BOOLEAN;
  function.named_parameters[kDetails] = LogicalType::BOOLEAN;
  function.named_parameters[kOptimistic] = LogicalType::BOOLEAN;
  function.named_parameters[kInventory] = LogicalType::VARCHAR;
  return function;
}

}  // namespace bayou::sql

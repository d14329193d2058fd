// SPDX-License-Identifier: Apache-2.0
#include "sql/copy_into.h"

#include <filesystem>
#include <memory>
#include <utility>
#include <vector>

#include "base/env.h"
#include "kernel/engine/engine.h"
#include "sql/copy_source.h"
#include "sql/delta_catalog.h"
#include "sql/delta_table.h"
#include "sql/delta_transaction.h"
#include "sql/table_lookup.h"

namespace bayou::sql {
namespace {

constexpr std::string_view kAppPrefix = "bayou.copyInto.";

struct Target {
  DeltaTable& table;
  DeltaTransaction& transaction;
};

Target Find(duckdb::ClientContext& context, const CopyStatement& copy) {
  auto entry =
      FindEntry(context, copy.target, duckdb::OnEntryNotFound::THROW_EXCEPTION);
  if (entry->ParentCatalog().GetCatalogType() != kStorageType) {
    engine::Throw({ErrorCode::kUnsupported, "DELTA_UNSUPPORTED_OPERATION",
                   "COPY INTO: " + copy.target.Sql() +
                       " is no Delta table; COPY table FROM 'file' is for "
                       "others"});
  }
  auto& table = entry->Cast<DeltaTable>();
  return {table, DeltaTransaction::Get(context, table.ParentCatalog())};
}

// How often the file was loaded, in this transaction or before it.
std::int64_t LoadsOf(const Target& target, const std::string& application) {
  if (const auto* pending = target.transaction.pending().transaction()) {
    for (const auto& staged : pending->staged().app_versions) {
      if (staged.app_id == application) return staged.version;
    }
  }
  const auto& known = target.table.snapshot()->state().transactions();
  const auto found = known.find(application);
  return found == known.end() ? 0 : found->second.version;
}

struct SourceFile {
  std::string path;
  std::string application;
};

// A file has one name, however it was spelled and whatever links lead to it.
std::string NameOf(const std::string& path) {
  if (path.find("://") != std::string::npos) return path;
  std::error_code error;
  const auto name = std::filesystem::canonical(path, error);
  return error ? path : name.string();
}

// Paths may hold what is nobody's business, and be long: a digest stands for
// each.
std::vector<SourceFile> Named(const std::vector<std::string>& paths,
                              duckdb::Connection& connection) {
  const auto digest =
      connection.Prepare("SELECT sha256($1::VARCHAR)[:32] AS digest");
  if (digest->HasError()) digest->error.Throw();
  std::vector<SourceFile> files;
  for (const std::string& path : paths) {
    duckdb::vector<duckdb::Value> arguments = {duckdb::Value(NameOf(path))};
    const auto rows = digest->Execute(arguments, false);
    if (rows->HasError()) rows->ThrowError();
    const auto chunk = rows->Fetch();
    files.push_back(
        {path, std::string(kAppPrefix) + chunk->GetValue(0, 0).ToString()});
  }
  return files;
}

// INSERT INTO t BY NAME SELECT * FROM read_csv(...)
std::string InsertOf(const CopyStatement& copy, const std::string& reader) {
  std::string insert = "INSERT INTO " + copy.target.Sql();
  const auto header = copy.format_options.find("header");
  const bool has_names = copy.format != CopyFormat::kCsv ||
                         (header != copy.format_options.end() &&
                          EqualIgnoringCase(header->second, "true"));
  if (!copy.columns.empty()) {
    insert += " (";
    for (const std::string& column : copy.columns)
      insert +=
          (insert.ends_with('(') ? "" : ", ") + engine::Identifier(column);
    insert += ')';
  } else if (!copy.by_position && (has_names || copy.query)) {
    insert += " BY NAME";
  }
  if (!copy.query) return insert + " SELECT * FROM " + reader;
  return insert + " " + copy.query->before + " " + reader + " " +
         copy.query->behind;
}

}  // namespace

CopyPlan PlanCopyInto(duckdb::ClientContext& context,
                      const CopyStatement& copy) {
  CopyPlan plan;
  context.RunFunctionInTransaction([&] {
    const Target target = Find(context, copy);
    const auto connection = engine::Connect(*context.db);
    plan.begins_transaction =
        target.transaction.pending().transaction() == nullptr;
    std::vector<std::string> files;
    for (const SourceFile& file :
         Named(engine::Unwrap(SourceFiles(copy, *connection)), *connection)) {
      const std::int64_t loads = LoadsOf(target, file.application);
      if (loads > 0 && !copy.force) continue;
      if (IgnoresCorruptFiles(copy) &&
          !engine::Unwrap(IsReadable(copy, file.path, *connection))) {
        ++plan.corrupt_files;
        continue;
      }
      plan.loads[file.application] = loads + 1;
      files.push_back(file.path);
    }
    if (files.empty()) {
      engine::Unwrap(ReaderOptions(copy));
      return;
    }
    plan.insert = InsertOf(
        copy,
        engine::Unwrap(ReaderCall(
            copy, files, target.table.snapshot()->schema(), *connection)));
  });
  return plan;
}

void RememberLoads(duckdb::ClientContext& context, const CopyStatement& copy,
                   const CopyPlan& plan) {
  context.RunFunctionInTransaction([&] {
    PendingWrite& pending = Find(context, copy).transaction.pending();
    if (pending.transaction() == nullptr) return;  // It was done already.
    transaction::Transaction& change = pending.change();
    for (const auto& [application, version] : plan.loads) {
      // Another that loads the file meanwhile is in our way.
      (void)change.AppVersion(application);
      change.SetAppVersion({.app_id = application,
                            .version = version,
                            .last_updated = Env::System().NowMs()});
    }
    if (plan.begins_transaction) pending.NameOperation("COPY INTO");
  });
}

}  // namespace bayou::sql

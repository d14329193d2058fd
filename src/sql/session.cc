// SPDX-License-Identifier: Apache-2.0
#include "bayou/session.h"

#include <atomic>
#include <duckdb.hpp>
#include <duckdb/main/client_config.hpp>
#include <duckdb/main/stream_query_result.hpp>
#include <duckdb/parser/parser.hpp>

#include "base/env.h"
#include "kernel/engine/engine.h"
#include "kernel/engine/streaming.h"
#include "kernel/log/checkpoint_cache.h"
#include "kernel/store/location.h"
#include "kernel/transaction/back_off.h"
#include "sql/auto_compact.h"
#include "sql/cell_text.h"
#include "sql/change_result.h"
#include "sql/commit_failure.h"
#include "sql/completion.h"
#include "sql/copy_into.h"
#include "sql/delta_catalog.h"
#include "sql/dialect.h"
#include "sql/error_place.h"
#include "sql/extra_fields.h"
#include "sql/insert_partition.h"
#include "sql/lake_folder.h"
#include "sql/merge_star.h"
#include "sql/schema_evolution.h"
#include "sql/settings.h"
#include "sql/table_functions.h"
#include "sql/table_lookup.h"
#include "sql/token.h"
#include "sql/transaction_tables.h"
#include "sql/type_aliases.h"
#include "sql/write_mode.h"
#include "sql/write_options.h"

namespace bayou {
namespace {

using sql::Statement;
using sql::TableCommand;

std::vector<ResultColumn> ColumnsOf(const duckdb::QueryResult& result) {
  std::vector<ResultColumn> columns;
  for (std::size_t i = 0; i < result.types.size(); ++i) {
    columns.push_back({.name = result.names[i],
                       .type = result.types[i].ToString(),
                       .is_numeric = result.types[i].IsNumeric()});
  }
  return columns;
}

// For statements that show nothing.
class NoResult final : public ResultSink {
 public:
  CellFormat Begin(std::span<const ResultColumn>) override { return {}; }
  Status Row(std::span<const std::optional<std::string_view>>) override {
    return {};
  }
  Status End() override { return {}; }
  void Changed(std::uint64_t) override {}
};

class SqlSession final : public Session {
 public:
  SqlSession(std::shared_ptr<duckdb::DuckDB> engine, std::string lake)
      : engine_(std::move(engine)),
        connection_(*engine_),
        lake_(std::move(lake)) {}

  Status Start(const SessionOptions& options) {
    return engine::Guard([&] {
      duckdb::DatabaseInstance& database = *engine_->instance;
      duckdb::DBConfig& config = duckdb::DBConfig::GetConfig(database);
      log::CheckpointCache::TurnOn(database);
      sql::RegisterStorage(config);
      sql::RegisterExtraFieldsCheck(config);
      sql::RegisterSettings(config, options.allow_external_paths);
      duckdb::ExtensionLoader loader(database, sql::kStorageType);
      sql::RegisterTypeAliases(loader);
      sql::RegisterTableFunctions(loader);
      Do("ATTACH " + engine::Literal(options.lake) + " AS lake (TYPE bayou)");
      Do("ATTACH '' AS delta (TYPE bayou)");
      Do("USE lake");
      // Progress is counted, and shown by whoever asks for it.
      auto& client = duckdb::ClientConfig::GetConfig(*connection_.context);
      client.enable_progress_bar = true;
      client.print_progress_bar = false;
      client.wait_time = 0;
    });
  }

  Status Run(std::string_view text, ResultSink& sink) override {
    interrupted_ = false;
    const std::vector<std::string_view> statements = sql::SplitStatements(text);
    for (const std::string_view& statement : statements) {
      if (interrupted_) return Cancelled();
      sink.Next(&statement == &statements.back());
      BAYOU_ASSIGN(Statement translated,
                   sql::Translate(statement, sql::PlaceAt, IsDeltaTable()));
      if (translated.next_write) {
        sql::NextWrite::Of(*connection_.context)
            .Set(*std::move(translated.next_write));
        continue;
      }
      if (translated.command) {
        BAYOU_ASSIGN(const bool ours, IsForDelta(*translated.command));
        if (ours) {
          BAYOU_TRY(RunCommand(statement, *translated.command, sink));
          continue;
        }
      }
      BAYOU_TRY(RunStatement(statement, translated, sink));
    }
    return {};
  }

  void Interrupt() override {
    interrupted_ = true;
    connection_.Interrupt();
  }

  std::optional<double> Progress() override {
    const double percent = connection_.GetQueryProgress();
    if (percent < 0) return std::nullopt;
    return percent / 100;
  }

  std::vector<Completion> Complete(std::string_view text,
                                   std::size_t cursor) override {
    return sql::Complete(*connection_.context, lake_, text, cursor);
  }

 private:
  static tl::unexpected<Error> Cancelled() {
    return Fail(ErrorCode::kCancelled, "INTERRUPTED",
                "the statement was cancelled");
  }

  // Throws, as DuckDB does.
  void Do(const std::string& statement) {
    const auto result = connection_.Query(statement);
    if (result->HasError()) result->ThrowError();
  }

  // Whether the database in which the name lies is one of Delta tables.
  sql::IsDelta IsDeltaTable() {
    return [this](const sql::TableName& name) {
      bool is_delta = false;
      (void)engine::Guard([&] {
        duckdb::ClientContext& context = *connection_.context;
        context.RunFunctionInTransaction([&] {
          is_delta =
              sql::PlaceOfName(context, name).database.GetCatalogType() ==
              sql::kStorageType;
        });
      });
      return is_delta;
    };
  }

  Status RunCommand(std::string_view written, const TableCommand& command,
                    ResultSink& sink) {
    sql::TextEdits edits;
    edits.Replace(0, written.size(), command.run);
    NoResult nothing;
    Statement statement;
    statement.sql = edits.Apply(written);
    return RunStatement(written, statement,
                        command.shows_rows ? sink : nothing);
  }

  // Whether the statement may do better when it runs again: another has
  // committed since it was planned, or made the table that it was to make IF
  // NOT EXISTS.
  static bool IsLostRace(const Error& error, int attempt) {
    return error.code == ErrorCode::kConflict ||
           (attempt == 1 && error.condition == "DELTA_TABLE_ALREADY_EXISTS");
  }

  Status RunStatement(std::string_view written, const Statement& statement,
                      ResultSink& sink) {
    sql::NextWrite& next = sql::NextWrite::Of(*connection_.context);
    next.BeginStatement();
    const bool was_autocommit = connection_.IsAutoCommit();
    const Status done = TryRepeatedly(written, statement, sink);
    sql::TransactionTables::EndStatement(*connection_.context);
    if (!connection_.IsAutoCommit()) return done;
    next.EndTransaction(!was_autocommit, done && (changed_ || statement.copy));
    sql::AutoCompact& compact = sql::AutoCompact::Of(*connection_.context);
    if (interrupted_) compact.Forget();
    compact.Run(*connection_.context);
    return done;
  }

  // A statement that is a transaction of its own and lost against another's
  // commit runs again, on the version that the winner left: as if it had come
  // later.
  Status TryRepeatedly(std::string_view written, const Statement& statement,
                       ResultSink& sink) {
    constexpr int kMaxAttempts = 50;
    const bool is_own_transaction = connection_.IsAutoCommit();
    for (int attempt = 1;; ++attempt) {
      changed_.reset();
      sql::ChangeResult& result = sql::ChangeResult::Of(*connection_.context);
      (void)result.Take();
      Status done = Try(written, statement, sink);
      if (done && changed_) done = DeliverChange(result.Take(), sink);
      if (done || !IsLostRace(done.error(), attempt) || !is_own_transaction ||
          attempt == kMaxAttempts || interrupted_) {
        return done;
      }
      Env::System().Sleep(transaction::BackOffMs(attempt, Env::System()));
    }
  }

  Status Try(std::string_view written, const Statement& statement,
             ResultSink& sink) {
    if (statement.copy) return TryCopyInto(written, *statement.copy, sink);
    if (statement.insert.overwrite) {
      return Together(sink,
                      [&] { return TryOverwrite(written, statement, sink); });
    }
    if (EvolvesSchema(statement)) {
      return Together(sink,
                      [&] { return TryStatement(written, statement, sink); });
    }
    return TryStatement(written, statement, sink);
  }

  bool EvolvesSchema(const Statement& statement) {
    return statement.evolves_schema ||
           (statement.may_evolve_schema &&
            sql::BoolSetting(*connection_.context, sql::kSchemaAutoMerge));
  }

  // Several steps in one transaction: the user's, or one of their own.
  template <typename Steps>
  Status Together(ResultSink& sink, Steps steps) {
    const bool is_own_transaction = connection_.IsAutoCommit();
    if (is_own_transaction) BAYOU_TRY(TryText("BEGIN TRANSACTION", sink));
    Status done = steps();
    if (!is_own_transaction) return done;
    if (done) return TryText("COMMIT", sink);
    (void)TryText("ROLLBACK", sink);
    return done;
  }

  Status TryCopyInto(std::string_view written, const sql::CopyStatement& copy,
                     ResultSink& sink) {
    sql::CopyPlan plan;
    BAYOU_TRY(Together(sink, [&] { return Load(written, copy, plan, sink); }));
    const std::string rows = std::to_string(changed_.value_or(0));
    changed_.reset();
    return TryText("SELECT " + rows + "::BIGINT AS num_affected_rows, " + rows +
                       "::BIGINT AS num_inserted_rows, " +
                       std::to_string(plan.corrupt_files) +
                       "::BIGINT AS num_skipped_corrupt_files",
                   sink);
  }

  Status Load(std::string_view written, const sql::CopyStatement& copy,
              sql::CopyPlan& plan, ResultSink& sink) {
    duckdb::ClientContext& context = *connection_.context;
    BAYOU_TRY(engine::Guard([&] { plan = sql::PlanCopyInto(context, copy); }));
    if (plan.insert.empty()) return {};
    sql::TextEdits edits;
    edits.Replace(0, written.size(), plan.insert);
    Statement insert;
    insert.sql = edits.Apply(written);
    insert.evolves_schema = copy.merge_schema;
    insert.may_evolve_schema = true;
    BAYOU_TRY(TryStatement(written, insert, sink));
    return engine::Guard([&] { sql::RememberLoads(context, copy, plan); });
  }

  // The old rows go, and the new ones come.
  Status TryOverwrite(std::string_view written, const Statement& statement,
                      ResultSink& sink) {
    std::optional<sql::Overwrite>& mode =
        sql::WriteMode::Of(*connection_.context);
    mode = statement.insert.overwrite;
    mode->dynamic =
        mode->where.empty() && !statement.insert.overwrites_schema &&
        sql::TextSetting(*connection_.context, sql::kPartitionOverwriteMode) ==
            "dynamic";
    const std::string remove =
        "DELETE FROM " + mode->target +
        (mode->where.empty() ? "" : " WHERE " + mode->where);
    const Status done =
        TryStatement(written, statement, sink, mode->dynamic ? "" : remove);
    mode.reset();
    return done;
  }

  Status TryText(const std::string& text, ResultSink& sink) {
    BAYOU_ASSIGN(const Statement statement, sql::Translate(text, sql::PlaceAt));
    return TryStatement(text, statement, sink);
  }

  // `before` runs when the statement is known to be one, and has changed the
  // schema where it does so.
  Status TryStatement(std::string_view written, const Statement& translated,
                      ResultSink& sink, const std::string& before = "") {
    const sql::EditedText& sql = translated.sql;
    try {
      for (auto& statement : connection_.ExtractStatements(sql.text)) {
        Prepare(*statement, translated);
        if (!before.empty()) {
          BAYOU_TRY(TryText(before, sink));
          sql::WriteMode::Of(*connection_.context)->old_rows_went = true;
        }
        auto pending =
            connection_.PendingQuery(std::move(statement), engine::Streaming());
        if (pending->HasError()) pending->ThrowError();
        const auto result = engine::Start(*pending);
        BAYOU_TRY(Deliver(*result, sink));
      }
      return {};
    } catch (const std::exception& exception) {
      if (auto failure = sql::CommitFailure::Of(*connection_.context).Take())
        return tl::unexpected(*std::move(failure));
      Error error = engine::FromDuckDB(duckdb::ErrorData(exception));
      error.message = sql::AtWrittenPlace(error.message, sql, written);
      return tl::unexpected(std::move(error));
    }
  }

  // What depends on the columns of tables. Throws.
  void Prepare(duckdb::SQLStatement& statement, const Statement& translated) {
    const bool evolves = EvolvesSchema(translated);
    if (statement.type == duckdb::StatementType::MERGE_INTO_STATEMENT) {
      PrepareMerge(statement.Cast<duckdb::MergeIntoStatement>(), evolves);
    } else if (statement.type == duckdb::StatementType::INSERT_STATEMENT) {
      auto& insert = statement.Cast<duckdb::InsertStatement>();
      sql::AddPartitionValues(*connection_.context, translated.insert.partition,
                              insert);
      if (translated.insert.overwrites_schema) {
        sql::OverwriteSchema(connection_, insert);
      } else if (evolves) {
        sql::EvolveTarget(connection_, insert);
      }
    }
  }

  void PrepareMerge(duckdb::MergeIntoStatement& merge, bool evolves_schema) {
    std::optional<std::vector<std::string>> source;
    if (evolves_schema) source = sql::EvolveTarget(connection_, merge);
    sql::ExpandMergeStars(*connection_.context, merge, source);
  }

  Status Deliver(duckdb::QueryResult& result, ResultSink& sink) {
    if (result.properties.return_type ==
        duckdb::StatementReturnType::QUERY_RESULT) {
      return DeliverRows(result, sink);
    }
    while (const auto chunk = engine::Fetch(result)) {
      if (result.properties.return_type ==
          duckdb::StatementReturnType::CHANGED_ROWS) {
        changed_ = chunk->GetValue(0, 0).GetValue<std::uint64_t>();
      }
    }
    return {};
  }

  // What a statement answers that changed rows and gives none back.
  Status DeliverChange(const std::optional<commands::Metrics>& result,
                       ResultSink& sink) {
    if (!result) {
      sink.Changed(*changed_);
      return {};
    }
    std::vector<ResultColumn> columns;
    std::vector<std::string> cells;
    for (const auto& [name, value] : *result) {
      columns.push_back({.name = name, .type = "BIGINT", .is_numeric = true});
      cells.push_back(std::to_string(value));
    }
    sink.Begin(columns);
    BAYOU_TRY(sink.Row(std::vector<std::optional<std::string_view>>(
        cells.begin(), cells.end())));
    return sink.End();
  }

  Status DeliverRows(duckdb::QueryResult& result, ResultSink& sink) {
    sql::CellText cells(*connection_.context, result.types,
                        sink.Begin(ColumnsOf(result)));
    while (const auto chunk = engine::Fetch(result)) {
      cells.Load(*chunk);
      for (std::size_t row = 0; row < chunk->size(); ++row)
        BAYOU_TRY(sink.Row(cells.Row(row)));
    }
    return sink.End();
  }

  // Whether the statement is about a Delta table. Fails when there is no table
  // that it could be about.
  Result<bool> IsForDelta(const TableCommand& command) {
    bool ours = false;
    const Status looked = engine::Guard([&] {
      duckdb::ClientContext& context = *connection_.context;
      context.RunFunctionInTransaction([&] {
        const auto if_missing = command.only_delta
                                    ? duckdb::OnEntryNotFound::THROW_EXCEPTION
                                    : duckdb::OnEntryNotFound::RETURN_NULL;
        auto entry = sql::FindEntry(context, command.target, if_missing);
        ours = entry &&
               entry->ParentCatalog().GetCatalogType() == sql::kStorageType;
      });
    });
    BAYOU_TRY(looked);
    return ours;
  }

  std::shared_ptr<duckdb::DuckDB> engine_;
  duckdb::Connection connection_;
  sql::LakeFolder lake_;  // For completion.
  std::atomic<bool> interrupted_ = false;
  std::optional<std::uint64_t> changed_;  // Rows, by the statement that runs.
};

}  // namespace

Result<std::unique_ptr<Session>> Session::Open(const SessionOptions& options) {
  BAYOU_ASSIGN(auto engine,
               engine::StartEngine({.memory_limit = options.memory_limit,
                                    .threads = options.threads}));
  BAYOU_ASSIGN(std::string lake, store::ParseLocation(options.lake));
  auto session =
      std::make_unique<SqlSession>(std::move(engine), std::move(lake));
  BAYOU_TRY(session->Start(options));
  return session;
}

bool IsCompleteStatement(std::string_view text) {
  const sql::Tokens lexed = sql::Tokenize(text);
  return !lexed.open_comment && !lexed.tokens.empty() &&
         lexed.tokens.back().closed && lexed.tokens.back().Is(';');
}

}  // namespace bayou

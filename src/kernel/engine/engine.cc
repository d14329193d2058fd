// SPDX-License-Identifier: Apache-2.0
#include "kernel/engine/engine.h"

#include <fmt/format.h>

#include <cerrno>
#include <chrono>
#include <filesystem>
#include <mutex>
#include <set>
#include <thread>

#include "base/env.h"
#include "kernel/engine/exact_parquet.h"
#include "kernel/engine/nested_variants.h"
#include "kernel/engine/store_file_system.h"
#include "kernel/engine/streaming.h"

namespace bayou::engine {
namespace {

// Keys under which an Error travels in an exception's extra information.
constexpr const char* kCodeKey = "bayou_code";
constexpr const char* kConditionKey = "bayou_condition";

// Error::condition is static text, also after it crossed DuckDB as a copy.
std::string_view StaticText(const std::string& text) {
  static std::mutex mutex;
  static auto* texts = new std::set<std::string>;
  const std::scoped_lock lock(mutex);
  return *texts->insert(text).first;
}

struct Translation {
  ErrorCode code;
  std::string_view condition;
};

Translation TranslateIo(const duckdb::ErrorData& error) {
  const auto& extra = error.ExtraInfo();
  if (const auto number = extra.find("errno"); number != extra.end()) {
    switch (std::atoi(number->second.c_str())) {
      case ENOENT:
      case ENOTDIR:
        return {ErrorCode::kNotFound, "FILE_NOT_FOUND"};
      case EACCES:
      case EPERM:
      case EROFS:
        return {ErrorCode::kPermissionDenied, "PERMISSION_DENIED"};
      case ENOSPC:
      case EDQUOT:
        return {ErrorCode::kResourceExhausted, "OUT_OF_SPACE"};
      case EMFILE:
      case ENFILE:
        return {ErrorCode::kResourceExhausted, "TOO_MANY_OPEN_FILES"};
      default:
        return {ErrorCode::kUnavailable, "IO_ERROR"};
    }
  }
  if (error.RawMessage().find("No files found") != std::string::npos) {
    return {ErrorCode::kNotFound, "FILE_NOT_FOUND"};
  }
  // The system had nothing against it: what was read is not what it should be.
  return {ErrorCode::kCorruption, "FILE_CORRUPT"};
}

Translation Translate(const duckdb::ErrorData& error) {
  using duckdb::ExceptionType;
  switch (error.Type()) {
    case ExceptionType::PARSER:
    case ExceptionType::SYNTAX:
      return {ErrorCode::kInvalidArgument, "SQL_PARSER_ERROR"};
    case ExceptionType::BINDER:
    case ExceptionType::PLANNER:
    case ExceptionType::EXPRESSION:
    case ExceptionType::PARAMETER_NOT_RESOLVED:
    case ExceptionType::PARAMETER_NOT_ALLOWED:
      return {ErrorCode::kInvalidArgument, "SQL_BINDER_ERROR"};
    case ExceptionType::CATALOG:
    case ExceptionType::DEPENDENCY:
      return {ErrorCode::kInvalidArgument, "SQL_CATALOG_ERROR"};
    case ExceptionType::CONVERSION:
    case ExceptionType::OUT_OF_RANGE:
    case ExceptionType::DECIMAL:
    case ExceptionType::DIVIDE_BY_ZERO:
    case ExceptionType::MISMATCH_TYPE:
    case ExceptionType::UNKNOWN_TYPE:
      return {ErrorCode::kInvalidArgument, "CONVERSION_ERROR"};
    case ExceptionType::INVALID_INPUT:
    case ExceptionType::INVALID_TYPE:
    case ExceptionType::SETTINGS:
    case ExceptionType::INVALID_CONFIGURATION:
    case ExceptionType::SEQUENCE:
      return {ErrorCode::kInvalidArgument, "SQL_INVALID_INPUT"};
    case ExceptionType::TRANSACTION:
      return {ErrorCode::kInvalidArgument, "SQL_TRANSACTION_ERROR"};
    case ExceptionType::CONSTRAINT:
      return {ErrorCode::kConstraint, "SQL_CONSTRAINT_ERROR"};
    case ExceptionType::NOT_IMPLEMENTED:
    case ExceptionType::MISSING_EXTENSION:
    case ExceptionType::AUTOLOAD:
      return {ErrorCode::kUnsupported, "SQL_UNSUPPORTED"};
    case ExceptionType::IO:
    case ExceptionType::HTTP:
    case ExceptionType::NETWORK:
    case ExceptionType::CONNECTION:
      return TranslateIo(error);
    case ExceptionType::SERIALIZATION:
      return {ErrorCode::kCorruption, "FILE_CORRUPT"};
    case ExceptionType::INTERRUPT:
      return {ErrorCode::kCancelled, "INTERRUPTED"};
    case ExceptionType::OUT_OF_MEMORY:
    case ExceptionType::OBJECT_SIZE:
      return {ErrorCode::kResourceExhausted, "OUT_OF_MEMORY"};
    case ExceptionType::PERMISSION:
      return {ErrorCode::kPermissionDenied, "PERMISSION_DENIED"};
    default:
      return {ErrorCode::kInternal, "INTERNAL_ERROR"};
  }
}

// Spilled data goes where temporary files belong, never into the folder that
// the user happens to be in. The engine makes the folder when it first spills.
std::string SpillFolder() {
  std::error_code ignored;
  auto folder = std::filesystem::temp_directory_path(ignored);
  if (ignored) folder = "/tmp";
  return (folder / ("bayou-" + NewUuid(Env::System()))).string();
}

// While other threads work. DuckDB itself would spin, and take a core away.
void Pause() { std::this_thread::sleep_for(std::chrono::microseconds(50)); }

}  // namespace

Result<std::shared_ptr<duckdb::DuckDB>> StartEngine(
    const EngineOptions& options) {
  return Guard([&] {
    duckdb::DBConfig config;
    config.SetOptionByName("autoinstall_known_extensions", false);
    config.SetOptionByName("autoload_known_extensions", false);
    config.SetOptionByName("allow_community_extensions", false);
    config.SetOptionByName("allow_persistent_secrets", false);
    config.SetOptionByName("temp_directory", SpillFolder());
    if (options.memory_limit != 0) {
      config.options.maximum_memory = options.memory_limit;
    }
    if (options.threads > 0) {
      config.options.maximum_threads =
          static_cast<duckdb::idx_t>(options.threads);
    }
    auto engine = std::make_shared<duckdb::DuckDB>(nullptr, &config);
    RegisterExactParquet(*engine->instance);
    AllowNestedVariants(*engine->instance);
    RegisterStoreFileSystem(*engine->instance);
    RegisterStreamingRule(*engine->instance);
    return engine;
  });
}

std::unique_ptr<duckdb::Connection> Connect(
    duckdb::DatabaseInstance& database) {
  auto connection = std::make_unique<duckdb::Connection>(database);
  duckdb::ClientConfig::GetConfig(*connection->context).enable_progress_bar =
      false;
  for (const char* setting : {"SET SESSION TimeZone = 'UTC'",
                              "SET SESSION preserve_insertion_order = false"}) {
    const auto set = connection->Query(setting);
    if (set->HasError()) set->ThrowError();
  }
  return connection;
}

Result<duckdb::unique_ptr<duckdb::MaterializedQueryResult>> Run(
    duckdb::Connection& connection, const std::string& sql) {
  return Guard([&] {
    auto result = Start(*connection.PendingQuery(sql));
    return duckdb::unique_ptr_cast<duckdb::QueryResult,
                                   duckdb::MaterializedQueryResult>(
        std::move(result));
  });
}

Result<duckdb::unique_ptr<duckdb::QueryResult>> Start(
    duckdb::Connection& connection, const std::string& sql) {
  return Guard(
      [&] { return Start(*connection.PendingQuery(sql, Streaming())); });
}

duckdb::unique_ptr<duckdb::QueryResult> Start(
    duckdb::PendingQueryResult& pending) {
  while (!pending.HasError()) {
    const auto progress = pending.ExecuteTask();
    if (duckdb::PendingQueryResult::IsResultReady(progress)) break;
    if (progress != duckdb::PendingExecutionResult::RESULT_NOT_READY) Pause();
  }
  if (pending.HasError()) pending.ThrowError();
  auto result = pending.Execute();
  if (result->HasError()) result->ThrowError();
  return result;
}

duckdb::unique_ptr<duckdb::DataChunk> Fetch(duckdb::QueryResult& result) {
  if (result.type == duckdb::QueryResultType::STREAM_RESULT) {
    auto& stream = result.Cast<duckdb::StreamQueryResult>();
    while (stream.IsOpen() && !stream.HasError()) {
      const auto progress = stream.ExecuteTask();
      if (duckdb::StreamQueryResult::IsChunkReady(progress)) break;
      if (progress == duckdb::StreamExecutionResult::BLOCKED) {
        stream.WaitForTask();
      } else {
        Pause();
      }
    }
  }
  if (result.HasError()) result.ThrowError();
  auto chunk = result.Fetch();
  if (result.HasError()) result.ThrowError();
  if (chunk && chunk->size() == 0) chunk.reset();
  return chunk;
}

Error FromDuckDB(const duckdb::ErrorData& error) {
  const auto& extra = error.ExtraInfo();
  const auto code = extra.find(kCodeKey);
  const auto condition = extra.find(kConditionKey);
  if (code != extra.end() && condition != extra.end()) {
    return {static_cast<ErrorCode>(std::atoi(code->second.c_str())),
            StaticText(condition->second), error.RawMessage()};
  }
  const auto [our_code, our_condition] = Translate(error);
  std::string message = error.RawMessage();
  if (our_code == ErrorCode::kInternal) {
    // What follows the first line is a stack trace.
    message = "internal error of the SQL engine: " +
              message.substr(0, message.find('\n'));
  }
  return {our_code, our_condition, std::move(message)};
}

void Throw(const Error& error) {
  const std::unordered_map<std::string, std::string> extra = {
      {kCodeKey, std::to_string(static_cast<int>(error.code))},
      {kConditionKey, std::string(error.condition)}};
  throw duckdb::Exception({extra.begin(), extra.end()},
                          duckdb::ExceptionType::INVALID_INPUT, error.message);
}

std::string Identifier(std::string_view name) {
  std::string quoted = "\"";
  for (const char c : name) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + '"';
}

std::string Literal(std::string_view text) {
  std::string quoted = "'";
  for (const char c : text) {
    if (c == '\'') quoted += '\'';
    quoted += c;
  }
  return quoted + '\'';
}

}  // namespace bayou::engine

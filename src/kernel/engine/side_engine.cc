// SPDX-License-Identifier: Apache-2.0
#include "kernel/engine/side_engine.h"

#include <algorithm>
#include <duckdb/parallel/task_scheduler.hpp>
#include <duckdb/storage/buffer_manager.hpp>
#include <filesystem>
#include <string>

#include "base/env.h"

namespace bayou::engine {
namespace {

// With less than that, two engines stand in each other's way.
constexpr std::uint64_t kLeastMemory = std::uint64_t{128} << 20;

// Files of two engines must not meet. A folder that is not there yet is the
// session's to make, and to take away.
std::string FolderBeside(const std::string& folder) {
  std::error_code ignored;
  const bool exists = std::filesystem::exists(folder, ignored);
  return folder + (exists ? "/side-" : "-side-") + NewUuid(Env::System());
}

std::unique_ptr<duckdb::DuckDB> Start(duckdb::ClientContext& session,
                                      const std::string& folder,
                                      std::uint64_t memory) {
  duckdb::DBConfig config;
  config.SetOptionByName("autoinstall_known_extensions", false);
  config.SetOptionByName("autoload_known_extensions", false);
  config.SetOptionByName("temp_directory", FolderBeside(folder));
  config.options.maximum_memory = memory;
  config.options.maximum_swap_space =
      duckdb::DBConfig::GetConfig(session).options.maximum_swap_space;
  config.options.maximum_threads = static_cast<duckdb::idx_t>(
      duckdb::TaskScheduler::GetScheduler(session).NumberOfThreads());
  return std::make_unique<duckdb::DuckDB>(nullptr, &config);
}

}  // namespace

SideEngine::SideEngine(duckdb::ClientContext& session, std::uint64_t memory)
    : context_(&session),
      session_memory_(duckdb::BufferManager::GetBufferManager(session)) {
  const std::string& folder = session_memory_.GetTemporaryDirectory();
  memory = std::min(memory, session_memory_.GetMaxMemory() / 2);
  if (folder.empty() || memory < kLeastMemory) return;
  engine_ = Start(session, folder, memory);
  connection_ = std::make_unique<duckdb::Connection>(*engine_);
  connection_->BeginTransaction();  // For looking functions up.
  session_memory_.ReserveMemory(memory);
  memory_ = memory;
  context_ = connection_->context.get();
}

SideEngine::~SideEngine() {
  if (memory_ > 0) session_memory_.FreeReservedMemory(memory_);
}

}  // namespace bayou::engine

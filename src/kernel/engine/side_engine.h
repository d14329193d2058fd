// SPDX-License-Identifier: Apache-2.0
//
// DuckDB beside the session's, for work of ours that takes all the memory that
// it gets, such as sorting a table: with a limit of its own, from which on it
// spills, so that it neither fills the machine nor pushes out what else the
// session works with. Its memory counts as the session's.
#pragma once

#include <cstdint>
#include <duckdb.hpp>
#include <memory>

namespace bayou::engine {

class SideEngine {
 public:
  // With `memory` bytes, but at most half of what the session may take; it
  // spills where the session does. Where that half is little, or the session
  // may not spill, the session itself does the work. Throws, DuckDB's
  // OutOfMemoryException when so much is not free.
  SideEngine(duckdb::ClientContext& session, std::uint64_t memory);
  SideEngine(const SideEngine&) = delete;
  SideEngine& operator=(const SideEngine&) = delete;
  ~SideEngine();

  duckdb::ClientContext& context() { return *context_; }

 private:
  duckdb::ClientContext* context_;
  duckdb::BufferManager& session_memory_;
  std::uint64_t memory_ = 0;                // Taken of the session's.
  std::unique_ptr<duckdb::DuckDB> engine_;  // Null: the session's.
  std::unique_ptr<duckdb::Connection> connection_;
};

}  // namespace bayou::engine

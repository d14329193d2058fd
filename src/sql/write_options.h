// SPDX-License-Identifier: Apache-2.0
//
// What a user says about commits to come, besides what they change: the
// application that writes, its own number for the write, and words for the
// history. Settings say it for a session, SET TRANSACTION for one write:
//
//   SET TRANSACTION 'loader', 7
//   SET TRANSACTION txnAppId = 'loader', txnVersion = 7, userMetadata = 'why'
//
// A write whose number the table has from its application already, or a later
// one, is done: it changes nothing, and is no error. So a program that does not
// know whether it has written may write again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <duckdb.hpp>
#include <duckdb/main/client_context_state.hpp>
#include <optional>
#include <span>
#include <string>

#include "bayou/result.h"
#include "kernel/table/snapshot.h"
#include "sql/token.h"

namespace bayou::sql {

struct WriteOptions {
  std::optional<std::string> app_id;
  std::optional<std::int64_t> app_version;
  std::optional<std::string> user_metadata;
};

// An application's own number of a write.
struct AppVersion {
  std::string app_id;
  std::int64_t version = 0;
};

// What follows SET TRANSACTION, from token `i` on. Errors: kInvalidArgument,
// DELTA_INVALID_IDEMPOTENT_WRITES_OPTIONS.
Result<WriteOptions> ParseSetTransaction(std::span<const Token> tokens,
                                         std::size_t i);

// What SET TRANSACTION said of a connection: it holds for the next write that
// succeeds, and, said between BEGIN and COMMIT, to the end of the transaction.
class NextWrite final : public duckdb::ClientContextState {
 public:
  static NextWrite& Of(duckdb::ClientContext& context);

  void Set(WriteOptions options);
  const WriteOptions& options() const { return options_; }

  void BeginStatement() { is_planned_as_done_ = is_committed_ = false; }
  void PlannedAsDone() { is_planned_as_done_ = true; }
  void Committed() { is_committed_ = true; }
  // With the statement, or long after its BEGIN. `ran`: the statement, maybe
  // the last one, was carried out, and not only explained.
  void EndTransaction(bool had_begin, bool ran);

 private:
  WriteOptions options_;
  // What became of the write of the statement that runs.
  bool is_planned_as_done_ = false;
  bool is_committed_ = false;
};

// The number of the write that is planned, if it has one. Errors: as above,
// where an application has no number, or a number no application.
Result<std::optional<AppVersion>> AppVersionOf(duckdb::ClientContext& context);

// Whether the table has that write already. `table` may be null: a new table.
// Throws the errors of AppVersionOf.
bool IsWritten(duckdb::ClientContext& context, const table::Snapshot* table);

std::optional<std::string> UserMetadataOf(duckdb::ClientContext& context);

}  // namespace bayou::sql

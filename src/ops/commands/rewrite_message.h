// SPDX-License-Identifier: Apache-2.0
//
// A task of OPTIMIZE, and what came of it, as text: so any process that has a
// store and an engine can run one. It needs nothing of the table but the files
// that the task names.
//
// Both are lines of the log's own JSON behind an envelope of ours:
//
//   {"rewriteTask":{"tableVersion":7,"targetFileSize":1073741824,
//                   "partitionValues":{"p":"a"},
//                   "clustering":{"columns":[["c"]],"curve":"zOrder",
//                                 "isTablesOwn":false}}}
//   {"protocol":{...}}
//   {"metaData":{...}}
//   {"add":{...}}                    each file, in the order in which it is
//   read
//
//   {"rewriteReceipt":{"rows":10,"bytes":1200}}
//   {"add":{...}}                    each new file
#pragma once

#include <duckdb.hpp>
#include <memory>
#include <string>
#include <string_view>

#include "base/env.h"
#include "bayou/result.h"
#include "kernel/protocol/actions.h"
#include "kernel/scan/table_scan.h"
#include "kernel/store/store.h"
#include "kernel/table/snapshot.h"
#include "kernel/write/table_writer.h"
#include "ops/commands/file_rewriter.h"
#include "ops/commands/optimize_plan.h"

namespace bayou::commands {

struct RewriteMessage {
  protocol::Version table_version = 0;  // Of which it was planned.
  protocol::Protocol protocol;
  protocol::Metadata metadata;
  RewriteRules rules;
  RewriteTask task;
};

RewriteMessage MessageOf(const table::Snapshot& snapshot,
                         const RewriteRules& rules, const RewriteTask& task);

std::string ToText(const RewriteMessage& message);
std::string ToText(const write::WrittenFiles& receipt);

// Errors: kCorruption, condition DELTA_TASK_INVALID, for a text that is none,
// or not whole.
Result<RewriteMessage> ParseRewriteMessage(std::string_view text);
Result<write::WrittenFiles> ParseRewriteReceipt(std::string_view text);

// Runs the task on `store`, the table's, and commits nothing: the new files are
// whoever's that gets the receipt. Errors: kUnsupported for a protocol that
// Bayou does not write; see FileRewriter::Run.
Result<write::WrittenFiles> RunRewriteTask(duckdb::ClientContext& context,
                                           std::shared_ptr<store::Store> store,
                                           const RewriteMessage& message,
                                           const scan::ScanOptions& options,
                                           Env& env);

}  // namespace bayou::commands

// SPDX-License-Identifier: Apache-2.0
//
// What a commit says about itself: the commitInfo action, in the fields, order
// and encodings of delta-spark, so that anyone's history shows it rightly.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kernel/protocol/actions.h"
#include "kernel/transaction/isolation_level.h"

namespace bayou::transaction {

// The operation that a transaction carries out, for the history.
struct Operation {
  std::string name;  // delta-spark's: `WRITE`, `CREATE TABLE AS SELECT`, ....

  // Name to raw JSON, in order. delta-spark stores strings as JSON strings,
  // booleans and numbers bare, lists and maps as a JSON string of their JSON.
  std::vector<std::pair<std::string, std::string>> parameters;

  // Name to number, in order.
  std::vector<std::pair<std::string, std::int64_t>> metrics;

  std::optional<std::string> user_metadata = {};  // The user's own words.
  protocol::StringMap tags = {};
};

// JSON encodings of operation parameters.
std::string TextParameter(std::string_view text);                  // "text"
std::string ListParameter(const std::vector<std::string>& items);  // "[\"a\"]"
std::string MapParameter(const protocol::StringMap& items);  // "{\"a\":\"b\"}"

struct CommitFacts {
  std::optional<std::int64_t> in_commit_timestamp;  // Milliseconds.
  std::int64_t timestamp = 0;                       // Milliseconds.
  std::optional<protocol::Version> read_version;    // Absent: a new table.
  IsolationLevel isolation = IsolationLevel::kSerializable;
  bool is_blind_append = false;
  std::string txn_id;
};

protocol::CommitInfo MakeCommitInfo(const Operation& operation,
                                    const CommitFacts& facts);

}  // namespace bayou::transaction

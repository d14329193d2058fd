// SPDX-License-Identifier: Apache-2.0
//
// What the simulated table holds at one version, and the statements that change
// it: their SQL, and what it has to mean.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "simulation/chance.h"

namespace bayou::simulation {

// Keys are below this; `p` is a key's tens, by which a table can be
// partitioned.
constexpr int kKeys = 60;

struct Row {
  std::int64_t k = 0;
  std::int64_t v = 0;

  std::int64_t p() const { return k / 10; }
  auto operator<=>(const Row&) const = default;
};

struct TableState {
  std::map<Row, int> rows;  // How often each is there.
  int added_columns = 0;    // Beside k, v and p; nothing but NULL.

  void Add(const Row& row, int count = 1);
  bool operator==(const TableState&) const = default;
};

// A few rows, for messages.
std::string Describe(const TableState& state);

enum class StatementKind : std::uint8_t {
  kAppend,
  kAppendSum,  // Of the values in a range of keys: reads what it does not
               // write.
  kMerge,
  kDelete,
  kUpdate,
  kOverwrite,
  kReplaceWhere,
  kRewrite,  // All rows anew, into one file.
  kOptimize,
  kTruncate,
  kAddColumn,
  kTrackRows,
  kVacuum,
  kVacuumLite,
};

struct Statement {
  StatementKind kind = StatementKind::kAppend;
  int low = 0;  // Keys from `low` to `high` are read or changed.
  int high = 0;
  std::int64_t amount = 0;
  std::vector<Row> rows;  // Appended, or merged: then each key once.
  std::string column;     // Added.

  // Any but kAddColumn.
  static Statement Draw(StatementKind kind, Chance& chance);

  std::string Sql(std::string_view table) const;
  void ApplyTo(TableState& state) const;

  bool IsBlindAppend() const { return kind == StatementKind::kAppend; }
  bool ChangesMetadata() const {
    return kind == StatementKind::kAddColumn ||
           kind == StatementKind::kTrackRows;
  }
  // Says what it did in two commits that change nothing.
  bool IsVacuum() const {
    return kind == StatementKind::kVacuum || kind == StatementKind::kVacuumLite;
  }
  // Nothing would change, so that there may be no commit.
  bool FindsNothingIn(const TableState& state) const;
  // Whether what it does can depend on a row of this key.
  bool Reads(std::int64_t key) const;
};

}  // namespace bayou::simulation

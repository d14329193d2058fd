// SPDX-License-Identifier: Apache-2.0
//
// ALTER TABLE: what it asks for, and what becomes of the table's metadata and
// protocol. Planning opens no file; existing rows that a change depends on are
// for the caller to look at (TableChange::existing_rows).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/env.h"
#include "bayou/result.h"
#include "kernel/protocol/actions.h"
#include "kernel/protocol/schema.h"
#include "kernel/table/snapshot.h"
#include "kernel/transaction/commit_info.h"

namespace bayou::commands {

// A column, or a field inside of one: names from the root. The elements of
// arrays and maps are called element, key and value.
using ColumnPath = std::vector<std::string>;

// Where a column goes among those beside it.
struct ColumnPosition {
  std::optional<std::string> after;  // nullopt: it becomes the first.
};

struct AddColumns {
  struct Column {
    ColumnPath parent;  // Empty: a column of the table.
    protocol::Field field;
    std::optional<ColumnPosition> position;  // nullopt: the last.
  };
  std::vector<Column> columns;
  bool if_not_exists = false;
};

struct DropColumns {
  std::vector<ColumnPath> columns;
  bool if_exists = false;
};

struct RenameColumn {
  ColumnPath column;
  std::string name;
};

// Of the parts those that are there are changed.
struct ChangeColumn {
  ColumnPath column;
  std::optional<protocol::DataType> type;
  std::optional<bool> nullable;
  std::optional<std::string> comment;
  std::optional<ColumnPosition> position;
  std::optional<std::string> default_text;  // Spark SQL.
  bool drop_default = false;
};

struct SetProperties {
  protocol::StringMap properties;
  bool allow_unknown = false;  // Of those that begin with `delta.`.
};

struct UnsetProperties {
  std::vector<std::string> keys;
  bool if_exists = false;
};

struct AddConstraint {
  std::string name;
  std::string text;  // Spark SQL.
};

struct DropConstraint {
  std::string name;
  bool if_exists = false;
};

struct ClusterBy {
  std::vector<ColumnPath> columns;  // Empty: NONE.
};

// The high-water mark of an identity column moves up to the values that the
// table has.
struct SyncIdentity {
  ColumnPath column;
  // The value that is furthest in the direction of the column's steps; nullopt:
  // there is none. For the caller to find out.
  std::optional<std::int64_t> furthest;
};

struct DropFeature {
  std::string name;
  bool truncate_history = false;
};

// What becomes of the row ids of the table's files.
enum class RowIdChange : std::uint8_t {
  kNone,
  kAssign,  // Files that have none get some.
  kForget,
};

using TableAlteration =
    std::variant<AddColumns, DropColumns, RenameColumn, ChangeColumn,
                 SetProperties, UnsetProperties, AddConstraint, DropConstraint,
                 ClusterBy, SyncIdentity, DropFeature>;

struct TableChange {
  protocol::Metadata metadata;
  protocol::Protocol protocol;
  bool changes_metadata = true;
  bool changes_protocol = false;
  std::optional<protocol::DomainMetadata> domain;
  transaction::Operation operation;

  bool reads_table = false;  // It holds for the files that are there alone.
  RowIdChange row_ids = RowIdChange::kNone;  // See row_id_backfill.h.
  // The version that it changes needs a checkpoint first: readers that do not
  // know the feature which goes must find a way past the commits with it.
  bool needs_checkpoint = false;
  // A condition that every row that is there has to satisfy first; reads the
  // table, too.
  struct ExistingRows {
    std::string name;  // For messages.
    std::string text;  // Spark SQL.
  };
  std::optional<ExistingRows> existing_rows;
};

// What the alteration makes of the table.
// Errors: kInvalidArgument and kUnsupported with a condition that says why not,
// and a message that says what would have to be done first.
Result<TableChange> PlanAlteration(const table::Snapshot& table,
                                   const TableAlteration& alteration, Env& env);

}  // namespace bayou::commands

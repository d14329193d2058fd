// SPDX-License-Identifier: Apache-2.0
//
// One checkpoint of a table, of any form: classic, in parts, V2 as JSON or
// Parquet, with sidecars or without.
//
// Its small actions are read into values; its files stay Parquet relations. The
// file actions of a JSON manifest, which is no Parquet, are values as well.
// Protocol: "Checkpoints", "V2 Spec", "Sidecar Files".
#pragma once

#include <duckdb.hpp>
#include <span>
#include <string>
#include <vector>

#include "bayou/result.h"
#include "kernel/log/log_file_name.h"
#include "kernel/protocol/actions.h"
#include "kernel/store/store.h"

namespace bayou::log {

// Parquet files whose columns have the same types.
struct CheckpointRelation {
  std::vector<std::string> files;  // Native paths.
  // The types of the columns `add` and `remove`: structs, or INVALID where the
  // files have no such column.
  duckdb::LogicalType add;
  duckdb::LogicalType remove;
};

struct Checkpoint {
  // Protocol, metadata, transactions, domains; file actions of a JSON manifest.
  std::vector<protocol::Action> actions;
  std::vector<CheckpointRelation> relations;
  std::vector<std::string> sidecars;  // Decoded, relative to the table.
};

struct CheckpointNeeds {
  bool protocol = true;
  bool metadata = true;
};

// Reads the footers and the small actions of the checkpoint that `files` make.
// Leaves out the large actions that nobody `needs`, as newer commits have them.
// Errors: kCorruption, DELTA_CHECKPOINT_UNREADABLE, naming the file that cannot
// be read; DELTA_PATH_OUTSIDE_TABLE for a sidecar that lies elsewhere.
Result<Checkpoint> OpenCheckpoint(store::Store& store,
                                  duckdb::DatabaseInstance& database,
                                  std::span<const LogFileName> files,
                                  const CheckpointNeeds& needs);

// The type of a field of a struct, or INVALID when it has none of that name.
duckdb::LogicalType FieldType(const duckdb::LogicalType& type,
                              std::string_view name);

// What kept a checkpoint's files from being read, as an error that names them.
Error Unreadable(std::span<const std::string> files, const Error& cause);

}  // namespace bayou::log

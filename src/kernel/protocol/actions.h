// SPDX-License-Identifier: Apache-2.0
//
// The actions of the log as values, and their JSON lines.
//
// Protocol: "Actions". Unknown actions and unknown fields are ignored; a field
// that the protocol requires and that is missing or of a wrong type is an
// error.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "bayou/result.h"
#include "kernel/protocol/deletion_vector_descriptor.h"

namespace bayou::protocol {

using Version = std::int64_t;

// Column name (physical under column mapping) to serialized value; nullopt is
// SQL NULL. An empty string also means NULL to readers.
using PartitionValues = std::map<std::string, std::optional<std::string>>;
using StringMap = std::map<std::string, std::string>;
// For maps whose values may be null, like add.tags.
using NullableStringMap = std::map<std::string, std::optional<std::string>>;

struct Protocol {
  int min_reader_version = 1;
  int min_writer_version = 2;
  // Present exactly when the version is 3 (reader), 7 (writer).
  std::optional<std::vector<std::string>> reader_features;
  std::optional<std::vector<std::string>> writer_features;
};

struct Metadata {
  std::string id;
  std::optional<std::string> name;
  std::optional<std::string> description;
  std::string format_provider = "parquet";
  StringMap format_options;
  std::string schema_string;
  std::vector<std::string> partition_columns;  // Logical names.
  std::optional<std::int64_t> created_time;    // Milliseconds.
  StringMap configuration;
};

struct AddFile {
  std::string path;  // As in the log: a URI reference, encoded.
  PartitionValues partition_values;
  std::int64_t size = 0;
  std::int64_t modification_time = 0;  // Milliseconds.
  bool data_change = true;
  std::optional<std::string> stats;  // JSON text; see file_statistics.h.
  NullableStringMap tags;
  std::optional<DeletionVectorDescriptor> deletion_vector;
  std::optional<std::int64_t> base_row_id;
  std::optional<std::int64_t> default_row_commit_version;
  std::optional<std::string> clustering_provider;
};

struct RemoveFile {
  std::string path;
  std::optional<std::int64_t> deletion_timestamp;  // Milliseconds.
  bool data_change = true;
  bool extended_file_metadata = false;
  PartitionValues partition_values;
  std::optional<std::int64_t> size;
  std::optional<std::string> stats;
  NullableStringMap tags;
  std::optional<DeletionVectorDescriptor> deletion_vector;
  std::optional<std::int64_t> base_row_id;
  std::optional<std::int64_t> default_row_commit_version;
};

struct CdcFile {
  std::string path;
  PartitionValues partition_values;
  std::int64_t size = 0;
  NullableStringMap tags;
};

struct SetTransaction {
  std::string app_id;
  std::int64_t version = 0;
  std::optional<std::int64_t> last_updated;
};

struct DomainMetadata {
  std::string domain;
  std::string configuration;
  bool removed = false;
};

// commitInfo is free-form: what Bayou acts on is parsed, the rest stays JSON.
struct CommitInfo {
  std::optional<std::int64_t> timestamp;            // Milliseconds.
  std::optional<std::int64_t> in_commit_timestamp;  // Milliseconds.
  std::optional<std::string> operation;
  std::optional<std::string> txn_id;
  std::optional<bool> is_blind_append;
  std::string json;  // The whole object, as stored.
};

// V2 checkpoints only.
struct CheckpointMetadata {
  Version version = 0;
};
struct Sidecar {
  std::string path;
  std::int64_t size_in_bytes = 0;
  std::int64_t modification_time = 0;
};

using Action = std::variant<Protocol, Metadata, AddFile, RemoveFile, CdcFile,
                            SetTransaction, DomainMetadata, CommitInfo,
                            CheckpointMetadata, Sidecar>;

// 64 MiB.
inline constexpr std::size_t kMaxLineSize = std::size_t{64} << 20;

// Reads the actions of one commit (or compacted log, or V2 JSON manifest):
// newline-delimited JSON. Lines with an unknown action are left out.
// `file` names the text in errors.
// Errors: kCorruption, condition DELTA_LOG_INVALID, with file and line number:
// not JSON (also: truncated, pretty-printed over lines), deeper than 128, a
// line over kMaxLineSize, a required field missing or mistyped, an integer out
// of range, invalid UTF-8, an action key twice in one line.
Result<std::vector<Action>> ParseActions(std::string_view text,
                                         std::string_view file);

// One line of a commit, without the newline, in delta-spark's field order.
std::string ActionToJson(const Action& action);

// The identity of a file in the log: (decoded canonical path, deletion vector).
// Protocol: "Action Reconciliation".
std::string FileKey(std::string_view path,
                    const std::optional<DeletionVectorDescriptor>& vector);

}  // namespace bayou::protocol

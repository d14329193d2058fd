// SPDX-License-Identifier: Apache-2.0
//
// JSON lines to actions: the reading half of actions.h.
#include <algorithm>
#include <bit>
#include <limits>
#include <utility>

#include "base/json.h"
#include "kernel/protocol/actions.h"

namespace bayou::protocol {
namespace {

using simdjson::dom::element;
using simdjson::dom::object;

constexpr std::string_view kSpace = " \t\r";

// Reads the fields of an action and remembers the first that is wrong. A null
// counts as a field that is not there: other writers spell absence so.
class FieldReader {
 public:
  const std::string& problem() const { return problem_; }

  void Missing(std::string_view key) { Problem(key, "is missing"); }

  void Read(std::string_view key, element value, std::string& out) {
    std::string_view text;
    if (value.get(text) == simdjson::SUCCESS) {
      out.assign(text);
    } else if (!value.is_null()) {
      Problem(key, "is no string");
    }
  }

  void Read(std::string_view key, element value, std::int64_t& out) {
    if (value.is_null()) return;
    if (value.get(out) != simdjson::SUCCESS) {
      Problem(key,
              value.is_number() ? "is no 64-bit integer" : "is no integer");
    }
  }

  void Read(std::string_view key, element value, std::int32_t& out) {
    std::int64_t wide = out;
    Read(key, value, wide);
    if (!std::in_range<std::int32_t>(wide)) {
      Problem(key, "is no 32-bit integer");
      return;
    }
    out = static_cast<std::int32_t>(wide);
  }

  void Read(std::string_view key, element value, bool& out) {
    if (value.is_null()) return;
    if (value.get(out) != simdjson::SUCCESS) Problem(key, "is no boolean");
  }

  void Read(std::string_view key, element value,
            std::vector<std::string>& out) {
    if (value.is_null()) return;
    simdjson::dom::array items;
    if (value.get(items) != simdjson::SUCCESS) {
      Problem(key, "is no array");
      return;
    }
    for (element item : items) Read(key, item, out.emplace_back());
  }

  // Values that are no strings keep their JSON text: foreign writers put
  // numbers and booleans where the protocol has strings.
  void Read(std::string_view key, element value, NullableStringMap& out) {
    ReadMap(key, value, [&](std::string_view name, element item) {
      std::string_view text;
      if (item.get(text) == simdjson::SUCCESS) {
        out.insert_or_assign(std::string(name), std::string(text));
      } else if (item.is_null()) {
        out.insert_or_assign(std::string(name), std::nullopt);
      } else {
        out.insert_or_assign(std::string(name), JsonText(item));
      }
    });
  }

  void Read(std::string_view key, element value, StringMap& out) {
    NullableStringMap all;
    Read(key, value, all);
    for (auto& [name, text] : all) {
      if (text) out.insert_or_assign(name, *std::move(text));
    }
  }

  void Read(std::string_view key, element value,
            DeletionVectorDescriptor& out) {
    std::string storage_type;
    bool has_content = false;
    ReadMap(key, value, [&](std::string_view name, element item) {
      if (name == "storageType") {
        Read(name, item, storage_type);
      } else if (name == "pathOrInlineDv") {
        has_content = true;
        Read(name, item, out.path_or_inline_dv);
      } else if (name == "offset") {
        ReadOptional(name, item, out.offset);
      } else if (name == "sizeInBytes") {
        ReadSize(name, item, out.size_in_bytes);
      } else if (name == "cardinality") {
        ReadSize(name, item, out.cardinality);
      }
    });
    if (storage_type.size() != 1) {
      Problem("storageType", "is not one character");
      return;
    }
    out.storage_type = storage_type.front();
    if (!has_content) Missing("pathOrInlineDv");
    if (out.offset && *out.offset < 0) Problem("offset", "is negative");
  }

  template <typename Value>
  void ReadOptional(std::string_view key, element value,
                    std::optional<Value>& out) {
    if (value.is_null()) {
      out.reset();
    } else {
      Read(key, value, out.emplace());
    }
  }

  template <typename Integer>
  void ReadSize(std::string_view key, element value, Integer& out) {
    Read(key, value, out);
    if (out < 0) Problem(key, "is negative");
  }

  template <typename Visit>
  void ReadMap(std::string_view key, element value, Visit visit) {
    if (value.is_null()) return;
    object fields;
    if (value.get(fields) != simdjson::SUCCESS) {
      Problem(key, "is no object");
      return;
    }
    for (const auto& [name, item] : fields) visit(name, item);
  }

 private:
  void Problem(std::string_view key, std::string_view what) {
    if (!problem_.empty()) return;
    problem_.append("field '").append(key).append("' ").append(what);
  }

  std::string problem_;
};

Protocol ReadProtocol(const object& fields, FieldReader& reader) {
  Protocol protocol;
  protocol.min_reader_version = protocol.min_writer_version = 0;
  for (const auto& [key, value] : fields) {
    if (key == "minReaderVersion") {
      reader.ReadSize(key, value, protocol.min_reader_version);
    } else if (key == "minWriterVersion") {
      reader.ReadSize(key, value, protocol.min_writer_version);
    } else if (key == "readerFeatures") {
      reader.ReadOptional(key, value, protocol.reader_features);
    } else if (key == "writerFeatures") {
      reader.ReadOptional(key, value, protocol.writer_features);
    }
  }
  if (protocol.min_reader_version == 0) reader.Missing("minReaderVersion");
  if (protocol.min_writer_version == 0) reader.Missing("minWriterVersion");
  return protocol;
}

// Lenient about id and schemaString, as delta-spark is: there are logs without.
Metadata ReadMetadata(const object& fields, FieldReader& reader) {
  Metadata metadata;
  for (const auto& [key, value] : fields) {
    if (key == "id") {
      reader.Read(key, value, metadata.id);
    } else if (key == "name") {
      reader.ReadOptional(key, value, metadata.name);
    } else if (key == "description") {
      reader.ReadOptional(key, value, metadata.description);
    } else if (key == "format") {
      reader.ReadMap(key, value, [&](std::string_view name, element item) {
        if (name == "provider") {
          reader.Read(name, item, metadata.format_provider);
        } else if (name == "options") {
          reader.Read(name, item, metadata.format_options);
        }
      });
    } else if (key == "schemaString") {
      reader.Read(key, value, metadata.schema_string);
    } else if (key == "partitionColumns") {
      reader.Read(key, value, metadata.partition_columns);
    } else if (key == "configuration") {
      reader.Read(key, value, metadata.configuration);
    } else if (key == "createdTime") {
      reader.ReadOptional(key, value, metadata.created_time);
    }
  }
  return metadata;
}

AddFile ReadAdd(const object& fields, FieldReader& reader) {
  AddFile add;
  for (const auto& [key, value] : fields) {
    if (key == "path") {
      reader.Read(key, value, add.path);
    } else if (key == "partitionValues") {
      reader.Read(key, value, add.partition_values);
    } else if (key == "size") {
      reader.ReadSize(key, value, add.size);
    } else if (key == "modificationTime") {
      reader.Read(key, value, add.modification_time);
    } else if (key == "dataChange") {
      reader.Read(key, value, add.data_change);
    } else if (key == "stats") {
      reader.ReadOptional(key, value, add.stats);
    } else if (key == "tags") {
      reader.Read(key, value, add.tags);
    } else if (key == "deletionVector") {
      reader.ReadOptional(key, value, add.deletion_vector);
    } else if (key == "baseRowId") {
      reader.ReadOptional(key, value, add.base_row_id);
    } else if (key == "defaultRowCommitVersion") {
      reader.ReadOptional(key, value, add.default_row_commit_version);
    } else if (key == "clusteringProvider") {
      reader.ReadOptional(key, value, add.clustering_provider);
    }
  }
  if (add.path.empty()) reader.Missing("path");
  return add;
}

RemoveFile ReadRemove(const object& fields, FieldReader& reader) {
  RemoveFile remove;
  for (const auto& [key, value] : fields) {
    if (key == "path") {
      reader.Read(key, value, remove.path);
    } else if (key == "deletionTimestamp") {
      reader.ReadOptional(key, value, remove.deletion_timestamp);
    } else if (key == "dataChange") {
      reader.Read(key, value, remove.data_change);
    } else if (key == "extendedFileMetadata") {
      reader.Read(key, value, remove.extended_file_metadata);
    } else if (key == "partitionValues") {
      reader.Read(key, value, remove.partition_values);
    } else if (key == "size") {
      reader.ReadOptional(key, value, remove.size);
    } else if (key == "stats") {
      reader.ReadOptional(key, value, remove.stats);
    } else if (key == "tags") {
      reader.Read(key, value, remove.tags);
    } else if (key == "deletionVector") {
      reader.ReadOptional(key, value, remove.deletion_vector);
    } else if (key == "baseRowId") {
      reader.ReadOptional(key, value, remove.base_row_id);
    } else if (key == "defaultRowCommitVersion") {
      reader.ReadOptional(key, value, remove.default_row_commit_version);
    }
  }
  if (remove.path.empty()) reader.Missing("path");
  return remove;
}

CdcFile ReadCdc(const object& fields, FieldReader& reader) {
  CdcFile cdc;
  for (const auto& [key, value] : fields) {
    if (key == "path") {
      reader.Read(key, value, cdc.path);
    } else if (key == "partitionValues") {
      reader.Read(key, value, cdc.partition_values);
    } else if (key == "size") {
      reader.ReadSize(key, value, cdc.size);
    } else if (key == "tags") {
      reader.Read(key, value, cdc.tags);
    }
  }
  if (cdc.path.empty()) reader.Missing("path");
  return cdc;
}

SetTransaction ReadTransaction(const object& fields, FieldReader& reader) {
  SetTransaction transaction;
  std::optional<std::string> app_id;
  std::optional<std::int64_t> version;
  for (const auto& [key, value] : fields) {
    if (key == "appId") {
      reader.ReadOptional(key, value, app_id);
    } else if (key == "version") {
      reader.ReadOptional(key, value, version);
    } else if (key == "lastUpdated") {
      reader.ReadOptional(key, value, transaction.last_updated);
    }
  }
  if (!app_id) reader.Missing("appId");
  if (!version) reader.Missing("version");
  transaction.app_id = std::move(app_id).value_or("");
  transaction.version = version.value_or(0);
  return transaction;
}

DomainMetadata ReadDomainMetadata(const object& fields, FieldReader& reader) {
  DomainMetadata domain;
  for (const auto& [key, value] : fields) {
    if (key == "domain") {
      reader.Read(key, value, domain.domain);
    } else if (key == "configuration") {
      reader.Read(key, value, domain.configuration);
    } else if (key == "removed") {
      reader.Read(key, value, domain.removed);
    }
  }
  if (domain.domain.empty()) reader.Missing("domain");
  return domain;
}

CheckpointMetadata ReadCheckpointMetadata(const object& fields,
                                          FieldReader& reader) {
  std::optional<Version> version;
  for (const auto& [key, value] : fields) {
    if (key == "version") reader.ReadOptional(key, value, version);
  }
  if (!version) reader.Missing("version");
  return {version.value_or(0)};
}

Sidecar ReadSidecar(const object& fields, FieldReader& reader) {
  Sidecar sidecar;
  for (const auto& [key, value] : fields) {
    if (key == "path") {
      reader.Read(key, value, sidecar.path);
    } else if (key == "sizeInBytes") {
      reader.ReadSize(key, value, sidecar.size_in_bytes);
    } else if (key == "modificationTime") {
      reader.Read(key, value, sidecar.modification_time);
    }
  }
  if (sidecar.path.empty()) reader.Missing("path");
  return sidecar;
}

// Free-form: what has an unexpected type is as good as absent.
CommitInfo ReadCommitInfo(const object& fields) {
  CommitInfo info;
  const auto take = [](element value, auto& out) {
    typename std::remove_reference_t<decltype(out)>::value_type read{};
    FieldReader reader;
    reader.Read("", value, read);
    if (reader.problem().empty() && !value.is_null()) out = std::move(read);
  };
  for (const auto& [key, value] : fields) {
    if (key == "timestamp") {
      take(value, info.timestamp);
    } else if (key == "inCommitTimestamp") {
      take(value, info.in_commit_timestamp);
    } else if (key == "operation") {
      take(value, info.operation);
    } else if (key == "txnId") {
      take(value, info.txn_id);
    } else if (key == "isBlindAppend") {
      take(value, info.is_blind_append);
    }
  }
  return info;
}

// The text of the value in `{"<key>":<value>}`, a line that has been parsed.
std::string OnlyValue(std::string_view line, std::string_view key) {
  const std::size_t name = line.find(key);
  const std::size_t first = line.find('{', name + key.size());
  const std::size_t outer_end = line.rfind('}');
  const std::size_t last = line.rfind('}', outer_end - 1);
  return std::string(line.substr(first, last + 1 - first));
}

// What one line holds: an action, nothing that is known, or a fault.
class LineReader {
 public:
  explicit LineReader(std::vector<Action>& actions) : actions_(actions) {}

  // Returns what is wrong with the line; empty when nothing is.
  std::string Read(std::string_view line, const object& root) {
    bool found = false;
    for (const auto& [name, value] : root) {
      if (value.is_null()) continue;
      FieldReader reader;
      object fields;
      if (!IsKnown(name)) continue;
      if (std::exchange(found, true)) return "holds more than one action";
      if (value.get(fields) != simdjson::SUCCESS) {
        return "action '" + std::string(name) + "' is no object";
      }
      actions_.push_back(ReadAction(name, fields, reader));
      if (!reader.problem().empty()) {
        return reader.problem() + " in action '" + std::string(name) + "'";
      }
      if (auto* info = std::get_if<CommitInfo>(&actions_.back())) {
        info->json = root.size() == 1 && line.find(R"("commitInfo")") == 1
                         ? OnlyValue(line, name)
                         : JsonText(value);
      }
    }
    return {};
  }

 private:
  static bool IsKnown(std::string_view name) {
    constexpr std::string_view kNames[] = {
        "add", "remove", "commitInfo",     "metaData",           "protocol",
        "cdc", "txn",    "domainMetadata", "checkpointMetadata", "sidecar"};
    return std::ranges::find(kNames, name) != std::end(kNames);
  }

  static Action ReadAction(std::string_view name, const object& fields,
                           FieldReader& reader) {
    if (name == "add") return ReadAdd(fields, reader);
    if (name == "remove") return ReadRemove(fields, reader);
    if (name == "metaData") return ReadMetadata(fields, reader);
    if (name == "protocol") return ReadProtocol(fields, reader);
    if (name == "cdc") return ReadCdc(fields, reader);
    if (name == "txn") return ReadTransaction(fields, reader);
    if (name == "domainMetadata") return ReadDomainMetadata(fields, reader);
    if (name == "sidecar") return ReadSidecar(fields, reader);
    if (name == "checkpointMetadata") {
      return ReadCheckpointMetadata(fields, reader);
    }
    return ReadCommitInfo(fields);
  }

  std::vector<Action>& actions_;
};

// Parses line after line with one parser. Only the last few lines of a text are
// copied: behind the others stands the padding that simdjson reads into.
class LineParser {
 public:
  explicit LineParser(std::string_view text)
      : text_end_(text.data() + text.size()) {}

  simdjson::simdjson_result<element> Parse(std::string_view line) {
    if (line.size() > capacity_) {
      capacity_ = std::bit_ceil(std::max<std::size_t>(line.size(), 4096));
      if (auto error = parser_.allocate(capacity_, kMaxJsonDepth)) return error;
      if (auto error = parser_.doc.allocate(capacity_)) return error;
    }
    const auto behind = text_end_ - (line.data() + line.size());
    const bool copy = behind < std::ptrdiff_t{simdjson::SIMDJSON_PADDING};
    return parser_.parse(line.data(), line.size(), copy);
  }

 private:
  const char* text_end_;
  std::size_t capacity_ = 0;
  simdjson::dom::parser parser_;
};

// Enough for all lines of a real commit, bounded for a text of newlines only.
std::size_t ExpectedActions(std::string_view text) {
  constexpr std::size_t kSmallLine = 128;
  const std::size_t most = text.size() / kSmallLine + 1;
  std::size_t lines = 1;
  for (std::size_t at = text.find('\n');
       at != std::string_view::npos && lines < most;
       at = text.find('\n', at + 1)) {
    ++lines;
  }
  return lines;
}

std::string_view Trim(std::string_view line) {
  const std::size_t first = line.find_first_not_of(kSpace);
  if (first == std::string_view::npos) return {};
  return line.substr(first, line.find_last_not_of(kSpace) + 1 - first);
}

}  // namespace

Result<std::vector<Action>> ParseActions(std::string_view text,
                                         std::string_view file) {
  std::vector<Action> actions;
  actions.reserve(ExpectedActions(text));
  LineParser parser(text);
  LineReader reader(actions);
  std::size_t number = 0;
  for (std::string_view rest = text; !rest.empty();) {
    ++number;
    const std::size_t size = std::min(rest.find('\n'), rest.size());
    const std::string_view line = Trim(rest.substr(0, size));
    rest.remove_prefix(std::min(size + 1, rest.size()));
    if (line.empty()) continue;

    std::string problem;
    object root;
    if (line.size() > kMaxLineSize) {
      problem = "is longer than 64 MiB";
    } else if (auto error = parser.Parse(line).get(root)) {
      problem = std::string("is no JSON object: ") + error_message(error);
    } else {
      problem = reader.Read(line, root);
    }
    if (!problem.empty()) {
      return Fail(ErrorCode::kCorruption, "DELTA_LOG_INVALID",
                  std::string(file) + ", line " + std::to_string(number) +
                      ": " + problem);
    }
  }
  return actions;
}

}  // namespace bayou::protocol

// SPDX-License-Identifier: Apache-2.0
//
// Actions to JSON lines: the writing half of actions.h. The order of the fields
// is delta-spark's.
#include "base/json.h"
#include "kernel/protocol/actions.h"

namespace bayou::protocol {
namespace {

class FieldWriter {
 public:
  explicit FieldWriter(JsonBuffer& buffer) : writer_(buffer) {}

  void Open(std::string_view key) {
    WriteKey(writer_, key);
    writer_.StartObject();
  }
  void Close() { writer_.EndObject(); }

  template <typename Value>
  void Field(std::string_view key, const Value& value) {
    WriteKey(writer_, key);
    Write(value);
  }
  template <typename Value>
  void Field(std::string_view key, const std::optional<Value>& value) {
    if (value) Field(key, *value);
  }
  void Tags(const NullableStringMap& tags) {
    if (!tags.empty()) Field("tags", tags);
  }
  void Start() { writer_.StartObject(); }

 private:
  void Write(std::string_view text) { WriteString(writer_, text); }
  void Write(const std::string& text) { WriteString(writer_, text); }
  void Write(std::int64_t number) { writer_.Int64(number); }
  void Write(std::int32_t number) { writer_.Int(number); }
  void Write(bool value) { writer_.Bool(value); }
  void Write(const std::vector<std::string>& items) {
    writer_.StartArray();
    for (const std::string& item : items) Write(item);
    writer_.EndArray();
  }
  void Write(const StringMap& map) {
    writer_.StartObject();
    for (const auto& [key, value] : map) Field(key, value);
    writer_.EndObject();
  }
  void Write(const NullableStringMap& map) {
    writer_.StartObject();
    for (const auto& [key, value] : map) {
      WriteKey(writer_, key);
      if (value) {
        Write(*value);
      } else {
        writer_.Null();
      }
    }
    writer_.EndObject();
  }
  void Write(const DeletionVectorDescriptor& vector) {
    writer_.StartObject();
    Field("storageType", std::string_view(&vector.storage_type, 1));
    Field("pathOrInlineDv", vector.path_or_inline_dv);
    Field("offset", vector.offset);
    Field("sizeInBytes", vector.size_in_bytes);
    Field("cardinality", vector.cardinality);
    writer_.EndObject();
  }

  JsonWriter writer_;
};

void Write(const Protocol& protocol, FieldWriter& out) {
  out.Open("protocol");
  out.Field("minReaderVersion", protocol.min_reader_version);
  out.Field("minWriterVersion", protocol.min_writer_version);
  out.Field("readerFeatures", protocol.reader_features);
  out.Field("writerFeatures", protocol.writer_features);
  out.Close();
}

void Write(const Metadata& metadata, FieldWriter& out) {
  out.Open("metaData");
  out.Field("id", metadata.id);
  out.Field("name", metadata.name);
  out.Field("description", metadata.description);
  out.Open("format");
  out.Field("provider", metadata.format_provider);
  out.Field("options", metadata.format_options);
  out.Close();
  out.Field("schemaString", metadata.schema_string);
  out.Field("partitionColumns", metadata.partition_columns);
  out.Field("configuration", metadata.configuration);
  out.Field("createdTime", metadata.created_time);
  out.Close();
}

void Write(const AddFile& add, FieldWriter& out) {
  out.Open("add");
  out.Field("path", add.path);
  out.Field("partitionValues", add.partition_values);
  out.Field("size", add.size);
  out.Field("modificationTime", add.modification_time);
  out.Field("dataChange", add.data_change);
  out.Field("stats", add.stats);
  out.Tags(add.tags);
  out.Field("deletionVector", add.deletion_vector);
  out.Field("baseRowId", add.base_row_id);
  out.Field("defaultRowCommitVersion", add.default_row_commit_version);
  out.Field("clusteringProvider", add.clustering_provider);
  out.Close();
}

void Write(const RemoveFile& remove, FieldWriter& out) {
  out.Open("remove");
  out.Field("path", remove.path);
  out.Field("deletionTimestamp", remove.deletion_timestamp);
  out.Field("dataChange", remove.data_change);
  // Without this promise nobody may rely on partition values; some writers
  // leave them out then, and an empty map would say something else.
  if (remove.extended_file_metadata) {
    out.Field("extendedFileMetadata", true);
    out.Field("partitionValues", remove.partition_values);
  } else if (!remove.partition_values.empty()) {
    out.Field("partitionValues", remove.partition_values);
  }
  out.Field("size", remove.size);
  out.Tags(remove.tags);
  out.Field("deletionVector", remove.deletion_vector);
  out.Field("baseRowId", remove.base_row_id);
  out.Field("defaultRowCommitVersion", remove.default_row_commit_version);
  out.Field("stats", remove.stats);
  out.Close();
}

void Write(const CdcFile& cdc, FieldWriter& out) {
  out.Open("cdc");
  out.Field("path", cdc.path);
  out.Field("partitionValues", cdc.partition_values);
  out.Field("size", cdc.size);
  out.Field("dataChange", false);
  out.Tags(cdc.tags);
  out.Close();
}

void Write(const SetTransaction& transaction, FieldWriter& out) {
  out.Open("txn");
  out.Field("appId", transaction.app_id);
  out.Field("version", transaction.version);
  out.Field("lastUpdated", transaction.last_updated);
  out.Close();
}

void Write(const DomainMetadata& domain, FieldWriter& out) {
  out.Open("domainMetadata");
  out.Field("domain", domain.domain);
  out.Field("configuration", domain.configuration);
  out.Field("removed", domain.removed);
  out.Close();
}

void Write(const CheckpointMetadata& checkpoint, FieldWriter& out) {
  out.Open("checkpointMetadata");
  out.Field("version", checkpoint.version);
  out.Close();
}

void Write(const Sidecar& sidecar, FieldWriter& out) {
  out.Open("sidecar");
  out.Field("path", sidecar.path);
  out.Field("sizeInBytes", sidecar.size_in_bytes);
  out.Field("modificationTime", sidecar.modification_time);
  out.Close();
}

}  // namespace

std::string ActionToJson(const Action& action) {
  if (const auto* info = std::get_if<CommitInfo>(&action)) {
    return R"({"commitInfo":)" + info->json + "}";
  }
  JsonBuffer buffer;
  FieldWriter out(buffer);
  out.Start();
  std::visit(
      [&](const auto& value) {
        if constexpr (!std::is_same_v<decltype(value), const CommitInfo&>) {
          Write(value, out);
        }
      },
      action);
  out.Close();
  return TakeText(buffer);
}

}  // namespace bayou::protocol

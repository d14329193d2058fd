// SPDX-License-Identifier: Apache-2.0
#include "ops/commands/rewrite_message.h"

#include <algorithm>
#include <atomic>
#include <utility>
#include <variant>
#include <vector>

#include "base/json.h"
#include "kernel/protocol/table_features.h"

namespace bayou::commands {
namespace {

using protocol::Action;
using protocol::AddFile;
using simdjson::dom::element;
using simdjson::dom::object;
using write::WrittenFiles;

constexpr std::string_view kTask = "rewriteTask";
constexpr std::string_view kReceipt = "rewriteReceipt";
constexpr std::string_view kZOrder = "zOrder";
constexpr std::string_view kHilbert = "hilbert";

tl::unexpected<Error> Invalid(std::string_view what) {
  return Fail(ErrorCode::kCorruption, "DELTA_TASK_INVALID",
              "this is no task of OPTIMIZE and no receipt of one: " +
                  std::string(what));
}

// -------------------------------------------------------------------- writing

void Write(JsonWriter& writer, const protocol::PartitionValues& values) {
  writer.StartObject();
  for (const auto& [column, value] : values) {
    WriteKey(writer, column);
    if (value) {
      WriteString(writer, *value);
    } else {
      writer.Null();
    }
  }
  writer.EndObject();
}

void Write(JsonWriter& writer, const Clustering& clustering) {
  writer.StartObject();
  writer.Key("columns");
  writer.StartArray();
  for (const auto& path : clustering.columns) {
    writer.StartArray();
    for (const std::string& name : path) WriteString(writer, name);
    writer.EndArray();
  }
  writer.EndArray();
  writer.Key("curve");
  WriteString(writer, clustering.curve == Curve::kZOrder ? kZOrder : kHilbert);
  writer.Key("isTablesOwn");
  writer.Bool(clustering.is_tables_own);
  writer.EndObject();
}

// `fields` writes those of the envelope.
template <typename Fields>
std::string Envelope(std::string_view name, Fields fields) {
  JsonBuffer buffer;
  JsonWriter writer(buffer);
  writer.StartObject();
  WriteKey(writer, name);
  writer.StartObject();
  fields(writer);
  writer.EndObject();
  writer.EndObject();
  return TakeText(buffer) + "\n";
}

std::string Lines(const std::vector<AddFile>& files) {
  std::string text;
  for (const AddFile& file : files) text += protocol::ActionToJson(file) + "\n";
  return text;
}

// -------------------------------------------------------------------- reading

Result<std::int64_t> ReadCount(const object& fields, const char* key) {
  std::int64_t count = -1;
  if (fields[key].get(count) == simdjson::SUCCESS && count >= 0) return count;
  return Invalid(std::string(key) + " is missing, or is no count");
}

Result<protocol::PartitionValues> ReadPartition(const object& fields) {
  object values;
  if (fields["partitionValues"].get(values) != simdjson::SUCCESS)
    return Invalid("it has no partitionValues");
  protocol::PartitionValues partition;
  for (const auto& [key, value] : values) {
    std::string_view text;
    auto& stored = partition[std::string(key)];
    if (value.is_null()) continue;
    if (value.get(text) != simdjson::SUCCESS)
      return Invalid("a partition value is no text");
    stored = std::string(text);
  }
  return partition;
}

Result<Clustering> ReadClustering(const object& fields) {
  Clustering clustering;
  simdjson::dom::array columns;
  std::string_view curve;
  if (fields["columns"].get(columns) != simdjson::SUCCESS ||
      columns.size() == 0 || fields["curve"].get(curve) != simdjson::SUCCESS ||
      (curve != kZOrder && curve != kHilbert) ||
      fields["isTablesOwn"].get(clustering.is_tables_own) != simdjson::SUCCESS)
    return Invalid("its clustering is incomplete");
  clustering.curve = curve == kZOrder ? Curve::kZOrder : Curve::kHilbert;
  for (const element column : columns) {
    simdjson::dom::array names;
    if (column.get(names) != simdjson::SUCCESS || names.size() == 0)
      return Invalid("a column to cluster by has no name");
    auto& path = clustering.columns.emplace_back();
    for (const element name : names) {
      std::string_view text;
      if (name.get(text) != simdjson::SUCCESS)
        return Invalid("a name of a column is no text");
      path.emplace_back(text);
    }
  }
  return clustering;
}

// The fields of an envelope, and the actions behind it.
struct Opened {
  simdjson::dom::parser parser;
  object fields;
  std::vector<Action> actions;
};

Status Open(std::string_view text, std::string_view name, Opened& opened) {
  const std::size_t end = std::min(text.find('\n'), text.size());
  const auto envelope = ParseJson(opened.parser, text.substr(0, end));
  if (!envelope || (*envelope)[name].get(opened.fields) != simdjson::SUCCESS)
    return Invalid("its first line is no " + std::string(name));
  auto actions = protocol::ParseActions(text.substr(end), name);
  if (!actions) return Invalid(actions.error().message);
  opened.actions = *std::move(actions);
  return {};
}

template <typename Kind>
Status TakeOnly(std::vector<Action>& actions, std::string_view name,
                Kind& into) {
  int found = 0;
  for (Action& action : actions) {
    Kind* one = std::get_if<Kind>(&action);
    if (one == nullptr) continue;
    into = std::move(*one);
    ++found;
  }
  if (found == 1) return {};
  return Invalid("it has not one " + std::string(name));
}

std::vector<AddFile> TakeFiles(std::vector<Action>& actions) {
  std::vector<AddFile> files;
  for (Action& action : actions) {
    if (auto* file = std::get_if<AddFile>(&action))
      files.push_back(std::move(*file));
  }
  return files;
}

}  // namespace

RewriteMessage MessageOf(const table::Snapshot& snapshot,
                         const RewriteRules& rules, const RewriteTask& task) {
  return {snapshot.version(), snapshot.protocol(), snapshot.metadata(), rules,
          task};
}

std::string ToText(const RewriteMessage& message) {
  const RewriteRules& rules = message.rules;
  return Envelope(kTask,
                  [&](JsonWriter& writer) {
                    writer.Key("tableVersion");
                    writer.Int64(message.table_version);
                    writer.Key("targetFileSize");
                    writer.Int64(rules.target_file_size);
                    writer.Key("partitionValues");
                    Write(writer, message.task.partition);
                    if (!rules.clustering) return;
                    writer.Key("clustering");
                    Write(writer, *rules.clustering);
                  }) +
         protocol::ActionToJson(message.protocol) + "\n" +
         protocol::ActionToJson(message.metadata) + "\n" +
         Lines(message.task.files);
}

std::string ToText(const WrittenFiles& receipt) {
  return Envelope(kReceipt,
                  [&](JsonWriter& writer) {
                    writer.Key("rows");
                    writer.Int64(receipt.rows);
                    writer.Key("bytes");
                    writer.Int64(receipt.bytes);
                  }) +
         Lines(receipt.files);
}

Result<RewriteMessage> ParseRewriteMessage(std::string_view text) {
  Opened opened;
  BAYOU_TRY(Open(text, kTask, opened));
  RewriteMessage message;
  BAYOU_ASSIGN(message.table_version, ReadCount(opened.fields, "tableVersion"));
  BAYOU_ASSIGN(message.rules.target_file_size,
               ReadCount(opened.fields, "targetFileSize"));
  BAYOU_ASSIGN(message.task.partition, ReadPartition(opened.fields));
  object clustering;
  if (opened.fields["clustering"].get(clustering) == simdjson::SUCCESS) {
    BAYOU_ASSIGN(message.rules.clustering, ReadClustering(clustering));
  }
  BAYOU_TRY(TakeOnly(opened.actions, "protocol", message.protocol));
  BAYOU_TRY(TakeOnly(opened.actions, "metaData", message.metadata));
  message.task.files = TakeFiles(opened.actions);
  if (message.task.files.empty()) return Invalid("it names no file");
  return message;
}

Result<WrittenFiles> ParseRewriteReceipt(std::string_view text) {
  Opened opened;
  BAYOU_TRY(Open(text, kReceipt, opened));
  WrittenFiles receipt;
  BAYOU_ASSIGN(receipt.rows, ReadCount(opened.fields, "rows"));
  BAYOU_ASSIGN(receipt.bytes, ReadCount(opened.fields, "bytes"));
  receipt.files = TakeFiles(opened.actions);
  return receipt;
}

Result<WrittenFiles> RunRewriteTask(duckdb::ClientContext& context,
                                    std::shared_ptr<store::Store> store,
                                    const RewriteMessage& message,
                                    const scan::ScanOptions& options,
                                    Env& env) {
  BAYOU_TRY(protocol::CheckWritable(message.protocol, message.metadata,
                                    store->location()));
  std::vector<Action> actions = {message.protocol, message.metadata};
  actions.insert(actions.end(), message.task.files.begin(),
                 message.task.files.end());
  BAYOU_ASSIGN(auto table,
               table::Snapshot::Preview(std::move(store), *context.db, nullptr,
                                        std::move(actions)));
  BAYOU_ASSIGN(const FileRewriter rewriter,
               FileRewriter::Prepare(context, std::move(table), options,
                                     message.rules, env));
  std::atomic<std::int64_t> bytes_done = 0;
  BAYOU_ASSIGN(auto written, rewriter.Run({&message.task, 1}, bytes_done));
  return std::move(written.front());
}

}  // namespace bayou::commands

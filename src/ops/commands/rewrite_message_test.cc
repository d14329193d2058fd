// SPDX-License-Identifier: Apache-2.0
#include "ops/commands/rewrite_message.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace bayou::commands {
namespace {

protocol::AddFile File(std::string path) {
  protocol::AddFile file;
  file.path = std::move(path);
  file.partition_values = {{"p", "a\"b"}, {"q", std::nullopt}};
  file.size = 7;
  file.modification_time = 8;
  file.data_change = false;
  file.base_row_id = 9;
  file.default_row_commit_version = 2;
  file.deletion_vector = protocol::DeletionVectorDescriptor{
      'i', "wi5b=000010000siXQKl0rr91000f55c8Xg0@@D72lkbi5=-{L", {}, 40, 6};
  return file;
}

RewriteMessage Message() {
  RewriteMessage message;
  message.table_version = 7;
  message.protocol.min_reader_version = 1;
  message.protocol.min_writer_version = 2;
  message.metadata.id = "id";
  message.metadata.schema_string = R"({"type":"struct","fields":[]})";
  message.metadata.partition_columns = {"p", "q"};
  message.rules.target_file_size = 1000;
  message.task.partition = {{"p", "a\"b"}, {"q", std::nullopt}};
  message.task.files = {File("p=a/1.parquet"), File("p=a/2.parquet")};
  return message;
}

Clustering ByColumns() {
  Clustering clustering;
  clustering.columns = {{"a", "b c"}, {"d"}};
  clustering.curve = Curve::kHilbert;
  clustering.is_tables_own = true;
  return clustering;
}

TEST(RewriteMessage, IsTheSameReadAgain) {
  RewriteMessage message = Message();
  const std::string text = ToText(message);
  EXPECT_EQ(ToText(ParseRewriteMessage(text).value()), text);
  message.rules.clustering = ByColumns();
  const std::string clustered = ToText(message);
  const RewriteMessage again = ParseRewriteMessage(clustered).value();
  EXPECT_EQ(ToText(again), clustered);
  EXPECT_EQ(again.table_version, 7);
  EXPECT_EQ(again.rules.target_file_size, 1000);
  EXPECT_EQ(again.task.partition, message.task.partition);
  ASSERT_EQ(again.task.files.size(), 2U);
  EXPECT_EQ(again.task.files[1].path, "p=a/2.parquet");
  EXPECT_EQ(again.task.files[1].base_row_id, 9);
  EXPECT_EQ(again.rules.clustering->columns, ByColumns().columns);
  EXPECT_EQ(again.rules.clustering->curve, Curve::kHilbert);
  EXPECT_TRUE(again.rules.clustering->is_tables_own);
}

TEST(RewriteMessage, AReceiptIsTheSameReadAgain) {
  write::WrittenFiles receipt{{File("new")}, 10, 20};
  const std::string text = ToText(receipt);
  const auto again = ParseRewriteReceipt(text).value();
  EXPECT_EQ(again.rows, 10);
  EXPECT_EQ(again.bytes, 20);
  EXPECT_EQ(ToText(again), text);
  EXPECT_EQ(ToText(ParseRewriteReceipt(ToText(write::WrittenFiles{})).value()),
            ToText(write::WrittenFiles{}));
}

std::string Without(std::string text, const std::string& part) {
  const auto at = text.find(part);
  EXPECT_NE(at, std::string::npos) << part;
  return text.erase(at, part.size());
}

TEST(RewriteMessage, WhatIsBrokenIsNoTask) {
  RewriteMessage message = Message();
  message.rules.clustering = ByColumns();
  const std::string text = ToText(message);
  const std::string protocol = ActionToJson(message.protocol) + "\n";
  std::vector<std::string> broken = {
      "",
      "\n",
      "{}",
      "[]",
      "{\"rewriteTask\":7}",
      "{\"rewriteReceipt\":{\"rows\":1,\"bytes\":1}}",
      text.substr(0, text.size() / 2),
      text.substr(0, text.find('\n')),
      text + protocol,
      Without(text, protocol),
      Without(text, ActionToJson(message.metadata) + "\n"),
      Without(Without(text, ActionToJson(message.task.files[0]) + "\n"),
              ActionToJson(message.task.files[1]) + "\n"),
      Without(text, "\"tableVersion\":7,"),
      Without(text, "\"targetFileSize\":1000,"),
      Without(text, R"("partitionValues":{"p":"a\"b","q":null},)"),
      Without(text, R"(["a","b c"],["d"])"),
      Without(text, R"("a","b c")"),
      Without(text, R"(,"curve":"hilbert")"),
      Without(text, R"(,"isTablesOwn":true)"),
  };
  for (const auto& [from, to] :
       std::vector<std::pair<const char*, const char*>>{
           {"\"tableVersion\":7", "\"tableVersion\":-7"},
           {"\"tableVersion\":7", "\"tableVersion\":\"7\""},
           {"hilbert", "peano"},
           {"\"d\"", "7"},
           {"\"q\":null", "\"q\":7"},
       }) {
    std::string changed = text;
    broken.push_back(
        changed.replace(changed.find(from), std::string(from).size(), to));
  }
  for (const std::string& one : broken) {
    const auto parsed = ParseRewriteMessage(one);
    ASSERT_FALSE(parsed) << one;
    EXPECT_EQ(parsed.error().condition, "DELTA_TASK_INVALID") << one;
    EXPECT_EQ(parsed.error().code, ErrorCode::kCorruption) << one;
  }
  for (const char* one :
       {"", "{\"rewriteReceipt\":{}}", "{\"rewriteReceipt\":{\"rows\":-1}}",
        "{\"rewriteReceipt\":{\"rows\":1,\"bytes\":1}}\n{\"add\":{}}"}) {
    const auto parsed = ParseRewriteReceipt(one);
    ASSERT_FALSE(parsed) << one;
    EXPECT_EQ(parsed.error().condition, "DELTA_TASK_INVALID") << one;
  }
}

}  // namespace
}  // namespace bayou::commands

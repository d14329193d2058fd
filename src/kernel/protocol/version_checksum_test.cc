// SPDX-License-Identifier: Apache-2.0
#include "kernel/protocol/version_checksum.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace bayou::protocol {
namespace {

using ::testing::HasSubstr;

constexpr char kMetadata[] =
    R"("metadata":{"id":"m","format":{"provider":"parquet","options":{}},)"
    R"("schemaString":"{\"type\":\"struct\",\"fields\":[]}",)"
    R"("partitionColumns":[],"configuration":{"a":"b"},"createdTime":5})";
constexpr char kProtocol[] =
    R"("protocol":{"minReaderVersion":1,"minWriterVersion":2})";

std::string Numbers(const char* files = "2") {
  return R"("tableSizeBytes":15,"numFiles":)" + std::string(files) +
         R"(,"numMetadata":1,"numProtocol":1)";
}

Result<VersionChecksum> Parse(const std::string& fields) {
  return ParseVersionChecksum("{" + fields + "}", "7.crc");
}

TEST(VersionChecksum, IsWrittenAsDeltaSparkWritesIt) {
  const std::string json =
      R"({"txnId":"t",)" + Numbers() + R"(,"inCommitTimestampOpt":9,)" +
      R"("setTransactions":[{"appId":"a","version":3}],)" +
      R"("domainMetadata":[{"domain":"d","configuration":"{}","removed":false}],)" +
      kMetadata + "," + kProtocol + "}";
  const auto checksum = ParseVersionChecksum(json, "7.crc");
  ASSERT_TRUE(checksum) << checksum.error().message;
  EXPECT_EQ(checksum->txn_id, "t");
  EXPECT_EQ(checksum->num_files, 2);
  EXPECT_EQ(checksum->table_size_bytes, 15);
  EXPECT_EQ(checksum->in_commit_timestamp, 9);
  ASSERT_EQ(checksum->set_transactions->size(), 1U);
  EXPECT_EQ(checksum->set_transactions->front().version, 3);
  EXPECT_EQ(checksum->domain_metadata->front().domain, "d");
  EXPECT_EQ(checksum->metadata->configuration.at("a"), "b");
  EXPECT_EQ(VersionChecksumToJson(*checksum), json);
}

TEST(VersionChecksum, NeedsOnlyTheNumbersAsOldOnesHaveNoMore) {
  const auto good =
      Parse(Numbers() + R"(,"txnId":null,"setTransactions":null)"
                        R"(,"metadata":null,"numTransactions":0)"
                        R"(,"allFiles":[{"path":"p"}],"newField":[])");
  ASSERT_TRUE(good) << good.error().message;
  EXPECT_FALSE(good->txn_id);
  EXPECT_FALSE(good->set_transactions);
  EXPECT_FALSE(good->metadata);
  EXPECT_FALSE(good->protocol);
  EXPECT_FALSE(good->in_commit_timestamp);
}

TEST(VersionChecksum, WhatIsBrokenIsRefused) {
  const std::string rest = std::string(",") + kMetadata + "," + kProtocol;
  const struct {
    std::string text;
    const char* reason;
  } kBroken[] = {
      {"", "no JSON object"},
      {"[]", "no JSON object"},
      {"{", "no JSON object"},
      {"{}", "tableSizeBytes is missing"},
      {"{" + Numbers("-1") + rest + "}", "numFiles"},
      {"{" + Numbers("1.5") + rest + "}", "numFiles"},
      {"{" + Numbers("\"2\"") + rest + "}", "numFiles"},
      {"{" + Numbers("9223372036854775808") + rest + "}", "numFiles"},
      {R"({"tableSizeBytes":1,"numFiles":1,"numMetadata":2,"numProtocol":1)" +
           rest + "}",
       "numMetadata is not 1"},
      {"{" + Numbers() + R"(,"metadata":[],)" + kProtocol + "}",
       "is no object"},
      {"{" + Numbers() + "," + kMetadata + R"(,"protocol":{}})",
       "minReaderVersion"},
      {"{" + Numbers() + rest + R"(,"setTransactions":{}})", "no array"},
      {"{" + Numbers() + rest + R"(,"setTransactions":[{"appId":"a"}]})",
       "version"},
      {"{" + Numbers() + rest + R"(,"domainMetadata":[3]})", "is no object"},
  };
  for (const auto& broken : kBroken) {
    const auto checksum = ParseVersionChecksum(broken.text, "t/7.crc");
    ASSERT_FALSE(checksum) << broken.text;
    EXPECT_EQ(checksum.error().condition, "DELTA_CHECKSUM_INVALID");
    EXPECT_THAT(checksum.error().message, HasSubstr("t/7.crc"));
    EXPECT_THAT(checksum.error().message, HasSubstr(broken.reason));
  }
}

}  // namespace
}  // namespace bayou::protocol

// SPDX-License-Identifier: Apache-2.0
#include "kernel/engine/store_file_system.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "kernel/engine/engine.h"
#include "kernel/store/faulty_store.h"
#include "kernel/store/location.h"
#include "kernel/store/memory_store.h"

namespace bayou::engine {
namespace {

using store::CallKind;
using store::Fault;
using store::StoreCall;

class StoreFileSystemTest : public ::testing::Test {
 protected:
  void SetUp() override {
    store::RegisterScheme("fs-test", [this](const std::string& location) {
      return store::MakeFaultyStore(
          memory_->Open(location == "fs-test://x" ? "" : "elsewhere", location),
          store::MakeAdversary([this](const StoreCall& call) {
            seen_.insert(call.kind);
            return call.kind == spoiled_ ? Fault::kRefused : Fault::kNone;
          }));
    });
  }

  Status Do(const std::string& sql) {
    BAYOU_TRY(engine::Run(*connection_, sql));
    return {};
  }

  std::shared_ptr<store::Memory> memory_ = store::Memory::Make();
  std::set<CallKind> seen_;
  std::optional<CallKind> spoiled_;
  std::shared_ptr<duckdb::DuckDB> database_ = StartEngine({}).value();
  std::unique_ptr<duckdb::Connection> connection_ =
      Connect(*database_->instance);
};

TEST_F(StoreFileSystemTest, DuckDBWritesAndReadsThroughTheStore) {
  ASSERT_TRUE(
      Do("COPY (SELECT range AS i, 'x' || range AS s FROM "
         "range(100000)) TO 'fs-test://x/a b/[c]*.parquet' "
         "(FORMAT parquet, USE_TMP_FILE false)"));
  const auto store = memory_->Open("a b", "");
  EXPECT_THAT(store->Read("[c]*.parquet").value(),
              ::testing::StartsWith("PAR1"));
  const auto read = engine::Run(*connection_,
                                "SELECT sum(i), max(s) FROM "
                                "read_parquet('fs-test://x/a b/[c]*.parquet')");
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ((*read)->GetValue(0, 0).ToString(), "4999950000");
  EXPECT_EQ((*read)->GetValue(1, 0).ToString(), "x99999");
  EXPECT_TRUE(seen_.contains(CallKind::kPut));
  EXPECT_TRUE(seen_.contains(CallKind::kReadRange));
}

TEST_F(StoreFileSystemTest, ReadsLinesAndSeeks) {
  ASSERT_TRUE(memory_->Open("", "")->Put("a.csv", "i,j\n1,2\n3,4\n"));
  const auto read = engine::Run(
      *connection_, "SELECT sum(i * j) FROM read_csv('fs-test://x/a.csv')");
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ((*read)->GetValue(0, 0).ToString(), "14");
}

TEST_F(StoreFileSystemTest, AFileThatWasNotClosedWasNeverThere) {
  EXPECT_FALSE(
      Do("COPY (SELECT error('no') FROM range(3)) TO "
         "'fs-test://x/a.parquet' (FORMAT parquet, USE_TMP_FILE "
         "false)"));
  EXPECT_FALSE(memory_->Open("", "")->Head("a.parquet"));
}

TEST_F(StoreFileSystemTest, WhatTheStoreSaysComesOutOfDuckDBAsItWentIn) {
  const std::string copy =
      "COPY (SELECT 1) TO 'fs-test://x/a.parquet' (FORMAT parquet, "
      "USE_TMP_FILE false)";
  spoiled_ = CallKind::kPut;
  const Status written = Do(copy);
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().code, ErrorCode::kUnavailable);
  EXPECT_THAT(written.error().message, ::testing::HasSubstr("a.parquet"));
  spoiled_.reset();
  ASSERT_TRUE(Do(copy));
  spoiled_ = CallKind::kReadRange;
  const Status read = Do("FROM read_parquet('fs-test://x/a.parquet')");
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().code, ErrorCode::kUnavailable);
}

TEST_F(StoreFileSystemTest, AMissingFileIsNotFound) {
  const Status read = Do("FROM read_parquet('fs-test://x/none.parquet')");
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().code, ErrorCode::kNotFound);
}

TEST_F(StoreFileSystemTest, PathsOfTheDiskAreLeftToDuckDB) {
  EXPECT_TRUE(Do("COPY (SELECT 1 AS i) TO '/dev/null' (FORMAT csv)"));
  EXPECT_TRUE(seen_.empty());
}

}  // namespace
}  // namespace bayou::engine

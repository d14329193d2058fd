// SPDX-License-Identifier: Apache-2.0
#include "kernel/engine/side_engine.h"

#include <gtest/gtest.h>

#include <duckdb/storage/buffer_manager.hpp>
#include <filesystem>
#include <optional>

#include "kernel/engine/engine.h"

namespace bayou::engine {
namespace {

constexpr std::uint64_t kMegabyte = std::uint64_t{1} << 20;

class SideEngineTest : public ::testing::Test {
 public:
  ~SideEngineTest() override {
    connection_.reset();
    engine_.reset();
    std::filesystem::remove_all(folder_);
  }

 protected:
  SideEngineTest() {
    std::string pattern =
        (std::filesystem::temp_directory_path() / "side-XXXXXX").string();
    folder_ = ::mkdtemp(pattern.data());
  }

  duckdb::ClientContext& Session(std::uint64_t memory) {
    engine_ = *StartEngine({.memory_limit = memory, .threads = 2});
    connection_ = Connect(*engine_->instance);
    const auto set =
        connection_->Query("SET temp_directory = '" + folder_ + "'");
    EXPECT_FALSE(set->HasError()) << set->GetError();
    return *connection_->context;
  }
  std::uint64_t UsedMemory() {
    return duckdb::BufferManager::GetBufferManager(*connection_->context)
        .GetUsedMemory();
  }

  std::string folder_;
  std::shared_ptr<duckdb::DuckDB> engine_;
  std::unique_ptr<duckdb::Connection> connection_;
};

TEST_F(SideEngineTest, ItsMemoryIsOfTheSessions) {
  duckdb::ClientContext& session = Session(2048 * kMegabyte);
  const std::uint64_t before = UsedMemory();
  {
    SideEngine side(session, 512 * kMegabyte);
    EXPECT_NE(&side.context(), &session);
    EXPECT_EQ(UsedMemory(), before + 512 * kMegabyte);
    EXPECT_EQ(
        duckdb::BufferManager::GetBufferManager(side.context()).GetMaxMemory(),
        512 * kMegabyte);
  }
  EXPECT_EQ(UsedMemory(), before);
}

TEST_F(SideEngineTest, OfASmallSessionIsTheSession) {
  duckdb::ClientContext& session = Session(200 * kMegabyte);
  SideEngine side(session, 512 * kMegabyte);
  EXPECT_EQ(&side.context(), &session);
}

TEST_F(SideEngineTest, OfASessionThatMayNotSpillIsTheSession) {
  duckdb::ClientContext& session = Session(2048 * kMegabyte);
  ASSERT_FALSE(connection_->Query("SET temp_directory = ''")->HasError());
  SideEngine side(session, 512 * kMegabyte);
  EXPECT_EQ(&side.context(), &session);
}

TEST_F(SideEngineTest, WhatIsNotFreeIsAnError) {
  duckdb::ClientContext& session = Session(512 * kMegabyte);
  const SideEngine first(session, 256 * kMegabyte);
  const SideEngine second(session, 200 * kMegabyte);
  EXPECT_THROW(SideEngine(session, 200 * kMegabyte),
               duckdb::OutOfMemoryException);
}

TEST_F(SideEngineTest, ItsFilesGoWithIt) {
  duckdb::ClientContext& session = Session(2048 * kMegabyte);
  const auto is_empty = [&] { return std::filesystem::is_empty(folder_); };
  {
    SideEngine side(session, 128 * kMegabyte);
    duckdb::Connection work(*side.context().db);
    const auto made = work.Query(
        "CREATE TABLE t AS SELECT hash(range) AS a, hash(range + 1) AS b, "
        "hash(range + 2) AS c FROM range(20000000)");
    ASSERT_FALSE(made->HasError()) << made->GetError();
    EXPECT_FALSE(is_empty());
  }
  EXPECT_TRUE(is_empty());
}

}  // namespace
}  // namespace bayou::engine

// SPDX-License-Identifier: Apache-2.0
#include "kernel/log/checkpoint_cache.h"

#include <gtest/gtest.h>

#include "kernel/engine/engine.h"

namespace bayou::log {
namespace {

Checkpoint WithDomain(const std::string& domain) {
  Checkpoint checkpoint;
  checkpoint.actions.emplace_back(
      protocol::DomainMetadata{domain, "{}", false});
  return checkpoint;
}

TEST(CheckpointCache, IsOffUntilItIsTurnedOn) {
  const auto database = engine::StartEngine({}).value();
  EXPECT_EQ(CheckpointCache::Of(*database->instance), nullptr);
  CheckpointCache::TurnOn(*database->instance);
  EXPECT_NE(CheckpointCache::Of(*database->instance), nullptr);
}

TEST(CheckpointCache, KeepsTheLatestUsed) {
  CheckpointCache cache;
  cache.Keep("first", WithDomain("d"));
  for (int i = 0; i < 15; ++i) cache.Keep(std::to_string(i), {});
  ASSERT_TRUE(cache.Find("first"));
  cache.Keep("one more", {});
  EXPECT_TRUE(cache.Find("first"));
  EXPECT_FALSE(cache.Find("0"));
  EXPECT_EQ(
      std::get<protocol::DomainMetadata>(cache.Find("first")->actions.at(0))
          .domain,
      "d");
}

TEST(CheckpointCache, DoesNotKeepALongManifest) {
  CheckpointCache cache;
  Checkpoint manifest;
  manifest.actions.resize(100'000);
  cache.Keep("long", manifest);
  EXPECT_FALSE(cache.Find("long"));
}

TEST(CheckpointCache, AnotherFileOfTheNameIsAnother) {
  const auto store = store::OpenLocalStore("/lake/t");
  LogFileName file = ParseLogFileName(CheckpointName(10));
  file.size = 100;
  file.modified_ms = 5;
  const auto key = [&] { return CheckpointCache::KeyOf(*store, {{file}}, {}); };
  const std::string before = key();
  EXPECT_EQ(key(), before);
  file.modified_ms = 6;
  EXPECT_NE(key(), before);
  file.modified_ms = 5;
  file.size = 101;
  EXPECT_NE(key(), before);
  file.size = 100;
  EXPECT_NE(CheckpointCache::KeyOf(*store, {{file}}, {.protocol = false}),
            before);
}

}  // namespace
}  // namespace bayou::log

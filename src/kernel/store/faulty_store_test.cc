// SPDX-License-Identifier: Apache-2.0
#include "kernel/store/faulty_store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "kernel/store/memory_store.h"

namespace bayou::store {
namespace {

using Then = NthCallAdversary::Then;

class FaultyStoreTest : public ::testing::Test {
 protected:
  std::shared_ptr<Store> Faulty(std::int64_t nth, Fault fault,
                                Then then = Then::kGoesOn) {
    return MakeFaultyStore(
        inner_, std::make_shared<NthCallAdversary>(nth, fault, then));
  }

  class StepClock final : public Env {
   public:
    std::int64_t NowMs() override { return ++now_; }
    std::uint64_t Random() override { return 0; }

   private:
    std::int64_t now_ = 0;
  } clock_;
  std::shared_ptr<Store> inner_ = Memory::Make(clock_)->Open("", "mem://x");
};

TEST_F(FaultyStoreTest, LetsThroughWhatTheAdversaryLeavesAlone) {
  const auto store = Faulty(-1, Fault::kNone);
  EXPECT_TRUE(store->PutIfAbsent("a", "1"));
  EXPECT_TRUE(store->Put("b", "2"));
  EXPECT_TRUE(store->Sync("a"));
  EXPECT_TRUE(store->CheckInside("a"));
  EXPECT_EQ(store->Read("a"), "1");
  EXPECT_EQ(store->ReadRange("b", 0, 1), "2");
  EXPECT_EQ(store->Head("a")->size, 1);
  EXPECT_TRUE(store->Move("b", "c"));
  EXPECT_EQ(store->List("", "")->size(), 2);
  EXPECT_TRUE(store->Delete("c"));
  EXPECT_EQ(store->location(), "mem://x");
  EXPECT_EQ(store->NativePath("a"), "mem://x/a");
}

TEST_F(FaultyStoreTest, ARefusedCallIsNotDone) {
  const auto store = Faulty(0, Fault::kRefused);
  EXPECT_EQ(store->PutIfAbsent("a", "1").error().code, ErrorCode::kUnavailable);
  EXPECT_FALSE(inner_->Head("a"));
  EXPECT_TRUE(store->PutIfAbsent("a", "2"));
}

TEST_F(FaultyStoreTest, ALostAnswerToAPutLeavesItDoneAndUnknown) {
  EXPECT_EQ(Faulty(0, Fault::kAnswerLost)->PutIfAbsent("a", "1").error().code,
            ErrorCode::kCommitUnknown);
  EXPECT_EQ(inner_->Read("a"), "1");
}

TEST_F(FaultyStoreTest, ALostRequestIsAsUnknownAndNotDone) {
  EXPECT_EQ(Faulty(0, Fault::kRequestLost)->PutIfAbsent("a", "1").error().code,
            ErrorCode::kCommitUnknown);
  EXPECT_FALSE(inner_->Head("a"));
}

TEST_F(FaultyStoreTest, ALostAnswerToAReadIsOnlyUnavailable) {
  ASSERT_TRUE(inner_->Put("a", "1"));
  EXPECT_EQ(Faulty(0, Fault::kAnswerLost)->Read("a").error().code,
            ErrorCode::kUnavailable);
}

TEST_F(FaultyStoreTest, ADeadClientDoesNothingMore) {
  const auto store = Faulty(1, Fault::kAnswerLost, Then::kIsDead);
  EXPECT_TRUE(store->Put("a", "1"));
  EXPECT_FALSE(store->Put("b", "1"));
  EXPECT_TRUE(inner_->Head("b"));
  EXPECT_EQ(store->Put("c", "1").error().code, ErrorCode::kUnavailable);
  EXPECT_FALSE(store->Delete("a"));
  EXPECT_EQ(inner_->List("", "")->size(), 2);
}

TEST_F(FaultyStoreTest, AStaleListingLacksTheNewestFile) {
  ASSERT_TRUE(inner_->Put("b", "1"));
  ASSERT_TRUE(inner_->Put("a", "1"));
  const auto listed = Faulty(0, Fault::kStale)->List("", "");
  ASSERT_EQ(listed->size(), 1);
  EXPECT_EQ(listed->front().name, "b");
}

TEST_F(FaultyStoreTest, ANameIsTakenByWhatCannotBeRead) {
  const auto store = Faulty(0, Fault::kTaken);
  EXPECT_EQ(store->PutIfAbsent("a", "").error().code,
            ErrorCode::kAlreadyExists);
  EXPECT_EQ(store->Read("a").error().code, ErrorCode::kNotFound);
}

TEST_F(FaultyStoreTest, TheSameSeedSpoilsTheSameCalls) {
  const FaultRates rates = {.refused = 500,
                            .request_lost = 500,
                            .answer_lost = 500,
                            .stale = 500,
                            .crash = 10};
  const auto run = [&](std::uint64_t seed) {
    SeededAdversary adversary(seed, rates);
    std::vector<Fault> faults;
    for (int i = 0; i < 1000; ++i) faults.push_back(adversary.Before({}));
    return faults;
  };
  EXPECT_EQ(run(1), run(1));
  EXPECT_NE(run(1), run(2));
}

TEST_F(FaultyStoreTest, ACrashIsFinal) {
  SeededAdversary adversary(1, {.crash = 10'000});
  EXPECT_NE(adversary.Before({}), Fault::kNone);
  EXPECT_TRUE(adversary.crashed());
  for (int i = 0; i < 10; ++i) EXPECT_EQ(adversary.Before({}), Fault::kRefused);
}

TEST_F(FaultyStoreTest, TheAdversaryLearnsWhatTheStoreSaid) {
  struct Witness final : Adversary {
    Fault Before(const StoreCall&) override { return Fault::kAnswerLost; }
    void After(const StoreCall& call, const Status& done) override {
      seen.emplace_back(call.name, done.has_value());
    }
    std::vector<std::pair<std::string, bool>> seen;
  };
  const auto witness = std::make_shared<Witness>();
  const auto store = MakeFaultyStore(inner_, witness);
  (void)store->PutIfAbsent("a", "");
  (void)store->PutIfAbsent("a", "");
  EXPECT_THAT(witness->seen, ::testing::ElementsAre(std::pair("a", true),
                                                    std::pair("a", false)));
}

}  // namespace
}  // namespace bayou::store

// SPDX-License-Identifier: Apache-2.0
//
// A store whose calls an adversary can make fail as those of real stores do:
// refused, lost on the way there or back, answered from an old listing, or cut
// off for good because the client has crashed.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>

#include "bayou/result.h"
#include "kernel/store/store.h"

namespace bayou::store {

enum class CallKind : std::uint8_t {
  kList,
  kListTree,
  kRead,
  kReadRange,
  kHead,
  kPutIfAbsent,
  kPut,
  kSync,
  kMove,
  kDelete,
  kDeleteEmptyFolder,
  kCheckInside,
};
constexpr int kCallKinds = 12;

std::string_view Name(CallKind kind);

// Whether the call can change what is stored.
constexpr bool Writes(CallKind kind) {
  return kind == CallKind::kPutIfAbsent || kind == CallKind::kPut ||
         kind == CallKind::kMove || kind == CallKind::kDelete;
}

struct StoreCall {
  CallKind kind = CallKind::kList;
  std::string_view name = {};     // Of a move: where from.
  std::string_view content = {};  // Of a put; of a move: where to.
};

enum class Fault : std::uint8_t {
  kNone,
  kRefused,  // Not done: kUnavailable.
  // Not done, or done, and the caller cannot know which. Puts and moves say
  // kCommitUnknown, the others kUnavailable.
  kRequestLost,
  kAnswerLost,
  kTaken,  // A put says kAlreadyExists: a folder, or a link to nothing.
  kStale,  // A listing without the newest of its files; nothing for others.
};

// Decides about each call, and learns what came of it. Called by whatever
// thread makes the call, so it can also hold the thread up.
class Adversary {
 public:
  virtual ~Adversary() = default;
  virtual Fault Before(const StoreCall& call) = 0;
  // `done`: what the store said, which the caller may not get to know. Not
  // called for calls that did not reach the store.
  virtual void After(const StoreCall& call, const Status& done) {
    (void)call;
    (void)done;
  }
};

std::shared_ptr<Store> MakeFaultyStore(std::shared_ptr<Store> store,
                                       std::shared_ptr<Adversary> adversary);

// ---- Adversaries.

// What the function says.
std::shared_ptr<Adversary> MakeAdversary(
    std::function<Fault(const StoreCall&)> decide);

// Spoils one call, counted from 0, and may let no later one through.
class NthCallAdversary final : public Adversary {
 public:
  enum class Then : std::uint8_t { kGoesOn, kIsDead };
  NthCallAdversary(std::int64_t nth, Fault fault, Then then)
      : nth_(nth), fault_(fault), then_(then) {}

  Fault Before(const StoreCall& call) override;
  std::int64_t calls() const { return calls_; }

 private:
  std::int64_t nth_;
  Fault fault_;
  Then then_;
  std::int64_t calls_ = 0;
};

// Spoils calls by chance, the same ones for the same seed and calls.
struct FaultRates {  // Of 10,000 calls.
  int refused = 0;
  int request_lost = 0;
  int answer_lost = 0;
  int stale = 0;
  int crash = 0;  // Before or after the call, which is the client's last.
};

class SeededAdversary : public Adversary {
 public:
  SeededAdversary(std::uint64_t seed, const FaultRates& rates)
      : state_(seed), rates_(rates) {}

  Fault Before(const StoreCall& call) override;
  bool crashed() const { return crashed_; }

 private:
  std::uint64_t Next();

  std::uint64_t state_;
  FaultRates rates_;
  bool crashed_ = false;
};

}  // namespace bayou::store

// SPDX-License-Identifier: Apache-2.0
#include "kernel/store/faulty_store.h"

#include <fmt/format.h>

#include <algorithm>
#include <type_traits>
#include <utility>

namespace bayou::store {
namespace {

tl::unexpected<Error> Unavailable(const StoreCall& call,
                                  std::string_view reason) {
  return Fail(ErrorCode::kUnavailable, "IO_ERROR",
              fmt::format("{} of {}: {}", Name(call.kind), call.name, reason));
}

tl::unexpected<Error> Lost(const StoreCall& call) {
  if (!Writes(call.kind) || call.kind == CallKind::kDelete)
    return Unavailable(call, "no answer came");
  return Fail(ErrorCode::kCommitUnknown, "DELTA_COMMIT_UNKNOWN",
              fmt::format("{} of {}: no answer came; it may or may not have "
                          "been done",
                          Name(call.kind), call.name));
}

class FaultyStore final : public Store {
 public:
  FaultyStore(std::shared_ptr<Store> store,
              std::shared_ptr<Adversary> adversary)
      : store_(std::move(store)), adversary_(std::move(adversary)) {}

  Result<std::vector<ObjectMeta>> List(std::string_view folder,
                                       std::string_view from) override {
    return Call({.kind = CallKind::kList, .name = folder},
                [&] { return store_->List(folder, from); });
  }
  Status ListTree(std::string_view folder, const TreeVisitor& visit) override {
    return Call({.kind = CallKind::kListTree, .name = folder},
                [&] { return store_->ListTree(folder, visit); });
  }
  Result<std::string> Read(std::string_view name) override {
    return Call({.kind = CallKind::kRead, .name = name},
                [&] { return store_->Read(name); });
  }
  Result<std::string> ReadRange(std::string_view name, std::int64_t offset,
                                std::int64_t length) override {
    return Call({.kind = CallKind::kReadRange, .name = name},
                [&] { return store_->ReadRange(name, offset, length); });
  }
  Result<ObjectMeta> Head(std::string_view name) override {
    return Call({.kind = CallKind::kHead, .name = name},
                [&] { return store_->Head(name); });
  }
  Status PutIfAbsent(std::string_view name, std::string_view content) override {
    return Call(
        {.kind = CallKind::kPutIfAbsent, .name = name, .content = content},
        [&] { return store_->PutIfAbsent(name, content); });
  }
  Status Put(std::string_view name, std::string_view content) override {
    return Call({.kind = CallKind::kPut, .name = name, .content = content},
                [&] { return store_->Put(name, content); });
  }
  Status Sync(std::string_view name) override {
    return Call({.kind = CallKind::kSync, .name = name},
                [&] { return store_->Sync(name); });
  }
  Status Move(std::string_view from, std::string_view to) override {
    return Call({.kind = CallKind::kMove, .name = from, .content = to},
                [&] { return store_->Move(from, to); });
  }
  Status Delete(std::string_view name) override {
    return Call({.kind = CallKind::kDelete, .name = name},
                [&] { return store_->Delete(name); });
  }
  Result<bool> DeleteEmptyFolder(std::string_view name) override {
    return Call({.kind = CallKind::kDeleteEmptyFolder, .name = name},
                [&] { return store_->DeleteEmptyFolder(name); });
  }
  Status CheckInside(std::string_view name) override {
    return Call({.kind = CallKind::kCheckInside, .name = name},
                [&] { return store_->CheckInside(name); });
  }
  std::string NativePath(std::string_view name) const override {
    return store_->NativePath(name);
  }
  const std::string& location() const override { return store_->location(); }

 private:
  template <typename Work>
  std::invoke_result_t<Work> Call(const StoreCall& call, Work work) {
    const Fault fault = adversary_->Before(call);
    if (fault == Fault::kRefused) return Unavailable(call, "refused");
    if (fault == Fault::kRequestLost) return Lost(call);
    if (fault == Fault::kTaken && Writes(call.kind)) {
      return Fail(ErrorCode::kAlreadyExists, "FILE_ALREADY_EXISTS",
                  fmt::format("{} is taken", call.name));
    }
    std::invoke_result_t<Work> result = work();
    adversary_->After(
        call, result ? Status{} : tl::unexpected<Error>(result.error()));
    if (fault == Fault::kAnswerLost) return Lost(call);
    if (fault == Fault::kStale) MakeStale(result);
    return result;
  }

  template <typename T>
  static void MakeStale(Result<T>&) {}
  static void MakeStale(Result<std::vector<ObjectMeta>>& listed) {
    if (!listed || listed->empty()) return;
    const std::int64_t newest =
        std::ranges::max_element(*listed, {}, &ObjectMeta::modified_ms)
            ->modified_ms;
    std::erase_if(*listed, [newest](const ObjectMeta& object) {
      return object.modified_ms == newest;
    });
  }

  std::shared_ptr<Store> store_;
  std::shared_ptr<Adversary> adversary_;
};

class FunctionAdversary final : public Adversary {
 public:
  explicit FunctionAdversary(std::function<Fault(const StoreCall&)> decide)
      : decide_(std::move(decide)) {}
  Fault Before(const StoreCall& call) override { return decide_(call); }

 private:
  std::function<Fault(const StoreCall&)> decide_;
};

}  // namespace

std::string_view Name(CallKind kind) {
  constexpr std::string_view kNames[kCallKinds] = {"List",
                                                   "ListTree",
                                                   "Read",
                                                   "ReadRange",
                                                   "Head",
                                                   "PutIfAbsent",
                                                   "Put",
                                                   "Sync",
                                                   "Move",
                                                   "Delete",
                                                   "DeleteEmptyFolder",
                                                   "CheckInside"};
  return kNames[static_cast<int>(kind)];
}

std::shared_ptr<Store> MakeFaultyStore(std::shared_ptr<Store> store,
                                       std::shared_ptr<Adversary> adversary) {
  return std::make_shared<FaultyStore>(std::move(store), std::move(adversary));
}

std::shared_ptr<Adversary> MakeAdversary(
    std::function<Fault(const StoreCall&)> decide) {
  return std::make_shared<FunctionAdversary>(std::move(decide));
}

Fault NthCallAdversary::Before(const StoreCall&) {
  const std::int64_t call = calls_++;
  if (call == nth_) return fault_;
  const bool is_dead = call > nth_ && then_ == Then::kIsDead;
  return is_dead ? Fault::kRefused : Fault::kNone;
}

// SplitMix64.
std::uint64_t SeededAdversary::Next() {
  std::uint64_t bits = state_ += 0x9e3779b97f4a7c15;
  bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9;
  bits = (bits ^ (bits >> 27)) * 0x94d049bb133111eb;
  return bits ^ (bits >> 31);
}

Fault SeededAdversary::Before(const StoreCall&) {
  if (crashed_) return Fault::kRefused;
  int drawn = static_cast<int>(Next() % 10'000);
  const auto falls_in = [&drawn](int rate) {
    drawn -= rate;
    return drawn < 0;
  };
  if (falls_in(rates_.crash)) {
    crashed_ = true;
    return Next() % 2 == 0 ? Fault::kRequestLost : Fault::kAnswerLost;
  }
  if (falls_in(rates_.refused)) return Fault::kRefused;
  if (falls_in(rates_.request_lost)) return Fault::kRequestLost;
  if (falls_in(rates_.answer_lost)) return Fault::kAnswerLost;
  if (falls_in(rates_.stale)) return Fault::kStale;
  return Fault::kNone;
}

}  // namespace bayou::store

// SPDX-License-Identifier: Apache-2.0
#include "base/env.h"

#include <unistd.h>

#include <array>
#include <chrono>
#include <cstdlib>
#include <string_view>
#include <thread>

#include "base/env_scope.h"

namespace bayou {
namespace {

class SystemEnv final : public Env {
 public:
  std::int64_t NowMs() override {
    const auto now = std::chrono::system_clock::now().time_since_epoch();
    return std::chrono::duration_cast<std::chrono::milliseconds>(now).count();
  }

  std::uint64_t Random() override {
    std::uint64_t bits = 0;
    // Fails only on a kernel without the call. A predictable name for a file
    // could overwrite another writer's, so there is nothing to fall back to.
    if (getentropy(&bits, sizeof bits) != 0) std::abort();
    return bits;
  }

  void Sleep(std::int64_t milliseconds) override {
    std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
  }
};

thread_local Env* scoped_env = nullptr;

}  // namespace

Env& Env::System() {
  static SystemEnv env;
  return scoped_env != nullptr ? *scoped_env : env;
}

EnvScope::EnvScope(Env& env) : before_(scoped_env) { scoped_env = &env; }

EnvScope::~EnvScope() { scoped_env = before_; }

std::string NewUuid(Env& env) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  constexpr std::string_view kPattern = "xxxxxxxx-xxxx-4xxx-yxxx-xxxxxxxxxxxx";
  const std::array<std::uint64_t, 2> random = {env.Random(), env.Random()};
  std::string uuid(kPattern);
  std::size_t used = 0;  // Digits taken from `random`, sixteen from each.
  for (char& c : uuid) {
    if (c == '-') continue;
    const std::uint64_t digit = (random[used / 16] >> (used % 16 * 4)) & 15;
    ++used;
    if (c == 'x') c = kDigits[digit];
    if (c == 'y') c = kDigits[8 | (digit & 3)];  // The variant's two bits.
  }
  return uuid;
}

}  // namespace bayou

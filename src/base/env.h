// SPDX-License-Identifier: Apache-2.0
//
// The world outside the process that is not files: time and chance. Everything
// that needs either takes an Env, so that a seeded simulation can replay it.
#pragma once

#include <cstdint>
#include <string>

namespace bayou {

class Env {
 public:
  virtual ~Env() = default;

  // Milliseconds since 1970-01-01T00:00:00Z. May jump; never assume it grows.
  virtual std::int64_t NowMs() = 0;

  // 64 uniformly distributed bits. Safe to call from any thread.
  virtual std::uint64_t Random() = 0;

  // Waits. An Env whose clock is its own need not.
  virtual void Sleep(std::int64_t milliseconds) { (void)milliseconds; }

  // The machine's clock and a generator seeded by the operating system.
  static Env& System();
};

// A version-4 UUID in lower-case hexadecimal with dashes (RFC 4122).
std::string NewUuid(Env& env);

}  // namespace bayou

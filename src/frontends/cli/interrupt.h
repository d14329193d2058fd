// SPDX-License-Identifier: Apache-2.0
//
// Ctrl-C. While a statement runs it cancels the statement; a second one, before
// the first has had its effect, ends the program.
#pragma once

#include "bayou/session.h"

namespace bayou::cli {

// Handles SIGINT from now on.
void CatchInterrupts();

// True once after a Ctrl-C that no statement was running for.
bool TakeInterrupt();

// While it lives, Ctrl-C cancels what `session` runs.
class InterruptTarget {
 public:
  explicit InterruptTarget(Session& session);
  InterruptTarget(const InterruptTarget&) = delete;
  InterruptTarget& operator=(const InterruptTarget&) = delete;
  ~InterruptTarget();
};

}  // namespace bayou::cli

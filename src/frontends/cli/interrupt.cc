// SPDX-License-Identifier: Apache-2.0
#include "frontends/cli/interrupt.h"

#include <unistd.h>

#include <atomic>
#include <csignal>

namespace bayou::cli {
namespace {

constexpr int kExitOfInterrupt = 128 + SIGINT;

std::atomic<Session*> running = nullptr;
std::atomic<bool> cancelled = false;    // `running` has been told.
std::atomic<bool> interrupted = false;  // Nothing was running.

// Session::Interrupt() sets flags and nothing else, so it may be called here.
void OnInterrupt(int) {
  Session* session = running;
  if (!session) {
    interrupted = true;
  } else if (cancelled.exchange(true)) {
    _exit(kExitOfInterrupt);
  } else {
    session->Interrupt();
  }
}

}  // namespace

void CatchInterrupts() {
  struct sigaction action = {};
  action.sa_handler =
      OnInterrupt;  // Without SA_RESTART: it ends reading a line.
  sigaction(SIGINT, &action, nullptr);
}

bool TakeInterrupt() { return interrupted.exchange(false); }

InterruptTarget::InterruptTarget(Session& session) {
  cancelled = false;
  running = &session;
}

InterruptTarget::~InterruptTarget() { running = nullptr; }

}  // namespace bayou::cli

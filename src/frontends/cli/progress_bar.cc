// SPDX-License-Identifier: Apache-2.0
#include "frontends/cli/progress_bar.h"

#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <string>

namespace bayou::cli {
namespace {

constexpr auto kPatience = std::chrono::seconds(1);
constexpr auto kStep = std::chrono::milliseconds(100);
constexpr int kBarWidth = 40;

}  // namespace

ProgressBar::ProgressBar(Session& session) : session_(session) {
  if (isatty(STDERR_FILENO)) watcher_ = std::thread([this] { Watch(); });
}

void ProgressBar::Stop() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  stopped_.notify_all();
  if (watcher_.joinable()) watcher_.join();
}

void ProgressBar::Watch() {
  std::unique_lock lock(mutex_);
  auto wait = std::chrono::milliseconds(kPatience);
  while (!stopped_.wait_for(lock, wait, [this] { return stop_; })) {
    wait = kStep;
    if (const auto share = session_.Progress()) Draw(*share);
  }
  if (drawn_) std::fputs("\r\033[K", stderr);
}

void ProgressBar::Draw(double share) {
  drawn_ = true;
  const int full = static_cast<int>(share * kBarWidth);
  std::string bar;
  for (int i = 0; i < kBarWidth; ++i) bar += i < full ? "█" : "░";
  std::fprintf(stderr, "\r%3d %% %s", static_cast<int>(share * 100),
               bar.c_str());
}

}  // namespace bayou::cli

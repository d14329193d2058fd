// SPDX-License-Identifier: Apache-2.0
//
// A progress bar on standard error for queries that take longer than a second,
// when that is a terminal. It goes away before the first row is written.
#pragma once

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "bayou/session.h"

namespace bayou::cli {

class ProgressBar {
 public:
  explicit ProgressBar(Session& session);
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;
  ~ProgressBar() { Stop(); }

  // Takes the bar off the terminal for good. Safe to call again.
  void Stop();

 private:
  void Watch();
  void Draw(double share);

  Session& session_;
  bool drawn_ = false;
  bool stop_ = false;
  std::mutex mutex_;
  std::condition_variable stopped_;
  std::thread watcher_;
};

}  // namespace bayou::cli

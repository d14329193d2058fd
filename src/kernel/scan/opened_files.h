// SPDX-License-Identifier: Apache-2.0
//
// The files that a scan has opened, by numbers that rows can carry: with its
// position in the file, a row is found again. Safe from any thread.
#pragma once

#include <cstdint>
#include <deque>
#include <mutex>

#include "kernel/protocol/actions.h"

namespace bayou::scan {

class OpenedFiles {
 public:
  std::int64_t Add(const protocol::AddFile& file) {
    const std::lock_guard lock(mutex_);
    files_.push_back(file);
    return static_cast<std::int64_t>(files_.size()) - 1;
  }

  // With no statistics and tags; lives as long as this.
  const protocol::AddFile& operator[](std::int64_t number) const {
    const std::lock_guard lock(mutex_);
    return files_[static_cast<std::size_t>(number)];
  }

 private:
  mutable std::mutex mutex_;
  std::deque<protocol::AddFile> files_;  // A deque moves no element.
};

}  // namespace bayou::scan

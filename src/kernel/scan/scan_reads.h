// SPDX-License-Identifier: Apache-2.0
//
// What scans of one table have read: noted when they begin, with the filters
// that they were given. What a transaction writes after that depends on it.
#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "kernel/log/log_replay.h"

namespace bayou::scan {

class ScanReads {
 public:
  // A scan that reads the files that `files` keeps; null: every file. The scan
  // that finds the rows to change (HiddenColumn::kFileNumber) is not noted: it
  // is for the statement to say what it depends on.
  void Note(std::shared_ptr<const log::FilePredicate> files) {
    const std::lock_guard lock(mutex_);
    if (!files) whole_table_ = true;
    if (!whole_table_) scans_.push_back(std::move(files));
  }

  bool whole_table() const {
    const std::lock_guard lock(mutex_);
    return whole_table_;
  }
  std::vector<std::shared_ptr<const log::FilePredicate>> scans() const {
    const std::lock_guard lock(mutex_);
    return scans_;
  }

 private:
  mutable std::mutex mutex_;
  bool whole_table_ = false;
  std::vector<std::shared_ptr<const log::FilePredicate>> scans_;
};

}  // namespace bayou::scan

// SPDX-License-Identifier: Apache-2.0
//
// Stores in memory, which keep the contract of store.h as an object store does:
// a folder is there as long as a file is in it.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "base/env.h"
#include "kernel/store/store.h"

namespace bayou::store {

// Files under their full names. The stores that it opens see one another's
// writes, as writers of one disk do.
class Memory : public std::enable_shared_from_this<Memory> {
 public:
  // `clock` tells when a file was written; it has to outlive the files.
  static std::shared_ptr<Memory> Make(Env& clock = Env::System());

  // The store of `folder`, "" for that of everything. NativePath() gives names
  // below `location`.
  std::shared_ptr<Store> Open(std::string folder, std::string location);

 private:
  friend class MemoryStore;
  struct File {
    std::shared_ptr<const std::string> content;
    std::int64_t modified_ms = 0;
  };

  explicit Memory(Env& clock) : clock_(clock) {}

  Env& clock_;
  std::mutex mutex_;
  std::map<std::string, File, std::less<>> files_;
};

}  // namespace bayou::store

// SPDX-License-Identifier: Apache-2.0
//
// The files that the newer commits touched: what the checkpoint says about them
// no longer holds. Asked once for every row of a checkpoint, so a look-up
// allocates nothing for the paths that nearly all tables have.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>

#include "kernel/protocol/actions.h"

namespace bayou::log {

class FileKeySet {
 public:
  // True when the key was not there yet.
  bool Insert(std::string key) { return keys_.insert(std::move(key)).second; }

  // `path` as in the log. See protocol::FileKey.
  bool Contains(
      std::string_view path,
      const std::optional<protocol::DeletionVectorDescriptor>& vector) const {
    if (!vector && IsCanonical(path)) return keys_.contains(path);
    return keys_.contains(protocol::FileKey(path, vector));
  }

  bool empty() const { return keys_.empty(); }

 private:
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const {
      return std::hash<std::string_view>{}(text);
    }
  };

  // A relative path without escapes, which is its own key.
  static bool IsCanonical(std::string_view path) {
    return !path.starts_with('/') && path.find('%') == std::string_view::npos &&
           path.find(':') == std::string_view::npos;
  }

  std::unordered_set<std::string, Hash, std::equal_to<>> keys_;
};

}  // namespace bayou::log

// SPDX-License-Identifier: Apache-2.0
//
// Stores deletion vectors, many in one file. Protocol: "Deletion Vector File
// Storage Format".
#pragma once

#include <string>
#include <vector>

#include "base/env.h"
#include "bayou/result.h"
#include "kernel/protocol/deletion_vector.h"
#include "kernel/store/store.h"

namespace bayou::write {

class DeletionVectorWriter {
 public:
  DeletionVectorWriter(store::Store& store, Env& env)
      : store_(store), env_(env) {}

  // The descriptor under which the vector will be found once Finish() has
  // succeeded.
  Result<protocol::DeletionVectorDescriptor> Add(
      const protocol::DeletionVector& vector);

  // Writes what there is, durably. Returns the names of the files, relative to
  // the table, which the caller owns also when this fails.
  Status Finish(std::vector<std::string>* names);

 private:
  // A file is as large as this and one vector more.
  static constexpr std::size_t kTargetSize = std::size_t{2} << 20;

  struct File {
    std::string uuid;
    std::string content;
  };

  store::Store& store_;
  Env& env_;
  std::vector<File> files_;
};

}  // namespace bayou::write

// SPDX-License-Identifier: Apache-2.0
#include "kernel/log/file_view.h"

namespace bayou::log {

FileView ViewOf(const protocol::AddFile& add, PartitionView& values) {
  values.clear();
  for (const auto& [key, value] : add.partition_values) {
    values.emplace_back(key,
                        value ? std::string_view(*value) : std::string_view());
  }
  FileView view;
  view.path = add.path;
  view.partition_values = values;
  if (add.stats) view.stats = *add.stats;
  view.has_deletion_vector = add.deletion_vector.has_value();
  view.size = add.size;
  view.modification_time = add.modification_time;
  return view;
}

}  // namespace bayou::log

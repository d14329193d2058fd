// SPDX-License-Identifier: Apache-2.0
#include "kernel/write/data_file_name.h"

#include <cstddef>
#include <string_view>

#include "base/uri_path.h"

namespace bayou::write {
namespace {

constexpr std::string_view kNullPartition = "__HIVE_DEFAULT_PARTITION__";
// What file systems take as one segment of a path, with room to spare.
constexpr std::size_t kMaxFolderName = 200;

// The folder of a partition, with a slash at its end. It carries no meaning:
// partition values are in the log. So a name too long for a file system is
// simply left out.
std::string PartitionFolder(const FileLayout& layout, const PartitionKey& key) {
  std::string folder;
  for (std::size_t i = 0; i < key.size(); ++i) {
    const auto& field = layout.schema.fields[layout.partition_columns[i]];
    std::string name = HiveEscape(field.physical_name()) + "=";
    name += key[i] ? HiveEscape(*key[i]) : std::string(kNullPartition);
    if (name.size() <= kMaxFolderName) folder += name + "/";
  }
  return folder;
}

}  // namespace

std::string NewDataFileName(const ParquetFormat& format,
                            const PartitionKey& partition, Env& env) {
  const FileLayout& layout = format.layout();
  return layout.folder + PartitionFolder(layout, partition) + layout.prefix +
         NewUuid(env) + "-c000." + format.extension();
}

}  // namespace bayou::write

// SPDX-License-Identifier: Apache-2.0
#include "ops/commands/other_tables.h"

#include <algorithm>

#include "base/uri_path.h"
#include "kernel/log/log_file_name.h"
#include "ops/commands/table_names.h"

namespace bayou::commands {
namespace {

constexpr std::string_view kIcebergFolder = "metadata";
constexpr std::string_view kIcebergFile = ".metadata.json";

bool HoldsIceberg(store::Store& store, const std::string& folder) {
  const auto files = store.List(folder, "");
  return files && std::ranges::any_of(*files, [](const auto& file) {
           return file.name.ends_with(kIcebergFile);
         });
}

}  // namespace

bool OtherTables::Contain(std::string_view folder) {
  while (!folder.empty()) {
    auto found = known_.find(folder);
    if (found == known_.end())
      found = known_.emplace(folder, HasOwn(folder)).first;
    if (found->second) return true;
    folder = FolderOf(folder);
  }
  return false;
}

bool OtherTables::HasOwn(std::string_view folder) {
  return store_.List(JoinPath(folder, log::kLogFolder), "") ||
         store_.List(JoinPath(folder, ".hoodie"), "") ||
         HoldsIceberg(store_, JoinPath(folder, kIcebergFolder)) ||
         // This table's own, as Iceberg sees it.
         (folder == kIcebergFolder &&
          HoldsIceberg(store_, std::string(folder)));
}

}  // namespace bayou::commands

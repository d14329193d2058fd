// SPDX-License-Identifier: Apache-2.0
//
// What lies below a table's folder, entry by entry, and what of it VACUUM takes
// away. See vacuum_plan.h.
#pragma once

#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "kernel/store/store.h"
#include "kernel/table/snapshot.h"
#include "ops/commands/kept_files.h"
#include "ops/commands/table_names.h"
#include "ops/commands/vacuum_plan.h"

namespace bayou::commands {

// Completes a plan that has its cutoff. Names are relative to the table.
class VacuumListing {
 public:
  VacuumListing(const table::Snapshot& snapshot, const KeptFiles& kept,
                VacuumPlan& plan)
      : kept_(kept), hidden_(snapshot), plan_(plan) {}

  // False: what is in the folder stays.
  bool Enter(const store::ObjectMeta& folder);
  // True: the file stays, whatever its time. Of each file, before Visit().
  bool Knows(std::string_view file);
  void Visit(const store::ObjectMeta& file);

  // Something in the folder stays that was found to go.
  void Keep(std::string_view folder);

  // All entries were there.
  void Finish();

  // Whether something stays that went out of the table long ago, as its file
  // is young.
  bool leaves_expired() const { return leaves_expired_; }

 private:
  void FoundTableAt(std::string_view folder);
  bool IsInOtherTable(std::string_view path) const;
  void LeaveOtherTables();
  void FindEmptyFolders();

  const KeptFiles& kept_;
  const HiddenNames hidden_;
  VacuumPlan& plan_;
  std::vector<std::string> folders_;
  std::set<std::string, std::less<>> kept_folders_;
  std::set<std::string, std::less<>> other_tables_;
  bool leaves_expired_ = false;
};

}  // namespace bayou::commands

// SPDX-License-Identifier: Apache-2.0
//
// What a transaction is going to commit.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "bayou/result.h"
#include "kernel/protocol/actions.h"

namespace bayou::transaction {

struct StagedActions {
  std::optional<protocol::Protocol> protocol;
  std::optional<protocol::Metadata> metadata;
  std::vector<protocol::SetTransaction> app_versions;
  std::vector<protocol::DomainMetadata> domains;
  std::vector<protocol::RemoveFile> removes;
  std::vector<protocol::AddFile> adds;
  std::vector<protocol::CdcFile> change_files;

  bool empty() const;
  std::int64_t size() const;   // How many actions.
  bool HasOnlyFiles() const;   // True when empty.
  bool OnlyAddsFiles() const;  // Among files; true without files.
  bool ChangesData() const;    // A file was added or removed with dataChange.

  // Calls `use` with each action, in the order of a commit.
  template <typename Use>
  void ForEach(Use&& use) const {
    if (protocol) use(*protocol);
    if (metadata) use(*metadata);
    for (const auto& domain : domains) use(domain);
    for (const auto& app : app_versions) use(app);
    for (const auto& file : removes) use(file);
    for (const auto& file : adds) use(file);
    for (const auto& file : change_files) use(file);
  }
};

// What holds for the actions of every commit (Protocol: "Action
// Reconciliation"): a file is added once and removed once at most, never both
// with the same deletion vector; a domain and an application have one action.
// Errors: kInternal, DELTA_DUPLICATE_ACTIONS, naming path, domain or
// application.
Status CheckNoDuplicates(const StagedActions& staged, std::string_view table);

}  // namespace bayou::transaction

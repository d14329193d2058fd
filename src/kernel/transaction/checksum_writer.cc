// SPDX-License-Identifier: Apache-2.0
#include "kernel/transaction/checksum_writer.h"

#include <fmt/format.h>

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/sum.h"
#include "base/uri_path.h"
#include "kernel/log/checksum.h"
#include "kernel/log/log_file_name.h"
#include "kernel/table/checkpoint_writer.h"

namespace bayou::transaction {
namespace {

using protocol::VersionChecksum;

Error Mismatch(const table::Snapshot& base, const std::string& difference) {
  return {ErrorCode::kCorruption, "DELTA_CHECKSUM_MISMATCH",
          fmt::format("the checksum of version {} contradicts the log: {}; it "
                      "was not used; bayou validate says more",
                      base.version(), difference)};
}

// Of the version before. `mismatch`: what was wrong with its own checksum.
Result<VersionChecksum> ChecksumOf(const table::Snapshot& base,
                                   std::optional<Error>* mismatch) {
  if (base.state().relations().empty()) return log::ChecksumOf(base.state());
  const auto written = log::ReadChecksum(base.store(), base.version());
  const bool has_written = written && written->has_value();
  if (has_written && !table::HasCheckpoint(base) && (*written)->metadata &&
      (*written)->metadata->id == base.state().metadata().id) {
    return log::ChecksumOf(
        base.state(), {(*written)->num_files, (*written)->table_size_bytes});
  }
  BAYOU_ASSIGN(VersionChecksum counted, log::ChecksumOf(base.state()));
  if (has_written) {
    const auto difference = log::DifferenceOf(**written, counted);
    if (difference) *mismatch = Mismatch(base, *difference);
  }
  return counted;
}

// Puts `changes` into a list in which each name stands once.
template <typename Value>
void Merge(std::optional<std::vector<Value>>& list,
           const std::vector<Value>& changes, std::string Value::* name) {
  if (!list) return;
  std::map<std::string, Value> by_name;
  for (Value& value : *list) by_name[value.*name] = std::move(value);
  for (const Value& change : changes) by_name[change.*name] = change;
  list->clear();
  for (auto& [key, value] : by_name) list->push_back(std::move(value));
}

void Apply(const Transaction::Committed& committed, VersionChecksum& checksum) {
  const StagedActions& actions = committed.actions;
  checksum.num_files += committed.growth.files;
  checksum.table_size_bytes =
      Sum(checksum.table_size_bytes, committed.growth.bytes);
  checksum.in_commit_timestamp = committed.in_commit_timestamp;
  if (actions.protocol) checksum.protocol = *actions.protocol;
  if (actions.metadata) checksum.metadata = *actions.metadata;
  Merge(checksum.set_transactions, actions.app_versions,
        &protocol::SetTransaction::app_id);
  Merge(checksum.domain_metadata, actions.domains,
        &protocol::DomainMetadata::domain);
  if (checksum.domain_metadata) {
    std::erase_if(*checksum.domain_metadata,
                  [](const auto& domain) { return domain.removed; });
  }
  log::LeaveOutLists(checksum);
}

}  // namespace

Status WriteChecksum(const Transaction& transaction, Version version) {
  const auto& base = transaction.base();
  const Version before = base ? base->version() : -1;
  if (version != before + 1 || !transaction.committed().is_certain) return {};
  VersionChecksum checksum;
  std::optional<Error> mismatch;
  if (base) {
    BAYOU_ASSIGN(checksum, ChecksumOf(*base, &mismatch));
  } else {
    checksum.domain_metadata.emplace();
    checksum.set_transactions.emplace();
  }
  Apply(transaction.committed(), checksum);
  checksum.txn_id = transaction.txn_id();
  const std::string name =
      JoinPath(log::kLogFolder, log::ChecksumName(version));
  const Status put = transaction.shared_store()->PutIfAbsent(
      name, protocol::VersionChecksumToJson(checksum));
  if (!put && put.error().code != ErrorCode::kAlreadyExists) return put;
  if (mismatch) return tl::unexpected<Error>(*std::move(mismatch));
  return {};
}

}  // namespace bayou::transaction

// SPDX-License-Identifier: Apache-2.0
#include "kernel/transaction/isolation_level.h"

#include "kernel/protocol/letter_case.h"

namespace bayou::transaction {

std::string_view Name(IsolationLevel level) {
  switch (level) {
    case IsolationLevel::kSerializable:
      return "Serializable";
    case IsolationLevel::kWriteSerializable:
      return "WriteSerializable";
    case IsolationLevel::kSnapshotIsolation:
      return "SnapshotIsolation";
  }
  return "";
}

IsolationLevel IsolationLevelOf(const protocol::Metadata& metadata,
                                const StagedActions& staged) {
  if (staged.HasOnlyFiles() && !staged.ChangesData())
    return IsolationLevel::kSnapshotIsolation;
  const auto level = metadata.configuration.find("delta.isolationLevel");
  const bool is_weaker =
      level != metadata.configuration.end() &&
      protocol::EqualIgnoringCase(level->second, "WriteSerializable");
  return is_weaker ? IsolationLevel::kWriteSerializable
                   : IsolationLevel::kSerializable;
}

}  // namespace bayou::transaction

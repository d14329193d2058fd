// SPDX-License-Identifier: Apache-2.0
//
// Writes the checksum of a version that was just committed. Its numbers are
// those of the version before plus what the commit brought; those of the
// version before are counted in memory, or where a checkpoint is, and otherwise
// taken from its own checksum: so what somebody wrote wrongly ends with the
// next checkpoint.
// Protocol: "Version Checksum File".
#pragma once

#include "bayou/result.h"
#include "kernel/transaction/transaction.h"

namespace bayou::transaction {

// `transaction` has committed `version`. Writes nothing where others committed
// since the transaction began, for then it has not seen the version before, nor
// where the commit's text is not certain, or there is a checksum already.
// Errors: kCorruption, condition DELTA_CHECKSUM_MISMATCH, when the checksum of
// a version with a checkpoint contradicts that (what is written is right all
// the same); of reading the log; of the store.
Status WriteChecksum(const Transaction& transaction, Version version);

}  // namespace bayou::transaction

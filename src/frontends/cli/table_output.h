// SPDX-License-Identifier: Apache-2.0
//
// Results as a table for people. The first rows decide how wide the columns
// are; the rows after them are written as they come.
#pragma once

#include <memory>

#include "frontends/cli/output.h"

namespace bayou::cli {

std::unique_ptr<Output> MakeTableOutput(const OutputOptions& options);

}  // namespace bayou::cli

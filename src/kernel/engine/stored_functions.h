// SPDX-License-Identifier: Apache-2.0
//
// The functions and operators that a stored expression may use, by Spark's
// names: one table. All of them give the same result for the same arguments,
// look at nothing but their arguments, and make no text that is longer than a
// few times what they are given.
#pragma once

#include <string_view>

#include "kernel/engine/expression_builder.h"

namespace bayou::engine {

struct StoredFunction {
  std::string_view name;  // As StoredExpression has it.
  std::size_t least;      // Arguments.
  std::size_t most;
  Piece (*build)(ExpressionBuilder& builder, Pieces arguments);
};

// nullptr when there is none of that name.
const StoredFunction* FindStoredFunction(std::string_view name);

}  // namespace bayou::engine

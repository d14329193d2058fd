// SPDX-License-Identifier: Apache-2.0
//
// What is read as an expression is written as a text that reads back as the
// same expression.
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "kernel/protocol/stored_expression.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  using bayou::protocol::ParseStoredExpression;
  using bayou::protocol::SparkText;
  using bayou::protocol::Spelling;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (auto other = ParseStoredExpression(text, Spelling::kDuckDB)) {
    (void)bayou::protocol::InSparkWords(*std::move(other));
  }
  const auto parsed = ParseStoredExpression(text, Spelling::kSpark);
  if (!parsed) return 0;
  const std::string stored = SparkText(*parsed);
  const auto again = ParseStoredExpression(stored, Spelling::kSpark);
  // Brackets that were not written can take the text over a limit.
  if (!again)
    return again.error().condition == "DELTA_EXPRESSION_UNSUPPORTED"
               ? 0
               : (std::abort(), 1);
  if (SparkText(*again) != stored) std::abort();
  return 0;
}

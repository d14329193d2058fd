// SPDX-License-Identifier: Apache-2.0
//
// Statements that somebody typed: split and translated without harm, whatever
// is said to be at the paths that they name.
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "sql/dialect.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  using bayou::sql::Place;
  if (size == 0) return 0;
  const auto place = static_cast<Place>(data[0] % 4);
  const std::string_view text(reinterpret_cast<const char*>(data) + 1,
                              size - 1);
  for (const std::string_view statement : bayou::sql::SplitStatements(text)) {
    if (statement.empty()) std::abort();
    (void)bayou::sql::Translate(statement,
                                [place](std::string_view) { return place; });
  }
  return 0;
}

// SPDX-License-Identifier: Apache-2.0
#include "sql/error_place.h"

#include <gtest/gtest.h>

#include "sql/dialect.h"

namespace bayou::sql {
namespace {

EditedText Translated(std::string_view written) {
  return Translate(written, [](std::string_view) { return Place::kNothing; })
      ->sql;
}

TEST(AtWrittenPlace, ShowsWhatTheUserWrote) {
  const std::string written = "SELECT `a`,\n nope FROM delta.`/x`";
  const std::string message =
      "no such column\n\nLINE 2:  nope FROM \"delta\".\"main\".\"/x\"\n        "
      " ^";
  EXPECT_EQ(AtWrittenPlace(message, Translated(written), written),
            "no such column\n\nLINE 2:  nope FROM delta.`/x`\n         ^");
}

TEST(AtWrittenPlace, LeavesOtherMessagesAlone) {
  const std::string written = "SELECT `a`";
  for (const char* message :
       {"no place", "odd\n\nLINE x", "gone\n\nLINE 7: nothing\n   ^"}) {
    EXPECT_EQ(AtWrittenPlace(message, Translated(written), written), message);
  }
}

}  // namespace
}  // namespace bayou::sql

// SPDX-License-Identifier: Apache-2.0
#include "sql/write_options.h"

#include <gtest/gtest.h>

namespace bayou::sql {
namespace {

// `application/version/words`, or the condition of the error.
std::string Parsed(std::string_view text) {
  const Tokens lexed = Tokenize(text);
  const auto options = ParseSetTransaction(lexed.tokens, 2);
  if (!options) return std::string(options.error().condition);
  return options->app_id.value_or("-") + "/" +
         (options->app_version ? std::to_string(*options->app_version) : "-") +
         "/" + options->user_metadata.value_or("-");
}

TEST(ParseSetTransaction, TakesAnApplicationAndItsVersion) {
  EXPECT_EQ(Parsed("SET TRANSACTION 'it''s', 7"), "it's/7/-");
  EXPECT_EQ(Parsed("SET TRANSACTION 'a', 7, userMetadata = 'w'"), "a/7/w");
  EXPECT_EQ(Parsed("set transaction TXNVERSION = 0, txnAppId = 'a'"), "a/0/-");
  EXPECT_EQ(Parsed("SET TRANSACTION userMetadata = ''"), "-/-/");
  EXPECT_EQ(Parsed("SET TRANSACTION 'a', 9223372036854775807"),
            "a/9223372036854775807/-");
}

TEST(ParseSetTransaction, RefusesWhatItIsNot) {
  for (const char* text :
       {"SET TRANSACTION", "SET TRANSACTION 'a'", "SET TRANSACTION 'a',",
        "SET TRANSACTION 'a', -1", "SET TRANSACTION 'a', 1.5",
        "SET TRANSACTION 'a', 9223372036854775808", "SET TRANSACTION a, 1",
        "SET TRANSACTION 'a', 1 2", "SET TRANSACTION READ ONLY",
        "SET TRANSACTION txnAppId 'a'", "SET TRANSACTION 'a', 1, 'b', 2"}) {
    EXPECT_EQ(Parsed(text), "DELTA_INVALID_IDEMPOTENT_WRITES_OPTIONS") << text;
  }
}

}  // namespace
}  // namespace bayou::sql

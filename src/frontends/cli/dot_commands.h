// SPDX-License-Identifier: Apache-2.0
//
// The commands that begin with a dot, for the shell and for scripts on standard
// input.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "frontends/cli/statement_runner.h"

namespace bayou::cli {

// Without blanks and line ends around it.
std::string Trim(std::string_view text);

class DotCommands {
 public:
  explicit DotCommands(StatementRunner& runner) : runner_(runner) {}

  static const std::vector<std::string>& Names();

  // False when it failed, or is no command; then the message has been written.
  bool Run(const std::string& line);

  // .quit was run.
  bool done() const { return done_; }

 private:
  StatementRunner& runner_;
  bool done_ = false;
};

// Runs a text of statements. A line that begins with a dot where a statement
// could begin is a command. False when one failed, which ends the run.
bool RunScript(StatementRunner& runner, std::string_view script);

}  // namespace bayou::cli

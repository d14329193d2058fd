// SPDX-License-Identifier: Apache-2.0
//
// Runs SQL for a person or a program: results to standard output, one message
// on standard error when it fails.
#pragma once

#include <memory>
#include <string_view>

#include "bayou/session.h"
#include "frontends/cli/output.h"

namespace bayou::cli {

class StatementRunner {
 public:
  StatementRunner(Session& session, Format format);

  void SetFormat(Format format);
  // How long each run took, and how many rows there were, on standard error.
  void SetTiming(bool on) { timing_ = on; }

  // False when it failed; then the message has been written.
  bool Run(std::string_view sql);

 private:
  void Note(double seconds) const;

  Session& session_;
  std::unique_ptr<Output> output_;
  bool timing_ = false;
};

// `error [CONDITION]: message` on standard error.
void PrintError(const Error& error);

// Columns of the terminal on standard output, 0 when it is none.
std::size_t TerminalWidth();

}  // namespace bayou::cli

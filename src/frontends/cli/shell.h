// SPDX-License-Identifier: Apache-2.0
//
// The interactive shell: statements of several lines up to their semicolon,
// line editing with history and completion, and commands that begin with a dot.
#pragma once

#include "bayou/session.h"
#include "frontends/cli/statement_runner.h"

namespace bayou::cli {

// Reads from the terminal until .quit or Ctrl-D.
void RunShell(Session& session, StatementRunner& runner);

}  // namespace bayou::cli

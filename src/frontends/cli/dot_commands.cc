// SPDX-License-Identifier: Apache-2.0
#include "frontends/cli/dot_commands.h"

#include <algorithm>
#include <cstdio>

#include "bayou/session.h"
#include "frontends/cli/sql_text.h"

namespace bayou::cli {
namespace {

constexpr const char* kHelp =
    R"(Statements end with a semicolon and may span lines. Ctrl-C cancels, Ctrl-D leaves.

  .help              this text
  .tables            the tables of the lake
  .schema TABLE      the columns of a table
  .mode FORMAT       results as table, csv, json or jsonl
  .timing on|off     time and row count after each statement
  .quit              leave

  SELECT * FROM t VERSION AS OF 3;        DESCRIBE HISTORY t LIMIT 5;
  SELECT * FROM delta.`/path/to/table`;   DESCRIBE DETAIL t;
  SELECT * FROM table_changes('t', 2);    EXPLAIN SELECT * FROM t WHERE ...;
)";

// Nothing, or comments of a line each.
bool IsBlank(std::string_view text) {
  while (!text.empty()) {
    const std::size_t size = std::min(text.find('\n'), text.size());
    const std::string line = Trim(text.substr(0, size));
    if (!line.empty() && !line.starts_with("--")) return false;
    text.remove_prefix(std::min(size + 1, text.size()));
  }
  return true;
}

}  // namespace

std::string Trim(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) return {};
  const std::size_t last = text.find_last_not_of(" \t\r\n");
  return std::string(text.substr(first, last - first + 1));
}

const std::vector<std::string>& DotCommands::Names() {
  static const std::vector<std::string> names = {
      ".help", ".mode", ".quit", ".schema", ".tables", ".timing"};
  return names;
}

bool DotCommands::Run(const std::string& line) {
  const std::size_t blank = line.find_first_of(" \t");
  const std::string name = line.substr(0, blank);
  const std::string argument =
      blank == std::string::npos ? "" : Trim(line.substr(blank));
  if (name == ".help") {
    std::fputs(kHelp, stdout);
  } else if (name == ".quit" || name == ".exit") {
    done_ = true;
  } else if (name == ".tables") {
    return runner_.Run("SHOW TABLES");
  } else if (name == ".schema" && !argument.empty()) {
    return runner_.Run(
        "SELECT name, type, nullable, \"partitionIndex\", comment FROM "
        "bayou_schema(" +
        SqlLiteral(argument) + ")");
  } else if (name == ".timing" && (argument == "on" || argument == "off")) {
    runner_.SetTiming(argument == "on");
  } else if (const auto format = FormatByName(argument);
             name == ".mode" && format) {
    runner_.SetFormat(*format);
  } else {
    std::fprintf(
        stderr,
        "error [UNKNOWN_COMMAND]: %s is no command of the shell; see .help\n",
        line.c_str());
    return false;
  }
  return true;
}

bool RunScript(StatementRunner& runner, std::string_view script) {
  DotCommands commands(runner);
  std::string pending;  // Statements that have not been run.
  while (!script.empty()) {
    const std::size_t end = std::min(script.find('\n'), script.size() - 1);
    const std::string_view line = script.substr(0, end + 1);
    script.remove_prefix(line.size());
    const bool is_command = line.starts_with('.') &&
                            (IsBlank(pending) || IsCompleteStatement(pending));
    if (!is_command) {
      pending += line;
      continue;
    }
    if (!IsBlank(pending) && !runner.Run(pending)) return false;
    pending.clear();
    if (!commands.Run(Trim(line))) return false;
    if (commands.done()) return true;
  }
  return IsBlank(pending) || runner.Run(pending);
}

}  // namespace bayou::cli

// SPDX-License-Identifier: Apache-2.0
#include "frontends/cli/shell.h"

#include <editline/readline.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "bayou/version.h"
#include "frontends/cli/interrupt.h"
#include "frontends/cli/sql_text.h"

namespace bayou::cli {
namespace {

constexpr const char* kPrompt = "bayou> ";
constexpr const char* kContinuation = "  ...> ";
constexpr int kHistoryEntries = 2000;

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

const std::vector<std::string>& DotCommands() {
  static const std::vector<std::string> commands = {
      ".help", ".mode", ".quit", ".schema", ".tables", ".timing"};
  return commands;
}

// $XDG_STATE_HOME/bayou/history, the place for what outlives a session but is
// no configuration.
std::filesystem::path HistoryFile() {
  const char* state = std::getenv("XDG_STATE_HOME");
  const char* home = std::getenv("HOME");
  std::filesystem::path folder;
  if (state && *state == '/') {
    folder = state;
  } else if (home && *home == '/') {
    folder = std::filesystem::path(home) / ".local" / "state";
  } else {
    return {};
  }
  return folder / "bayou" / "history";
}

std::string Trim(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) return {};
  const std::size_t last = text.find_last_not_of(" \t\r\n");
  return std::string(text.substr(first, last - first + 1));
}

class Shell;
Shell* active = nullptr;  // libedit's hooks take no argument of ours.

class Shell {
 public:
  Shell(Session& session, StatementRunner& runner)
      : session_(session), runner_(runner) {
    active = this;
    rl_initialize();
    rl_readline_name = const_cast<char*>("bayou");
    rl_attempted_completion_function = Complete;
    rl_completion_append_character = '\0';
    // Words are ours to find: completion gets the text up to the cursor.
    rl_completer_word_break_characters =
        const_cast<char*>(" \t\n\"\\'`@$><=;|&{(,.");
    stifle_history(kHistoryEntries);
    LoadHistory();
  }
  ~Shell() { active = nullptr; }

  void Run() {
    std::fprintf(stderr, "Bayou %s. Type .help for help, .quit to leave.\n",
                 kVersion);
    while (!done_) {
      const std::unique_ptr<char, decltype(&std::free)> line(
          readline(pending_.empty() ? kPrompt : kContinuation), &std::free);
      if (TakeInterrupt()) {
        std::fputs("\n", stderr);
        pending_.clear();
      } else if (!line) {
        std::fputs("\n", stderr);
        return;
      } else {
        Line(line.get());
      }
    }
  }

 private:
  void Line(const std::string& line) {
    if (pending_.empty()) {
      const std::string trimmed = Trim(line);
      if (trimmed.empty()) return;
      if (trimmed.front() == '.') {
        Remember(trimmed);
        DotCommand(trimmed);
        return;
      }
    }
    pending_ += line + "\n";
    if (!IsCompleteStatement(pending_)) return;
    const std::string statement = Trim(pending_);
    pending_.clear();
    Remember(statement);
    runner_.Run(statement);
  }

  void DotCommand(const std::string& line) {
    const std::size_t blank = line.find_first_of(" \t");
    const std::string name = line.substr(0, blank);
    const std::string argument =
        blank == std::string::npos ? "" : Trim(line.substr(blank));
    if (name == ".help") {
      std::fputs(kHelp, stdout);
    } else if (name == ".quit" || name == ".exit") {
      done_ = true;
    } else if (name == ".tables") {
      runner_.Run("SHOW TABLES");
    } else if (name == ".schema" && !argument.empty()) {
      runner_.Run(
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
    }
  }

  void LoadHistory() {
    const std::filesystem::path file = HistoryFile();
    if (!file.empty()) read_history(file.c_str());
  }

  // Also written at once, so that a crash loses nothing. Best effort.
  void Remember(std::string entry) {
    if (entry.find("--") == std::string::npos)
      std::ranges::replace(entry, '\n', ' ');
    if (entry == last_) return;
    last_ = entry;
    add_history(entry.c_str());
    const std::filesystem::path file = HistoryFile();
    if (file.empty()) return;
    std::error_code ignored;
    std::filesystem::create_directories(file.parent_path(), ignored);
    write_history(file.c_str());
    std::filesystem::permissions(file,
                                 std::filesystem::perms::owner_read |
                                     std::filesystem::perms::owner_write,
                                 ignored);
  }

  // libedit wants the common beginning first, then every word, all from malloc.
  static char** Complete(const char*, int start, int end) {
    rl_attempted_completion_over = 1;
    const std::vector<std::string> words = active->Words(
        std::string(rl_line_buffer).substr(0, static_cast<std::size_t>(end)),
        static_cast<std::size_t>(start));
    if (words.empty()) return nullptr;
    std::string common = words.front();
    for (const std::string& word : words) {
      common.resize(static_cast<std::size_t>(
          std::ranges::mismatch(common, word).in1 - common.begin()));
    }
    // What is typed must not get shorter where only the letters' case differs.
    const auto typed = static_cast<std::size_t>(end - start);
    if (common.size() < typed) {
      common = std::string(rl_line_buffer)
                   .substr(static_cast<std::size_t>(start), typed);
    }
    auto** matches =
        static_cast<char**>(std::calloc(words.size() + 2, sizeof(char*)));
    matches[0] = strdup(common.c_str());
    for (std::size_t i = 0; i < words.size(); ++i)
      matches[i + 1] = strdup(words[i].c_str());
    return matches;
  }

  // What can stand from byte `start` of the line on.
  std::vector<std::string> Words(const std::string& line, std::size_t start) {
    std::vector<std::string> words;
    if (pending_.empty() && Trim(line).starts_with('.')) {
      for (const std::string& command : DotCommands()) {
        if (command.starts_with(Trim(line)))
          words.push_back(command.substr(start));
      }
      return words;
    }
    const std::string text = pending_ + line;
    for (Session::Completion& completion :
         session_.Complete(text, text.size())) {
      if (completion.start == pending_.size() + start)
        words.push_back(std::move(completion.text));
    }
    return words;
  }

  Session& session_;
  StatementRunner& runner_;
  std::string pending_;  // Lines of a statement that has no semicolon yet.
  std::string last_;
  bool done_ = false;
};

}  // namespace

void RunShell(Session& session, StatementRunner& runner) {
  runner.SetTiming(true);
  Shell(session, runner).Run();
}

}  // namespace bayou::cli

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
#include "frontends/cli/dot_commands.h"
#include "frontends/cli/interrupt.h"

namespace bayou::cli {
namespace {

constexpr const char* kPrompt = "bayou> ";
constexpr const char* kContinuation = "  ...> ";
constexpr int kHistoryEntries = 2000;

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

class Shell;
Shell* active = nullptr;  // libedit's hooks take no argument of ours.

class Shell {
 public:
  Shell(Session& session, StatementRunner& runner)
      : session_(session), runner_(runner), commands_(runner) {
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
    while (!commands_.done()) {
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
      // Other shells have some without the dot.
      const bool is_word =
          trimmed == "quit" || trimmed == "exit" || trimmed == "help";
      if (trimmed.front() == '.' || is_word) {
        Remember(trimmed);
        commands_.Run(is_word ? "." + trimmed : trimmed);
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
      for (const std::string& command : DotCommands::Names()) {
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
  DotCommands commands_;
  std::string pending_;  // Lines of a statement that has no semicolon yet.
  std::string last_;
};

}  // namespace

void RunShell(Session& session, StatementRunner& runner) {
  runner.SetTiming(true);
  Shell(session, runner).Run();
}

}  // namespace bayou::cli

// SPDX-License-Identifier: Apache-2.0
#include "frontends/cli/statement_runner.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cinttypes>
#include <cstdio>
#include <string>

#include "frontends/cli/interrupt.h"
#include "frontends/cli/progress_bar.h"
#include "frontends/cli/text_width.h"

namespace bayou::cli {
namespace {

const char* Plural(std::uint64_t count) { return count == 1 ? "" : "s"; }

}  // namespace

StatementRunner::StatementRunner(Session& session, Format format)
    : session_(session) {
  SetFormat(format);
}

void StatementRunner::SetFormat(Format format) {
  output_ =
      MakeOutput(format, {.file = stdout, .terminal_width = TerminalWidth()});
}

bool StatementRunner::Run(std::string_view sql) {
  const auto started = std::chrono::steady_clock::now();
  Status status;
  {
    const InterruptTarget target(session_);
    ProgressBar bar(session_);
    output_->Reset();
    output_->before_rows = [&bar] { bar.Stop(); };
    status = session_.Run(sql, *output_);
    if (status) status = output_->Finish();
    output_->before_rows = nullptr;
  }
  if (const Status flushed = Flush(stdout); status) status = flushed;
  if (!status) {
    PrintError(status.error());
    return false;
  }
  if (timing_) {
    Note(std::chrono::duration<double>(std::chrono::steady_clock::now() -
                                       started)
             .count());
  }
  return true;
}

void StatementRunner::Note(double seconds) const {
  if (output_->has_result()) {
    std::fprintf(stderr, "%" PRIu64 " row%s, ", output_->rows(),
                 Plural(output_->rows()));
  } else if (const auto changed = output_->changed()) {
    std::fprintf(stderr, "%" PRIu64 " row%s written, ", *changed,
                 Plural(*changed));
  }
  std::fprintf(stderr, "%.3f s\n", seconds);
}

void PrintError(const Error& error) {
  // Names in a message come from tables, and must not steer the terminal.
  std::string text;
  for (std::size_t line = 0; line <= error.message.size();) {
    const std::size_t end =
        std::min(error.message.find('\n', line), error.message.size());
    if (line > 0) text += '\n';
    text += Printable(std::string_view(error.message).substr(line, end - line));
    line = end + 1;
  }
  std::fprintf(stderr, "error [%.*s]: %s\n",
               static_cast<int>(error.condition.size()), error.condition.data(),
               text.c_str());
}

std::size_t TerminalWidth() {
  winsize size = {};
  if (!isatty(STDOUT_FILENO) || ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0)
    return 0;
  return size.ws_col;
}

}  // namespace bayou::cli

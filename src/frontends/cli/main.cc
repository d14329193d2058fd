// SPDX-License-Identifier: Apache-2.0
//
// The bayou command. Exit status: 0 done; 1 failed, with one message on
// standard error; 2 wrong usage.
#include <fcntl.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <charconv>
#include <cstdio>
#include <fstream>
#include <functional>
#include <iostream>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bayou/session.h"
#include "bayou/version.h"
#include "frontends/cli/dot_commands.h"
#include "frontends/cli/interrupt.h"
#include "frontends/cli/output.h"
#include "frontends/cli/shell.h"
#include "frontends/cli/sql_text.h"
#include "frontends/cli/statement_runner.h"

namespace bayou::cli {
namespace {

constexpr int kFailed = 1;
constexpr int kWrongUsage = 2;
constexpr int kInterrupted = 130;  // As shells have it.

constexpr const char* kExamples = R"(Examples:
  bayou sql                                           a shell over the tables of this folder
  bayou sql -c 'SELECT count(*) FROM delta.`/data/t`'
  bayou sql --lake /data -f report.sql --format csv
  bayou history /data/t --limit 5
  bayou files /data/t --count
  bayou optimize /data/t --where "day = DATE '2024-01-02'" --format json
  bayou vacuum /data/t --dry-run
)";

struct Options {
  SessionOptions session;
  std::string format;
  std::vector<std::string>
      scripts;  // SQL texts, in the order in which they were given.
  std::string path;
  std::optional<std::int64_t> version;
  std::string timestamp;
  std::int64_t limit = 0;
  std::string where;
  bool count = false;
  bool dry_run = false;
  std::vector<std::string> zorder_by;
  bool full = false;
  bool purge = false;
  std::int64_t if_needed = 0;  // Files; 0: needed or not.
  std::optional<std::int64_t> commit_every;
  std::optional<double> retain_hours;
  std::string mode;
  bool no_retention_check = false;
  bool no_optimistic = false;
  std::string inventory;
  bool ignore_missing_files = false;
  std::optional<std::int64_t> first;
  std::optional<std::int64_t> last;
  bool v2 = false;
  std::string manifest;
  int parts = 0;
  std::string target;
  bool shallow = false;
  bool deep = false;
  bool repair = false;
  std::int64_t from = 0;
  std::optional<std::int64_t> to;
  bool rows = false;
  bool replace = false;
  std::vector<std::string> properties;
  std::string partitioned_by;
  bool no_statistics = false;
};

Format FormatOf(const Options& options) {
  if (const auto format = FormatByName(options.format)) return *format;
  return isatty(STDOUT_FILENO) ? Format::kTable : Format::kCsv;
}

int Fails(const Error& error) {
  PrintError(error);
  return kFailed;
}

// Errors: kNotFound, condition FILE_NOT_FOUND, naming `what` was to be read.
Result<std::string> ReadAll(std::istream& stream, const std::string& what) {
  try {
    std::string text(std::istreambuf_iterator<char>(stream), {});
    if (!stream.bad() && stream.rdbuf() != nullptr) return text;
  } catch (const std::ios_base::failure&) {
    // A folder can be opened, and not be read.
  }
  return Fail(ErrorCode::kNotFound, "FILE_NOT_FOUND", what + " cannot be read");
}

int RunSql(Session& session, const Options& options) {
  StatementRunner runner(session, FormatOf(options));
  if (options.scripts.empty() && isatty(STDIN_FILENO)) {
    RunShell(session, runner);
    return 0;
  }
  if (options.scripts.empty()) {
    const auto script = ReadAll(std::cin, "standard input");
    // What a Ctrl-C cut short must not run: it may lack its WHERE.
    if (TakeInterrupt()) return kInterrupted;
    if (!script) return Fails(script.error());
    return RunScript(runner, *script) ? 0 : kFailed;
  }
  for (const std::string& script : options.scripts) {
    if (!runner.Run(script)) return kFailed;
  }
  return 0;
}

std::string Arguments(const Options& options) {
  std::string arguments = PathArgument(options.path);
  if (options.version)
    arguments += ", version => " + std::to_string(*options.version);
  if (!options.timestamp.empty())
    arguments += ", timestamp => " + SqlLiteral(options.timestamp);
  if (!options.where.empty())
    arguments += ", where => " + SqlLiteral(options.where);
  return arguments;
}

int RunQuery(Session& session, const Options& options,
             const std::string& query) {
  StatementRunner runner(session, FormatOf(options));
  return runner.Run(query) ? 0 : kFailed;
}

int History(Session& session, const Options& options) {
  std::string arguments = PathArgument(options.path);
  if (options.limit > 0) arguments += ", " + std::to_string(options.limit);
  return RunQuery(session, options,
                  "SELECT * FROM bayou_history(" + arguments + ")");
}

// The number alone: what a script wants.
class CountOutput final : public ResultSink {
 public:
  CellFormat Begin(std::span<const ResultColumn>) override {
    return CellFormat::kText;
  }
  Status Row(std::span<const std::optional<std::string_view>> cells) override {
    return WriteAll(stdout, std::string(cells[0].value_or("")) + "\n");
  }
  Status End() override { return {}; }
};

int Files(Session& session, const Options& options) {
  if (!options.count) {
    return RunQuery(session, options,
                    "SELECT * FROM bayou_files(" + Arguments(options) + ")");
  }
  const std::string query =
      options.where.empty()
          ? "SELECT \"numFiles\" FROM bayou_detail(" + Arguments(options) + ")"
          : "SELECT count(*) FROM bayou_files(" + Arguments(options) +
                ") WHERE \"isRead\"";
  CountOutput output;
  const InterruptTarget target(session);
  Status status = session.Run(query, output);
  if (status) status = Flush(stdout);
  return status ? 0 : Fails(status.error());
}

int Optimize(Session& session, const Options& options) {
  std::string query = "SELECT * FROM bayou_optimize(" + Arguments(options);
  if (options.dry_run) query += ", dry_run => true";
  if (options.full) query += ", \"full\" => true";
  if (!options.zorder_by.empty()) {
    std::string columns;
    for (const std::string& column : options.zorder_by)
      columns += (columns.empty() ? "" : ", ") + SqlLiteral(column);
    query += ", zorder_by => list_transform([" + columns +
             "], lambda c: string_split(c, '.'))";
  }
  if (options.purge) query += ", purge => true";
  if (options.if_needed > 0)
    query += ", if_needed => " + std::to_string(options.if_needed);
  if (options.commit_every)
    query += ", commit_every => " + std::to_string(*options.commit_every);
  return RunQuery(session, options, query + ")");
}

// As JSON all that is known; otherwise a dry run lists paths alone.
int Vacuum(Session& session, const Options& options) {
  const Format format = FormatOf(options);
  const bool is_json = format == Format::kJson || format == Format::kJsonLines;
  std::string query = "SELECT * FROM bayou_vacuum(" + Arguments(options);
  if (options.retain_hours)
    query += ", retain_hours => " + std::to_string(*options.retain_hours);
  if (!options.mode.empty()) query += ", mode => " + SqlLiteral(options.mode);
  if (options.dry_run) query += ", dry_run => true";
  if (options.no_optimistic) query += ", optimistic => false";
  if (!options.inventory.empty()) {
    query += ", inventory => " +
             SqlLiteral("SELECT * FROM " + SqlLiteral(options.inventory));
  }
  if (is_json || !options.dry_run) query += ", details => true";
  query += ')';
  if (options.no_retention_check)
    query = "SET bayou_retention_check = false; " + query;
  return RunQuery(session, options, query);
}

int Restore(Session& session, const Options& options) {
  if (!options.version && options.timestamp.empty()) {
    std::fputs(
        "error [WRONG_USAGE]: bayou restore needs --version or --timestamp; "
        "see bayou restore --help\n",
        stderr);
    return kWrongUsage;
  }
  std::string query = "SELECT * FROM bayou_restore(" + Arguments(options) + ")";
  if (options.ignore_missing_files)
    query = "SET bayou_ignore_missing_files = true; " + query;
  return RunQuery(session, options, query);
}

// Passes the findings of bayou_validate on, and notes whether one is an error
// that is still there.
class FindingOutput final : public ResultSink {
 public:
  explicit FindingOutput(ResultSink& output) : output_(output) {}

  CellFormat Begin(std::span<const ResultColumn> columns) override {
    format_ = output_.Begin(columns);
    return format_;
  }
  Status Row(std::span<const std::optional<std::string_view>> cells) override {
    constexpr std::size_t kSeverity = 1;
    constexpr std::size_t kRepaired = 5;
    const std::string_view error =
        format_ == CellFormat::kJson ? "\"error\"" : "error";
    has_error_ |= cells[kSeverity] == error && cells[kRepaired] != "true";
    return output_.Row(cells);
  }
  Status End() override { return output_.End(); }

  bool has_error() const { return has_error_; }

 private:
  ResultSink& output_;
  CellFormat format_ = {};
  bool has_error_ = false;
};

int Validate(Session& session, const Options& options) {
  std::string query =
      "SELECT * FROM bayou_validate(" + PathArgument(options.path);
  if (options.deep) query += ", deep => true";
  if (options.repair) query += ", repair => true";
  const auto output = MakeOutput(
      FormatOf(options), {.file = stdout, .terminal_width = TerminalWidth()});
  FindingOutput findings(*output);
  const InterruptTarget target(session);
  Status status = session.Run(query + ")", findings);
  if (status) status = Flush(stdout);
  if (!status) return Fails(status.error());
  return findings.has_error() ? kFailed : 0;
}

int Diff(Session& session, const Options& options) {
  std::string query = "SELECT * FROM bayou_diff(" + PathArgument(options.path) +
                      ", " + std::to_string(options.from);
  if (options.to) query += ", " + std::to_string(*options.to);
  if (options.rows) query += ", rows => true";
  return RunQuery(session, options, query + ")");
}

// `k=v` as an entry of a map.
std::string PropertyEntry(const std::string& property) {
  const std::size_t equals = property.find('=');
  const std::string value =
      equals == std::string::npos ? "" : property.substr(equals + 1);
  return SqlLiteral(property.substr(0, equals)) + ": " + SqlLiteral(value);
}

int Clone(Session& session, const Options& options) {
  std::string query = "SELECT * FROM bayou_clone(" +
                      PathArgument(options.target) + ", " + Arguments(options);
  if (options.shallow) query += ", shallow => true";
  if (options.replace) query += ", mode => 'create_or_replace'";
  if (!options.properties.empty()) {
    std::string entries;
    for (const std::string& property : options.properties)
      entries += (entries.empty() ? "" : ", ") + PropertyEntry(property);
    query += ", properties => MAP {" + entries + "}";
  }
  return RunQuery(session, options, query + ")");
}

int Convert(Session& session, const Options& options) {
  std::string query = "SELECT * FROM bayou_convert(" + SqlLiteral(options.path);
  if (!options.partitioned_by.empty())
    query += ", partitioned_by => " + SqlLiteral(options.partitioned_by);
  if (options.no_statistics) query += ", statistics => false";
  return RunQuery(session, options, query + ")");
}

int Checkpoint(Session& session, const Options& options) {
  std::string query =
      "SELECT * FROM bayou_checkpoint(" + PathArgument(options.path);
  if (options.v2) query += ", v2 => true";
  if (options.parts > 0) query += ", parts => " + std::to_string(options.parts);
  if (!options.manifest.empty())
    query += ", manifest => " + SqlLiteral(options.manifest);
  return RunQuery(session, options, query + ")");
}

int CompactLog(Session& session, const Options& options) {
  std::string query =
      "SELECT * FROM bayou_compact_log(" + PathArgument(options.path);
  if (options.first) query += ", first => " + std::to_string(*options.first);
  if (options.last) query += ", last => " + std::to_string(*options.last);
  return RunQuery(session, options, query + ")");
}

// A whole number from `least` on.
CLI::Validator AtLeast(std::int64_t least) {
  const std::string range = "from " + std::to_string(least) + " on";
  return {[least, range](const std::string& text) -> std::string {
            std::int64_t number = 0;
            const char* const end = text.data() + text.size();
            const auto read = std::from_chars(text.data(), end, number);
            if (read.ec == std::errc() && read.ptr == end && number >= least)
              return {};
            return "\"" + text + "\" is no whole number " + range;
          },
          range, ""};
}

class CommandLine {
 public:
  CommandLine() {
    app_.set_version_flag("--version", std::string("bayou ") + kVersion);
    app_.require_subcommand(1);
    app_.footer(kExamples);
    AddSql();
    AddTableCommand("history", "Who changed a table, when and how", History)
        ->add_option("--limit", options_.limit,
                     "At most so many commits, the newest")
        ->check(AtLeast(1));
    WithVersion(AddTableCommand(
        "detail", "A table in one row: files, bytes, properties",
        [](auto& s, auto& o) {
          return RunQuery(s, o,
                          "SELECT * FROM bayou_detail(" + Arguments(o) + ")");
        }));
    AddFiles();
    WithVersion(AddTableCommand(
        "log", "The files of _delta_log, and which a version is read from",
        [](auto& s, auto& o) {
          return RunQuery(s, o,
                          "SELECT * FROM bayou_log(" + Arguments(o) + ")");
        }));
    WithVersion(AddTableCommand(
        "schema", "The columns of a table", [](auto& s, auto& o) {
          return RunQuery(s, o,
                          "SELECT * FROM bayou_schema(" + Arguments(o) + ")");
        }));
    AddOptimize();
    AddVacuum();
    AddRestore();
    AddConvert();
    AddClone();
    AddValidate();
    AddDiff();
    AddTableCommand(
        "generate", "Write lists of the data files, for readers of Parquet",
        [](auto& s, auto& o) {
          return RunQuery(s, o,
                          "SELECT * FROM bayou_generate(" + Arguments(o) +
                              ", 'symlink_format_manifest')");
        });
    AddTableCommand(
        "advise", "What would do a table good, and the command that does it",
        [](auto& s, auto& o) {
          return RunQuery(s, o,
                          "SELECT * FROM bayou_advise(" + Arguments(o) + ")");
        });
    AddCheckpoint();
    AddCompactLog();
    AddDryRun(AddTableCommand(
        "clean-log", "Delete the part of the log that is past its retention",
        [](auto& s, auto& o) {
          return RunQuery(s, o,
                          "SELECT * FROM bayou_clean_log(" + Arguments(o) +
                              (o.dry_run ? ", dry_run => true)" : ")"));
        }));
  }

  int Run(int count, char** arguments) {
    if (count > 1 && !IsKnown(arguments[1])) {
      std::fprintf(stderr,
                   "error [UNKNOWN_COMMAND]: bayou has no command %s; see "
                   "bayou --help\n",
                   arguments[1]);
      return kWrongUsage;
    }
    try {
      app_.parse(count, arguments);
    } catch (const CLI::ParseError& error) {
      return app_.exit(error) == 0 ? 0 : kWrongUsage;
    }
    if (unreadable_) return Fails(*unreadable_);
    CatchInterrupts();
    const auto session = Session::Open(options_.session);
    if (!session) return Fails(session.error());
    return command_(**session, options_);
  }

 private:
  using Command = std::function<int(Session&, const Options&)>;

  bool IsKnown(std::string_view argument) const {
    const auto is_meant = [&](const CLI::App* command) {
      return command->get_name() == argument;
    };
    return argument.starts_with('-') || !app_.get_subcommands(is_meant).empty();
  }

  CLI::App* Add(const char* name, const char* meaning, Command command) {
    CLI::App* sub = app_.add_subcommand(name, meaning);
    sub->callback([this, command = std::move(command)] { command_ = command; });
    sub->add_option("--format", options_.format,
                    "table (on a terminal), csv, json or jsonl")
        ->check(CLI::IsMember({"table", "csv", "json", "jsonl"}));
    sub->add_flag("--allow-external-paths",
                  options_.session.allow_external_paths,
                  "Read data files outside of the table's folder, as shallow "
                  "clones have");
    sub->add_option("--memory-limit", options_.session.memory_limit,
                    "Such as 2GB")
        ->transform(CLI::AsSizeValue(false));
    sub->add_option("--threads", options_.session.threads,
                    "Default: one for each core")
        ->check(AtLeast(1));
    return sub;
  }

  void AddSql() {
    CLI::App* sql =
        Add("sql", "Run SQL; without -c, -f and input, an interactive shell",
            RunSql);
    sql->add_option_function<std::vector<std::string>>(
           "-c,--command",
           [this](const std::vector<std::string>& texts) {
             options_.scripts.insert(options_.scripts.end(), texts.begin(),
                                     texts.end());
           },
           "Statements, separated by semicolons; may be given again")
        ->type_name("TEXT")
        ->expected(1)
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
    sql->add_option_function<std::vector<std::string>>(
           "-f,--file",
           [this](const std::vector<std::string>& files) {
             for (const std::string& file : files) ReadScript(file);
           },
           "A file of statements; may be given again")
        ->type_name("FILE")
        ->expected(1)
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
    sql->add_option("--lake", options_.session.lake,
                    "The folder whose tables are named plainly")
        ->type_name("DIR")
        ->capture_default_str();
  }

  CLI::App* AddTableCommand(const char* name, const char* meaning,
                            Command command) {
    CLI::App* sub = Add(name, meaning, std::move(command));
    sub->add_option("PATH", options_.path, "The table's folder")->required();
    return sub;
  }

  CLI::App* WithVersion(CLI::App* sub) {
    CLI::Option* version =
        sub->add_option("--version", options_.version, "As of this version")
            ->check(AtLeast(0));
    sub->add_option("--timestamp", options_.timestamp, "As of this time")
        ->excludes(version);
    return sub;
  }

  void AddFiles() {
    CLI::App* files = WithVersion(
        AddTableCommand("files", "The live files of a table", Files));
    files->add_option("--where", options_.where,
                      "Which files a query with this condition reads");
    files->add_flag("--count", options_.count, "Only how many there are");
  }

  void AddOptimize() {
    CLI::App* optimize = AddTableCommand(
        "optimize", "Make few large files of many small ones", Optimize);
    optimize->add_option("--where", options_.where,
                         "Only in the partitions that this condition names");
    optimize
        ->add_option("--zorder-by", options_.zorder_by,
                     "Put rows together that have near values in these columns")
        ->delimiter(',');
    optimize->add_flag("--full", options_.full,
                       "Of a table with CLUSTER BY: order all files anew");
    optimize->add_flag("--purge", options_.purge,
                       "Only files with deletion vectors, and all of them");
    optimize
        ->add_flag("--if-needed{20}", options_.if_needed,
                   "Do nothing when it would be for the sake of fewer files "
                   "than N (20), say --if-needed=N, none of which has many "
                   "deleted rows")
        ->check(CLI::PositiveNumber);
    optimize
        ->add_option("--commit-every", options_.commit_every,
                     "Commit each time that so many bytes of old files are "
                     "written anew, such as 10GB; by default, once")
        ->transform(CLI::AsSizeValue(false))
        ->check(CLI::PositiveNumber);
    AddDryRun(optimize);
  }

  void AddVacuum() {
    CLI::App* vacuum = AddTableCommand(
        "vacuum", "Delete the files that the table no longer needs", Vacuum);
    vacuum->add_option("--retain-hours", options_.retain_hours,
                       "Keep what went out of the table since; by default, the "
                       "table's retention time");
    vacuum
        ->add_option("--mode", options_.mode,
                     "full: list the folder; lite: look at the log alone")
        ->check(CLI::IsMember({"full", "lite"}, CLI::ignore_case));
    vacuum->add_flag("--no-optimistic", options_.no_optimistic,
                     "Look even when the log says that there is nothing to do");
    vacuum->add_option("--inventory", options_.inventory,
                       "A list of what lies in the folder, in the place of "
                       "listing it: a file or a table with the columns path, "
                       "length, isDir and modificationTime");
    vacuum->add_flag("--no-retention-check", options_.no_retention_check,
                     "Allow short retention times, which take files away from "
                     "running readers and writers");
    AddDryRun(vacuum);
  }

  void AddRestore() {
    CLI::App* restore = WithVersion(AddTableCommand(
        "restore", "Make a table what it was at an earlier version", Restore));
    restore->add_flag("--ignore-missing-files", options_.ignore_missing_files,
                      "Go without the rows of files that are gone");
  }

  void AddValidate() {
    CLI::App* validate = AddTableCommand(
        "validate", "What is wrong with a table; exit status 1 for an error",
        Validate);
    validate->add_flag("--deep", options_.deep,
                       "Read the data, too: is it what the log says?");
    validate->add_flag("--repair", options_.repair,
                       "Take files out of the table that are gone, and delete "
                       "a damaged hint to the newest checkpoint");
  }

  void AddDiff() {
    CLI::App* diff = AddTableCommand(
        "diff", "How two versions of a table differ, in files or rows", Diff);
    diff->add_option("--from", options_.from, "The version to compare with")
        ->check(AtLeast(0))
        ->required();
    diff->add_option("--to", options_.to, "By default, the latest version")
        ->check(AtLeast(0));
    diff->add_flag("--rows", options_.rows,
                   "The rows that are in one of the two alone");
  }

  void AddClone() {
    CLI::App* clone = WithVersion(AddTableCommand(
        "clone", "Make another table what this one is, with files of its own",
        Clone));
    clone->add_option("TARGET", options_.target, "The folder of the clone")
        ->required();
    clone->add_flag("--shallow", options_.shallow,
                    "Copy no files: the clone reads those of this table");
    clone->add_flag("--replace", options_.replace,
                    "Put it in the place of a table that is there; of a deep "
                    "clone only what is new is copied");
    clone
        ->add_option("--property", options_.properties,
                     "A table property of the clone, NAME=VALUE; may be given "
                     "again")
        ->expected(1)
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  }

  void AddConvert() {
    CLI::App* convert = AddTableCommand(
        "convert", "Make a table of the Parquet files in a folder", Convert);
    convert->add_option("--partitioned-by", options_.partitioned_by,
                        "The columns in the names of folders, such as 'day "
                        "DATE, country STRING'");
    convert->add_flag("--no-statistics", options_.no_statistics,
                      "Do not note what files' footers tell of their values");
  }

  void AddCheckpoint() {
    CLI::App* checkpoint = AddTableCommand(
        "checkpoint", "Write a checkpoint of the latest version", Checkpoint);
    checkpoint->add_flag("--v2", options_.v2,
                         "A manifest and sidecars, whatever "
                         "delta.checkpointPolicy says");
    checkpoint
        ->add_option("--parts", options_.parts,
                     "Divide a classic checkpoint among so many files")
        ->check(CLI::PositiveNumber);
    checkpoint
        ->add_option("--manifest", options_.manifest,
                     "What the manifest of a V2 checkpoint is: parquet (the "
                     "default) or json")
        ->check(CLI::IsMember({"parquet", "json"}));
  }

  void AddCompactLog() {
    CLI::App* compact = AddTableCommand(
        "compact-log", "Write one file that stands for many commits",
        CompactLog);
    CLI::Option* first =
        compact
            ->add_option("--first", options_.first,
                         "From this version on; by default, all since the "
                         "checkpoint")
            ->check(AtLeast(0));
    CLI::Option* last =
        compact->add_option("--last", options_.last, "Up to this version")
            ->check(AtLeast(0));
    first->needs(last);
    last->needs(first);
  }

  void AddDryRun(CLI::App* sub) {
    sub->add_flag("--dry-run", options_.dry_run,
                  "Only tell what would be done");
  }

  void ReadScript(const std::string& file) {
    std::ifstream stream(file, std::ios::binary);
    if (!stream) stream.setstate(std::ios::badbit);
    auto script = ReadAll(stream, "the file " + file);
    if (script) {
      options_.scripts.push_back(*std::move(script));
    } else if (!unreadable_) {
      unreadable_ = std::move(script).error();
    }
  }

  CLI::App app_{"Delta Lake tables in SQL, without a JVM", "bayou"};
  Options options_;
  Command command_;
  std::optional<Error> unreadable_;
};

// Where the caller closed one of the three standard files, the next file that
// is opened would be taken for it: results would end in a database. What takes
// their place can be neither read nor written.
void HoldStandardFiles() {
  while (true) {
    const int file = ::open("/dev/null", O_PATH);
    if (file > STDERR_FILENO) {
      ::close(file);
      return;
    }
    if (file < 0) return;
  }
}

}  // namespace
}  // namespace bayou::cli

int main(int count, char** arguments) {
  bayou::cli::HoldStandardFiles();
  return bayou::cli::CommandLine().Run(count, arguments);
}

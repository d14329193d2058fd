// SPDX-License-Identifier: Apache-2.0
#include "simulation/tasks_elsewhere.h"

#include <fmt/format.h>

#include <duckdb.hpp>
#include <functional>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/uri_path.h"
#include "kernel/engine/store_file_system.h"
#include "kernel/table/snapshot.h"
#include "ops/commands/clustering_plan.h"
#include "ops/commands/optimize.h"
#include "ops/commands/optimize_plan.h"
#include "ops/commands/rewrite_message.h"
#include "simulation/world.h"

namespace bayou::simulation {
namespace {

using commands::OptimizeRequest;
using store::CallKind;
using store::Fault;

constexpr int kReader = 0;
constexpr int kPlanner = 1;
constexpr int kElsewhere = 2;

struct Case {
  const char* name;
  const char* columns;  // Behind k, v and p.
  const char* clauses;
  std::vector<const char*> statements;  // `{t}` stands for the table.
  const char* more = "";                // What rows are compared by, too.
  void (*change)(OptimizeRequest& request) = nullptr;
};

void ByColumns(OptimizeRequest& request) {
  request.clustering.emplace();
  request.clustering->columns = {{"k"}, {"v"}};
}

const std::vector<Case>& Cases() {
  static const std::vector<Case> cases = {
      {"plain", "", "", {}},
      {"partitioned",
       "",
       "PARTITIONED BY (p)",
       {"INSERT INTO {t} VALUES (1, 2, NULL), (3, 4, NULL)"}},
      {"vectors",
       "",
       "TBLPROPERTIES ('delta.enableDeletionVectors' = 'true')",
       {"DELETE FROM {t} WHERE k % 3 = 0"}},
      {"purged",
       "",
       "TBLPROPERTIES ('delta.enableDeletionVectors' = 'true')",
       {"DELETE FROM {t} WHERE k = 5"},
       "",
       commands::Purge},
      {"mapped",
       "",
       "PARTITIONED BY (p) TBLPROPERTIES ('delta.columnMapping.mode' = 'name')",
       {"ALTER TABLE {t} RENAME COLUMN v TO `v v`",
        "ALTER TABLE {t} RENAME COLUMN p TO q"}},
      {"tracked",
       "",
       "TBLPROPERTIES ('delta.enableRowTracking' = 'true', "
       "'delta.enableDeletionVectors' = 'true')",
       {"UPDATE {t} SET v = -v WHERE k = 7"},
       ", _metadata.row_id, _metadata.row_commit_version"},
      {"widened",
       "",
       "TBLPROPERTIES ('delta.enableTypeWidening' = 'true')",
       {"ALTER TABLE {t} ALTER COLUMN v TYPE BIGINT",
        "INSERT INTO {t} VALUES (1, 5000000000, 1)"}},
      {"rules",
       ", g BIGINT GENERATED ALWAYS AS (k + 1)",
       "TBLPROPERTIES ('delta.feature.allowColumnDefaults' = 'supported')",
       {"ALTER TABLE {t} ADD CONSTRAINT positive CHECK (k >= 0)",
        "ALTER TABLE {t} ADD COLUMN w INT",
        "ALTER TABLE {t} ALTER COLUMN w SET DEFAULT 7",
        "INSERT INTO {t} (k, v, p) VALUES (1, 2, 3)"}},
      {"clustered", "", "CLUSTER BY (k, v)", {}},
      {"Z-ordered", "", "PARTITIONED BY (p)", {}, "", ByColumns},
      {"everything",
       "",
       "CLUSTER BY (k) TBLPROPERTIES ('delta.enableDeletionVectors' = 'true', "
       "'delta.enableChangeDataFeed' = 'true', "
       "'delta.enableRowTracking' = 'true', 'delta.enableInCommitTimestamps' = "
       "'true', 'delta.columnMapping.mode' = 'id', "
       "'delta.checkpointPolicy' = 'v2', 'delta.checkpointInterval' = '2')",
       {"DELETE FROM {t} WHERE k = 5", "UPDATE {t} SET v = 70 WHERE k = 7"},
       ", _metadata.row_id, _metadata.row_commit_version"},
  };
  return cases;
}

std::string With(const Client& client, std::string_view sql) {
  std::string text(sql);
  for (std::size_t at; (at = text.find("{t}")) != std::string::npos;)
    text.replace(at, 3, client.Table());
  return text;
}

// An engine that reads and writes through our stores.
class Engine {
 public:
  Engine() : connection_(database_) {
    engine::RegisterStoreFileSystem(*database_.instance);
    connection_.BeginTransaction();
  }
  duckdb::ClientContext& context() { return *connection_.context; }
  duckdb::DatabaseInstance& database() { return *database_.instance; }

 private:
  duckdb::DuckDB database_{nullptr};
  duckdb::Connection connection_;
};

// The files that a task names, and those that are new.
class NothingElse final : public store::Adversary {
 public:
  NothingElse(const World& world, const commands::RewriteMessage& message)
      : world_(world) {
    for (const protocol::AddFile& file : message.task.files) {
      served_.insert(CanonicalPath(file.path));
      if (!file.deletion_vector) continue;
      if (const auto path = file.deletion_vector->FilePath())
        served_.insert(*path);
    }
  }

  Fault Before(const store::StoreCall& call) override {
    const std::scoped_lock lock(mutex_);
    const std::string name(world_.NameInTable(call.name));
    if (call.kind == CallKind::kPut || call.kind == CallKind::kPutIfAbsent) {
      if (!served_.contains(name)) {
        served_.insert(name);
        return Fault::kNone;
      }
    } else if (served_.contains(name) || call.kind == CallKind::kCheckInside) {
      return Fault::kNone;
    }
    refused_ = fmt::format("{} {}", store::Name(call.kind), name);
    return Fault::kRefused;
  }

  std::string refused() const {
    const std::scoped_lock lock(mutex_);
    return refused_;
  }

 private:
  const World& world_;
  mutable std::mutex mutex_;
  std::set<std::string> served_;
  std::string refused_;
};

class TasksElsewhere {
 public:
  TasksElsewhere(const Case& what, std::uint64_t number)
      : case_(what), world_(fmt::format("tasks{}", number), number, 3) {}

  // How many tasks there were, or what went wrong.
  Result<int> Run() {
    BAYOU_TRY(MakeTable());
    BAYOU_ASSIGN(const auto before, Rows());
    BAYOU_TRY(Optimize());
    BAYOU_ASSIGN(const auto after, Rows());
    if (before == after) return tasks_;
    return Fail(ErrorCode::kInternal, "TEST", "other rows than before");
  }

 private:
  Status MakeTable() {
    Client& client = world_.client(kReader);
    BAYOU_TRY(client.Run(
        fmt::format("CREATE TABLE {} (k BIGINT, v INT, p BIGINT{}) {}",
                    client.Table(), case_.columns, case_.clauses)));
    for (const char* range : {"0, 20", "20, 40", "40, 60"}) {
      BAYOU_TRY(client.Run(fmt::format(
          "INSERT INTO {} (k, v, p) SELECT range, range * 7 % 10, range % 2 "
          "FROM range({})",
          client.Table(), range)));
    }
    for (const char* sql : case_.statements)
      BAYOU_TRY(client.Run(With(client, sql)));
    return {};
  }

  Result<std::vector<std::vector<std::int64_t>>> Rows() {
    Client& client = world_.client(kReader);
    Answer answer;
    BAYOU_TRY(client.Run(fmt::format("SELECT *{} FROM {} ORDER BY ALL",
                                     case_.more, client.Table()),
                         &answer));
    return answer.rows;
  }

  Status Optimize() {
    Engine engine;
    Client& client = world_.client(kPlanner);
    BAYOU_ASSIGN(const auto snapshot,
                 table::Snapshot::Open(world_.Open(client.location()),
                                       engine.database()));
    OptimizeRequest request;
    request.packing = commands::BinPackingOf(*snapshot);
    BAYOU_ASSIGN(request.clustering, commands::ClusteringOf(*snapshot));
    if (case_.change != nullptr) case_.change(request);
    request.elsewhere = [this](std::string task) {
      return RunTask(std::move(task));
    };
    commands::OptimizeProgress progress;
    BAYOU_ASSIGN(const auto result,
                 commands::Optimize(engine.context(), snapshot, request,
                                    progress, client));
    if (result.version && tasks_ > 0) return {};
    return Fail(ErrorCode::kInternal, "TEST", "there was nothing to do");
  }

  Result<std::string> RunTask(std::string text) {
    const std::scoped_lock lock(one_at_a_time_);
    BAYOU_ASSIGN(const auto message, commands::ParseRewriteMessage(text));
    Client& client = world_.client(kElsewhere);
    const auto adversary = std::make_shared<NothingElse>(world_, message);
    client.MeetAdversary(adversary);
    Engine engine;
    auto receipt = commands::RunRewriteTask(
        engine.context(), world_.Open(client.location()), message, {}, client);
    if (!adversary->refused().empty()) {
      return Fail(
          ErrorCode::kInternal, "TEST",
          "a task asks for what it does not name: " + adversary->refused());
    }
    if (!receipt) return tl::unexpected<Error>(receipt.error());
    ++tasks_;
    return commands::ToText(*receipt);
  }

  const Case& case_;
  World world_;
  std::mutex one_at_a_time_;
  int tasks_ = 0;
};

}  // namespace

Totals RunTasksElsewhere(const Share& share) {
  Totals totals;
  std::uint64_t number = 0;
  for (const Case& what : Cases()) {
    if (!share.Has(number++) || share.IsOver()) continue;
    const auto tasks = TasksElsewhere(what, number).Run();
    if (tasks) {
      ++totals.passed;
      totals.counts["tasks run elsewhere"] += *tasks;
    } else {
      ++totals.failed;
      fmt::print("{}: [{}] {}\n", what.name, tasks.error().condition,
                 tasks.error().message);
    }
  }
  return totals;
}

}  // namespace bayou::simulation

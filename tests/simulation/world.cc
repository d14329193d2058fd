// SPDX-License-Identifier: Apache-2.0
#include "simulation/world.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cstdlib>

#include "base/env_scope.h"
#include "kernel/log/log_file_name.h"
#include "kernel/store/location.h"

namespace bayou::simulation {
namespace {

constexpr const char* kScheme = "simulated";

World* current_world = nullptr;
bool show_calls = false;

// Sessions cost more to open than all that one seed does with them.
std::array<std::unique_ptr<Session>, kMaxClients> sessions;

Session& SessionOf(int client) {
  auto& session = sessions[static_cast<std::size_t>(client)];
  if (!session) {
    SessionOptions options;
    options.lake = "/";
    options.threads = 1;  // The client's own: what it does is one sequence.
    auto opened = Session::Open(options);
    if (!opened) {
      fmt::print("no session: {}\n", opened.error().message);
      std::abort();
    }
    session = *std::move(opened);
  }
  return *session;
}

class CollectingSink final : public ResultSink {
 public:
  explicit CollectingSink(Answer* answer) : answer_(answer) {}

  CellFormat Begin(std::span<const ResultColumn> columns) override {
    if (answer_ != nullptr) {
      *answer_ = {};
      for (const auto& column : columns)
        answer_->columns.push_back(column.name);
    }
    return CellFormat::kText;
  }
  Status Row(std::span<const std::optional<std::string_view>> cells) override {
    if (answer_ == nullptr) return {};
    auto& row = answer_->rows.emplace_back();
    for (const auto& cell : cells) {
      std::int64_t value = INT64_MIN;
      if (cell)
        std::from_chars(cell->data(), cell->data() + cell->size(), value);
      row.push_back(value);
    }
    return {};
  }
  Status End() override { return {}; }

 private:
  Answer* answer_;
};

}  // namespace

Client::Client(World& world, int number, std::uint64_t seed)
    : world_(world),
      number_(number),
      session_(SessionOf(number)),
      chance_(seed ^ (static_cast<std::uint64_t>(number) << 48)) {}

std::string Client::location() const {
  return fmt::format("{}://{}/{}", kScheme, number_, world_.name());
}

Status Client::Run(std::string_view sql, Answer* answer) {
  const EnvScope scope(*this);
  CollectingSink sink(answer);
  return session_.Run(sql, sink);
}

Status Client::Checkpoint() {
  return Run("SELECT * FROM bayou_checkpoint('" + location() + "')");
}

std::int64_t Client::NowMs() { return world_.clock().now_ms + skew_ms_; }

store::Fault Client::Before(const store::StoreCall& call) {
  world_.baton().Offer();
  ++world_.clock().now_ms;
  const auto fault =
      adversary_ ? adversary_->Before(call) : store::Fault::kNone;
  if (fault != store::Fault::kNone) ++faults_;
  world_.Trace(number_, call, fault);
  return fault;
}

void Client::After(const store::StoreCall& call, const Status& done) {
  if (world_.witness() == nullptr) return;
  world_.witness()->Saw(number_, call.kind, world_.NameInTable(call.name),
                        call.content, done);
}

World::World(const std::string& name, std::uint64_t seed, int clients)
    : name_(name), memory_(store::Memory::Make(clock_)) {
  current_world = this;
  store::RegisterScheme(kScheme, [](const std::string& location) {
    return current_world->Open(location);
  });
  for (int i = 0; i < clients; ++i)
    clients_.push_back(std::make_shared<Client>(*this, i, seed));
}

World::~World() { current_world = nullptr; }

std::shared_ptr<store::Store> World::Files() const {
  return memory_->Open(name_, "memory://" + name_);
}

void World::CopyFiles(store::Store& files) {
  const auto mine = Files();
  (void)files.ListTree(
      "", {.enter = [](const store::ObjectMeta&) { return true; },
           .file = [&](const store::ObjectMeta& file) -> Status {
             ++clock_.now_ms;
             return mine->Put(file.name, files.Read(file.name).value());
           }});
}

void World::UseWriteSerializable() {
  const std::string name = "_delta_log/" + log::CommitName(0);
  const std::string key = R"("configuration":{)";
  std::string commit = Files()->Read(name).value();
  commit.insert(commit.find(key) + key.size(),
                R"("delta.isolationLevel":"WriteSerializable",)");
  (void)Files()->Put(name, commit);
}

std::shared_ptr<store::Store> World::Open(const std::string& location) {
  const std::string_view rest =
      std::string_view(location).substr(std::string_view(kScheme).size() + 3);
  const std::size_t slash = rest.find('/');
  const int number = std::atoi(std::string(rest.substr(0, slash)).c_str());
  std::string folder;
  if (slash != std::string_view::npos) folder = rest.substr(slash + 1);
  return store::MakeFaultyStore(memory_->Open(std::move(folder), location),
                                clients_[static_cast<std::size_t>(number)]);
}

std::string_view World::NameInTable(std::string_view name) const {
  if (name.starts_with(name_ + "/")) name.remove_prefix(name_.size() + 1);
  return name;
}

void World::Trace(int client, const store::StoreCall& call,
                  store::Fault fault) {
  const std::string line =
      fmt::format("{} {} {} {}", client, store::Name(call.kind),
                  NameInTable(call.name), static_cast<int>(fault));
  for (const char c : line) {  // FNV-1a.
    trace_ ^= static_cast<unsigned char>(c);
    trace_ *= 1099511628211U;
  }
  if (show_calls) fmt::print("  {}\n", line);
}

void World::ShowCalls(bool show) { show_calls = show; }

void World::EndSessions() { sessions = {}; }

}  // namespace bayou::simulation

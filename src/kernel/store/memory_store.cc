// SPDX-License-Identifier: Apache-2.0
#include "kernel/store/memory_store.h"

#include <fmt/format.h>

#include <unordered_set>
#include <utility>

#include "base/uri_path.h"

namespace bayou::store {
namespace {

tl::unexpected<Error> Missing(const std::string& path) {
  return Fail(ErrorCode::kNotFound, "FILE_NOT_FOUND",
              fmt::format("there is no {}", path));
}

}  // namespace

namespace {

// Asks about the folders of names that come in order.
class Folders {
 public:
  // `root`: the folder that is listed, with a slash behind it unless empty.
  Folders(std::string_view root, const Store::TreeVisitor& visit)
      : root_(root), visit_(visit) {}

  bool Enter(std::string_view name) {
    if (!refused_.empty() && name.starts_with(refused_)) return false;
    for (std::size_t slash = name.find('/', root_.size());
         slash != std::string_view::npos; slash = name.find('/', slash + 1)) {
      const std::string folder(name.substr(0, slash));
      if (!entered_.insert(folder).second) continue;
      if (visit_.enter({.name = folder, .size = 0, .modified_ms = 0})) continue;
      refused_ = folder + '/';
      return false;
    }
    return true;
  }

 private:
  std::string_view root_;
  const Store::TreeVisitor& visit_;
  std::unordered_set<std::string> entered_;
  std::string refused_;
};

}  // namespace

class MemoryStore final : public Store {
 public:
  MemoryStore(std::shared_ptr<Memory> memory, std::string folder,
              std::string location)
      : memory_(std::move(memory)),
        folder_(std::move(folder)),
        location_(std::move(location)) {}

  Result<std::vector<ObjectMeta>> List(std::string_view folder,
                                       std::string_view from) override;
  Status ListTree(std::string_view folder, const TreeVisitor& visit) override;
  Result<std::string> Read(std::string_view name) override;
  Result<std::string> ReadRange(std::string_view name, std::int64_t offset,
                                std::int64_t length) override;
  Result<ObjectMeta> Head(std::string_view name) override;
  Status PutIfAbsent(std::string_view name, std::string_view content) override;
  Status Put(std::string_view name, std::string_view content) override;
  Status Sync(std::string_view name) override;
  Status Move(std::string_view from, std::string_view to) override;
  Status Delete(std::string_view name) override;
  std::string NativePath(std::string_view name) const override {
    return name.empty() ? location_ : JoinPath(location_, name);
  }
  const std::string& location() const override { return location_; }

 private:
  using File = Memory::File;

  std::string FullName(std::string_view name) const {
    return name.empty() ? folder_ : JoinPath(folder_, name);
  }
  File NewFile(std::string_view content) const {
    return {std::make_shared<const std::string>(content),
            memory_->clock_.NowMs()};
  }
  Result<File> Find(std::string_view name) const {
    const std::lock_guard lock(memory_->mutex_);
    const auto found = memory_->files_.find(FullName(name));
    if (found == memory_->files_.end()) return Missing(NativePath(name));
    return found->second;
  }

  std::shared_ptr<Memory> memory_;
  std::string folder_;
  std::string location_;
};

Result<std::vector<ObjectMeta>> MemoryStore::List(std::string_view folder,
                                                  std::string_view from) {
  std::string prefix = FullName(folder);
  if (!prefix.empty()) prefix += '/';
  const std::lock_guard lock(memory_->mutex_);
  const auto& files = memory_->files_;
  const auto first = files.lower_bound(prefix);
  if (first == files.end() || !first->first.starts_with(prefix))
    return Missing(NativePath(folder));
  std::vector<ObjectMeta> found;
  for (auto file = files.lower_bound(prefix + std::string(from));
       file != files.end() && file->first.starts_with(prefix);) {
    std::string name = file->first.substr(prefix.size());
    const std::size_t slash = name.find('/');
    if (slash != std::string::npos) {
      // Past the whole sub-folder: '0' is the character after '/'.
      file = files.lower_bound(prefix + name.substr(0, slash) + '0');
      continue;
    }
    found.push_back({std::move(name),
                     static_cast<std::int64_t>(file->second.content->size()),
                     file->second.modified_ms});
    ++file;
  }
  return found;
}

Status MemoryStore::ListTree(std::string_view folder,
                             const TreeVisitor& visit) {
  const std::string root = folder_.empty() ? "" : folder_ + '/';
  std::string prefix = FullName(folder);
  if (!prefix.empty()) prefix += '/';
  std::vector<ObjectMeta> found;
  {
    const std::lock_guard lock(memory_->mutex_);
    const auto& files = memory_->files_;
    for (auto file = files.lower_bound(prefix);
         file != files.end() && file->first.starts_with(prefix); ++file) {
      found.push_back({file->first.substr(root.size()),
                       static_cast<std::int64_t>(file->second.content->size()),
                       file->second.modified_ms});
    }
  }
  if (found.empty()) return Missing(NativePath(folder));
  Folders folders(std::string_view(prefix).substr(root.size()), visit);
  for (const ObjectMeta& file : found) {
    if (!folders.Enter(file.name)) continue;
    if (visit.knows && visit.knows(file.name)) continue;
    BAYOU_TRY(visit.file(file));
  }
  return {};
}

Result<std::string> MemoryStore::Read(std::string_view name) {
  BAYOU_ASSIGN(const File file, Find(name));
  return *file.content;
}

Result<std::string> MemoryStore::ReadRange(std::string_view name,
                                           std::int64_t offset,
                                           std::int64_t length) {
  BAYOU_ASSIGN(const File file, Find(name));
  const auto size = static_cast<std::int64_t>(file.content->size());
  if (offset < 0 || length < 0 || offset > size || length > size - offset) {
    return Fail(
        ErrorCode::kCorruption, "FILE_TOO_SHORT",
        fmt::format("{} has {} bytes, but {} bytes from {} on are needed",
                    NativePath(name), size, length, offset));
  }
  return file.content->substr(static_cast<std::size_t>(offset),
                              static_cast<std::size_t>(length));
}

Result<ObjectMeta> MemoryStore::Head(std::string_view name) {
  BAYOU_ASSIGN(const File file, Find(name));
  return ObjectMeta{std::string(name),
                    static_cast<std::int64_t>(file.content->size()),
                    file.modified_ms};
}

Status MemoryStore::PutIfAbsent(std::string_view name,
                                std::string_view content) {
  const std::lock_guard lock(memory_->mutex_);
  if (memory_->files_.try_emplace(FullName(name), NewFile(content)).second)
    return {};
  return Fail(ErrorCode::kAlreadyExists, "FILE_ALREADY_EXISTS",
              fmt::format("{} exists already", NativePath(name)));
}

Status MemoryStore::Put(std::string_view name, std::string_view content) {
  const std::lock_guard lock(memory_->mutex_);
  memory_->files_.insert_or_assign(FullName(name), NewFile(content));
  return {};
}

// Nothing here outlives the process; what can be asked is whether it is there.
Status MemoryStore::Sync(std::string_view name) {
  BAYOU_TRY(Find(name));
  return {};
}

Status MemoryStore::Move(std::string_view from, std::string_view to) {
  const std::lock_guard lock(memory_->mutex_);
  auto moved = memory_->files_.extract(FullName(from));
  if (moved.empty()) return Missing(NativePath(from));
  memory_->files_.insert_or_assign(FullName(to), std::move(moved.mapped()));
  return {};
}

Status MemoryStore::Delete(std::string_view name) {
  const std::lock_guard lock(memory_->mutex_);
  if (memory_->files_.erase(FullName(name)) == 0)
    return Missing(NativePath(name));
  return {};
}

std::shared_ptr<Memory> Memory::Make(Env& clock) {
  return std::shared_ptr<Memory>(new Memory(clock));
}

std::shared_ptr<Store> Memory::Open(std::string folder, std::string location) {
  return std::make_shared<MemoryStore>(shared_from_this(), std::move(folder),
                                       std::move(location));
}

}  // namespace bayou::store

// SPDX-License-Identifier: Apache-2.0
#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>
#include <utility>

#include "base/env.h"
#include "base/uri_path.h"
#include "kernel/store/store.h"

namespace bayou::store {
namespace {

constexpr std::int64_t kMaxObjectSize = std::int64_t{2} << 30;

// A file descriptor, closed when it goes.
class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  Descriptor(Descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  int get() const { return fd_; }
  bool ok() const { return fd_ >= 0; }
  // Closing can report a write that failed; a destructor could not.
  int Close() { return ::close(std::exchange(fd_, -1)); }
  // Whoever takes it closes it.
  int Release() { return std::exchange(fd_, -1); }

 private:
  int fd_;
};

tl::unexpected<Error> SystemError(int error, const std::string& what,
                                  const std::string& path) {
  const std::string message =
      fmt::format("cannot {} {}: {}", what, path, std::strerror(error));
  switch (error) {
    case ENOENT:
    case ENOTDIR:
      return Fail(ErrorCode::kNotFound, "FILE_NOT_FOUND", message);
    case EACCES:
    case EPERM:
    case EROFS:
      return Fail(ErrorCode::kPermissionDenied, "PERMISSION_DENIED",
                  message + "; check the permissions of the folder");
    case ENOSPC:
    case EDQUOT:
      return Fail(ErrorCode::kResourceExhausted, "OUT_OF_SPACE",
                  message + "; make room and try again");
    case EMFILE:
    case ENFILE:
      return Fail(ErrorCode::kResourceExhausted, "TOO_MANY_OPEN_FILES",
                  message + "; raise the limit (ulimit -n)");
    default:
      return Fail(ErrorCode::kUnavailable, "IO_ERROR", message);
  }
}

int OpenRetrying(const std::string& path, int flags, mode_t mode = 0) {
  int fd = -1;
  do {
    fd = ::open(path.c_str(), flags | O_CLOEXEC, mode);
  } while (fd < 0 && errno == EINTR);
  return fd;
}

std::int64_t ModifiedMs(const struct stat& info) {
  return std::int64_t{info.st_mtim.tv_sec} * 1000 +
         info.st_mtim.tv_nsec / 1'000'000;
}

std::string ParentOf(const std::string& path) {
  const std::size_t slash = path.find_last_of('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

// Makes what happened in a folder (names created, replaced) durable.
Status SyncFolder(const std::string& folder) {
  const Descriptor fd(OpenRetrying(folder, O_RDONLY | O_DIRECTORY));
  if (!fd.ok()) return SystemError(errno, "open the folder", folder);
  // EINVAL: a file system that cannot sync folders has nothing to sync.
  if (::fsync(fd.get()) != 0 && errno != EINVAL) {
    return SystemError(errno, "sync the folder", folder);
  }
  return {};
}

// Creates `folder` and the folders above it that are missing, durably.
Status CreateFolders(const std::string& folder) {
  struct stat info{};
  if (::stat(folder.c_str(), &info) == 0) {
    if (S_ISDIR(info.st_mode)) return {};
    return SystemError(ENOTDIR, "create the folder", folder);
  }
  const std::string parent = ParentOf(folder);
  if (parent != folder) BAYOU_TRY(CreateFolders(parent));
  if (::mkdir(folder.c_str(), 0777) != 0 && errno != EEXIST) {
    return SystemError(errno, "create the folder", folder);
  }
  return SyncFolder(parent);
}

// A file under a name that nothing reads, with its content durable. Removed
// again unless it was renamed.
class TemporaryFile {
 public:
  static Result<TemporaryFile> Write(const std::string& target,
                                     std::string_view content) {
    const std::size_t slash = target.find_last_of('/') + 1;
    TemporaryFile file(fmt::format("{}.{}.{}.tmp", target.substr(0, slash),
                                   target.substr(slash),
                                   NewUuid(Env::System())));
    BAYOU_TRY(file.Fill(content));
    return file;
  }
  TemporaryFile(TemporaryFile&& other) noexcept
      : path_(std::exchange(other.path_, {})) {}
  TemporaryFile& operator=(TemporaryFile&&) = delete;
  ~TemporaryFile() {
    if (!path_.empty()) ::unlink(path_.c_str());
  }

  const std::string& path() const { return path_; }
  void Renamed() { path_.clear(); }

  // Whether a second name for the file exists: over NFS, link(2) may have done
  // its work although its answer was an error.
  bool IsLinked() const {
    struct stat info{};
    return ::stat(path_.c_str(), &info) == 0 && info.st_nlink == 2;
  }

 private:
  explicit TemporaryFile(std::string path) : path_(std::move(path)) {}

  Status Fill(std::string_view content) {
    Descriptor fd(
        OpenRetrying(path_, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0644));
    if (!fd.ok()) {
      const int error = errno;
      const std::string path = std::exchange(path_, {});
      return SystemError(error, "create", path);
    }
    while (!content.empty()) {
      const ssize_t written = ::write(fd.get(), content.data(), content.size());
      if (written < 0 && errno == EINTR) continue;
      if (written < 0) return SystemError(errno, "write", path_);
      content.remove_prefix(static_cast<std::size_t>(written));
    }
    // After a failed fsync the kernel may forget the dirty pages: never retry.
    if (::fsync(fd.get()) != 0) return SystemError(errno, "sync", path_);
    if (fd.Close() != 0) return SystemError(errno, "close", path_);
    return {};
  }

  std::string path_;
};

// From here on the name may exist: an error leaves the caller in doubt.
Status Acknowledge(const std::string& path) {
  if (const Status synced = SyncFolder(ParentOf(path)); !synced) {
    return Fail(
        ErrorCode::kCommitUnknown, "DELTA_COMMIT_UNKNOWN",
        fmt::format("{} was written, but it is not known to be durable: {}",
                    path, synced.error().message));
  }
  return {};
}

class LocalStore final : public Store {
 public:
  explicit LocalStore(std::string folder) : folder_(std::move(folder)) {
    while (folder_.size() > 1 && folder_.ends_with('/')) folder_.pop_back();
  }

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
  Result<bool> DeleteEmptyFolder(std::string_view name) override;
  Status CheckInside(std::string_view name) override;
  std::string NativePath(std::string_view name) const override {
    return name.empty() ? folder_ : JoinPath(folder_, name);
  }
  const std::string& location() const override { return folder_; }

 private:
  Status ListFolder(const std::string& name, const TreeVisitor& visit,
                    std::vector<std::string>& folders);

  std::string folder_;
};

Result<std::vector<ObjectMeta>> LocalStore::List(std::string_view folder,
                                                 std::string_view from) {
  const std::string path = NativePath(folder);
  const std::unique_ptr<DIR, int (*)(DIR*)> dir(::opendir(path.c_str()),
                                                ::closedir);
  if (!dir) return SystemError(errno, "list the folder", path);
  std::vector<ObjectMeta> found;
  while (true) {
    errno = 0;
    const dirent* entry = ::readdir(dir.get());
    if (entry == nullptr) break;
    const std::string_view name = entry->d_name;
    if (entry->d_type == DT_DIR || name < from) continue;
    struct stat info{};
    if (::fstatat(::dirfd(dir.get()), entry->d_name, &info, 0) != 0) {
      if (errno == ENOENT) continue;  // Deleted since, or a dangling link.
      return SystemError(errno, "look at", JoinPath(path, name));
    }
    if (!S_ISREG(info.st_mode)) continue;
    found.push_back({std::string(name), info.st_size, ModifiedMs(info)});
  }
  if (errno != 0) return SystemError(errno, "list the folder", path);
  std::sort(
      found.begin(), found.end(),
      [](const ObjectMeta& a, const ObjectMeta& b) { return a.name < b.name; });
  return found;
}

Status LocalStore::ListTree(std::string_view folder, const TreeVisitor& visit) {
  std::vector<std::string> folders;  // To be listed yet.
  BAYOU_TRY(ListFolder(std::string(folder), visit, folders));
  while (!folders.empty()) {
    const std::string next = std::move(folders.back());
    folders.pop_back();
    const Status listed = ListFolder(next, visit, folders);
    if (!listed && listed.error().code != ErrorCode::kNotFound) return listed;
  }
  return {};
}

// Visits what the folder holds, and appends the folders in it that are entered.
// One folder is open at a time, however deep they lie.
Status LocalStore::ListFolder(const std::string& name, const TreeVisitor& visit,
                              std::vector<std::string>& folders) {
  const std::string path = NativePath(name);
  // The table's own folder may be a link.
  const int follow = name.empty() ? 0 : O_NOFOLLOW;
  Descriptor opened(OpenRetrying(path, O_RDONLY | O_DIRECTORY | follow));
  if (!opened.ok()) return SystemError(errno, "list the folder", path);
  const std::unique_ptr<DIR, int (*)(DIR*)> dir(::fdopendir(opened.get()),
                                                ::closedir);
  if (!dir) return SystemError(errno, "list the folder", path);
  opened.Release();
  while (true) {
    errno = 0;
    const dirent* entry = ::readdir(dir.get());
    if (entry == nullptr) break;
    const std::string_view below = entry->d_name;
    if (below == "." || below == "..") continue;
    std::string full =
        name.empty() ? std::string(below) : JoinPath(name, below);
    const bool asked = visit.knows && entry->d_type == DT_REG;
    if (asked && visit.knows(full)) continue;
    struct stat info{};
    if (::fstatat(::dirfd(dir.get()), entry->d_name, &info,
                  AT_SYMLINK_NOFOLLOW) != 0) {
      if (errno == ENOENT) continue;  // Deleted since.
      return SystemError(errno, "look at", JoinPath(path, below));
    }
    const bool is_file = S_ISREG(info.st_mode);
    const ObjectMeta found{std::move(full), is_file ? info.st_size : 0,
                           ModifiedMs(info)};
    if (S_ISDIR(info.st_mode)) {
      if (visit.enter(found)) folders.push_back(found.name);
    } else if (is_file && (asked || !visit.knows || !visit.knows(found.name))) {
      BAYOU_TRY(visit.file(found));
    }
  }
  if (errno != 0) return SystemError(errno, "list the folder", path);
  return {};
}

// Reads `length` bytes from `offset` into a string; fewer at the file's end.
Result<std::string> ReadBytes(const Descriptor& fd, const std::string& path,
                              std::int64_t offset, std::int64_t length) {
  std::string content(static_cast<std::size_t>(length), '\0');
  std::size_t done = 0;
  while (done < content.size()) {
    const ssize_t got =
        ::pread(fd.get(), content.data() + done, content.size() - done,
                offset + static_cast<std::int64_t>(done));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return SystemError(errno, "read", path);
    if (got == 0) break;
    done += static_cast<std::size_t>(got);
  }
  content.resize(done);
  return content;
}

// Opens a file to read it, and gives its size. A pipe in its place, which would
// keep us waiting for a writer, is no file.
Result<std::int64_t> OpenFile(const std::string& path, Descriptor& fd) {
  fd = Descriptor(OpenRetrying(path, O_RDONLY | O_NONBLOCK));
  if (!fd.ok()) return SystemError(errno, "open", path);
  struct stat info{};
  if (::fstat(fd.get(), &info) != 0) return SystemError(errno, "look at", path);
  if (S_ISREG(info.st_mode)) return info.st_size;
  return Fail(ErrorCode::kNotFound, "FILE_NOT_FOUND",
              fmt::format("{} is not a file", path));
}

Result<std::string> LocalStore::Read(std::string_view name) {
  const std::string path = NativePath(name);
  Descriptor fd(-1);
  BAYOU_ASSIGN(const std::int64_t size, OpenFile(path, fd));
  if (size > kMaxObjectSize) {
    return Fail(ErrorCode::kResourceExhausted, "FILE_TOO_LARGE",
                fmt::format("{} has {} bytes; at most {} are read at once",
                            path, size, kMaxObjectSize));
  }
  return ReadBytes(fd, path, 0, size);
}

Result<std::string> LocalStore::ReadRange(std::string_view name,
                                          std::int64_t offset,
                                          std::int64_t length) {
  const std::string path = NativePath(name);
  Descriptor fd(-1);
  BAYOU_ASSIGN(const std::int64_t size, OpenFile(path, fd));
  // Checked before anything is allocated: the range may come from the table.
  if (offset < 0 || length < 0 || offset > size || length > size - offset) {
    return Fail(
        ErrorCode::kCorruption, "FILE_TOO_SHORT",
        fmt::format("{} has {} bytes, but {} bytes from {} on are needed", path,
                    size, length, offset));
  }
  if (length > kMaxObjectSize) {
    return Fail(ErrorCode::kResourceExhausted, "FILE_TOO_LARGE",
                fmt::format("{} bytes of {} are too many to read at once",
                            length, path));
  }
  BAYOU_ASSIGN(std::string content, ReadBytes(fd, path, offset, length));
  if (content.size() != static_cast<std::size_t>(length)) {
    return Fail(ErrorCode::kCorruption, "FILE_TOO_SHORT",
                fmt::format("{} ended while it was read", path));
  }
  return content;
}

Result<ObjectMeta> LocalStore::Head(std::string_view name) {
  const std::string path = NativePath(name);
  struct stat info{};
  if (::stat(path.c_str(), &info) != 0) {
    return SystemError(errno, "look at", path);
  }
  if (S_ISDIR(info.st_mode)) {
    return Fail(ErrorCode::kNotFound, "FILE_NOT_FOUND",
                fmt::format("{} is a folder, not a file", path));
  }
  return ObjectMeta{std::string(name), info.st_size, ModifiedMs(info)};
}

Status LocalStore::PutIfAbsent(std::string_view name,
                               std::string_view content) {
  const std::string path = NativePath(name);
  BAYOU_TRY(CreateFolders(ParentOf(path)));
  BAYOU_ASSIGN(TemporaryFile file, TemporaryFile::Write(path, content));
  if (::link(file.path().c_str(), path.c_str()) != 0 && !file.IsLinked()) {
    int error = errno;
    // File systems without hard links: FAT, some FUSE.
    if (error == EPERM || error == ENOTSUP || error == ENOSYS ||
        error == EMLINK) {
      if (::renameat2(AT_FDCWD, file.path().c_str(), AT_FDCWD, path.c_str(),
                      RENAME_NOREPLACE) == 0) {
        file.Renamed();
        return Acknowledge(path);
      }
      if (errno == EINVAL || errno == ENOSYS) {
        // A plain rename would overwrite another writer's commit.
        return Fail(
            ErrorCode::kUnsupported, "STORE_WITHOUT_ATOMIC_CREATE",
            fmt::format("the file system of {} can neither link nor rename "
                        "without replacing, so nothing can be committed "
                        "safely there; put the table on another one",
                        path));
      }
      error = errno;
    }
    if (error == EEXIST) {
      return Fail(ErrorCode::kAlreadyExists, "FILE_ALREADY_EXISTS",
                  fmt::format("{} exists already", path));
    }
    return SystemError(error, "create", path);
  }
  return Acknowledge(path);
}

Status LocalStore::Put(std::string_view name, std::string_view content) {
  const std::string path = NativePath(name);
  BAYOU_TRY(CreateFolders(ParentOf(path)));
  BAYOU_ASSIGN(TemporaryFile file, TemporaryFile::Write(path, content));
  if (::rename(file.path().c_str(), path.c_str()) != 0) {
    return SystemError(errno, "create", path);
  }
  file.Renamed();
  return Acknowledge(path);
}

Status LocalStore::Sync(std::string_view name) {
  std::string path = NativePath(name);
  const Descriptor fd(OpenRetrying(path, O_RDONLY));
  if (!fd.ok()) return SystemError(errno, "open", path);
  if (::fsync(fd.get()) != 0) return SystemError(errno, "sync", path);
  // The table's folder may be new as well, so the one above it is synced too.
  while (path.size() > folder_.size()) {
    path = ParentOf(path);
    BAYOU_TRY(SyncFolder(path));
  }
  return SyncFolder(ParentOf(folder_));
}

Status LocalStore::Move(std::string_view from, std::string_view to) {
  BAYOU_TRY(Sync(from));
  const std::string path = NativePath(to);
  if (::rename(NativePath(from).c_str(), path.c_str()) != 0) {
    return SystemError(errno, "create", path);
  }
  return Acknowledge(path);
}

Status LocalStore::Delete(std::string_view name) {
  const std::string path = NativePath(name);
  if (::unlink(path.c_str()) != 0) return SystemError(errno, "delete", path);
  return {};
}

Result<bool> LocalStore::DeleteEmptyFolder(std::string_view name) {
  const std::string path = NativePath(name);
  if (::rmdir(path.c_str()) == 0) return true;
  if (errno == ENOTEMPTY || errno == EEXIST || errno == ENOENT ||
      errno == ENOTDIR) {
    return false;
  }
  return SystemError(errno, "remove the folder", path);
}

// Opens `name` below `folder` with the kernel refusing every way out of it; the
// errno, or 0. The descriptor can be looked at, and not read.
int OpenBeneath(const Descriptor& folder, std::string_view name,
                Descriptor& file) {
  open_how how{};
  how.flags = O_PATH | O_CLOEXEC;
  how.resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS;
  const std::string path(name);
  while (true) {
    file = Descriptor(static_cast<int>(
        ::syscall(SYS_openat2, folder.get(), path.c_str(), &how, sizeof how)));
    if (file.ok()) return 0;
    if (errno != EINTR && errno != EAGAIN) return errno;
  }
}

// For kernels before 5.6, and sandboxes that do not know the call.
bool ResolvesBeneath(const std::string& folder, const std::string& path) {
  std::error_code ignored;
  const auto root = std::filesystem::weakly_canonical(folder, ignored).string();
  const auto real = std::filesystem::weakly_canonical(path, ignored).string();
  return real.starts_with(root.ends_with('/') ? root : root + '/');
}

Status LocalStore::CheckInside(std::string_view name) {
  const Descriptor folder(OpenRetrying(folder_, O_PATH | O_DIRECTORY));
  if (!folder.ok()) return SystemError(errno, "open the folder", folder_);
  Descriptor file(-1);
  const int error = OpenBeneath(folder, name, file);
  const std::string path = NativePath(name);
  struct stat info{};
  if (error == 0 && ::fstat(file.get(), &info) == 0 && !S_ISREG(info.st_mode)) {
    return Fail(ErrorCode::kNotFound, "FILE_NOT_FOUND",
                fmt::format("{} is not a file", path));
  }
  const bool unknown = error == ENOSYS || error == EPERM || error == EINVAL;
  const bool leaves = unknown ? !ResolvesBeneath(folder_, path)
                              : error == EXDEV || error == ELOOP;
  if (!leaves) return {};
  return Fail(ErrorCode::kPermissionDenied, "DELTA_PATH_OUTSIDE_TABLE",
              fmt::format("a symbolic link on the way to {} leads out of the "
                          "table's folder; allow it with "
                          "--allow-external-paths if you trust the table",
                          path));
}

}  // namespace

std::shared_ptr<Store> OpenLocalStore(std::string folder) {
  return std::make_shared<LocalStore>(std::move(folder));
}

}  // namespace bayou::store

// SPDX-License-Identifier: Apache-2.0
#include "kernel/engine/store_file_system.h"

#include <algorithm>
#include <cstring>
#include <duckdb/common/file_system.hpp>
#include <string>
#include <utility>

#include "kernel/engine/engine.h"
#include "kernel/store/location.h"

namespace bayou::engine {
namespace {

using duckdb::FileHandle;
using duckdb::FileOpener;
using duckdb::FileOpenFlags;
using duckdb::idx_t;
using duckdb::optional_ptr;

// A file's store, and its name there: `scheme://authority` and what follows.
struct Place {
  explicit Place(const std::string& path) {
    const std::size_t slash = path.find('/', path.find("://") + 3);
    store = store::OpenStore(path.substr(0, slash));
    if (slash != std::string::npos) name = path.substr(slash + 1);
  }
  std::shared_ptr<store::Store> store;
  std::string name;
};

class StoreFile final : public FileHandle {
 public:
  StoreFile(duckdb::FileSystem& system, const std::string& path,
            FileOpenFlags open_flags)
      : FileHandle(system, path, open_flags), place_(path) {
    if (!open_flags.OpenForWriting())
      meta_ = Unwrap(place_.store->Head(place_.name));
  }
  // Not closed: dropped.
  ~StoreFile() override = default;

  void Close() override {
    if (!flags.OpenForWriting() || std::exchange(is_closed_, true)) return;
    Unwrap(place_.store->Put(place_.name, written_));
  }

  void ReadAt(void* buffer, std::int64_t bytes, idx_t offset) {
    const std::string range =
        Unwrap(place_.store->ReadRange(place_.name, SignedOf(offset), bytes));
    std::memcpy(buffer, range.data(), range.size());
  }
  std::int64_t ReadOn(void* buffer, std::int64_t bytes) {
    const std::int64_t length =
        std::min(bytes, meta_.size - SignedOf(position));
    if (length <= 0) return 0;
    ReadAt(buffer, length, position);
    position += static_cast<idx_t>(length);
    return length;
  }
  void Append(const void* buffer, std::int64_t bytes) {
    written_.append(static_cast<const char*>(buffer),
                    static_cast<std::size_t>(bytes));
    position += static_cast<idx_t>(bytes);
  }
  std::int64_t Size() const {
    return flags.OpenForWriting() ? static_cast<std::int64_t>(written_.size())
                                  : meta_.size;
  }
  std::int64_t modified_ms() const { return meta_.modified_ms; }

  idx_t position = 0;

 private:
  static std::int64_t SignedOf(idx_t offset) {
    return static_cast<std::int64_t>(offset);
  }

  Place place_;
  store::ObjectMeta meta_;  // Of a file that is read.
  std::string written_;
  bool is_closed_ = false;
};

class StoreFileSystem final : public duckdb::FileSystem {
 public:
  std::string GetName() const override { return "BayouStoreFileSystem"; }
  bool CanHandleFile(const std::string& path) override {
    return store::HasRegisteredScheme(path);
  }
  std::string PathSeparator(const std::string&) override { return "/"; }
  bool CanSeek() override { return true; }
  bool OnDiskFile(FileHandle&) override { return false; }

  duckdb::unique_ptr<FileHandle> OpenFile(const std::string& path,
                                          FileOpenFlags flags,
                                          optional_ptr<FileOpener>) override {
    if (flags.OpenForAppending() ||
        (flags.OpenForReading() && flags.OpenForWriting())) {
      Throw({ErrorCode::kUnsupported, "SQL_UNSUPPORTED",
             path + ": a file of this store is read, or written as a whole"});
    }
    return duckdb::make_uniq<StoreFile>(*this, path, flags);
  }

  void Read(FileHandle& file, void* buffer, std::int64_t bytes,
            idx_t offset) override {
    Of(file).ReadAt(buffer, bytes, offset);
  }
  std::int64_t Read(FileHandle& file, void* buffer,
                    std::int64_t bytes) override {
    return Of(file).ReadOn(buffer, bytes);
  }
  std::int64_t Write(FileHandle& file, void* buffer,
                     std::int64_t bytes) override {
    Of(file).Append(buffer, bytes);
    return bytes;
  }
  void FileSync(FileHandle&) override {}  // Store::Sync is asked for it.

  std::int64_t GetFileSize(FileHandle& file) override {
    return Of(file).Size();
  }
  duckdb::timestamp_t GetLastModifiedTime(FileHandle& file) override {
    return duckdb::Timestamp::FromEpochMs(Of(file).modified_ms());
  }
  duckdb::FileType GetFileType(FileHandle&) override {
    return duckdb::FileType::FILE_TYPE_REGULAR;
  }
  void Seek(FileHandle& file, idx_t offset) override {
    Of(file).position = offset;
  }
  idx_t SeekPosition(FileHandle& file) override { return Of(file).position; }

  // Folders come and go with their files.
  bool DirectoryExists(const std::string&, optional_ptr<FileOpener>) override {
    return true;
  }
  void CreateDirectory(const std::string&, optional_ptr<FileOpener>) override {}
  bool FileExists(const std::string& path, optional_ptr<FileOpener>) override {
    const Place place(path);
    const auto found = place.store->Head(place.name);
    if (!found && found.error().code != ErrorCode::kNotFound)
      Throw(found.error());
    return found.has_value();
  }
  bool IsPipe(const std::string&, optional_ptr<FileOpener>) override {
    return false;
  }
  void RemoveFile(const std::string& path, optional_ptr<FileOpener>) override {
    const Place place(path);
    Unwrap(place.store->Delete(place.name));
  }
  // No name is a pattern.
  duckdb::vector<duckdb::OpenFileInfo> Glob(const std::string& path,
                                            FileOpener*) override {
    if (!FileExists(path, nullptr)) return {};
    return {duckdb::OpenFileInfo(path)};
  }

 private:
  static StoreFile& Of(FileHandle& file) { return file.Cast<StoreFile>(); }
};

}  // namespace

void RegisterStoreFileSystem(duckdb::DatabaseInstance& database) {
  database.GetFileSystem().RegisterSubSystem(
      duckdb::make_uniq<StoreFileSystem>());
}

}  // namespace bayou::engine

// SPDX-License-Identifier: Apache-2.0
#include "ops/commands/file_copy.h"

#include <vector>

#include "kernel/engine/engine.h"

namespace bayou::commands {
namespace {

constexpr std::size_t kBufferSize = std::size_t{1} << 20;

// Throws.
std::int64_t Pour(duckdb::ClientContext& context, duckdb::FileHandle& from,
                  duckdb::FileHandle& to) {
  std::vector<char> buffer(kBufferSize);
  std::int64_t bytes = 0;
  while (const std::int64_t count = from.Read(buffer.data(), buffer.size())) {
    if (context.IsInterrupted()) throw duckdb::InterruptException();
    for (std::int64_t done = 0; done < count;) {
      done += to.Write(buffer.data() + done,
                       static_cast<duckdb::idx_t>(count - done));
    }
    bytes += count;
  }
  return bytes;
}

}  // namespace

Result<std::int64_t> CopyFile(duckdb::ClientContext& context,
                              const std::string& place, store::Store& target,
                              const std::string& name) {
  const std::string path = target.NativePath(name);
  auto copied = engine::Guard([&] {
    auto& files = duckdb::FileSystem::GetFileSystem(context);
    auto from = files.OpenFile(place, duckdb::FileFlags::FILE_FLAGS_READ);
    files.CreateDirectoriesRecursive(path.substr(0, path.rfind('/')));
    auto to =
        files.OpenFile(path, duckdb::FileFlags::FILE_FLAGS_WRITE |
                                 duckdb::FileFlags::FILE_FLAGS_FILE_CREATE_NEW);
    const std::int64_t bytes = Pour(context, *from, *to);
    to->Close();
    return bytes;
  });
  if (copied) BAYOU_TRY(target.Sync(name));
  return copied;
}

}  // namespace bayou::commands

// SPDX-License-Identifier: Apache-2.0
#include "kernel/write/row_group_writer.h"

#include <algorithm>
#include <string_view>

#include "kernel/engine/engine.h"

namespace bayou::write {
namespace {

constexpr std::int64_t kBufferSize = std::int64_t{8} << 20;

// Throws, as the next one.
void Append(duckdb::FileHandle& file, std::string text) {
  for (std::size_t done = 0; done < text.size();) {
    done += static_cast<std::size_t>(
        file.Write(text.data() + done, text.size() - done));
  }
}

void AppendPiece(duckdb::ClientContext& context, store::Store& store,
                 const std::string& source, const CopiedPiece& piece,
                 duckdb::FileHandle& file) {
  for (std::int64_t done = 0; done < piece.length;) {
    if (context.IsInterrupted()) throw duckdb::InterruptException();
    const std::int64_t length = std::min(kBufferSize, piece.length - done);
    Append(file, engine::Unwrap(
                     store.ReadRange(source, piece.offset + done, length)));
    done += length;
  }
}

}  // namespace

Result<std::int64_t> WriteRowGroups(duckdb::ClientContext& context,
                                    store::Store& store,
                                    std::span<const std::string> sources,
                                    const RowGroupCopy& copy,
                                    const std::string& name) {
  BAYOU_ASSIGN(const std::string footer, EncodeFooter(copy.footer));
  const std::string path = store.NativePath(name);
  BAYOU_TRY(engine::Guard([&] {
    auto& files = duckdb::FileSystem::GetFileSystem(context);
    files.CreateDirectoriesRecursive(path.substr(0, path.rfind('/')));
    auto file =
        files.OpenFile(path, duckdb::FileFlags::FILE_FLAGS_WRITE |
                                 duckdb::FileFlags::FILE_FLAGS_FILE_CREATE_NEW);
    Append(*file, "PAR1");
    for (const CopiedPiece& piece : copy.pieces)
      AppendPiece(context, store, sources[piece.source], piece, *file);
    Append(*file, footer);
    file->Close();
  }));
  BAYOU_TRY(store.Sync(name));
  return copy.data_end + static_cast<std::int64_t>(footer.size());
}

}  // namespace bayou::write

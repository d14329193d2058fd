// SPDX-License-Identifier: Apache-2.0
#include "kernel/scan/deleted_rows.h"

#include <optional>
#include <string>
#include <utility>

#include "kernel/scan/data_file_place.h"

namespace bayou::scan {
namespace {

using protocol::DeletionVector;
using protocol::DeletionVectorDescriptor;

// The size before the bitmap and the CRC-32 after it.
constexpr std::int64_t kBlockFrame = 8;

class KeepUndeleted : public duckdb::DeleteFilter {
 public:
  explicit KeepUndeleted(DeletionVector deleted)
      : deleted_(std::move(deleted)) {}

  duckdb::idx_t Filter(duckdb::row_t first, duckdb::idx_t count,
                       duckdb::SelectionVector& kept) override {
    kept.Initialize(STANDARD_VECTOR_SIZE);  // Comes without memory of its own.
    return deleted_.Keep(static_cast<std::uint64_t>(first), count, kept.data());
  }

 private:
  DeletionVector deleted_;
};

class KeepOnly : public duckdb::DeleteFilter {
 public:
  explicit KeepOnly(DeletionVector rows) : rows_(std::move(rows)) {}

  duckdb::idx_t Filter(duckdb::row_t first, duckdb::idx_t count,
                       duckdb::SelectionVector& kept) override {
    kept.Initialize(STANDARD_VECTOR_SIZE);
    duckdb::idx_t found = 0;
    for (duckdb::idx_t i = 0; i < count; ++i) {
      if (rows_.Contains(static_cast<std::uint64_t>(first) + i)) {
        kept.set_index(found++, i);
      }
    }
    return found;
  }

 private:
  DeletionVector rows_;
};

Result<DeletionVector> Load(const ScannedTable& table,
                            const DeletionVectorDescriptor& descriptor) {
  if (descriptor.storage_type == 'i') {
    return DeletionVector::DecodeInline(descriptor);
  }
  if (descriptor.size_in_bytes < 0 || descriptor.offset.value_or(0) < 0) {
    return Fail(ErrorCode::kCorruption, "DELTA_DELETION_VECTOR_INVALID",
                "negative size or offset");
  }
  BAYOU_ASSIGN(const std::string path, descriptor.FilePath());
  // Without an offset the vector is the file's first, behind the version byte.
  BAYOU_ASSIGN(const std::string block,
               ReadBytes(table, path, descriptor.offset.value_or(1),
                         descriptor.size_in_bytes + kBlockFrame));
  return DeletionVector::DecodeBlock(descriptor, block);
}

Error InContext(Error error, const ScannedTable& table,
                std::string_view data_file) {
  if (error.code == ErrorCode::kNotFound) {
    error.condition = "DELTA_FILE_NOT_FOUND";
    error.message += "; it may have been vacuumed";
  } else if (error.code == ErrorCode::kCorruption &&
             error.condition != "DELTA_PATH_OUTSIDE_TABLE") {
    error.condition = "DELTA_DELETION_VECTOR_INVALID";
  }
  error.message = "deletion vector of " + std::string(data_file) + " (" +
                  table.Describe() + "): " + error.message;
  return error;
}

Result<DeletionVector> LoadChecked(const ScannedTable& table,
                                   std::string_view data_file,
                                   const DeletionVectorDescriptor& descriptor,
                                   std::uint64_t rows) {
  BAYOU_ASSIGN(DeletionVector vector,
               LoadDeletionVector(table, data_file, descriptor));
  if (const auto last = vector.Max(); last && *last >= rows) {
    Error error{ErrorCode::kCorruption, "DELTA_DELETION_VECTOR_INVALID",
                "deletes row " + std::to_string(*last) + " of a file with " +
                    std::to_string(rows) + " rows"};
    return tl::unexpected<Error>(InContext(std::move(error), table, data_file));
  }
  return vector;
}

}  // namespace

Result<DeletionVector> LoadDeletionVector(
    const ScannedTable& table, std::string_view data_file,
    const DeletionVectorDescriptor& descriptor) {
  auto vector = Load(table, descriptor);
  if (vector) return vector;
  return tl::unexpected<Error>(
      InContext(std::move(vector).error(), table, data_file));
}

Result<duckdb::unique_ptr<duckdb::DeleteFilter>> RowFilterOf(
    const ScannedTable& table, const DataFile& file, std::uint64_t rows) {
  std::optional<DeletionVector> deleted;
  if (file.add.deletion_vector) {
    BAYOU_ASSIGN(deleted, LoadChecked(table, file.add.path,
                                      *file.add.deletion_vector, rows));
  }
  if (!file.only_rows) {
    if (!deleted) return nullptr;
    return duckdb::make_uniq_base<duckdb::DeleteFilter, KeepUndeleted>(
        *std::move(deleted));
  }
  BAYOU_ASSIGN(DeletionVector wanted,
               LoadChecked(table, file.add.path, *file.only_rows, rows));
  if (deleted) wanted.Subtract(*deleted);
  return duckdb::make_uniq_base<duckdb::DeleteFilter, KeepOnly>(
      std::move(wanted));
}

}  // namespace bayou::scan

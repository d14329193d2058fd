// SPDX-License-Identifier: Apache-2.0
#include "kernel/write/deletion_vector_writer.h"

#include <limits>

namespace bayou::write {
namespace {

constexpr char kFormatVersion = 1;
constexpr std::size_t kBlockFrame = 8;  // Size before, CRC-32 after.

}  // namespace

Result<protocol::DeletionVectorDescriptor> DeletionVectorWriter::Add(
    const protocol::DeletionVector& vector) {
  if (files_.empty() || files_.back().content.size() >= kTargetSize)
    files_.push_back({NewUuid(env_), std::string(1, kFormatVersion)});
  File& file = files_.back();
  const std::string block = vector.EncodeBlock();
  if (block.size() > std::numeric_limits<std::int32_t>::max() / 2) {
    return Fail(ErrorCode::kResourceExhausted, "DELTA_DELETION_VECTOR_SIZE",
                "a deletion vector of more than 1 GiB cannot be stored; "
                "compact the table first");
  }
  protocol::DeletionVectorDescriptor descriptor;
  descriptor.storage_type = 'u';
  descriptor.path_or_inline_dv =
      protocol::DeletionVectorDescriptor::PathOfUuid(file.uuid);
  descriptor.offset = static_cast<std::int32_t>(file.content.size());
  descriptor.size_in_bytes =
      static_cast<std::int32_t>(block.size() - kBlockFrame);
  descriptor.cardinality = static_cast<std::int64_t>(vector.Cardinality());
  file.content += block;
  return descriptor;
}

Status DeletionVectorWriter::Finish(std::vector<std::string>* names) {
  for (const File& file : files_) {
    const std::string name = "deletion_vector_" + file.uuid + ".bin";
    names->push_back(name);
    BAYOU_TRY(store_.PutIfAbsent(name, file.content));
  }
  files_.clear();
  return {};
}

}  // namespace bayou::write

// SPDX-License-Identifier: Apache-2.0
#include "kernel/write/deletion_vector_writer.h"

#include <gtest/gtest.h>

#include <filesystem>

namespace bayou::write {
namespace {

TEST(DeletionVectorWriter, WhatWasWrittenIsFoundByItsDescriptor) {
  const std::filesystem::path folder =
      std::filesystem::path(::testing::TempDir()) / "deletion_vector_writer";
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder);
  const auto store = store::OpenLocalStore(folder.string());
  DeletionVectorWriter writer(*store, Env::System());
  std::vector<protocol::DeletionVectorDescriptor> descriptors;
  for (std::uint64_t i = 0; i < 3; ++i) {
    protocol::DeletionVector vector;
    vector.AddRange(i, 100 * i + 7);
    descriptors.push_back(writer.Add(vector).value());
  }
  std::vector<std::string> names;
  ASSERT_TRUE(writer.Finish(&names));
  ASSERT_EQ(names.size(), 1);
  EXPECT_EQ(descriptors[0].offset, 1);
  EXPECT_EQ(store->ReadRange(names[0], 0, 1).value(), std::string(1, '\1'));
  for (std::uint64_t i = 0; i < 3; ++i) {
    EXPECT_EQ(descriptors[i].FilePath().value(), names[0]);
    const auto block = store->ReadRange(names[0], *descriptors[i].offset,
                                        descriptors[i].size_in_bytes + 8);
    const auto vector =
        protocol::DeletionVector::DecodeBlock(descriptors[i], block.value());
    ASSERT_TRUE(vector) << vector.error().message;
    EXPECT_EQ(vector->Cardinality(), 100 * i + 7 - i);
    EXPECT_EQ(vector->Max(), 100 * i + 6);
  }
}

}  // namespace
}  // namespace bayou::write

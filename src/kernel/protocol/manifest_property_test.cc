// SPDX-License-Identifier: Apache-2.0
#include "kernel/protocol/manifest_property.h"

#include <gtest/gtest.h>

namespace bayou::protocol {
namespace {

constexpr char kManifest[] =
    "delta.compatibility.symlinkFormatManifest.enabled";
constexpr char kVectors[] = "delta.enableDeletionVectors";
constexpr char kMapping[] = "delta.columnMapping.mode";

Metadata With(StringMap configuration) {
  Metadata metadata;
  metadata.configuration = std::move(configuration);
  return metadata;
}

std::string_view ConditionOf(const Metadata* before, const Metadata& after) {
  const Status checked = CheckManifestProperty(before, after, "t");
  return checked ? "" : checked.error().condition;
}

TEST(ManifestProperty, IsOffUnlessItSaysTrue) {
  EXPECT_FALSE(KeepsManifests(With({})));
  EXPECT_FALSE(KeepsManifests(With({{kManifest, "false"}})));
  EXPECT_FALSE(KeepsManifests(With({{kManifest, "yes"}})));
  EXPECT_TRUE(KeepsManifests(With({{kManifest, "TRUE"}})));
}

TEST(ManifestProperty, ExcludesVectorsAndMappingInEitherOrder) {
  const Metadata manifest = With({{kManifest, "true"}});
  const Metadata with_vectors = With({{kManifest, "true"}, {kVectors, "true"}});
  const Metadata mapped = With({{kManifest, "true"}, {kMapping, "name"}});
  const Metadata vectors_alone = With({{kVectors, "true"}});
  EXPECT_EQ(ConditionOf(nullptr, manifest), "");
  EXPECT_EQ(ConditionOf(&vectors_alone, vectors_alone), "");
  for (const Metadata* before :
       {static_cast<const Metadata*>(nullptr), &manifest, &vectors_alone}) {
    EXPECT_EQ(ConditionOf(before, with_vectors),
              "DELTA_VIOLATE_TABLE_PROPERTY_VALIDATION_FAILED");
    EXPECT_EQ(ConditionOf(before, mapped),
              "DELTA_UNSUPPORTED_MANIFEST_GENERATION_WITH_COLUMN_MAPPING");
  }
}

TEST(ManifestProperty, LetsBeWhatAnotherWriterHasLetBe) {
  const Metadata both = With({{kManifest, "true"}, {kVectors, "true"}});
  EXPECT_EQ(ConditionOf(&both, both), "");
  const Metadata mapped_too =
      With({{kManifest, "true"}, {kVectors, "true"}, {kMapping, "id"}});
  EXPECT_EQ(ConditionOf(&both, mapped_too),
            "DELTA_UNSUPPORTED_MANIFEST_GENERATION_WITH_COLUMN_MAPPING");
}

}  // namespace
}  // namespace bayou::protocol

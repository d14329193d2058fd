// SPDX-License-Identifier: Apache-2.0
//
// delta.compatibility.symlinkFormatManifest.enabled: whoever commits files
// writes the manifests anew by which others read them as plain Parquet.
#pragma once

#include <string_view>

#include "bayou/result.h"
#include "kernel/protocol/actions.h"

namespace bayou::protocol {

bool KeepsManifests(const Metadata& metadata);

// A table with manifests has nothing that plain Parquet does not have. `before`
// is what the table had, or null; what another writer has let it be is no
// error, so that it can be mended.
// Errors: kInvalidArgument, DELTA_VIOLATE_TABLE_PROPERTY_VALIDATION_FAILED,
// with delta.enableDeletionVectors; kUnsupported,
// DELTA_UNSUPPORTED_MANIFEST_GENERATION_WITH_COLUMN_MAPPING.
Status CheckManifestProperty(const Metadata* before, const Metadata& after,
                             std::string_view table);

}  // namespace bayou::protocol

// SPDX-License-Identifier: Apache-2.0
//
// Gives columns the ids and physical names of column mapping.
//
// Protocol: "Column Mapping".
#pragma once

#include <cstdint>
#include <vector>

#include "base/env.h"
#include "bayou/result.h"
#include "kernel/protocol/actions.h"
#include "kernel/protocol/iceberg_compat.h"
#include "kernel/protocol/schema.h"

namespace bayou::commands {

class ColumnMapper {
 public:
  enum class Names : std::uint8_t {
    kNew,  // col-<uuid>: files have no such column yet.
    kOld,  // The name itself: files have it so.
  };

  // Ids go on behind `last_id`. `elements`: those of lists and maps get ids,
  // too (see protocol::NestedIds).
  ColumnMapper(Env& env, Names names, std::int64_t last_id = 0,
               bool elements = false)
      : env_(env), names_(names), last_id_(last_id), elements_(elements) {}

  // All fields below; those that have an id and a name keep them. Errors:
  // kUnsupported, condition DELTA_COLUMN_IDS_EXHAUSTED: there is none left.
  Status Map(std::vector<protocol::Field>& fields);
  Status Map(protocol::DataType& type);

  std::int64_t last_id() const { return last_id_; }

 private:
  Status TakeId();
  Status MapElements(const protocol::DataType& type, const std::string& path,
                     protocol::NestedIds& ids);

  Env& env_;
  Names names_;
  std::int64_t last_id_;
  bool elements_;
};

// Whether the table is one of those for Iceberg whose lists and maps have ids
// for their elements.
bool IdentifiesElements(const protocol::Metadata& metadata);

// delta.columnMapping.maxColumnId, or the largest id of the schema where that
// is larger.
std::int64_t LastColumnId(const protocol::Metadata& metadata,
                          const protocol::Schema& schema);

}  // namespace bayou::commands

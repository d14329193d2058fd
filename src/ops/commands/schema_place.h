// SPDX-License-Identifier: Apache-2.0
//
// Columns, and what is inside of them, by the path that ALTER TABLE gives.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bayou/result.h"
#include "kernel/protocol/schema.h"
#include "ops/commands/alter_table.h"

namespace bayou::commands {

struct SchemaPlace {
  std::vector<protocol::Field>* siblings = nullptr;
  protocol::Field* field = nullptr;    // The nearest field.
  protocol::DataType* type = nullptr;  // Of the field, or of an element in it.
  std::string below;  // From the field to the type: element, value.key, ....
  ColumnPath names;   // The path as the schema spells it.

  bool is_field() const { return below.empty(); }
};

// nullopt where there is nothing. Letters' case is ignored.
std::optional<SchemaPlace> FindPlace(protocol::Schema& schema,
                                     const ColumnPath& path);
protocol::Field* FindField(std::vector<protocol::Field>& fields,
                           std::string_view name);

// Puts the field where it is asked for; nullopt: behind the others.
// Errors: kInvalidArgument, condition DELTA_COLUMN_NOT_FOUND.
Status InsertField(std::vector<protocol::Field>& fields, protocol::Field field,
                   const std::optional<ColumnPosition>& position);

std::string Dotted(const ColumnPath& path);

// As delta-spark's history has them: the field with its whole path for a name,
// `FIRST`, `AFTER a`.
std::string FieldJson(const protocol::Field& field, const ColumnPath& path);
std::string PositionText(const ColumnPosition& position);

}  // namespace bayou::commands

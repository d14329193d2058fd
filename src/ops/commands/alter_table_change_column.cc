// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "kernel/protocol/letter_case.h"
#include "kernel/protocol/table_features.h"
#include "kernel/protocol/type_widening.h"
#include "ops/commands/alter_table_plan.h"
#include "ops/commands/schema_place.h"

namespace bayou::commands {
namespace {

using protocol::DataType;
using protocol::EqualIgnoringCase;
using protocol::Field;
using protocol::TypeKind;
using transaction::TextParameter;

constexpr char kDefault[] = "CURRENT_DEFAULT";

tl::unexpected<Error> Invalid(std::string_view condition, std::string message) {
  return Fail(ErrorCode::kInvalidArgument, condition, std::move(message));
}
tl::unexpected<Error> Unsupported(std::string_view condition,
                                  std::string message) {
  return Fail(ErrorCode::kUnsupported, condition, std::move(message));
}

// A type in the schema's spelling without quotes.
std::string StoredName(const DataType& type) {
  const std::string json = protocol::TypeToJson(type);
  return json.starts_with('"') ? json.substr(1, json.size() - 2) : json;
}

void RecordTypeChange(Field& field, const std::string& below,
                      const std::string& from, const std::string& to) {
  std::string change = R"({"toType":)" + TextParameter(to) + R"(,"fromType":)" +
                       TextParameter(from);
  if (!below.empty()) change += R"(,"fieldPath":)" + TextParameter(below);
  change += '}';
  std::string& changes = field.metadata["delta.typeChanges"];
  if (changes.size() < 3) {
    changes = "[" + change + "]";
  } else {
    changes.back() = ',';
    changes += change + "]";
  }
}

Status ChangeType(AlteredTable& altered, SchemaPlace& place,
                  const DataType& type) {
  if (*place.type == type) return {};
  const std::string name = Dotted(place.names);
  const std::string from = StoredName(*place.type);
  const std::string to = StoredName(type);
  // No file has a column of type void.
  if (place.type->kind == TypeKind::kVoid && !type.IsNested()) {
    *place.type = type;
    return RaiseProtocol(altered);
  }
  if (place.type->IsNested() || type.IsNested() ||
      !protocol::IsTypeWidening(from, to)) {
    return Unsupported("DELTA_UNSUPPORTED_TYPE_CHANGE",
                       fmt::format("column {} of type {} cannot become {}: "
                                   "types can only become wider",
                                   name, from, to));
  }
  const auto& configuration = altered.change.metadata.configuration;
  const auto enabled = configuration.find("delta.enableTypeWidening");
  if (enabled == configuration.end() ||
      !EqualIgnoringCase(enabled->second, "true")) {
    return Unsupported(
        "DELTA_UNSUPPORTED_TYPE_CHANGE",
        fmt::format("column {} of type {} can become {} with type widening: "
                    "ALTER TABLE ... SET TBLPROPERTIES "
                    "('delta.enableTypeWidening' = 'true') switches it on; "
                    "readers must know it too from then on",
                    name, from, to));
  }
  BAYOU_TRY(CheckNoDependents(altered, place.names.front(), "changed"));
  if (place.field->metadata.contains("delta.identity.start") ||
      place.field->metadata.contains("delta.generationExpression")) {
    return Unsupported("DELTA_UNSUPPORTED_TYPE_CHANGE",
                       fmt::format("column {} has values that the table "
                                   "computes; its type cannot be changed",
                                   name));
  }
  *place.type = type;
  RecordTypeChange(*place.field, place.below, from, to);
  return RaiseProtocol(altered);
}

// The path as an expression that is true where the column has a value, or
// where what it is inside of is NULL.
std::string NotNullText(const ColumnPath& names) {
  std::string text;
  std::string path;
  for (const std::string& name : names) {
    std::string quoted = "`";
    for (const char c : name) quoted += c == '`' ? "``" : std::string(1, c);
    path += (path.empty() ? "" : ".") + quoted + "`";
    const bool last = &name == &names.back();
    text += (text.empty() ? "" : " OR ") + path +
            (last ? " IS NOT NULL" : " IS NULL");
  }
  return text;
}

Status ChangeNullable(AlteredTable& altered, SchemaPlace& place,
                      bool nullable) {
  if (place.field->nullable == nullable) return {};
  if (place.field->metadata.contains("delta.identity.start") && nullable) {
    return Unsupported("DELTA_UNSUPPORTED_COLUMN_CHANGE",
                       "an identity column has a value always");
  }
  place.field->nullable = nullable;
  if (nullable) return {};
  altered.change.existing_rows = {"NOT NULL of column " + Dotted(place.names),
                                  NotNullText(place.names)};
  return {};
}

Status ChangeDefault(AlteredTable& altered, SchemaPlace& place,
                     const std::string& text) {
  if (!protocol::Supports(altered.change.protocol, "allowColumnDefaults")) {
    return Unsupported(
        "DELTA_UNSUPPORTED_COLUMN_DEFAULT",
        fmt::format("a default needs the feature allowColumnDefaults, which "
                    "table {} does not have: ALTER TABLE ... SET TBLPROPERTIES "
                    "('delta.feature.allowColumnDefaults' = 'supported') adds "
                    "it; writers must know it too from then on",
                    altered.table.location()));
  }
  if (place.names.size() != 1 ||
      place.field->metadata.contains("delta.generationExpression") ||
      place.field->metadata.contains("delta.identity.start")) {
    return Invalid("DELTA_UNSUPPORTED_COLUMN_DEFAULT",
                   "a default is that of a column whose values the table does "
                   "not compute");
  }
  place.field->metadata[kDefault] = TextParameter(text);
  return {};
}

Status Move(AlteredTable& altered, const ColumnPath& path,
            const ColumnPosition& position) {
  BAYOU_ASSIGN(const SchemaPlace place, FieldPlace(altered, path));
  if (position.after && EqualIgnoringCase(*position.after, place.field->name)) {
    return {};
  }
  Field field = *place.field;
  place.siblings->erase(place.siblings->begin() +
                        (place.field - place.siblings->data()));
  return InsertField(*place.siblings, std::move(field), position);
}

// Before what is written down, as delta-spark does.
std::string ChangeText(const Field& before, const ColumnPath& path,
                       const ChangeColumn& change) {
  Field field = before;
  if (change.type) field.type = *change.type;
  if (change.nullable) field.nullable = *change.nullable;
  if (change.comment)
    field.metadata["comment"] = TextParameter(*change.comment);
  if (change.default_text) {
    field.metadata[kDefault] = TextParameter(*change.default_text);
  }
  if (change.drop_default) field.metadata.erase(kDefault);
  return FieldJson(field, path);
}

}  // namespace

Status Alter(AlteredTable& altered, const ChangeColumn& change) {
  auto place = FindPlace(altered.schema, change.column);
  if (!place) return NotFound(altered, change.column);
  const bool only_type = !change.nullable && !change.comment &&
                         !change.position && !change.default_text &&
                         !change.drop_default;
  if (!place->is_field() && !only_type) {
    return Unsupported("DELTA_UNSUPPORTED_COLUMN_CHANGE",
                       fmt::format("of {}, an element of a column, only the "
                                   "type can be changed",
                                   Dotted(change.column)));
  }
  const protocol::Schema before = altered.schema;
  const std::string text = ChangeText(*place->field, place->names, change);
  if (change.type) BAYOU_TRY(ChangeType(altered, *place, *change.type));
  if (change.nullable) {
    BAYOU_TRY(ChangeNullable(altered, *place, *change.nullable));
  }
  if (change.comment) {
    place->field->metadata["comment"] = TextParameter(*change.comment);
  }
  if (change.default_text) {
    BAYOU_TRY(ChangeDefault(altered, *place, *change.default_text));
  }
  if (change.drop_default) place->field->metadata.erase(kDefault);
  auto& operation = altered.change.operation;
  operation = {"CHANGE COLUMN", {{"column", TextParameter(text)}}, {}};
  if (change.position) {
    operation.parameters.emplace_back(
        "position", TextParameter(PositionText(*change.position)));
    BAYOU_TRY(Move(altered, change.column, *change.position));
  }
  altered.change.changes_metadata = altered.schema != before;
  return {};
}

}  // namespace bayou::commands

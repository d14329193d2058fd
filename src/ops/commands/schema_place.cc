// SPDX-License-Identifier: Apache-2.0
#include "ops/commands/schema_place.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "kernel/protocol/letter_case.h"

namespace bayou::commands {
namespace {

using protocol::DataType;
using protocol::EqualIgnoringCase;
using protocol::TypeKind;

// `element`, `key` or `value` of a type; nullptr for what it does not have.
DataType* FindElement(DataType& type, std::string_view name) {
  if (type.kind == TypeKind::kArray && EqualIgnoringCase(name, "element")) {
    return &type.children[0];
  }
  if (type.kind != TypeKind::kMap) return nullptr;
  if (EqualIgnoringCase(name, "key")) return &type.children[0];
  if (EqualIgnoringCase(name, "value")) return &type.children[1];
  return nullptr;
}

}  // namespace

using protocol::Field;

std::string Dotted(const ColumnPath& path) {
  std::string text;
  for (const std::string& name : path) {
    text += (text.empty() ? "" : ".") + name;
  }
  return text;
}

Field* FindField(std::vector<Field>& fields, std::string_view name) {
  const auto found = std::ranges::find_if(fields, [&](const Field& field) {
    return EqualIgnoringCase(field.name, name);
  });
  return found == fields.end() ? nullptr : &*found;
}

std::optional<SchemaPlace> FindPlace(protocol::Schema& schema,
                                     const ColumnPath& path) {
  SchemaPlace place{&schema.fields, nullptr, nullptr, "", {}};
  for (const std::string& name : path) {
    if (place.type != nullptr) {
      if (DataType* element = FindElement(*place.type, name)) {
        place.type = element;
        place.names.push_back(name);
        place.below += (place.below.empty() ? "" : ".") + name;
        continue;
      }
      place.siblings = &place.type->fields;
    }
    place.field = FindField(*place.siblings, name);
    if (place.field == nullptr) return std::nullopt;
    place.names.push_back(place.field->name);
    place.type = &place.field->type;
    place.below.clear();
  }
  if (place.field == nullptr) return std::nullopt;
  return place;
}

std::string FieldJson(const Field& field, const ColumnPath& path) {
  protocol::Schema one;
  one.fields.push_back(field);
  one.fields.front().name = Dotted(path);
  const std::string json = protocol::SchemaToJson(one);
  constexpr std::size_t kBefore =
      std::string_view(R"({"type":"struct","fields":[)").size();
  return json.substr(kBefore, json.size() - kBefore - 2);
}

std::string PositionText(const ColumnPosition& position) {
  return position.after ? "AFTER " + *position.after : "FIRST";
}

Status InsertField(std::vector<Field>& fields, Field field,
                   const std::optional<ColumnPosition>& position) {
  auto at = fields.end();
  if (position && !position->after) at = fields.begin();
  if (position && position->after) {
    const Field* before = FindField(fields, *position->after);
    if (before == nullptr) {
      return Fail(ErrorCode::kInvalidArgument, "DELTA_COLUMN_NOT_FOUND",
                  fmt::format("column {} should come after {}, which is "
                              "not beside it",
                              field.name, *position->after));
    }
    at = fields.begin() + (before - fields.data()) + 1;
  }
  fields.insert(at, std::move(field));
  return {};
}

}  // namespace bayou::commands

// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/json.h"
#include "kernel/protocol/letter_case.h"
#include "kernel/protocol/table_features.h"
#include "kernel/protocol/type_widening.h"
#include "ops/commands/alter_table_plan.h"
#include "ops/commands/column_mapper.h"

namespace bayou::commands {
namespace {

using protocol::DataType;
using protocol::EqualIgnoringCase;
using protocol::Field;
using protocol::TypeKind;
using transaction::TextParameter;

constexpr char kMaxColumnId[] = "delta.columnMapping.maxColumnId";
constexpr char kStatsColumns[] = "delta.dataSkippingStatsColumns";
constexpr char kDefault[] = "CURRENT_DEFAULT";

std::string Dotted(const ColumnPath& path) {
  std::string text;
  for (const std::string& name : path) {
    text += (text.empty() ? "" : ".") + name;
  }
  return text;
}

tl::unexpected<Error> Invalid(std::string_view condition, std::string message) {
  return Fail(ErrorCode::kInvalidArgument, condition, std::move(message));
}
tl::unexpected<Error> Unsupported(std::string_view condition,
                                  std::string message) {
  return Fail(ErrorCode::kUnsupported, condition, std::move(message));
}

tl::unexpected<Error> NotFound(const AlteredTable& altered,
                               const ColumnPath& path) {
  return Invalid("DELTA_COLUMN_NOT_FOUND",
                 fmt::format("table {} has no column {}",
                             altered.table.location(), Dotted(path)));
}

Field* FindField(std::vector<Field>& fields, std::string_view name) {
  const auto found = std::ranges::find_if(fields, [&](const Field& field) {
    return EqualIgnoringCase(field.name, name);
  });
  return found == fields.end() ? nullptr : &*found;
}

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

// A place in a schema.
struct Place {
  std::vector<Field>* siblings = nullptr;
  Field* field = nullptr;  // The nearest field.
  DataType* type = nullptr;
  std::string below;  // From the field to the type: element, value.key, ....
  ColumnPath names;   // As the schema spells them.
};

std::optional<Place> FindPlace(protocol::Schema& schema,
                               const ColumnPath& path) {
  Place place{&schema.fields, nullptr, nullptr, "", {}};
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

// A place that is a field, not an element of one.
Result<Place> FieldPlace(AlteredTable& altered, const ColumnPath& path) {
  auto place = FindPlace(altered.schema, path);
  if (!place || !place->below.empty()) return NotFound(altered, path);
  return *std::move(place);
}

// As the history has a field: with the whole path for its name.
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

// Puts the field where it is asked for, among `fields`.
Status Insert(std::vector<Field>& fields, Field field,
              const std::optional<ColumnPosition>& position) {
  auto at = fields.end();
  if (position && !position->after) at = fields.begin();
  if (position && position->after) {
    const Field* before = FindField(fields, *position->after);
    if (before == nullptr) {
      return Invalid("DELTA_COLUMN_NOT_FOUND",
                     fmt::format("column {} should come after {}, which is "
                                 "not beside it",
                                 field.name, *position->after));
    }
    at = fields.begin() + (before - fields.data()) + 1;
  }
  fields.insert(at, std::move(field));
  return {};
}

Status CheckNoDependents(const AlteredTable& altered, const std::string& column,
                         std::string_view what) {
  BAYOU_ASSIGN(const std::string dependents,
               DependentsOf(altered.change.metadata, altered.schema, column));
  if (dependents.empty()) return {};
  return Invalid("DELTA_DEPENDENT_COLUMN_CHANGE",
                 fmt::format("column {} cannot be {}: {} uses it; drop that "
                             "first",
                             column, what, dependents));
}

Status CheckMapped(const AlteredTable& altered, std::string_view operation) {
  if (altered.is_mapped()) return {};
  return Unsupported(
      "DELTA_UNSUPPORTED_COLUMN_CHANGE",
      fmt::format(
          "{} needs column mapping, which table {} does not have: ALTER TABLE "
          "... SET TBLPROPERTIES ('delta.columnMapping.mode' = 'name') "
          "switches it on; readers must know it too from then on",
          operation, altered.table.location()));
}

bool Clusters(const std::vector<ColumnPath>& clustering,
              const std::vector<Field>& fields, const ColumnPath& path) {
  // By physical names, which stay when columns are renamed.
  ColumnPath physical;
  const std::vector<Field>* level = &fields;
  for (const std::string& name : path) {
    const auto found = std::ranges::find(*level, name, &Field::name);
    if (found == level->end()) return false;
    physical.push_back(found->physical_name());
    level = &found->type.fields;
  }
  return std::ranges::any_of(clustering, [&](const ColumnPath& column) {
    return column.size() >= physical.size() &&
           std::equal(physical.begin(), physical.end(), column.begin());
  });
}

// Renames or takes out (`to` empty) a column in the list of those that have
// statistics.
void ChangeStatsColumns(protocol::Metadata& metadata, const std::string& from,
                        const std::string& to) {
  const auto found = metadata.configuration.find(kStatsColumns);
  if (found == metadata.configuration.end()) return;
  std::string list;
  std::size_t begin = 0;
  const std::string& text = found->second;
  while (begin <= text.size()) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    std::string item = text.substr(begin, end - begin);
    begin = end + 1;
    const std::size_t first = item.find_first_not_of(" `");
    const std::size_t last = item.find_last_not_of(" `");
    const std::string name =
        first == std::string::npos ? "" : item.substr(first, last - first + 1);
    if (EqualIgnoringCase(name, from) ||
        (name.size() > from.size() && name[from.size()] == '.' &&
         EqualIgnoringCase(name.substr(0, from.size()), from))) {
      if (to.empty()) continue;
      item = to + name.substr(from.size());
    }
    if (!item.empty()) list += (list.empty() ? "" : ",") + item;
  }
  if (list.empty()) {
    metadata.configuration.erase(found);
  } else {
    found->second = list;
  }
}

Status CheckNewName(const AlteredTable& altered, const std::string& name) {
  if (name.empty())
    return Invalid("DELTA_INVALID_COLUMNS", "a column needs a name");
  if (altered.is_mapped() ||
      name.find_first_of(" ,;{}()\n\t=") == std::string::npos) {
    return {};
  }
  return Invalid("DELTA_INVALID_COLUMNS",
                 fmt::format("column name '{}' has one of the characters ' "
                             ",;{{}}()\\n\\t=', for which the table needs "
                             "'delta.columnMapping.mode' = 'name'",
                             name));
}

Status CheckNewNames(const AlteredTable& altered, const DataType& type) {
  for (const Field& field : type.fields) {
    BAYOU_TRY(CheckNewName(altered, field.name));
    BAYOU_TRY(CheckNewNames(altered, field.type));
  }
  for (const DataType& child : type.children) {
    BAYOU_TRY(CheckNewNames(altered, child));
  }
  return {};
}

// Features that types bring along, such as timestampNtz.
Status RaiseProtocol(AlteredTable& altered) {
  TableChange& change = altered.change;
  protocol::Metadata metadata = change.metadata;
  metadata.schema_string = protocol::SchemaToJson(altered.schema);
  BAYOU_ASSIGN(auto raised,
               protocol::ProtocolForChangedTable(change.protocol, metadata));
  change.changes_protocol = raised.has_value();
  if (raised) change.protocol = *std::move(raised);
  return {};
}

}  // namespace

// -------------------------------------------------------------- ADD COLUMNS

Status Alter(AlteredTable& altered, const AddColumns& add) {
  std::string columns;
  for (const AddColumns::Column& column : add.columns) {
    std::vector<Field>* fields = &altered.schema.fields;
    if (!column.parent.empty()) {
      const auto parent = FindPlace(altered.schema, column.parent);
      if (!parent || parent->type->kind != TypeKind::kStruct) {
        return NotFound(altered, column.parent);
      }
      fields = &parent->type->fields;
    }
    if (FindField(*fields, column.field.name) != nullptr) {
      if (add.if_not_exists) continue;
      return Invalid("DELTA_COLUMN_ALREADY_EXISTS",
                     fmt::format("table {} has a column {} already",
                                 altered.table.location(), column.field.name));
    }
    if (!column.field.nullable) {
      return Invalid("DELTA_ADDING_COLUMN_NOT_NULL",
                     fmt::format("column {} cannot be added as NOT NULL, for "
                                 "the rows that are there have no value; add "
                                 "it without, fill it, and SET NOT NULL",
                                 column.field.name));
    }
    BAYOU_TRY(CheckNewName(altered, column.field.name));
    BAYOU_TRY(CheckNewNames(altered, column.field.type));
    Field field = column.field;
    if (altered.is_mapped()) {
      ColumnMapper mapper(
          altered.env, ColumnMapper::Names::kNew,
          LastColumnId(altered.change.metadata, altered.schema));
      std::vector<Field> mapped = {std::move(field)};
      mapper.Map(mapped);
      field = std::move(mapped.front());
      altered.change.metadata.configuration[kMaxColumnId] =
          std::to_string(mapper.last_id());
    }
    ColumnPath path = column.parent;
    path.push_back(column.field.name);
    columns += (columns.empty() ? "" : ",") + std::string(R"({"column":)") +
               FieldJson(column.field, path);
    if (column.position) {
      columns +=
          R"(,"position":)" + TextParameter(PositionText(*column.position));
    }
    columns += "}";
    BAYOU_TRY(Insert(*fields, std::move(field), column.position));
  }
  altered.change.operation = {
      "ADD COLUMNS", {{"columns", TextParameter("[" + columns + "]")}}, {}};
  altered.change.changes_metadata = !columns.empty();
  return RaiseProtocol(altered);
}

// ------------------------------------------------------------- DROP COLUMNS

namespace {

Status DropOne(AlteredTable& altered, const Place& place,
               const std::vector<ColumnPath>& clustering) {
  const protocol::Metadata& metadata = altered.change.metadata;
  const std::string name = Dotted(place.names);
  const bool partition =
      place.names.size() == 1 &&
      std::ranges::find(metadata.partition_columns, place.names.front()) !=
          metadata.partition_columns.end();
  if (partition) {
    return Invalid("DELTA_UNSUPPORTED_COLUMN_CHANGE",
                   fmt::format("column {} cannot be dropped: the table is "
                               "partitioned by it",
                               name));
  }
  if (Clusters(clustering, altered.schema.fields, place.names)) {
    return Invalid("DELTA_UNSUPPORTED_COLUMN_CHANGE",
                   fmt::format("column {} cannot be dropped: the table is "
                               "clustered by it",
                               name));
  }
  if (place.siblings->size() == 1) {
    return Invalid("DELTA_UNSUPPORTED_COLUMN_CHANGE",
                   fmt::format("column {} cannot be dropped: it is the only "
                               "one",
                               name));
  }
  BAYOU_TRY(CheckNoDependents(altered, place.names.front(), "dropped"));
  ChangeStatsColumns(altered.change.metadata, name, "");
  place.siblings->erase(place.siblings->begin() +
                        (place.field - place.siblings->data()));
  return {};
}

}  // namespace

Status Alter(AlteredTable& altered, const DropColumns& drop) {
  BAYOU_TRY(CheckMapped(altered, "DROP COLUMN"));
  BAYOU_ASSIGN(const auto clustering, ClusteringColumns(altered.table));
  std::vector<std::string> dropped;
  for (const ColumnPath& path : drop.columns) {
    const auto place = FindPlace(altered.schema, path);
    if (!place || !place->below.empty()) {
      if (drop.if_exists) continue;
      return NotFound(altered, path);
    }
    dropped.push_back(Dotted(place->names));
    BAYOU_TRY(DropOne(altered, *place, clustering));
  }
  altered.change.changes_metadata = !dropped.empty();
  altered.change.operation = {
      "DROP COLUMNS", {{"columns", transaction::ListParameter(dropped)}}, {}};
  return {};
}

// ------------------------------------------------------------ RENAME COLUMN

Status Alter(AlteredTable& altered, const RenameColumn& rename) {
  BAYOU_TRY(CheckMapped(altered, "RENAME COLUMN"));
  BAYOU_ASSIGN(const Place place, FieldPlace(altered, rename.column));
  BAYOU_TRY(CheckNewName(altered, rename.name));
  const Field* other = FindField(*place.siblings, rename.name);
  if (other != nullptr && other != place.field) {
    return Invalid("DELTA_COLUMN_ALREADY_EXISTS",
                   fmt::format("table {} has a column {} already",
                               altered.table.location(), other->name));
  }
  BAYOU_TRY(CheckNoDependents(altered, place.names.front(), "renamed"));
  ColumnPath renamed = place.names;
  renamed.back() = rename.name;
  if (place.names.size() == 1) {
    std::ranges::replace(altered.change.metadata.partition_columns,
                         place.names.front(), rename.name);
  }
  ChangeStatsColumns(altered.change.metadata, Dotted(place.names),
                     Dotted(renamed));
  place.field->name = rename.name;
  altered.change.operation = {
      "RENAME COLUMN",
      {{"oldColumnPath", TextParameter(Dotted(place.names))},
       {"newColumnPath", TextParameter(Dotted(renamed))}},
      {}};
  return {};
}

// ------------------------------------------------------------ CHANGE COLUMN

namespace {

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
  change += "}";
  std::string& changes = field.metadata["delta.typeChanges"];
  if (changes.size() < 3) {
    changes = "[" + change + "]";
  } else {
    changes.back() = ',';
    changes += change + "]";
  }
}

Status ChangeType(AlteredTable& altered, Place& place, const DataType& type) {
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

Status ChangeNullable(AlteredTable& altered, Place& place, bool nullable) {
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

Status ChangeDefault(AlteredTable& altered, Place& place,
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
  BAYOU_ASSIGN(const Place place, FieldPlace(altered, path));
  if (position.after && EqualIgnoringCase(*position.after, place.field->name)) {
    return {};
  }
  Field field = *place.field;
  place.siblings->erase(place.siblings->begin() +
                        (place.field - place.siblings->data()));
  return Insert(*place.siblings, std::move(field), position);
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
  if (!place->below.empty() && !only_type) {
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

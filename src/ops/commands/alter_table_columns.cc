// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "kernel/protocol/letter_case.h"
#include "ops/commands/alter_table_plan.h"
#include "ops/commands/column_mapper.h"
#include "ops/commands/schema_place.h"

namespace bayou::commands {
namespace {

using protocol::DataType;
using protocol::EqualIgnoringCase;
using protocol::Field;
using protocol::TypeKind;
using transaction::TextParameter;

constexpr char kMaxColumnId[] = "delta.columnMapping.maxColumnId";
constexpr char kStatsColumns[] = "delta.dataSkippingStatsColumns";

tl::unexpected<Error> Invalid(std::string_view condition, std::string message) {
  return Fail(ErrorCode::kInvalidArgument, condition, std::move(message));
}
tl::unexpected<Error> Unsupported(std::string_view condition,
                                  std::string message) {
  return Fail(ErrorCode::kUnsupported, condition, std::move(message));
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
    found->second = std::move(list);
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
      ColumnMapper mapper(altered.env, ColumnMapper::Names::kNew,
                          LastColumnId(altered.change.metadata, altered.schema),
                          IdentifiesElements(altered.change.metadata));
      std::vector<Field> mapped = {std::move(field)};
      BAYOU_TRY(mapper.Map(mapped));
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
    columns += '}';
    BAYOU_TRY(InsertField(*fields, std::move(field), column.position));
  }
  altered.change.operation = {
      "ADD COLUMNS", {{"columns", TextParameter("[" + columns + "]")}}, {}};
  altered.change.changes_metadata = !columns.empty();
  return RaiseProtocol(altered);
}

// ------------------------------------------------------------- DROP COLUMNS

namespace {

Status DropOne(AlteredTable& altered, const SchemaPlace& place,
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
    if (!place || !place->is_field()) {
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
  BAYOU_ASSIGN(const SchemaPlace place, FieldPlace(altered, rename.column));
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

}  // namespace bayou::commands

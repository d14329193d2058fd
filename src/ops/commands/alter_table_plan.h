// SPDX-License-Identifier: Apache-2.0
//
// The parts of ALTER TABLE, one for each kind of alteration; PlanAlteration of
// alter_table.h calls them. Each changes `change`, which begins as the table
// is.
#pragma once

#include "ops/commands/alter_table.h"
#include "ops/commands/schema_place.h"

namespace bayou::commands {

// A table while it is altered. `schema` is what becomes of the metadata's.
struct AlteredTable {
  const table::Snapshot& table;
  protocol::Schema schema;
  TableChange change;
  Env& env;

  // Column mapping as in force: fields have physical names.
  bool is_mapped() const {
    return table.column_mapping() != protocol::ColumnMappingMode::kNone;
  }
};

Status Alter(AlteredTable& altered, const AddColumns& add);
Status Alter(AlteredTable& altered, const DropColumns& drop);
Status Alter(AlteredTable& altered, const RenameColumn& rename);
Status Alter(AlteredTable& altered, const ChangeColumn& change);
Status Alter(AlteredTable& altered, const SetProperties& set);
Status Alter(AlteredTable& altered, const UnsetProperties& unset);
Status Alter(AlteredTable& altered, const AddConstraint& add);
Status Alter(AlteredTable& altered, const DropConstraint& drop);
Status Alter(AlteredTable& altered, const ClusterBy& cluster);
Status Alter(AlteredTable& altered, const SyncIdentity& sync);
Status Alter(AlteredTable& altered, const DropFeature& drop);

// The rules and expressions of the table that name the column, for messages;
// empty when none does. Errors: kUnsupported for an expression that is not
// understood, for it might.
Result<std::string> DependentsOf(const protocol::Metadata& metadata,
                                 const protocol::Schema& schema,
                                 const std::string& column);

// Errors: kInvalidArgument, condition DELTA_DEPENDENT_COLUMN_CHANGE, when there
// is one; as above. `what` the column cannot be: dropped, renamed, ....
Status CheckNoDependents(const AlteredTable& altered, const std::string& column,
                         std::string_view what);

// A field of the schema, no element of one. Errors: kInvalidArgument, condition
// DELTA_COLUMN_NOT_FOUND.
Result<SchemaPlace> FieldPlace(AlteredTable& altered, const ColumnPath& path);
tl::unexpected<Error> NotFound(const AlteredTable& altered,
                               const ColumnPath& path);

// The protocol that schema and properties need by now; the properties that ask
// for features and versions have done their work then, and go.
Status RaiseProtocol(AlteredTable& altered);

// The columns that the table is clustered by, as paths of physical names.
Result<std::vector<ColumnPath>> ClusteringColumns(const table::Snapshot& table);

}  // namespace bayou::commands

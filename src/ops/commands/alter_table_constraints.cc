// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "kernel/protocol/letter_case.h"
#include "kernel/protocol/stored_expression.h"
#include "kernel/protocol/table_features.h"
#include "ops/commands/alter_table_plan.h"

namespace bayou::commands {
namespace {

using protocol::EqualIgnoringCase;
using transaction::TextParameter;

constexpr std::string_view kPrefix = "delta.constraints.";

std::string Lower(std::string text) {
  std::ranges::transform(text, text.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
  });
  return text;
}

auto FindConstraint(protocol::StringMap& configuration,
                    const std::string& name) {
  return std::ranges::find_if(configuration, [&](const auto& property) {
    return property.first.starts_with(kPrefix) &&
           EqualIgnoringCase(
               std::string_view(property.first).substr(kPrefix.size()), name);
  });
}

Result<bool> Uses(const std::string& text, const std::string& column) {
  BAYOU_ASSIGN(const auto expression, protocol::ParseStoredExpression(
                                          text, protocol::Spelling::kSpark));
  return std::ranges::any_of(
      protocol::ColumnsOf(expression),
      [&](const std::string& used) { return EqualIgnoringCase(used, column); });
}

}  // namespace

Status Alter(AlteredTable& altered, const AddConstraint& add) {
  TableChange& change = altered.change;
  if (FindConstraint(change.metadata.configuration, add.name) !=
      change.metadata.configuration.end()) {
    return Fail(ErrorCode::kInvalidArgument, "DELTA_CONSTRAINT_ALREADY_EXISTS",
                fmt::format("table {} has a constraint {} already; drop it "
                            "first",
                            altered.table.location(), add.name));
  }
  const std::string name = Lower(add.name);
  change.metadata.configuration[std::string(kPrefix) + name] = add.text;
  BAYOU_ASSIGN(auto raised, protocol::ProtocolForChangedTable(change.protocol,
                                                              change.metadata));
  change.changes_protocol = raised.has_value();
  if (raised) change.protocol = *std::move(raised);
  change.existing_rows = {"CHECK constraint " + name, add.text};
  change.operation = {
      "ADD CONSTRAINT",
      {{"name", TextParameter(name)}, {"expr", TextParameter(add.text)}},
      {}};
  return {};
}

Status Alter(AlteredTable& altered, const DropConstraint& drop) {
  TableChange& change = altered.change;
  auto& configuration = change.metadata.configuration;
  const auto found = FindConstraint(configuration, drop.name);
  if (found == configuration.end()) {
    if (!drop.if_exists) {
      return Fail(ErrorCode::kInvalidArgument,
                  "DELTA_CONSTRAINT_DOES_NOT_EXIST",
                  fmt::format("table {} has no constraint {}",
                              altered.table.location(), drop.name));
    }
    change.changes_metadata = false;
    return {};
  }
  change.operation = {"DROP CONSTRAINT",
                      {{"name", TextParameter(drop.name)},
                       {"expr", TextParameter(found->second)},
                       {"existed", TextParameter("true")}},
                      {}};
  configuration.erase(found);
  return {};
}

Result<std::string> DependentsOf(const protocol::Metadata& metadata,
                                 const protocol::Schema& schema,
                                 const std::string& column) {
  for (const auto& [key, text] : metadata.configuration) {
    if (!key.starts_with(kPrefix)) continue;
    BAYOU_ASSIGN(const bool used, Uses(text, column));
    if (used) return "CHECK constraint " + key.substr(kPrefix.size());
  }
  for (const protocol::Field& field : schema.fields) {
    const auto text = field.MetadataText("delta.generationExpression");
    if (!text) continue;
    BAYOU_ASSIGN(const bool used, Uses(*text, column));
    if (used) return "generated column " + field.name;
  }
  return std::string();
}

Status CheckNoDependents(const AlteredTable& altered, const std::string& column,
                         std::string_view what) {
  BAYOU_ASSIGN(const std::string dependents,
               DependentsOf(altered.change.metadata, altered.schema, column));
  if (dependents.empty()) return {};
  return Fail(ErrorCode::kInvalidArgument, "DELTA_DEPENDENT_COLUMN_CHANGE",
              fmt::format("column {} cannot be {}: {} uses it; drop that "
                          "first",
                          column, what, dependents));
}

}  // namespace bayou::commands

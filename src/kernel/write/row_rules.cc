// SPDX-License-Identifier: Apache-2.0
#include "kernel/write/row_rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <utility>

#include "base/json.h"
#include "kernel/engine/engine.h"
#include "kernel/engine/stored_expression_binder.h"
#include "kernel/protocol/stored_expression.h"

namespace bayou::write {
namespace {

using duckdb::idx_t;
using protocol::Field;
using protocol::Schema;
using protocol::StoredExpression;
using protocol::TypeKind;

constexpr std::string_view kConstraintPrefix = "delta.constraints.";
constexpr std::string_view kInvariants = "delta.invariants";
constexpr std::string_view kGenerationExpression = "delta.generationExpression";
constexpr std::string_view kCharVarchar = "__CHAR_VARCHAR_TYPE_STRING";
constexpr std::string_view kViolated = "DELTA_VIOLATE_CONSTRAINT_WITH_VALUES";
constexpr std::string_view kTooLong = "DELTA_EXCEED_CHAR_VARCHAR_LIMIT";
constexpr std::size_t kMostSamples = 3;
constexpr std::size_t kLongestSample = 100;  // Bytes of a value.

using Path = std::vector<std::string>;

std::string Dotted(const Path& path) {
  std::string text;
  for (const std::string& name : path) {
    text += (text.empty() ? "" : ".") + name;
  }
  return text;
}

// Calls `visit(path, field)` for the fields of structs, however deep.
template <typename Visit>
Status VisitFields(const std::vector<Field>& fields, Path& path,
                   const Visit& visit) {
  for (const Field& field : fields) {
    path.push_back(field.name);
    BAYOU_TRY(visit(path, field));
    BAYOU_TRY(VisitFields(field.type.fields, path, visit));
    path.pop_back();
  }
  return {};
}

// {"expression": {"expression": "x > 3"}}
Result<std::string> InvariantText(const Path& path, const std::string& json) {
  simdjson::dom::parser parser;
  const auto parsed = ParseJson(parser, json);
  std::string_view text;
  if (!parsed || (*parsed)["expression"]["expression"].get(text)) {
    return Fail(ErrorCode::kCorruption, "DELTA_SCHEMA_INVALID",
                "the invariant of column " + Dotted(path) + " makes no sense");
  }
  return std::string(text);
}

bool HasInvariantInElements(const protocol::DataType& type, bool in_element) {
  const bool among_fields =
      std::ranges::any_of(type.fields, [&](const Field& field) {
        return (in_element &&
                field.metadata.contains(std::string(kInvariants))) ||
               HasInvariantInElements(field.type, in_element);
      });
  return among_fields ||
         std::ranges::any_of(type.children,
                             [](const protocol::DataType& child) {
                               return HasInvariantInElements(child, true);
                             });
}

// n of char(n) and varchar(n).
Result<int> LengthOf(const Path& path, std::string_view type) {
  for (const std::string_view prefix : {"varchar(", "char("}) {
    if (!type.starts_with(prefix) || !type.ends_with(')')) continue;
    int length = 0;
    const char* end = type.data() + type.size() - 1;
    const auto [stop, error] =
        std::from_chars(type.data() + prefix.size(), end, length);
    if (error == std::errc{} && stop == end && length > 0) return length;
  }
  return Fail(ErrorCode::kUnsupported, "DELTA_UNSUPPORTED_TYPE",
              fmt::format("column {} was declared as {}, whose lengths Bayou "
                          "cannot check",
                          Dotted(path), type));
}

class RuleBinder {
 public:
  RuleBinder(duckdb::ClientContext& context, const Schema& schema,
             std::vector<RowRule>& rules)
      : context_(context), schema_(schema), rules_(rules) {}

  Status Condition(const std::string& name, const std::string& text) {
    return Add(name, text, kViolated);
  }

  Status Invariants() {
    for (const Field& field : schema_.fields) {
      if (!HasInvariantInElements(field.type, false)) continue;
      return Fail(ErrorCode::kUnsupported, "DELTA_UNSUPPORTED_CONSTRAINT",
                  fmt::format("column {} has an invariant inside of an array "
                              "or a map, which no engine keeps",
                              field.name));
    }
    Path path;
    return VisitFields(
        schema_.fields, path,
        [&](const Path& at, const Field& field) -> Status {
          const auto json = field.MetadataText(kInvariants);
          if (!json) return {};
          BAYOU_ASSIGN(const std::string text, InvariantText(at, *json));
          return Add("invariant of column " + Dotted(at), text, kViolated);
        });
  }

  Status GeneratedColumns() {
    for (const Field& field : schema_.fields) {
      const auto text = field.MetadataText(kGenerationExpression);
      if (!text) continue;
      const std::string name = "generated column " + field.name;
      auto parsed =
          protocol::ParseStoredExpression(*text, protocol::Spelling::kSpark);
      if (!parsed) return Named(name, parsed.error());
      std::vector<StoredExpression> sides;
      sides.push_back(StoredExpression::Column({field.name}));
      sides.push_back(StoredExpression::Cast(*std::move(parsed), field.type));
      BAYOU_TRY(Bind(name, *text, kViolated,
                     StoredExpression::Call("<=>", std::move(sides))));
    }
    return {};
  }

  Status Lengths() {
    Path path;
    return VisitFields(schema_.fields, path,
                       [&](const Path& at, const Field& field) -> Status {
                         const auto type = field.MetadataText(kCharVarchar);
                         if (!type) return {};
                         BAYOU_ASSIGN(const int length, LengthOf(at, *type));
                         return Bind(
                             "length of column " + Dotted(at), *type, kTooLong,
                             NoLonger(StoredExpression::Column(at), length));
                       });
  }

 private:
  static StoredExpression NoLonger(StoredExpression column, int length) {
    std::vector<StoredExpression> sides;
    sides.push_back(StoredExpression::Call("length", {std::move(column)}));
    sides.push_back(
        StoredExpression::Literal(TypeKind::kInteger, std::to_string(length)));
    StoredExpression fits = StoredExpression::Call("<=", std::move(sides));
    // A text that is NULL fits.
    StoredExpression exceeds = StoredExpression::Call("is_false", {fits});
    return StoredExpression::Call("not", {std::move(exceeds)});
  }

  static tl::unexpected<Error> Named(const std::string& name, Error error) {
    error.message = name + ": " + error.message;
    return tl::unexpected(std::move(error));
  }

  Status Add(const std::string& name, const std::string& text,
             std::string_view condition) {
    const auto parsed =
        protocol::ParseStoredExpression(text, protocol::Spelling::kSpark);
    if (!parsed) return Named(name, parsed.error());
    return Bind(name, text, condition, *parsed);
  }

  Status Bind(const std::string& name, const std::string& text,
              std::string_view condition, const StoredExpression& expression) {
    auto holds = engine::BindStoredExpression(context_, expression, schema_);
    if (!holds) return Named(name, holds.error());
    if ((*holds)->return_type.id() != duckdb::LogicalTypeId::BOOLEAN) {
      return Fail(ErrorCode::kInvalidArgument, "DELTA_EXPRESSION_INVALID",
                  fmt::format("{}: '{}' is no condition", name, text));
    }
    RowRule rule{name, text, condition, {}, *std::move(holds)};
    for (const std::string& column : protocol::ColumnsOf(expression)) {
      rule.columns.push_back(static_cast<std::size_t>(schema_.Find(column) -
                                                      schema_.fields.data()));
    }
    rules_.push_back(std::move(rule));
    return {};
  }

  duckdb::ClientContext& context_;
  const Schema& schema_;
  std::vector<RowRule>& rules_;
};

std::string Shown(const duckdb::Value& value) {
  std::string text = value.ToString();
  if (text.size() <= kLongestSample) return text;
  std::size_t cut = kLongestSample;  // Not inside of a character.
  while (cut > 0 && (static_cast<unsigned char>(text[cut]) & 0xC0) == 0x80) {
    --cut;
  }
  return text.substr(0, cut) + "...";
}

}  // namespace

Result<std::shared_ptr<const RowRules>> RowRules::Bind(
    duckdb::ClientContext& context, const protocol::Metadata& metadata,
    const Schema& schema) {
  auto rules = std::make_shared<RowRules>();
  rules->schema_ = schema;
  RuleBinder binder(context, rules->schema_, rules->rules_);
  for (const auto& [key, text] : metadata.configuration) {
    if (!key.starts_with(kConstraintPrefix)) continue;
    BAYOU_TRY(binder.Condition(
        "CHECK constraint " + key.substr(kConstraintPrefix.size()), text));
  }
  BAYOU_TRY(binder.Invariants());
  BAYOU_TRY(binder.GeneratedColumns());
  BAYOU_TRY(binder.Lengths());
  return rules;
}

Result<std::shared_ptr<const RowRules>> RowRules::BindCondition(
    duckdb::ClientContext& context, const std::string& name,
    const std::string& text, const Schema& schema) {
  auto rules = std::make_shared<RowRules>();
  rules->schema_ = schema;
  RuleBinder binder(context, rules->schema_, rules->rules_);
  BAYOU_TRY(binder.Condition(name, text));
  return rules;
}

RowRuleCheck::RowRuleCheck(duckdb::ClientContext& context,
                           std::shared_ptr<const RowRules> rules)
    : rules_(std::move(rules)) {
  for (const RowRule& rule : rules_->rules()) {
    executors_.push_back(
        std::make_unique<duckdb::ExpressionExecutor>(context, *rule.holds));
  }
}

Status RowRuleCheck::Check(duckdb::DataChunk& rows) {
  for (std::size_t i = 0; i < executors_.size(); ++i) {
    const RowRule& rule = rules_->rules()[i];
    std::vector<idx_t> broken;
    const Status run = engine::Guard([&] {
      duckdb::Vector holds(duckdb::LogicalType::BOOLEAN);
      executors_[i]->ExecuteExpression(rows, holds);
      duckdb::UnifiedVectorFormat format;
      holds.ToUnifiedFormat(rows.size(), format);
      const auto* values = duckdb::UnifiedVectorFormat::GetData<bool>(format);
      for (idx_t row = 0; row < rows.size(); ++row) {
        const idx_t at = format.sel->get_index(row);
        if (!format.validity.RowIsValid(at) || !values[at]) {
          broken.push_back(row);
        }
      }
    });
    if (!run) {
      Error error = run.error();
      error.message = rule.name + " (" + rule.text + "): " + error.message;
      return tl::unexpected(std::move(error));
    }
    if (!broken.empty()) return Violation(rule, rows, broken);
  }
  return {};
}

Status RowRuleCheck::Violation(const RowRule& rule, duckdb::DataChunk& rows,
                               const std::vector<idx_t>& broken) const {
  std::string samples;
  for (std::size_t i = 0; i < std::min(broken.size(), kMostSamples); ++i) {
    std::string row;
    for (const std::size_t column : rule.columns) {
      row += (row.empty() ? "" : ", ") + rules_->schema().fields[column].name +
             " = " + Shown(rows.GetValue(column, broken[i]));
    }
    samples += (samples.empty() ? "(" : ", (") + row + ")";
  }
  return Fail(
      ErrorCode::kConstraint, rule.condition,
      fmt::format("{} ({}) does not hold for {} of {} rows, such as "
                  "{}; nothing was written: change the data or the "
                  "table",
                  rule.name, rule.text, broken.size(), rows.size(), samples));
}

}  // namespace bayou::write

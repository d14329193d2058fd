// SPDX-License-Identifier: Apache-2.0
#include "kernel/scan/file_condition.h"

#include <algorithm>
#include <duckdb/execution/expression_executor.hpp>
#include <duckdb/planner/expression/list.hpp>
#include <duckdb/planner/expression_iterator.hpp>
#include <mutex>
#include <unordered_map>
#include <utility>

#include "kernel/engine/engine.h"
#include "kernel/engine/types.h"
#include "kernel/scan/checkpoint_condition.h"
#include "kernel/scan/hidden_columns.h"

namespace bayou::scan {
namespace {

using duckdb::column_t;
using duckdb::Expression;
using duckdb::ExpressionClass;
using duckdb::ExpressionType;
using duckdb::LogicalType;
using duckdb::LogicalTypeId;
using duckdb::Value;

// An expression over partition values and hidden file columns, evaluated by
// DuckDB itself. A million files share few partition values, so verdicts are
// kept.
class ExactCondition : public FileCondition {
 public:
  // `expression` refers to `inputs` by position.
  ExactCondition(duckdb::ClientContext& context,
                 std::shared_ptr<const ScannedTable> table,
                 duckdb::unique_ptr<Expression> expression,
                 std::vector<column_t> inputs)
      : table_(std::move(table)),
        expression_(std::move(expression)),
        inputs_(std::move(inputs)),
        executor_(context, *expression_) {
    duckdb::vector<LogicalType> types;
    for (const column_t input : inputs_) {
      const auto hidden = HiddenColumnOf(input);
      remember_ = remember_ && !hidden;
      types.push_back(hidden ? HiddenColumnType(*hidden)
                             : table_->columns[input].type);
    }
    row_.Initialize(duckdb::Allocator::DefaultAllocator(), types, 1);
  }

  bool IsExact() const override { return true; }

  Result<Outcomes> Judge(const FileFacts& facts) const override {
    const std::string key = remember_ ? KeyOf(facts.file) : std::string();
    const std::lock_guard lock(mutex_);
    if (remember_) {
      const auto known = verdicts_.find(key);
      if (known != verdicts_.end()) return known->second;
    }
    BAYOU_ASSIGN(const Outcomes outcomes, Evaluate(facts.file));
    if (remember_) {
      constexpr std::size_t kMostRemembered = 100'000;
      if (verdicts_.size() >= kMostRemembered) verdicts_.clear();
      verdicts_.emplace(key, outcomes);
    }
    return outcomes;
  }

  std::string CheckpointSql(const LogicalType& add) const override {
    return PartitionSql(*table_, *expression_, inputs_, add);
  }

 private:
  const std::pair<std::string_view, std::string_view>* Find(
      const log::FileView& file, column_t input) const {
    const std::string name = table_->columns[input].field.physical_name();
    for (const auto& pair : file.partition_values) {
      if (pair.first == name) return &pair;
    }
    return nullptr;
  }

  std::string KeyOf(const log::FileView& file) const {
    std::string key;
    for (const column_t input : inputs_) {
      const auto* pair = Find(file, input);
      if (!pair || !pair->second.data()) {
        key += '-';
        continue;
      }
      key += std::to_string(pair->second.size()) + ':';
      key += pair->second;
    }
    return key;
  }

  Result<Value> InputValue(const log::FileView& file, column_t input) const {
    if (const auto hidden = HiddenColumnOf(input)) {
      BAYOU_ASSIGN(const auto value,
                   HiddenConstant(
                       *table_, {file.path, file.size, file.modification_time},
                       *hidden));
      return *value;
    }
    const auto* pair = Find(file, input);
    std::optional<std::string> text;
    if (pair && pair->second.data()) text = std::string(pair->second);
    const ScannedColumn& column = table_->columns[input];
    auto value = engine::ParsePartitionValue(text, column.field.type);
    if (value) return value;
    Error error = std::move(value).error();
    error.message = "partition column " + column.field.name + " of file " +
                    std::string(file.path) + " (" + table_->Describe() +
                    "): " + error.message;
    return tl::unexpected<Error>(std::move(error));
  }

  Result<Outcomes> Evaluate(const log::FileView& file) const {
    row_.Reset();
    for (std::size_t i = 0; i < inputs_.size(); ++i) {
      BAYOU_ASSIGN(const Value value, InputValue(file, inputs_[i]));
      row_.SetValue(i, 0, value);
    }
    row_.SetCardinality(1);
    duckdb::Vector result(LogicalType::BOOLEAN);
    // A value that the expression fails on is for the query to meet.
    const auto done =
        engine::Guard([&] { executor_.ExecuteExpression(row_, result); });
    if (!done) return Outcomes{};
    const Value verdict = result.GetValue(0);
    if (verdict.IsNull()) return Outcomes{false, false, true};
    const bool is_true = verdict.GetValue<bool>();
    return Outcomes{is_true, !is_true, false};
  }

  const std::shared_ptr<const ScannedTable> table_;
  const duckdb::unique_ptr<Expression> expression_;
  const std::vector<column_t> inputs_;
  bool remember_ = true;

  mutable std::mutex mutex_;
  mutable duckdb::ExpressionExecutor executor_;
  mutable duckdb::DataChunk row_;
  mutable std::unordered_map<std::string, Outcomes> verdicts_;
};

using Conditions = std::vector<std::unique_ptr<const FileCondition>>;

Result<Outcomes> JudgeOrAny(
    const std::unique_ptr<const FileCondition>& condition,
    const FileFacts& facts) {
  if (!condition) return Outcomes{};
  return condition->Judge(facts);
}

// AND or OR; a null part can have any outcome.
class Conjunction : public FileCondition {
 public:
  Conjunction(bool is_and, Conditions parts)
      : is_and_(is_and), parts_(std::move(parts)) {}

  Result<Outcomes> Judge(const FileFacts& facts) const override {
    BAYOU_ASSIGN(Outcomes outcomes, JudgeOrAny(parts_[0], facts));
    for (std::size_t i = 1; i < parts_.size(); ++i) {
      BAYOU_ASSIGN(const Outcomes part, JudgeOrAny(parts_[i], facts));
      outcomes = is_and_ ? And(outcomes, part) : Or(outcomes, part);
    }
    return outcomes;
  }

  bool IsOverStatistics() const override {
    return std::all_of(parts_.begin(), parts_.end(), [](const auto& part) {
      return !part || part->IsOverStatistics();
    });
  }

  std::string CheckpointSql(const LogicalType& add) const override {
    // DuckDB plans a long OR for longer than it saves.
    constexpr std::size_t kMostAlternatives = 32;
    if (!is_and_ && parts_.size() > kMostAlternatives) return {};
    std::vector<std::string> parts;
    for (const auto& part : parts_) {
      parts.push_back(part ? part->CheckpointSql(add) : std::string());
    }
    return JoinSql(is_and_, parts);
  }

 private:
  const bool is_and_;
  const Conditions parts_;
};

class Negation : public FileCondition {
 public:
  explicit Negation(std::unique_ptr<const FileCondition> part)
      : part_(std::move(part)) {}
  Result<Outcomes> Judge(const FileFacts& facts) const override {
    BAYOU_ASSIGN(const Outcomes part, part_->Judge(facts));
    return Not(part);
  }
  bool IsOverStatistics() const override { return part_->IsOverStatistics(); }

 private:
  const std::unique_ptr<const FileCondition> part_;
};

// A condition on one column with statistics.
class StatisticsCondition : public FileCondition {
 public:
  StatisticsCondition(StatisticsColumn column, std::size_t index,
                      std::vector<LogicalType> casts)
      : column_(std::move(column)), index_(index), casts_(std::move(casts)) {}

  Result<Outcomes> Judge(const FileFacts& facts) const final {
    const ValueRange& range = facts.ranges[index_];
    if (casts_.empty()) return JudgeRange(range);
    ValueRange cast = range;
    for (const LogicalType& type : casts_)
      cast = CastRange(std::move(cast), type);
    return JudgeRange(cast);
  }
  bool IsOverStatistics() const final { return true; }

 protected:
  virtual Outcomes JudgeRange(const ValueRange& range) const = 0;
  const StatisticsColumn& column() const { return column_; }
  bool is_plain() const { return casts_.empty(); }

 private:
  const StatisticsColumn column_;
  const std::size_t index_;
  const std::vector<LogicalType> casts_;
};

class Comparison : public StatisticsCondition {
 public:
  Comparison(StatisticsColumn column, std::size_t index,
             std::vector<LogicalType> casts, ExpressionType op, Value constant,
             int prefix_length)
      : StatisticsCondition(std::move(column), index, std::move(casts)),
        op_(op),
        constant_(std::move(constant)),
        prefix_length_(prefix_length) {}

  std::string CheckpointSql(const LogicalType& add) const override {
    if (!is_plain()) return {};
    return BoundsSql(column().path, op_, constant_, prefix_length_, add);
  }

 protected:
  Outcomes JudgeRange(const ValueRange& range) const override {
    return Compare(range, op_, constant_);
  }

 private:
  const ExpressionType op_;
  const Value constant_;
  const int prefix_length_;
};

// column IN (...): one look-up, however long the list is.
class InList : public StatisticsCondition {
 public:
  // `values` are of one type, none of them NULL, at least one.
  InList(StatisticsColumn column, std::size_t index,
         std::vector<LogicalType> casts, std::vector<Value> values,
         bool has_null, int prefix_length)
      : StatisticsCondition(std::move(column), index, std::move(casts)),
        values_(std::move(values)),
        has_null_(has_null),
        prefix_length_(prefix_length) {
    std::sort(values_.begin(), values_.end());
  }

  std::string CheckpointSql(const LogicalType& add) const override {
    constexpr std::size_t kFew = 16;
    if (!is_plain()) return {};
    const auto bound = [&](ExpressionType op, const Value& value) {
      return BoundsSql(column().path, op, value, prefix_length_, add);
    };
    std::vector<std::string> parts;
    if (values_.size() > kFew) {
      parts = {
          bound(ExpressionType::COMPARE_GREATERTHANOREQUALTO, values_[0]),
          bound(ExpressionType::COMPARE_LESSTHANOREQUALTO, values_.back())};
      return JoinSql(true, parts);
    }
    for (const Value& value : values_) {
      parts.push_back(bound(ExpressionType::COMPARE_EQUAL, value));
    }
    return JoinSql(false, parts);
  }

 protected:
  Outcomes JudgeRange(const ValueRange& range) const override {
    if (range.min && range.min->type() != values_[0].type()) return {};
    // Of the values that are not below the range, the least is in it if one is;
    // NaN, which is no bound, is the last of all.
    const auto first =
        range.min ? std::lower_bound(values_.begin(), values_.end(), *range.min)
                  : values_.begin();
    const auto is_in = [&](const Value& value) {
      return Compare(range, ExpressionType::COMPARE_EQUAL, value).can_be_true;
    };
    const bool can_be_true =
        (first != values_.end() && is_in(*first)) || is_in(values_.back());
    return {can_be_true, true, has_null_ || range.can_be_null};
  }

 private:
  std::vector<Value> values_;
  const bool has_null_;
  const int prefix_length_;
};

class NullTest : public StatisticsCondition {
 public:
  using StatisticsCondition::StatisticsCondition;

 protected:
  Outcomes JudgeRange(const ValueRange& range) const override {
    return IsNull(range);
  }
};

class PrefixTest : public StatisticsCondition {
 public:
  PrefixTest(StatisticsColumn column, std::size_t index, std::string prefix)
      : StatisticsCondition(std::move(column), index, {}),
        prefix_(std::move(prefix)) {}

 protected:
  Outcomes JudgeRange(const ValueRange& range) const override {
    return StartsWith(range, prefix_);
  }

 private:
  const std::string prefix_;
};

// Casts that keep the order of values, and fail on none.
bool KeepsOrder(const LogicalType& from, const LogicalType& to) {
  const auto integer_bytes = [](const LogicalType& type) {
    return duckdb::GetTypeIdSize(type.InternalType());
  };
  switch (from.id()) {
    case LogicalTypeId::TINYINT:
    case LogicalTypeId::SMALLINT:
    case LogicalTypeId::INTEGER:
    case LogicalTypeId::BIGINT:
      if (to.id() == LogicalTypeId::FLOAT || to.id() == LogicalTypeId::DOUBLE) {
        return true;
      }
      return to.IsIntegral() && !to.IsUnsigned() &&
             integer_bytes(to) >= integer_bytes(from);
    case LogicalTypeId::FLOAT:
      return to.id() == LogicalTypeId::DOUBLE;
    case LogicalTypeId::DECIMAL: {
      if (to.id() == LogicalTypeId::DOUBLE) return true;
      if (to.id() != LogicalTypeId::DECIMAL) return false;
      const auto whole = [](const LogicalType& type) {
        return duckdb::DecimalType::GetWidth(type) -
               duckdb::DecimalType::GetScale(type);
      };
      return duckdb::DecimalType::GetScale(to) >=
                 duckdb::DecimalType::GetScale(from) &&
             whole(to) >= whole(from);
    }
    case LogicalTypeId::DATE:
      return to.id() == LogicalTypeId::TIMESTAMP;
    case LogicalTypeId::TIMESTAMP:
      return to.id() == LogicalTypeId::DATE;
    default:
      return false;
  }
}

ExpressionType Flip(ExpressionType op) {
  return duckdb::FlipComparisonExpression(op);
}

}  // namespace

struct FileConditionBuilder::Subject {
  StatisticsColumn column;
  LogicalType type;  // Before casts.
  std::vector<LogicalType> casts;
};

std::unique_ptr<const FileCondition> FileConditionBuilder::Build(
    const Expression& expression) {
  if (auto exact = BuildExact(expression)) return exact;
  switch (expression.GetExpressionClass()) {
    case ExpressionClass::BOUND_CONJUNCTION:
      return BuildConjunction(expression);
    case ExpressionClass::BOUND_COMPARISON:
      return BuildComparison(expression);
    case ExpressionClass::BOUND_OPERATOR:
      return BuildOperator(expression);
    case ExpressionClass::BOUND_BETWEEN:
      return BuildBetween(expression);
    case ExpressionClass::BOUND_FUNCTION:
      return BuildFunction(expression);
    default:
      return nullptr;
  }
}

bool FileConditionBuilder::IsOfFile(column_t column) const {
  if (const auto hidden = HiddenColumnOf(column)) {
    return *hidden < HiddenColumn::kRowIndex;
  }
  return !duckdb::IsVirtualColumn(column) &&
         table_->columns[column].is_partition;
}

std::unique_ptr<const FileCondition> FileConditionBuilder::BuildExact(
    const Expression& expression) {
  if (expression.IsVolatile() || expression.HasParameter() ||
      expression.HasSubquery()) {
    return nullptr;
  }
  auto copy = expression.Copy();
  std::vector<column_t> inputs;
  bool only_file = true;
  duckdb::ExpressionIterator::VisitExpressionMutable<
      duckdb::BoundColumnRefExpression>(
      copy, [&](duckdb::BoundColumnRefExpression& reference,
                duckdb::unique_ptr<Expression>& place) {
        const auto column = bindings_.Find(reference);
        if (!column || !IsOfFile(*column)) {
          only_file = false;
          return;
        }
        auto at = std::find(inputs.begin(), inputs.end(), *column);
        if (at == inputs.end()) at = inputs.insert(at, *column);
        place = duckdb::make_uniq<duckdb::BoundReferenceExpression>(
            reference.return_type,
            static_cast<duckdb::idx_t>(at - inputs.begin()));
      });
  if (!only_file || inputs.empty()) return nullptr;
  return std::make_unique<ExactCondition>(context_, table_, std::move(copy),
                                          std::move(inputs));
}

std::unique_ptr<const FileCondition> FileConditionBuilder::BuildConjunction(
    const Expression& expression) {
  const auto& conjunction =
      expression.Cast<duckdb::BoundConjunctionExpression>();
  const bool is_and = expression.type == ExpressionType::CONJUNCTION_AND;
  Conditions parts;
  bool says_something = !is_and;
  for (const auto& child : conjunction.children) {
    parts.push_back(Build(*child));
    // One part that can be anything makes an OR so, and an AND if it is alone.
    if (!parts.back() && !is_and) return nullptr;
    says_something = says_something || parts.back();
  }
  if (!says_something) return nullptr;
  return std::make_unique<Conjunction>(is_and, std::move(parts));
}

std::unique_ptr<const FileCondition> FileConditionBuilder::BuildComparison(
    const Expression& expression) {
  const auto& comparison = expression.Cast<duckdb::BoundComparisonExpression>();
  if (auto condition =
          BuildCompare(*comparison.left, expression.type, *comparison.right)) {
    return condition;
  }
  return BuildCompare(*comparison.right, Flip(expression.type),
                      *comparison.left);
}

std::unique_ptr<const FileCondition> FileConditionBuilder::BuildCompare(
    const Expression& column, ExpressionType op, const Expression& constant) {
  auto subject = SubjectOf(column);
  if (!subject) return nullptr;
  auto value = ConstantOf(constant);
  if (!value || value->type() != column.return_type) return nullptr;
  const std::size_t index = StatisticsIndex(*subject);
  return std::make_unique<Comparison>(
      std::move(subject->column), index, std::move(subject->casts), op,
      *std::move(value),
      table_->snapshot->properties().stats_string_prefix_length());
}

std::unique_ptr<const FileCondition> FileConditionBuilder::BuildOperator(
    const Expression& expression) {
  const auto& children =
      expression.Cast<duckdb::BoundOperatorExpression>().children;
  const auto negated = [](Condition condition) -> Condition {
    if (!condition) return nullptr;
    return std::make_unique<Negation>(std::move(condition));
  };
  switch (expression.type) {
    case ExpressionType::OPERATOR_NOT:
      return negated(Build(*children[0]));
    case ExpressionType::OPERATOR_IS_NULL:
    case ExpressionType::OPERATOR_IS_NOT_NULL: {
      auto subject = SubjectOf(*children[0]);
      if (!subject) return nullptr;
      const std::size_t index = StatisticsIndex(*subject);
      auto test = std::make_unique<NullTest>(std::move(subject->column), index,
                                             std::move(subject->casts));
      if (expression.type == ExpressionType::OPERATOR_IS_NULL) return test;
      return negated(std::move(test));
    }
    case ExpressionType::COMPARE_IN:
      return BuildIn(expression);
    case ExpressionType::COMPARE_NOT_IN: {
      Conditions parts;
      for (std::size_t i = 1; i < children.size(); ++i) {
        auto part = BuildCompare(*children[0], ExpressionType::COMPARE_EQUAL,
                                 *children[i]);
        if (!part) return nullptr;
        parts.push_back(std::move(part));
      }
      if (parts.empty()) return nullptr;
      return negated(std::make_unique<Conjunction>(false, std::move(parts)));
    }
    default:
      return nullptr;
  }
}

std::unique_ptr<const FileCondition> FileConditionBuilder::BuildIn(
    const Expression& expression) {
  const auto& children =
      expression.Cast<duckdb::BoundOperatorExpression>().children;
  auto subject = SubjectOf(*children[0]);
  if (!subject) return nullptr;
  std::vector<Value> values;
  for (std::size_t i = 1; i < children.size(); ++i) {
    auto value = ConstantOf(*children[i]);
    if (!value || value->type() != children[0]->return_type) return nullptr;
    if (!value->IsNull()) values.push_back(*std::move(value));
  }
  if (values.empty()) return nullptr;
  const bool has_null = values.size() + 1 < children.size();
  const std::size_t index = StatisticsIndex(*subject);
  return std::make_unique<InList>(
      std::move(subject->column), index, std::move(subject->casts),
      std::move(values), has_null,
      table_->snapshot->properties().stats_string_prefix_length());
}

std::unique_ptr<const FileCondition> FileConditionBuilder::BuildBetween(
    const Expression& expression) {
  const auto& between = expression.Cast<duckdb::BoundBetweenExpression>();
  Conditions parts;
  parts.push_back(BuildCompare(*between.input, between.LowerComparisonType(),
                               *between.lower));
  parts.push_back(BuildCompare(*between.input, between.UpperComparisonType(),
                               *between.upper));
  if (!parts[0] && !parts[1]) return nullptr;
  return std::make_unique<Conjunction>(true, std::move(parts));
}

std::unique_ptr<const FileCondition> FileConditionBuilder::BuildFunction(
    const Expression& expression) {
  const auto& call = expression.Cast<duckdb::BoundFunctionExpression>();
  const std::string& name = call.function.name;
  const bool like = name == "~~";
  if (call.children.size() != 2 ||
      !(like || name == "prefix" || name == "starts_with" || name == "^@")) {
    return nullptr;
  }
  auto subject = SubjectOf(*call.children[0]);
  const auto constant = ConstantOf(*call.children[1]);
  if (!subject || !subject->casts.empty() || !constant || constant->IsNull() ||
      subject->type.id() != LogicalTypeId::VARCHAR ||
      constant->type().id() != LogicalTypeId::VARCHAR) {
    return nullptr;
  }
  std::string prefix = duckdb::StringValue::Get(*constant);
  if (like)
    prefix.resize(std::min(prefix.find_first_of("%_\\"), prefix.size()));
  if (prefix.empty()) return nullptr;
  const std::size_t index = StatisticsIndex(*subject);
  return std::make_unique<PrefixTest>(std::move(subject->column), index,
                                      std::move(prefix));
}

std::optional<FileConditionBuilder::Subject> FileConditionBuilder::SubjectOf(
    const Expression& expression) const {
  if (expression.GetExpressionClass() == ExpressionClass::BOUND_COLUMN_REF) {
    const auto column =
        bindings_.Find(expression.Cast<duckdb::BoundColumnRefExpression>());
    if (!column || duckdb::IsVirtualColumn(*column) || IsOfFile(*column)) {
      return std::nullopt;
    }
    const ScannedColumn& scanned = table_->columns[*column];
    return Subject{{{scanned.field.physical_name()}, scanned.field.type},
                   scanned.type,
                   {}};
  }
  if (expression.GetExpressionClass() == ExpressionClass::BOUND_CAST) {
    const auto& cast = expression.Cast<duckdb::BoundCastExpression>();
    if (cast.try_cast ||
        !KeepsOrder(cast.child->return_type, cast.return_type)) {
      return std::nullopt;
    }
    auto subject = SubjectOf(*cast.child);
    if (subject) subject->casts.push_back(cast.return_type);
    return subject;
  }
  if (expression.GetExpressionClass() != ExpressionClass::BOUND_FUNCTION) {
    return std::nullopt;
  }
  const auto& call = expression.Cast<duckdb::BoundFunctionExpression>();
  if (call.function.name != "struct_extract" || call.children.size() != 2) {
    return std::nullopt;
  }
  auto subject = SubjectOf(*call.children[0]);
  const auto name = ConstantOf(*call.children[1]);
  if (!subject || !subject->casts.empty() || !name || name->IsNull() ||
      name->type().id() != LogicalTypeId::VARCHAR) {
    return std::nullopt;
  }
  for (const protocol::Field& field : subject->column.type.fields) {
    if (!duckdb::StringUtil::CIEquals(field.name,
                                      duckdb::StringValue::Get(*name))) {
      continue;
    }
    Subject inner;
    inner.column = {std::move(subject->column.path), field.type};
    inner.column.path.push_back(field.physical_name());
    inner.type = expression.return_type;
    return inner;
  }
  return std::nullopt;
}

std::optional<Value> FileConditionBuilder::ConstantOf(
    const Expression& expression) const {
  if (expression.HasParameter() || !expression.IsFoldable())
    return std::nullopt;
  Value value;
  if (!duckdb::ExpressionExecutor::TryEvaluateScalar(context_, expression,
                                                     value)) {
    return std::nullopt;
  }
  return value;
}

std::size_t FileConditionBuilder::StatisticsIndex(const Subject& subject) {
  const auto found =
      std::find(columns_.begin(), columns_.end(), subject.column);
  if (found != columns_.end()) {
    return static_cast<std::size_t>(found - columns_.begin());
  }
  columns_.push_back(subject.column);
  return columns_.size() - 1;
}

}  // namespace bayou::scan

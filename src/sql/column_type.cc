// SPDX-License-Identifier: Apache-2.0
#include "sql/column_type.h"

#include <array>
#include <charconv>
#include <utility>

#include "kernel/transaction/commit_info.h"
#include "sql/token_reader.h"

namespace bayou::sql {
namespace {

using protocol::DataType;
using protocol::Field;
using protocol::TypeKind;

// Types nest; text from a user does not nest without end.
constexpr int kMostNesting = 64;

struct TypeName {
  const char* name;
  TypeKind kind;
};

constexpr std::array kTypes = {
    TypeName{"boolean", TypeKind::kBoolean},
    TypeName{"bool", TypeKind::kBoolean},
    TypeName{"tinyint", TypeKind::kByte},
    TypeName{"byte", TypeKind::kByte},
    TypeName{"int1", TypeKind::kByte},
    TypeName{"smallint", TypeKind::kShort},
    TypeName{"short", TypeKind::kShort},
    TypeName{"int2", TypeKind::kShort},
    TypeName{"utinyint", TypeKind::kShort},
    TypeName{"integer", TypeKind::kInteger},
    TypeName{"int", TypeKind::kInteger},
    TypeName{"int4", TypeKind::kInteger},
    TypeName{"usmallint", TypeKind::kInteger},
    TypeName{"bigint", TypeKind::kLong},
    TypeName{"long", TypeKind::kLong},
    TypeName{"int8", TypeKind::kLong},
    TypeName{"uinteger", TypeKind::kLong},
    TypeName{"float", TypeKind::kFloat},
    TypeName{"real", TypeKind::kFloat},
    TypeName{"float4", TypeKind::kFloat},
    TypeName{"double", TypeKind::kDouble},
    TypeName{"float8", TypeKind::kDouble},
    TypeName{"string", TypeKind::kString},
    TypeName{"varchar", TypeKind::kString},
    TypeName{"char", TypeKind::kString},
    TypeName{"text", TypeKind::kString},
    TypeName{"uuid", TypeKind::kString},
    TypeName{"binary", TypeKind::kBinary},
    TypeName{"varbinary", TypeKind::kBinary},
    TypeName{"blob", TypeKind::kBinary},
    TypeName{"bytea", TypeKind::kBinary},
    TypeName{"date", TypeKind::kDate},
    TypeName{"timestamp", TypeKind::kTimestampNtz},
    TypeName{"timestamp_ntz", TypeKind::kTimestampNtz},
    TypeName{"timestamptz", TypeKind::kTimestamp},
    TypeName{"timestamp_ltz", TypeKind::kTimestamp},
    TypeName{"variant", TypeKind::kVariant},
};

class ColumnTypeParser : private TokenCursor {
 public:
  ColumnTypeParser(std::span<const Token> tokens, std::size_t i)
      : TokenCursor(tokens, i) {}

  std::optional<ColumnTypeAt> Run() {
    std::optional<DataType> type = Type();
    if (!type) return std::nullopt;
    ColumnTypeAt at{*std::move(type), std::move(length_type_), i_, beyond_};
    if (at.type.kind != TypeKind::kString) at.length_type.reset();
    return at;
  }

 private:
  std::optional<char> TakeOpening() {
    if (TakeSymbol('<')) return '>';
    if (TakeSymbol('(')) return ')';
    return std::nullopt;
  }

  std::optional<DataType> Type() {
    if (++nesting_ > kMostNesting) return std::nullopt;
    std::optional<DataType> type = Unsuffixed();
    while (type && TakeSymbol('[')) {
      if (!TakeSymbol(']')) return std::nullopt;
      type = ArrayOf(*std::move(type));
    }
    --nesting_;
    return type;
  }

  static DataType ArrayOf(DataType element) {
    DataType type = DataType::Of(TypeKind::kArray);
    type.children.push_back(std::move(element));
    return type;
  }

  std::optional<DataType> Unsuffixed() {
    if (Take("array")) return Array();
    if (Take("map")) return Map();
    if (Take("struct")) return Struct();
    if (Is("decimal") || Is("numeric") || Is("dec")) return Decimal();
    return Scalar();
  }

  std::optional<DataType> Array() {
    if (!TakeSymbol('<')) return std::nullopt;
    std::optional<DataType> element = Type();
    if (!element || !TakeSymbol('>')) return std::nullopt;
    return ArrayOf(*std::move(element));
  }

  std::optional<DataType> Map() {
    const std::optional<char> closing = TakeOpening();
    if (!closing) return std::nullopt;
    DataType type = DataType::Of(TypeKind::kMap);
    std::optional<DataType> key = Type();
    if (!key || !TakeSymbol(',')) return std::nullopt;
    std::optional<DataType> value = Type();
    if (!value || !TakeSymbol(*closing)) return std::nullopt;
    type.children.push_back(*std::move(key));
    type.children.push_back(*std::move(value));
    return type;
  }

  std::optional<DataType> Struct() {
    const std::optional<char> closing = TakeOpening();
    if (!closing) return std::nullopt;
    DataType type = DataType::Of(TypeKind::kStruct);
    do {
      if (AtEnd() || !tokens_[i_].IsIdentifier()) return std::nullopt;
      Field field;
      field.name = tokens_[i_++].Value();
      TakeSymbol(':');
      std::optional<DataType> inner = Type();
      if (!inner) return std::nullopt;
      field.type = *std::move(inner);
      FieldOptions(field);
      type.fields.push_back(std::move(field));
    } while (TakeSymbol(','));
    if (!TakeSymbol(*closing)) return std::nullopt;
    return type;
  }

  void FieldOptions(Field& field) {
    if (Is("not") && Is("null", 1)) {
      i_ += 2;
      field.nullable = false;
      beyond_ = true;
    }
    if (Is("comment") && IsKind(TokenKind::kString, 1)) {
      field.metadata["comment"] =
          transaction::TextParameter(tokens_[i_ + 1].Value());
      i_ += 2;
      beyond_ = true;
    }
  }

  std::optional<DataType> Decimal() {
    ++i_;
    int precision = 18;
    int scale = 3;
    if (TakeSymbol('(')) {
      const auto digits = Number();
      if (!digits) return std::nullopt;
      precision = *digits;
      scale = 0;
      if (TakeSymbol(',')) {
        const auto after = Number();
        if (!after) return std::nullopt;
        scale = *after;
      }
      if (!TakeSymbol(')')) return std::nullopt;
    }
    if (precision < 1 || precision > 38 || scale > precision) {
      return std::nullopt;
    }
    return DataType::Decimal(precision, scale);
  }

  std::optional<int> Number() {
    if (!IsKind(TokenKind::kNumber)) return std::nullopt;
    const std::string_view text = tokens_[i_].text;
    int value = 0;
    const char* end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, value);
    if (error != std::errc{} || stop != end) return std::nullopt;
    ++i_;
    return value;
  }

  std::optional<DataType> Scalar() {
    if (!IsKind(TokenKind::kWord)) return std::nullopt;
    for (const TypeName& type : kTypes) {
      if (!Is(type.name)) continue;
      ++i_;
      return Suffixed(type);
    }
    if (Take("ubigint")) return DataType::Decimal(20, 0);
    return std::nullopt;
  }

  std::optional<DataType> Suffixed(const TypeName& type) {
    if (type.kind == TypeKind::kString && TakeSymbol('(')) {
      const auto length = Number();
      if (!length || *length < 1 || !TakeSymbol(')')) return std::nullopt;
      const bool fixed = std::string_view(type.name) == "char";
      length_type_ =
          (fixed ? "char(" : "varchar(") + std::to_string(*length) + ")";
      // Lengths inside of nested types are not kept, as DuckDB has it.
      beyond_ = beyond_ || nesting_ == 1;
    }
    if (type.kind == TypeKind::kDouble) Take("precision");
    if (Is("with") && Is("time", 1) && Is("zone", 2)) {
      i_ += 3;
      return DataType::Of(TypeKind::kTimestamp);
    }
    if (Is("without") && Is("time", 1) && Is("zone", 2)) i_ += 3;
    return DataType::Of(type.kind);
  }

  int nesting_ = 0;
  bool beyond_ = false;
  std::optional<std::string> length_type_;
};

}  // namespace

std::optional<ColumnTypeAt> ParseColumnType(std::span<const Token> tokens,
                                            std::size_t i) {
  return ColumnTypeParser(tokens, i).Run();
}

}  // namespace bayou::sql

// SPDX-License-Identifier: Apache-2.0
#include "kernel/protocol/type_widening.h"

#include <charconv>
#include <optional>
#include <string>

#include "base/json.h"

namespace bayou::protocol {
namespace {

constexpr std::string_view kTypeChanges = "delta.typeChanges";

constexpr int kMaxPrecision = 38;

struct Decimal {
  int whole = 0;  // Digits before the point.
  int scale = 0;
};

std::optional<Decimal> ParseDecimal(std::string_view text) {
  if (!text.starts_with("decimal(") || !text.ends_with(')')) {
    return std::nullopt;
  }
  text = text.substr(8, text.size() - 9);
  const std::size_t comma = text.find(',');
  if (comma == std::string_view::npos) return std::nullopt;
  int precision = 0;
  int scale = 0;
  const auto read = [](std::string_view digits, int& number) {
    const char* end = digits.data() + digits.size();
    const auto [stop, error] = std::from_chars(digits.data(), end, number);
    return error == std::errc() && stop == end;
  };
  if (!read(text.substr(0, comma), precision) ||
      !read(text.substr(comma + 1), scale) || precision > kMaxPrecision ||
      scale < 0 || scale > precision) {
    return std::nullopt;
  }
  return Decimal{precision - scale, scale};
}

// The place of an integer type in byte < short < integer < long, 0 for others.
int IntegerRank(std::string_view type) {
  if (type == "byte") return 1;
  if (type == "short") return 2;
  if (type == "integer") return 3;
  if (type == "long") return 4;
  return 0;
}

Status CheckField(const Field& field);

Status CheckWithin(const DataType& type) {
  for (const Field& field : type.fields) BAYOU_TRY(CheckField(field));
  for (const DataType& child : type.children) BAYOU_TRY(CheckWithin(child));
  return {};
}

tl::unexpected<Error> Senseless(const Field& field) {
  return Fail(
      ErrorCode::kCorruption, "DELTA_SCHEMA_INVALID",
      "the type changes recorded for column " + field.name + " make no sense");
}

Status CheckChanges(const Field& field, const std::string& json) {
  simdjson::dom::parser parser;
  const auto parsed = ParseJson(parser, json);
  simdjson::dom::array changes;
  if (!parsed || parsed->get_array().get(changes)) return Senseless(field);
  for (const simdjson::dom::element change : changes) {
    std::string_view from;
    std::string_view to;
    if (change["fromType"].get_string().get(from) ||
        change["toType"].get_string().get(to)) {
      return Senseless(field);
    }
    if (IsTypeWidening(from, to)) continue;
    return Fail(ErrorCode::kUnsupported, "DELTA_UNSUPPORTED_TYPE_CHANGE",
                "column " + field.name + " was changed from type " +
                    std::string(from) + " to " + std::string(to) +
                    ", a change that this build cannot read");
  }
  return {};
}

Status CheckField(const Field& field) {
  const auto changes = field.metadata.find(std::string(kTypeChanges));
  if (changes != field.metadata.end()) {
    BAYOU_TRY(CheckChanges(field, changes->second));
  }
  return CheckWithin(field.type);
}

}  // namespace

bool IsTypeWidening(std::string_view from, std::string_view to) {
  if (from == to) return true;
  const int rank = IntegerRank(from);
  if (rank > 0 && IntegerRank(to) > rank) return true;
  if (to == "double") return from == "float" || (rank > 0 && rank < 4);
  if (to == "timestamp_ntz") return from == "date";
  const auto wide = ParseDecimal(to);
  if (!wide) return false;
  if (rank > 0) return wide->whole >= (rank == 4 ? 20 : 10);
  const auto narrow = ParseDecimal(from);
  return narrow && wide->whole >= narrow->whole && wide->scale >= narrow->scale;
}

Status CheckTypeChanges(const Schema& schema) {
  for (const Field& field : schema.fields) BAYOU_TRY(CheckField(field));
  return {};
}

}  // namespace bayou::protocol

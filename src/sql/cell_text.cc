// SPDX-License-Identifier: Apache-2.0
#include "sql/cell_text.h"

#include <duckdb/common/vector_operations/vector_operations.hpp>

#include "base/json.h"

namespace bayou::sql {
namespace {

using duckdb::LogicalType;
using duckdb::LogicalTypeId;

// How the text of a value becomes JSON.
enum class JsonForm { kAsIs, kJson, kFloat, kQuoted, kNested };

JsonForm FormOf(const LogicalType& type) {
  switch (type.id()) {
    case LogicalTypeId::BOOLEAN:
    case LogicalTypeId::TINYINT:
    case LogicalTypeId::SMALLINT:
    case LogicalTypeId::INTEGER:
    case LogicalTypeId::BIGINT:
    case LogicalTypeId::HUGEINT:
    case LogicalTypeId::UTINYINT:
    case LogicalTypeId::USMALLINT:
    case LogicalTypeId::UINTEGER:
    case LogicalTypeId::UBIGINT:
    case LogicalTypeId::UHUGEINT:
      return JsonForm::kAsIs;
    case LogicalTypeId::DECIMAL:
      return JsonForm::kJson;
    case LogicalTypeId::FLOAT:
    case LogicalTypeId::DOUBLE:
      return JsonForm::kFloat;
    case LogicalTypeId::STRUCT:
    case LogicalTypeId::LIST:
    case LogicalTypeId::ARRAY:
    case LogicalTypeId::MAP:
      return JsonForm::kNested;
    default:
      return type.IsJSONType() || type.id() == LogicalTypeId::VARIANT
                 ? JsonForm::kJson
                 : JsonForm::kQuoted;
  }
}

// VARIANT is shown as the JSON that it stands for.
LogicalType TextType(const LogicalType& type) {
  return type.id() == LogicalTypeId::VARIANT ? LogicalType::JSON()
                                             : LogicalType::VARCHAR;
}

void AppendQuoted(std::string& out, std::string_view text) {
  JsonBuffer buffer;
  JsonWriter writer(buffer);
  WriteString(writer, text);
  out.append(buffer.GetString(), buffer.GetSize());
}

// JSON has no such numbers: they travel as texts.
std::string_view SpecialFloat(std::string_view text) {
  if (text == "nan" || text == "-nan") return "\"NaN\"";
  if (text == "inf") return "\"Infinity\"";
  if (text == "-inf") return "\"-Infinity\"";
  return {};
}

// What the engine takes for JSON. A line end in it would separate rows for our
// readers, and a number needs a digit in front of its point.
void AppendJson(std::string& out, std::string_view text) {
  bool is_string = false;
  char before = ' ';
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '"') is_string = !is_string;
    const bool is_digit = before >= '0' && before <= '9';
    if (c == '.' && !is_string && !is_digit) out += '0';
    out += c == '\n' || c == '\r' ? ' ' : c;
    before = c;
    // What is behind a backslash ends no string.
    if (c == '\\' && i + 1 < text.size()) out += text[++i];
  }
}

void AppendScalar(std::string& out, JsonForm form, std::string_view text) {
  switch (form) {
    case JsonForm::kFloat: {
      const std::string_view special = SpecialFloat(text);
      out += special.empty() ? text : special;
      return;
    }
    case JsonForm::kAsIs:
      out += text;
      return;
    case JsonForm::kJson:
      return AppendJson(out, text);
    default:
      AppendQuoted(out, text);
  }
}

void AppendValue(std::string& out, duckdb::ClientContext& context,
                 const duckdb::Value& value);

std::string TextOf(duckdb::ClientContext& context, const duckdb::Value& value) {
  return value.CastAs(context, TextType(value.type())).ToString();
}

void AppendStruct(std::string& out, duckdb::ClientContext& context,
                  const duckdb::Value& value) {
  const auto& children = duckdb::StructValue::GetChildren(value);
  const auto& types = duckdb::StructType::GetChildTypes(value.type());
  out += '{';
  for (std::size_t i = 0; i < children.size(); ++i) {
    if (i > 0) out += ',';
    AppendQuoted(out, types[i].first);
    out += ':';
    AppendValue(out, context, children[i]);
  }
  out += '}';
}

void AppendMap(std::string& out, duckdb::ClientContext& context,
               const duckdb::Value& value) {
  out += '{';
  bool first = true;
  for (const duckdb::Value& entry : duckdb::MapValue::GetChildren(value)) {
    const auto& pair = duckdb::StructValue::GetChildren(entry);
    if (!first) out += ',';
    first = false;
    AppendQuoted(out, TextOf(context, pair[0]));
    out += ':';
    AppendValue(out, context, pair[1]);
  }
  out += '}';
}

void AppendList(std::string& out, duckdb::ClientContext& context,
                const duckdb::vector<duckdb::Value>& children) {
  out += '[';
  for (std::size_t i = 0; i < children.size(); ++i) {
    if (i > 0) out += ',';
    AppendValue(out, context, children[i]);
  }
  out += ']';
}

void AppendValue(std::string& out, duckdb::ClientContext& context,
                 const duckdb::Value& value) {
  if (value.IsNull()) {
    out += "null";
    return;
  }
  switch (value.type().id()) {
    case LogicalTypeId::STRUCT:
      return AppendStruct(out, context, value);
    case LogicalTypeId::MAP:
      return AppendMap(out, context, value);
    case LogicalTypeId::LIST:
      return AppendList(out, context, duckdb::ListValue::GetChildren(value));
    case LogicalTypeId::ARRAY:
      return AppendList(out, context, duckdb::ArrayValue::GetChildren(value));
    default:
      return AppendScalar(out, FormOf(value.type()), TextOf(context, value));
  }
}

}  // namespace

CellText::CellText(duckdb::ClientContext& context,
                   const duckdb::vector<duckdb::LogicalType>& types,
                   CellFormat format)
    : context_(context),
      types_(types),
      format_(format),
      json_(types.size()),
      cells_(types.size()) {
  duckdb::vector<LogicalType> texts;
  for (const LogicalType& type : types) texts.push_back(TextType(type));
  texts_.Initialize(context, texts);
}

void CellText::Load(duckdb::DataChunk& chunk) {
  chunk_ = &chunk;
  texts_.Reset();
  for (std::size_t i = 0; i < types_.size(); ++i) {
    if (format_ == CellFormat::kJson && FormOf(types_[i]) == JsonForm::kNested)
      continue;
    duckdb::VectorOperations::Cast(context_, chunk.data[i], texts_.data[i],
                                   chunk.size());
    texts_.data[i].Flatten(chunk.size());
  }
  texts_.SetCardinality(chunk.size());
}

std::string_view CellText::JsonCell(std::size_t column,
                                    const duckdb::string_t& text) {
  std::string& out = json_[column];
  out.clear();
  AppendScalar(out, FormOf(types_[column]), {text.GetData(), text.GetSize()});
  return out;
}

std::span<const std::optional<std::string_view>> CellText::Row(
    std::size_t row) {
  const bool json = format_ == CellFormat::kJson;
  for (std::size_t i = 0; i < types_.size(); ++i) {
    if (json && FormOf(types_[i]) == JsonForm::kNested) {
      json_[i].clear();
      AppendValue(json_[i], context_, chunk_->GetValue(i, row));
      cells_[i] = json_[i];
    } else if (!duckdb::FlatVector::Validity(texts_.data[i]).RowIsValid(row)) {
      cells_[i] = json ? std::optional<std::string_view>("null") : std::nullopt;
    } else {
      const auto& text =
          duckdb::FlatVector::GetData<duckdb::string_t>(texts_.data[i])[row];
      cells_[i] = json ? JsonCell(i, text)
                       : std::string_view(text.GetData(), text.GetSize());
    }
  }
  return cells_;
}

}  // namespace bayou::sql

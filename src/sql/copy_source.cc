// SPDX-License-Identifier: Apache-2.0
#include "sql/copy_source.h"

#include <fnmatch.h>

#include <algorithm>
#include <duckdb/common/type_visitor.hpp>
#include <filesystem>
#include <map>
#include <string_view>
#include <utility>

#include "base/uri_path.h"
#include "kernel/engine/engine.h"
#include "kernel/engine/types.h"

namespace bayou::sql {
namespace {

namespace fs = std::filesystem;
using duckdb::LogicalType;
using duckdb::LogicalTypeId;

tl::unexpected<Error> NotFound(const std::string& path) {
  return Fail(ErrorCode::kNotFound, "DELTA_COPY_SOURCE_NOT_FOUND",
              "COPY INTO: there is no file or folder " + path);
}

bool HasPattern(std::string_view path) {
  return path.find_first_of("*?[") != std::string_view::npos;
}

// A path that means itself where DuckDB would look for a pattern.
std::string Escaped(std::string_view path) {
  std::string escaped;
  for (const char c : path) {
    if (c == '*' || c == '?' || c == '[') {
      escaped += std::string("[") + c + "]";
    } else {
      escaped += c;
    }
  }
  return escaped;
}

// _p=1 is a folder of a partition.
bool IsHidden(const std::string& name) {
  return name.starts_with('.') ||
         (name.starts_with('_') && name.find('=') == std::string::npos);
}

Result<std::vector<std::string>> FilesBelow(const std::string& folder) {
  std::vector<std::string> files;
  std::error_code error;
  fs::recursive_directory_iterator entry(folder, error);
  for (const fs::recursive_directory_iterator end; !error && entry != end;
       entry.increment(error)) {
    if (IsHidden(entry->path().filename().string())) {
      entry.disable_recursion_pending();
    } else if (entry->is_regular_file(error)) {
      files.push_back(entry->path().string());
    }
  }
  if (!error) return files;
  return Fail(ErrorCode::kUnavailable, "DELTA_COPY_SOURCE_NOT_FOUND",
              "COPY INTO: the folder " + folder +
                  " cannot be read: " + error.message());
}

Result<std::vector<std::string>> Matching(const std::string& pattern,
                                          duckdb::Connection& connection) {
  BAYOU_ASSIGN(const auto rows,
               engine::Run(connection, "SELECT file FROM glob(" +
                                           engine::Literal(pattern) + ")"));
  std::vector<std::string> files;
  for (const auto& row : rows->Collection().Rows()) {
    const std::string file = row.GetValue(0).ToString();
    if (!IsHidden(fs::path(file).filename().string())) files.push_back(file);
  }
  return files;
}

Result<std::vector<std::string>> NamedFiles(
    const std::string& folder, const std::vector<std::string>& names) {
  std::vector<std::string> files;
  for (const std::string& name : names) {
    files.push_back(JoinPath(folder, name));
    std::error_code error;
    if (!fs::is_regular_file(files.back(), error))
      return NotFound(files.back());
  }
  return files;
}

bool IsOn(const CopyStatement& copy, const std::string& option) {
  const auto found = copy.format_options.find(option);
  return found != copy.format_options.end() &&
         EqualIgnoringCase(found->second, "true");
}

// What becomes of an option of Spark's.
struct Option {
  const char* name;
  enum Meaning : std::uint8_t {
    kText,     // `reader` takes its text.
    kFlag,     // `reader` takes it as true or false.
    kNothing,  // It is so, or is looked at elsewhere.
  } meaning;
  const char* reader = "";
};

std::vector<Option> OptionsOf(CopyFormat format) {
  std::vector<Option> options = {{"mergeschema", Option::kNothing},
                                 {"ignorecorruptfiles", Option::kNothing}};
  if (format == CopyFormat::kParquet) return options;
  options.push_back({"inferschema", Option::kNothing});
  options.push_back({"multiline", Option::kNothing});
  options.push_back({"mode", Option::kNothing});
  if (format == CopyFormat::kJson) return options;
  options.insert(options.end(), {{"header", Option::kNothing},
                                 {"sep", Option::kText, "delim"},
                                 {"delimiter", Option::kText, "delim"},
                                 {"quote", Option::kText, "quote"},
                                 {"escape", Option::kText, "escape"},
                                 {"comment", Option::kText, "comment"},
                                 {"nullvalue", Option::kText, "nullstr"},
                                 {"encoding", Option::kText, "encoding"},
                                 {"charset", Option::kText, "encoding"}});
  return options;
}

Status CheckMode(const std::string& value) {
  if (EqualIgnoringCase(value, "failfast")) return {};
  return Fail(ErrorCode::kInvalidArgument, "DELTA_UNKNOWN_COPY_OPTION",
              "COPY INTO: mode = " + value +
                  " would lose rows or values; FAILFAST is what there is");
}

Result<std::string> TranslatedOptions(const CopyStatement& copy,
                                      std::map<std::string, std::string> set) {
  const std::vector<Option> known = OptionsOf(copy.format);
  for (const auto& [key, value] : copy.format_options) {
    const auto option =
        std::ranges::find(known, key, [](const Option& o) { return o.name; });
    if (option == known.end()) {
      std::string names;
      for (const Option& other : known)
        names += (names.empty() ? "" : ", ") + std::string(other.name);
      return Fail(ErrorCode::kInvalidArgument, "DELTA_UNKNOWN_COPY_OPTION",
                  "FORMAT_OPTIONS has no " + key +
                      " for this format; there are " + names);
    }
    if (key == "mode") BAYOU_TRY(CheckMode(value));
    if (option->meaning == Option::kText)
      set[option->reader] = engine::Literal(value);
  }
  std::string text;
  for (const auto& [key, value] : set) text += ", " + key + " = " + value;
  return text;
}

const char* ReaderOf(CopyFormat format) {
  switch (format) {
    case CopyFormat::kParquet:
      return "read_parquet";
    case CopyFormat::kCsv:
      return "read_csv";
    case CopyFormat::kJson:
      return "read_json";
  }
  return "";
}

std::string Call(const CopyStatement& copy,
                 const std::vector<std::string>& files,
                 const std::string& options) {
  std::string list;
  for (const std::string& file : files)
    list += (list.empty() ? "" : ", ") + engine::Literal(Escaped(file));
  return std::string(ReaderOf(copy.format)) + "([" + list + "]" + options + ")";
}

struct Columns {
  duckdb::vector<std::string> names;
  duckdb::vector<LogicalType> types;
};

Result<Columns> ColumnsOf(const std::string& call,
                          duckdb::Connection& connection) {
  return engine::Guard([&]() -> Columns {
    const auto prepared = connection.Prepare("SELECT * FROM " + call);
    if (prepared->HasError()) prepared->error.Throw();
    return {prepared->GetNames(), prepared->GetTypes()};
  });
}

// Texts that look like something else are texts: the table's own types are what
// makes them more.
LogicalType AsFound(const LogicalType& found) {
  switch (found.id()) {
    case LogicalTypeId::DATE:
    case LogicalTypeId::TIME:
    case LogicalTypeId::TIMESTAMP:
    case LogicalTypeId::TIMESTAMP_TZ:
    case LogicalTypeId::UUID:
    case LogicalTypeId::SQLNULL:
      return LogicalType::VARCHAR;
    case LogicalTypeId::LIST:
      return LogicalType::LIST(AsFound(duckdb::ListType::GetChildType(found)));
    case LogicalTypeId::STRUCT: {
      duckdb::child_list_t<LogicalType> fields;
      for (const auto& [name, type] : duckdb::StructType::GetChildTypes(found))
        fields.emplace_back(name, AsFound(type));
      return LogicalType::STRUCT(std::move(fields));
    }
    default:
      return found;
  }
}

// The fields that the file has, with the types that the table wants. JSON has
// few types, and what is read as one of them may have lost something already: a
// decimal as a double.
LogicalType AsWanted(const LogicalType& found, const LogicalType& wanted) {
  if (wanted.id() == LogicalTypeId::VARIANT) return found;
  if (found.id() == LogicalTypeId::LIST && wanted.id() == LogicalTypeId::LIST) {
    return LogicalType::LIST(AsWanted(duckdb::ListType::GetChildType(found),
                                      duckdb::ListType::GetChildType(wanted)));
  }
  if (found.id() != LogicalTypeId::STRUCT ||
      wanted.id() != LogicalTypeId::STRUCT) {
    return wanted;
  }
  duckdb::child_list_t<LogicalType> fields;
  for (const auto& [name, type] : duckdb::StructType::GetChildTypes(found)) {
    fields.emplace_back(name, AsFound(type));
    for (const auto& [known, known_type] :
         duckdb::StructType::GetChildTypes(wanted)) {
      if (EqualIgnoringCase(known, name))
        fields.back().second = AsWanted(type, known_type);
    }
  }
  return LogicalType::STRUCT(std::move(fields));
}

// JSON numbers are read as doubles, which hold so many digits for certain.
constexpr int kExactDigits = 15;

bool IsLongDecimal(const LogicalType& type) {
  return type.id() == LogicalTypeId::DECIMAL &&
         duckdb::DecimalType::GetWidth(type) > kExactDigits;
}

bool IsWhole(const LogicalType& type) {
  return type.IsIntegral() || (type.id() == LogicalTypeId::DECIMAL &&
                               duckdb::DecimalType::GetScale(type) == 0);
}

// Whether a file has fractions, or numbers as large, where the table has whole
// ones.
bool HasFractionsFor(const LogicalType& found, const LogicalType& wanted) {
  if (IsWhole(wanted)) return found.IsFloating();
  // An object is always found as a struct.
  if (wanted.id() == LogicalTypeId::MAP &&
      found.id() == LogicalTypeId::STRUCT) {
    return std::ranges::any_of(
        duckdb::StructType::GetChildTypes(found), [&](const auto& entry) {
          return HasFractionsFor(entry.second,
                                 duckdb::MapType::ValueType(wanted));
        });
  }
  if (found.id() != wanted.id()) return false;
  if (found.id() == LogicalTypeId::LIST) {
    return HasFractionsFor(duckdb::ListType::GetChildType(found),
                           duckdb::ListType::GetChildType(wanted));
  }
  if (found.id() != LogicalTypeId::STRUCT) return false;
  for (const auto& [name, type] : duckdb::StructType::GetChildTypes(found)) {
    for (const auto& [known, wanted_type] :
         duckdb::StructType::GetChildTypes(wanted)) {
      if (EqualIgnoringCase(known, name) && HasFractionsFor(type, wanted_type))
        return true;
    }
  }
  return false;
}

// The end of a CASE over the text of a JSON number.
std::string OnlyWhole(const std::string& column, const std::string& text) {
  const std::string message = engine::Literal(
      "column " + column + " has a number that is no whole one: ");
  return "WHEN regexp_full_match(" + text +
         ", '-?[0-9]+(\\.0+)?') THEN regexp_extract(" + text +
         ", '^-?[0-9]+') ELSE error(" + message + " || " + text + ")";
}

// The column as text, from JSON; a number that may have lost digits is an
// error, and so is a fraction where the table has whole numbers.
std::string DigitsOf(const std::string& column, bool is_whole) {
  const std::string json = engine::Identifier(column);
  const std::string text = json + "::VARCHAR";
  const std::string message = engine::Literal(
      "column " + column + " has a number of more than " +
      std::to_string(kExactDigits) +
      " digits, of which the JSON reader would lose some; write it as a text");
  return "CASE WHEN " + text + " LIKE '\"%' THEN " + json + "->>'$' WHEN " +
         text + " = 'null' THEN NULL WHEN regexp_matches(" + text +
         ", '[.eE]') AND length(ltrim(regexp_replace(regexp_extract(" + text +
         ", '^[^eE]*'), '[^0-9]', '', 'g'), '0')) > " +
         std::to_string(kExactDigits) + " THEN error(" + message + ") " +
         (is_whole ? OnlyWhole(column, text) : "ELSE " + text) + " END AS " +
         json;
}

struct JsonColumns {
  std::string list;     // {'a': 'INTEGER', ...}
  std::string replace;  // What becomes of some of them.
};

Result<JsonColumns> TypedColumns(const Columns& columns,
                                 const protocol::Schema& table) {
  JsonColumns typed;
  for (std::size_t i = 0; i < columns.names.size(); ++i) {
    const std::string& name = columns.names[i];
    const protocol::Field* field = table.Find(name);
    LogicalType type =
        field != nullptr
            ? AsWanted(columns.types[i], engine::ToLogicalType(field->type))
            : AsFound(columns.types[i]);
    const bool has_fractions = HasFractionsFor(columns.types[i], type);
    const bool is_whole = IsWhole(type);
    if (IsLongDecimal(type) || (is_whole && has_fractions)) {
      type = LogicalType::JSON();
      typed.replace +=
          (typed.replace.empty() ? "" : ", ") + DigitsOf(name, is_whole);
    } else if (has_fractions ||
               duckdb::TypeVisitor::Contains(type, IsLongDecimal)) {
      return Fail(ErrorCode::kUnsupported, "DELTA_UNSUPPORTED_OPERATION",
                  "COPY INTO: column " + name + " holds " + type.ToString() +
                      ", whose numbers the JSON reader would round; load it "
                      "with INSERT, from texts");
    }
    typed.list += (typed.list.empty() ? "" : ", ") + engine::Literal(name) +
                  ": " + engine::Literal(type.ToString());
  }
  return typed;
}

// The names that Spark gives to columns without a header.
std::string NumberedNames(std::size_t count) {
  std::string names;
  for (std::size_t i = 0; i < count; ++i)
    names += (names.empty() ? "'_c" : ", '_c") + std::to_string(i) + "'";
  return "[" + names + "]";
}

std::string JsonFormat(const CopyStatement& copy) {
  return IsOn(copy, "multiline") ? "'auto'" : "'newline_delimited'";
}

}  // namespace

Result<std::vector<std::string>> SourceFiles(const CopyStatement& copy,
                                             duckdb::Connection& connection) {
  BAYOU_ASSIGN(const std::string source, LocationFromUser(copy.source));
  std::error_code error;
  const bool is_folder = fs::is_directory(source, error);
  std::vector<std::string> files;
  if (!copy.files.empty()) {
    BAYOU_ASSIGN(files, NamedFiles(source, copy.files));
  } else if (copy.pattern && is_folder) {
    BAYOU_ASSIGN(files,
                 Matching(Escaped(source) + "/" + *copy.pattern, connection));
  } else if (is_folder) {
    BAYOU_ASSIGN(files, FilesBelow(source));
  } else if (fs::is_regular_file(source, error)) {
    files.push_back(source);
  } else if (HasPattern(copy.source)) {
    BAYOU_ASSIGN(files, Matching(source, connection));
  } else {
    return NotFound(source);
  }
  std::ranges::sort(files);
  files.erase(std::ranges::unique(files).begin(), files.end());
  return files;
}

bool IgnoresCorruptFiles(const CopyStatement& copy) {
  return IsOn(copy, "ignorecorruptfiles");
}

Result<std::string> ReaderOptions(const CopyStatement& copy) {
  switch (copy.format) {
    case CopyFormat::kCsv:
      return TranslatedOptions(
          copy, {{"header", IsOn(copy, "header") ? "true" : "false"},
                 {"all_varchar", IsOn(copy, "inferschema") ? "false" : "true"},
                 {"delim", "','"},
                 {"quote", "'\"'"},
                 {"escape", "'\"'"},
                 {"null_padding", "false"},
                 {"union_by_name", IsOn(copy, "header") ? "true" : "false"}});
    case CopyFormat::kJson:
      return TranslatedOptions(copy, {{"format", JsonFormat(copy)}});
    case CopyFormat::kParquet:
      return TranslatedOptions(copy, {{"union_by_name", "true"}});
  }
  return std::string();
}

Result<bool> IsReadable(const CopyStatement& copy, const std::string& file,
                        duckdb::Connection& connection) {
  BAYOU_ASSIGN(const std::string options, ReaderOptions(copy));
  return ColumnsOf(Call(copy, {file}, options), connection).has_value();
}

Result<std::string> ReaderCall(const CopyStatement& copy,
                               const std::vector<std::string>& files,
                               const protocol::Schema& table,
                               duckdb::Connection& connection) {
  BAYOU_ASSIGN(const std::string options, ReaderOptions(copy));
  const bool has_names =
      copy.format != CopyFormat::kCsv || IsOn(copy, "header");
  if (has_names && copy.format != CopyFormat::kJson)
    return Call(copy, files, options);
  if (!has_names) {
    BAYOU_ASSIGN(const Columns found,
                 ColumnsOf(Call(copy, files, options), connection));
    return Call(copy, files,
                options + ", names = " + NumberedNames(found.names.size()));
  }
  // All rows are looked at, so that no field is overlooked.
  BAYOU_ASSIGN(
      const Columns found,
      ColumnsOf(Call(copy, files,
                     options + ", union_by_name = true, sample_size = -1, "
                               "maximum_depth = -1, "
                               "map_inference_threshold = -1, "
                               "field_appearance_threshold = 0"),
                connection));
  BAYOU_ASSIGN(const JsonColumns typed, TypedColumns(found, table));
  std::string call =
      Call(copy, files, options + ", columns = {" + typed.list + "}");
  if (typed.replace.empty()) return call;
  return "(SELECT * REPLACE (" + typed.replace + ") FROM " + call + ")";
}

}  // namespace bayou::sql

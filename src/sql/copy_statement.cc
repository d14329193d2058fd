// SPDX-License-Identifier: Apache-2.0
#include "sql/copy_statement.h"

#include <utility>

#include "sql/property_list.h"
#include "sql/token_reader.h"

namespace bayou::sql {
namespace {

tl::unexpected<Error> NotSupported(const std::string& what) {
  return Fail(ErrorCode::kUnsupported, "DELTA_UNSUPPORTED_OPERATION",
              "COPY INTO: " + what);
}

class CopyReader : private TokenCursor {
 public:
  CopyReader(std::string_view text, std::span<const Token> tokens,
             std::size_t i)
      : TokenCursor(tokens, i), text_(text) {}

  Result<CopyStatement> Run() {
    BAYOU_TRY(Target());
    BAYOU_TRY(Source());
    BAYOU_TRY(Format());
    while (!AtEnd()) BAYOU_TRY(Clause());
    if (!copy_.files.empty() && copy_.pattern)
      return NotSupported("FILES and PATTERN exclude one another");
    return std::move(copy_);
  }

 private:
  tl::unexpected<Error> Malformed() const {
    std::string place = "at its end";
    if (!AtEnd()) place = "at '" + std::string(tokens_[i_].text) + "'";
    return Fail(ErrorCode::kInvalidArgument, "PARSE_SYNTAX_ERROR",
                "COPY INTO is not understood " + place +
                    "; it is COPY INTO table FROM 'path' FILEFORMAT = PARQUET "
                    "| CSV | JSON [FILES = ('name', ...) | PATTERN = 'glob'] "
                    "[FORMAT_OPTIONS (...)] [COPY_OPTIONS (...)]");
  }

  std::string_view Between(std::size_t first, std::size_t next) const {
    const std::size_t begin = tokens_[first].begin;
    return text_.substr(begin, tokens_[next - 1].end - begin);
  }

  Status Target() {
    const std::optional<NameAt> target = ParseTableName(tokens_, i_);
    if (!target) return Malformed();
    copy_.target = target->name;
    i_ = target->next;
    if (Take("by")) {
      if (!Take("position")) return Malformed();
      copy_.by_position = true;
    } else if (TakeSymbol('(')) {
      do {
        if (AtEnd() || !tokens_[i_].IsIdentifier()) return Malformed();
        copy_.columns.push_back(tokens_[i_++].Value());
      } while (TakeSymbol(','));
      if (!TakeSymbol(')')) return Malformed();
    }
    return {};
  }

  Status Source() {
    if (!Take("from")) return Malformed();
    if (TakeSymbol('(')) return Query();
    if (!IsKind(TokenKind::kString)) return Malformed();
    copy_.source = tokens_[i_++].Value();
    return NoCredential();
  }

  Status NoCredential() const {
    if (!Is("with")) return {};
    return NotSupported("WITH (CREDENTIAL ...) is not supported");
  }

  // SELECT ... FROM 'path' ...): the path is the text behind the outermost
  // FROM.
  Status Query() {
    const std::size_t begin = i_;
    if (!Is("select")) return Malformed();
    std::optional<std::size_t> path;
    for (int depth = 0; !AtEnd() && !(depth == 0 && IsSymbol(')')); ++i_) {
      depth += IsSymbol('(') ? 1 : IsSymbol(')') ? -1 : 0;
      if (depth == 0 && Is("from") && IsKind(TokenKind::kString, 1))
        path = i_ + 1;
    }
    if (AtEnd() || !path) return Malformed();
    copy_.source = tokens_[*path].Value();
    copy_.query = CopyStatement::Query{
        .before = std::string(Between(begin, *path)), .behind = {}};
    if (*path + 1 < i_) copy_.query->behind = Between(*path + 1, i_);
    ++i_;
    return {};
  }

  Status Format() {
    if (!Take("fileformat") || !TakeSymbol('=') || AtEnd()) return Malformed();
    const Token& format = tokens_[i_++];
    if (format.Is("parquet")) {
      copy_.format = CopyFormat::kParquet;
    } else if (format.Is("csv")) {
      copy_.format = CopyFormat::kCsv;
    } else if (format.Is("json")) {
      copy_.format = CopyFormat::kJson;
    } else {
      return NotSupported("FILEFORMAT = " + std::string(format.text) +
                          " is not supported; PARQUET, CSV and JSON are");
    }
    return {};
  }

  Status Clause() {
    if (Take("files")) return Files();
    if (Take("pattern")) {
      if (!TakeSymbol('=') || !IsKind(TokenKind::kString)) return Malformed();
      copy_.pattern = tokens_[i_++].Value();
      return {};
    }
    if (Take("format_options")) {
      BAYOU_ASSIGN(const auto options, Options());
      for (const auto& [key, value] : options)
        copy_.format_options[LowerCase(key)] = value;
      return {};
    }
    if (Take("copy_options")) return CopyOptions();
    if (Is("validate")) return NotSupported("VALIDATE is not supported");
    return Malformed();
  }

  Status Files() {
    if (!TakeSymbol('=') || !TakeSymbol('(')) return Malformed();
    do {
      if (!IsKind(TokenKind::kString)) return Malformed();
      copy_.files.push_back(tokens_[i_++].Value());
    } while (TakeSymbol(','));
    if (!TakeSymbol(')')) return Malformed();
    return {};
  }

  Result<std::map<std::string, std::string>> Options() {
    if (!IsSymbol('(')) return Malformed();
    if (IsSymbol(')', 1)) {
      i_ += 2;
      return {};
    }
    return TakeProperties(tokens_, i_);
  }

  Status CopyOptions() {
    BAYOU_ASSIGN(const auto options, Options());
    for (const auto& [key, value] : options) {
      const bool on = EqualIgnoringCase(value, "true");
      const bool is_flag = on || EqualIgnoringCase(value, "false");
      if (is_flag && EqualIgnoringCase(key, "mergeSchema")) {
        copy_.merge_schema = on;
      } else if (is_flag && EqualIgnoringCase(key, "force")) {
        copy_.force = on;
      } else {
        return Fail(ErrorCode::kInvalidArgument, "DELTA_UNKNOWN_COPY_OPTION",
                    "COPY_OPTIONS has no " + key + " = " + value +
                        "; there are mergeSchema and force, which are true or "
                        "false");
      }
    }
    return {};
  }

  std::string_view text_;
  CopyStatement copy_;
};

}  // namespace

Result<std::optional<CopyStatement>> ParseCopyInto(
    std::string_view text, std::span<const Token> tokens, std::size_t i) {
  // COPY into FROM 'file' is DuckDB's, about a table called into.
  if (!IsWord(tokens, i, "copy") || !IsWord(tokens, i + 1, "into") ||
      IsWord(tokens, i + 2, "from") || IsWord(tokens, i + 2, "to")) {
    return std::nullopt;
  }
  BAYOU_ASSIGN(auto copy, CopyReader(text, tokens, i + 2).Run());
  return std::optional(std::move(copy));
}

}  // namespace bayou::sql

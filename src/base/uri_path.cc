// SPDX-License-Identifier: Apache-2.0
#include "base/uri_path.h"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <optional>
#include <system_error>

namespace bayou {
namespace {

constexpr std::string_view kUpperHex = "0123456789ABCDEF";

int HexDigit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

void AppendEscaped(std::string& out, char c) {
  const auto byte = static_cast<unsigned char>(c);
  out += '%';
  out += kUpperHex[byte >> 4];
  out += kUpperHex[byte & 15];
}

bool IsLetterOrDigit(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
         (c >= 'A' && c <= 'Z');
}

bool StaysInPath(char c) {
  constexpr std::string_view kOthers = "-_.!~*'()/;@&=+$,";
  return IsLetterOrDigit(c) || kOthers.find(c) != std::string_view::npos;
}

bool IsFileScheme(std::string_view scheme) {
  constexpr std::string_view kFile = "file";
  return std::ranges::equal(scheme, kFile, {}, [](char c) {
    return static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  });
}

// The scheme of `scheme://...` or `file:/...`. A colon anywhere else is part of
// a name: partition folders such as `ts=2020-01-01 10:00:00` hold them bare.
std::optional<std::string_view> Scheme(std::string_view text) {
  const std::size_t colon = text.find(':');
  if (colon == 0 || colon == std::string_view::npos) return std::nullopt;
  const std::string_view scheme = text.substr(0, colon);
  const bool legal = std::ranges::all_of(scheme, [](char c) {
    return IsLetterOrDigit(c) || c == '+' || c == '-' || c == '.';
  });
  if (!legal) return std::nullopt;
  const std::string_view rest = text.substr(colon + 1);
  if (rest.starts_with("//")) return scheme;
  if (rest.starts_with('/') && IsFileScheme(scheme)) return scheme;
  return std::nullopt;
}

// The path of a `file:` URI, still encoded; nullopt when it names another host
// or is no such URI.
std::optional<std::string_view> FileUriPath(std::string_view text) {
  const auto scheme = Scheme(text);
  if (!scheme || !IsFileScheme(*scheme)) return std::nullopt;
  std::string_view rest = text.substr(scheme->size() + 1);
  if (!rest.starts_with("//")) return rest;
  rest.remove_prefix(2);
  if (rest.starts_with("localhost/")) rest.remove_prefix(9);
  if (!rest.starts_with('/')) return std::nullopt;
  return rest;
}

// `/a//b` and `/a/b` are one place.
std::string WithoutRepeatedSlashes(std::string path) {
  const auto both = [](char a, char b) { return a == '/' && b == '/'; };
  path.erase(std::ranges::unique(path, both).begin(), path.end());
  return path;
}

tl::unexpected<Error> BadLocation(std::string message) {
  return Fail(ErrorCode::kInvalidArgument, "INVALID_LOCATION",
              std::move(message));
}

// Drops `.` and empty segments. `..` stays: through a symbolic link it leads
// elsewhere than its text says.
std::string WithoutEmptySegments(std::string_view absolute) {
  std::string path;
  while (!absolute.empty()) {
    const std::size_t slash = std::min(absolute.find('/'), absolute.size());
    const std::string_view segment = absolute.substr(0, slash);
    if (!segment.empty() && segment != ".") path.append("/").append(segment);
    absolute.remove_prefix(std::min(slash + 1, absolute.size()));
  }
  return path.empty() ? "/" : path;
}

}  // namespace

std::string PercentDecode(std::string_view text) {
  std::string decoded;
  decoded.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '%' && i + 2 < text.size()) {
      const int high = HexDigit(text[i + 1]);
      const int low = HexDigit(text[i + 2]);
      if (high >= 0 && low >= 0) {
        decoded += static_cast<char>(high << 4 | low);
        i += 2;
        continue;
      }
    }
    decoded += text[i];
  }
  return decoded;
}

std::string PercentEncodePath(std::string_view path) {
  std::string encoded;
  encoded.reserve(path.size());
  for (char c : path) {
    if (StaysInPath(c)) {
      encoded += c;
    } else {
      AppendEscaped(encoded, c);
    }
  }
  return encoded;
}

std::string HiveEscape(std::string_view text) {
  constexpr std::string_view kSpecial = "\"#%'*/:=?\\{[]^\x7f";
  std::string escaped;
  escaped.reserve(text.size());
  for (char c : text) {
    const bool control = static_cast<unsigned char>(c) < 0x20;
    if (control || kSpecial.find(c) != std::string_view::npos) {
      AppendEscaped(escaped, c);
    } else {
      escaped += c;
    }
  }
  return escaped;
}

std::string CanonicalPath(std::string_view log_path) {
  if (const auto local = FileUriPath(log_path)) {
    return WithoutRepeatedSlashes(PercentDecode(*local));
  }
  std::string decoded = PercentDecode(log_path);
  if (!decoded.starts_with('/')) return decoded;
  return WithoutRepeatedSlashes(std::move(decoded));
}

bool IsAbsolutePath(std::string_view canonical_path) {
  return canonical_path.starts_with('/') || Scheme(canonical_path).has_value();
}

Result<std::string> LocationFromUser(std::string_view text) {
  if (text.empty()) return BadLocation("the path is empty; name a folder");
  std::string path(text);
  if (const auto local = FileUriPath(text)) {
    path = PercentDecode(*local);
  } else if (Scheme(text)) {
    return Fail(ErrorCode::kUnsupported, "UNSUPPORTED_STORE",
                "'" + path +
                    "' is not on a local disk; only paths and file: "
                    "URIs can be opened");
  }
  if (path.find('\0') != std::string::npos) {
    return BadLocation("the path holds a NUL byte");
  }
  std::error_code error;
  const std::filesystem::path absolute = std::filesystem::absolute(path, error);
  if (error) {
    return BadLocation("cannot make '" + path +
                       "' absolute: " + error.message());
  }
  return WithoutEmptySegments(absolute.native());
}

Status CheckRelativePath(std::string_view path) {
  const auto refuse = [&](std::string_view reason) {
    return Fail(ErrorCode::kCorruption, "DELTA_PATH_OUTSIDE_TABLE",
                "the log names the file '" + std::string(path) + "', which " +
                    std::string(reason) + "; it is not read");
  };
  if (path.find('\0') != std::string_view::npos) {
    return Fail(ErrorCode::kCorruption, "DELTA_PATH_OUTSIDE_TABLE",
                "the log names a file with a NUL byte; it is not read");
  }
  if (IsAbsolutePath(path)) return refuse("is not relative to the table");
  std::string_view rest = path;
  while (true) {
    const std::size_t slash = rest.find('/');
    const std::string_view segment = rest.substr(0, slash);
    if (segment.empty()) return refuse("has an empty segment");
    if (segment == "." || segment == "..") {
      return refuse("has a '" + std::string(segment) + "' segment");
    }
    if (slash == std::string_view::npos) return {};
    rest.remove_prefix(slash + 1);
  }
}

std::string JoinPath(std::string_view folder, std::string_view name) {
  std::string path(folder);
  if (!path.empty() && !path.ends_with('/')) path += '/';
  return path.append(name);
}

}  // namespace bayou

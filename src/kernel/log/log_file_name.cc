// SPDX-License-Identifier: Apache-2.0
#include "kernel/log/log_file_name.h"

#include <fmt/format.h>

#include <charconv>

namespace bayou::log {
namespace {

constexpr std::size_t kVersionDigits = 20;
constexpr std::size_t kPartDigits = 10;

// Threat T9: a name may claim any number of parts.
constexpr int kMaxParts = 100'000;

// Versions are counted one further in places, so the largest stays below that.
constexpr Version kMaxVersion = INT64_MAX - 1;

// Reads exactly `digits` decimal digits from the front of `text` into `value`
// and drops them; leaves both alone otherwise.
template <typename Integer>
bool TakeNumber(std::string_view& text, std::size_t digits, Integer& value) {
  if (text.size() < digits) return false;
  const char* end = text.data() + digits;
  Integer parsed{};
  const auto [stop, error] = std::from_chars(text.data(), end, parsed);
  if (error != std::errc{} || stop != end || *text.data() == '-') return false;
  value = parsed;
  text.remove_prefix(digits);
  return true;
}

bool Take(std::string_view& text, std::string_view literal) {
  if (!text.starts_with(literal)) return false;
  text.remove_prefix(literal.size());
  return true;
}

bool TakeParts(std::string_view text, LogFileName& file) {
  int part = 0;
  int parts = 0;
  if (!TakeNumber(text, kPartDigits, part) || !Take(text, ".") ||
      !TakeNumber(text, kPartDigits, parts) || text != ".parquet" || part < 1 ||
      part > parts || parts > kMaxParts) {
    return false;
  }
  file.part = part;
  file.parts = parts;
  return true;
}

// `<uuid>.parquet` or `<uuid>.json`. Any text without a dot will do for the
// UUID: it only has to be unique.
bool TakeUuid(std::string_view text, LogFileName& file) {
  const std::size_t dot = text.find('.');
  if (dot == 0 || dot == std::string_view::npos) return false;
  const std::string_view extension = text.substr(dot);
  if (extension != ".parquet" && extension != ".json") return false;
  file.uuid = text.substr(0, dot);
  file.is_json = extension == ".json";
  return true;
}

// What follows the version in a checkpoint's name.
bool TakeCheckpoint(std::string_view text, LogFileName& file) {
  return Take(text, ".checkpoint.") &&
         (text == "parquet" || TakeParts(text, file) || TakeUuid(text, file));
}

bool TakeCompacted(std::string_view text, LogFileName& file) {
  return Take(text, ".") &&
         TakeNumber(text, kVersionDigits, file.end_version) &&
         text == ".compacted.json" && file.version < file.end_version &&
         file.end_version <= kMaxVersion;
}

LogFileKind Classify(std::string_view rest, LogFileName& file) {
  if (rest == ".json") return LogFileKind::kCommit;
  if (rest == ".crc") return LogFileKind::kChecksum;
  if (TakeCheckpoint(rest, file)) return LogFileKind::kCheckpoint;
  if (TakeCompacted(rest, file)) return LogFileKind::kCompacted;
  return LogFileKind::kOther;
}

}  // namespace

LogFileName ParseLogFileName(std::string_view name) {
  LogFileName file;
  file.name = name;
  std::string_view rest = name;
  Version version = -1;
  if (!TakeNumber(rest, kVersionDigits, version) || version > kMaxVersion) {
    return file;
  }
  file.version = version;
  file.kind = Classify(rest, file);
  if (file.kind != LogFileKind::kCompacted) file.end_version = version;
  return file;
}

std::string CommitName(Version version) {
  return fmt::format("{:020}.json", version);
}
std::string ChecksumName(Version version) {
  return fmt::format("{:020}.crc", version);
}
std::string CheckpointName(Version version) {
  return fmt::format("{:020}.checkpoint.parquet", version);
}
std::string CompactedName(Version first, Version last) {
  return fmt::format("{:020}.{:020}.compacted.json", first, last);
}

}  // namespace bayou::log

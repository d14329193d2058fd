// SPDX-License-Identifier: Apache-2.0
//
// Interval strings: ParseInterval of table_properties.h.
#include <algorithm>
#include <charconv>
#include <utility>

#include "kernel/protocol/letter_case.h"
#include "kernel/protocol/table_properties.h"

namespace bayou::protocol {
namespace {

using std::chrono::milliseconds;

struct Unit {
  std::string_view name;  // In the singular.
  std::int64_t microseconds;
};
constexpr Unit kUnits[] = {
    {"week", 604'800'000'000}, {"day", 86'400'000'000}, {"hour", 3'600'000'000},
    {"minute", 60'000'000},    {"second", 1'000'000},   {"millisecond", 1'000},
    {"microsecond", 1},
};

tl::unexpected<Error> Invalid(std::string_view text, std::string_view why) {
  return Fail(ErrorCode::kInvalidArgument, "DELTA_INVALID_INTERVAL",
              "'" + std::string(text) + "' " + std::string(why) +
                  "; write it like 'interval 30 days' or 'interval 1 day 12 "
                  "hours'");
}

std::string_view TakeWord(std::string_view& text) {
  constexpr std::string_view kSpace = " \t\r\n";
  text.remove_prefix(std::min(text.find_first_not_of(kSpace), text.size()));
  const std::string_view word =
      text.substr(0, std::min(text.find_first_of(kSpace), text.size()));
  text.remove_prefix(word.size());
  return word;
}

const Unit* FindUnit(std::string_view name) {
  const auto found = std::ranges::find_if(kUnits, [&](const Unit& unit) {
    return EqualIgnoringCase(name, unit.name) ||
           EqualIgnoringCase(name, std::string(unit.name) + "s");
  });
  return found == std::end(kUnits) ? nullptr : found;
}

}  // namespace

Result<milliseconds> ParseInterval(std::string_view text) {
  std::string_view rest = text;
  std::string_view number = TakeWord(rest);
  if (EqualIgnoringCase(number, "interval")) number = TakeWord(rest);
  if (number.empty()) return Invalid(text, "is no interval");

  std::int64_t total = 0;  // Microseconds.
  for (; !number.empty(); number = TakeWord(rest)) {
    std::int64_t count = 0;
    const char* end = number.data() + number.size();
    const auto [stop, error] = std::from_chars(number.data(), end, count);
    if (error == std::errc::result_out_of_range && stop == end) {
      return Invalid(text,
                     number.front() == '-' ? "is negative" : "is too long");
    }
    if (error != std::errc{} || stop != end) {
      return Invalid(text, "is no interval");
    }
    if (count < 0) return Invalid(text, "is negative");
    const std::string_view name = TakeWord(rest);
    const Unit* unit = FindUnit(name);
    if (unit == nullptr) {
      return Invalid(text, name.empty() ? "has a number without a unit"
                                        : "has a unit that is none of week, "
                                          "day, hour, minute, second");
    }
    std::int64_t part = 0;
    if (__builtin_mul_overflow(count, unit->microseconds, &part) ||
        __builtin_add_overflow(total, part, &total)) {
      return Invalid(text, "is too long");
    }
  }
  return std::chrono::duration_cast<milliseconds>(
      std::chrono::microseconds(total));
}

}  // namespace bayou::protocol

// SPDX-License-Identifier: Apache-2.0
//
// A scalar that is read from a text is written as a text that reads back as the
// same scalar.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "kernel/engine/scalar_text.h"

namespace {

void Check(bool holds) {
  if (!holds) std::abort();
}

template <class Float>
bool Same(Float a, std::optional<Float> b) {
  return b && (std::isnan(a) ? std::isnan(*b) : a == *b);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  namespace engine = bayou::engine;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (const auto value = engine::ParseDouble(text)) {
    Check(Same(*value, engine::ParseDouble(engine::FormatDouble(*value))));
  }
  if (const auto value = engine::ParseFloat(text)) {
    Check(Same(*value, engine::ParseFloat(engine::FormatFloat(*value))));
  }
  if (const auto date = engine::ParseDate(text)) {
    Check(engine::ParseDate(engine::FormatDate(*date)) == date);
  }
  if (const auto timestamp = engine::ParseTimestamp(text)) {
    const auto again =
        engine::ParseTimestamp(engine::FormatTimestamp(timestamp->local, ' '));
    Check(again && again->local == timestamp->local && !again->has_offset);
    (void)timestamp->Utc();
  }
  for (const int digits : {1, 18, 38}) {
    for (const int scale : {0, 2, digits}) {
      (void)engine::ParseDecimal(text, digits, scale);
    }
  }
  return 0;
}

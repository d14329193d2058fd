// SPDX-License-Identifier: Apache-2.0
//
// Bounds of strings in statistics are cut to a prefix, as delta-spark cuts
// them: lengths count UTF-16 units (the length of a Java string), and a
// character that needs two of them is never cut in half. Texts are valid UTF-8.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace bayou::write {

// The longest prefix of at most `units` UTF-16 units, one more where a
// character would be cut. Not greater than `text`.
std::string_view CutMinimum(std::string_view text, std::size_t units);

// `text` itself when it is no longer than `units`; otherwise a prefix and a
// last character that makes it greater than `text`: U+007F where that is
// enough, U+10FFFF otherwise. nullopt when no text of at most twice the length
// is.
std::optional<std::string> CutMaximum(std::string_view text, std::size_t units);

}  // namespace bayou::write

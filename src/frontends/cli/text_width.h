// SPDX-License-Identifier: Apache-2.0
//
// How many columns of a terminal a text takes. Control characters have no
// width of their own, so a text is made printable first.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace bayou::cli {

// Control characters as the two-character escapes of C, or \xNN; bytes that are
// not UTF-8 as \xNN. Keeps a table's lines one line each, and a terminal safe
// from what a table holds.
std::string Printable(std::string_view text);

// Of a printable text: East Asian wide characters and emoji take two columns,
// combining marks none.
std::size_t Width(std::string_view printable);

// Cut to at most `width` columns, with an ellipsis where something is missing.
std::string CutToWidth(std::string_view printable, std::size_t width);

}  // namespace bayou::cli

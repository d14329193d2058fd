// SPDX-License-Identifier: Apache-2.0
//
// Changes to a text that are made all at once, and the way back from a place in
// the new text to the old one, so that errors point at what the user wrote.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace bayou::sql {

struct EditedText {
  std::string text;

  // The place in the old text that a place in the new one came from.
  std::size_t Original(std::size_t position) const;

  // Where the new text goes on as the old one, ascending: {new, old}.
  struct Anchor {
    std::size_t now;
    std::size_t before;
    bool copied;  // False: new text stands here.
  };
  std::vector<Anchor> anchors;
};

class TextEdits {
 public:
  // Ranges must not overlap; an insertion is an empty range, and several at one
  // place come in the order in which they were made.
  void Replace(std::size_t begin, std::size_t end, std::string_view with);
  void Insert(std::size_t at, std::string_view text) { Replace(at, at, text); }

  // True when a replaced range holds the byte at `position`.
  bool Covers(std::size_t position) const;

  EditedText Apply(std::string_view text) const;

 private:
  struct Edit {
    std::size_t end = 0;
    std::string with;
  };
  std::map<std::size_t, Edit> edits_;
};

}  // namespace bayou::sql

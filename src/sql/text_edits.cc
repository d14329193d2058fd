// SPDX-License-Identifier: Apache-2.0
#include "sql/text_edits.h"

#include <algorithm>

namespace bayou::sql {

std::size_t EditedText::Original(std::size_t position) const {
  const auto after =
      std::ranges::upper_bound(anchors, position, {}, &Anchor::now);
  if (after == anchors.begin()) return position;
  const Anchor& anchor = *std::prev(after);
  return anchor.copied ? anchor.before + (position - anchor.now)
                       : anchor.before;
}

void TextEdits::Replace(std::size_t begin, std::size_t end,
                        std::string_view with) {
  Edit& edit = edits_[begin];
  edit.end = std::max(edit.end, end);
  edit.with += with;
}

bool TextEdits::Covers(std::size_t position) const {
  const auto after = edits_.upper_bound(position);
  return after != edits_.begin() && std::prev(after)->second.end > position;
}

EditedText TextEdits::Apply(std::string_view text) const {
  EditedText result;
  std::size_t copied = 0;
  const auto copy_to = [&](std::size_t end) {
    result.anchors.push_back({result.text.size(), copied, true});
    result.text += text.substr(copied, end - copied);
    copied = end;
  };
  for (const auto& [begin, edit] : edits_) {
    copy_to(begin);
    result.anchors.push_back({result.text.size(), begin, false});
    result.text += edit.with;
    copied = std::max(begin, edit.end);
  }
  copy_to(text.size());
  return result;
}

}  // namespace bayou::sql

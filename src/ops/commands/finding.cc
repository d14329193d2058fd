// SPDX-License-Identifier: Apache-2.0
#include "ops/commands/finding.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace bayou::commands {

std::string_view SeverityName(Severity severity) {
  switch (severity) {
    case Severity::kNote:
      return "note";
    case Severity::kWarning:
      return "warning";
    case Severity::kError:
      return "error";
  }
  return "error";
}

void Findings::Add(Finding finding) {
  const std::lock_guard lock(mutex_);
  if (++counts_[finding.code] <= kMostOfACode)
    findings_.push_back(std::move(finding));
}

std::vector<Finding> Findings::Take() {
  const std::lock_guard lock(mutex_);
  for (const auto& [code, count] : counts_) {
    if (count <= kMostOfACode) continue;
    const auto first = std::ranges::find(findings_, code, &Finding::code);
    findings_.push_back(
        {.code = code,
         .severity = first->severity,
         .place = "",
         .what = fmt::format("{} more of this kind", count - kMostOfACode),
         .remedy = first->remedy});
  }
  std::vector<Finding> sorted;
  for (const Severity severity :
       {Severity::kError, Severity::kWarning, Severity::kNote}) {
    for (Finding& finding : findings_) {
      if (finding.severity == severity) sorted.push_back(std::move(finding));
    }
  }
  findings_.clear();
  return sorted;
}

}  // namespace bayou::commands

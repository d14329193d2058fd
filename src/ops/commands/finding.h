// SPDX-License-Identifier: Apache-2.0
//
// What an examination of a table finds: something that is not as it should be.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace bayou::commands {

enum class Severity : std::uint8_t {
  kNote,     // Nothing is wrong; it may be worth knowing.
  kWarning,  // The latest version can be read; something else cannot, or
             // slowly.
  kError,    // Queries fail or answer wrong.
};

std::string_view SeverityName(Severity severity);  // note, warning, error

struct Finding {
  std::string_view code;  // Static text such as DATA_FILE_MISSING.
  Severity severity = Severity::kNote;
  std::string place;   // The file, as the log names it, or a version.
  std::string what;    // One sentence.
  std::string remedy;  // What to do; a command where there is one.
  bool is_repaired = false;
};

// Gathers findings, from any thread. Of one code so many are kept as a person
// would look at; the others are counted.
class Findings {
 public:
  void Add(Finding finding);

  // Ends the gathering: the worst first, then as they were found.
  std::vector<Finding> Take();

 private:
  static constexpr std::size_t kMostOfACode = 1'000;

  std::mutex mutex_;
  std::vector<Finding> findings_;
  std::map<std::string_view, std::size_t> counts_;
};

}  // namespace bayou::commands

// Expectations: what `# flow:` comments demand. The syntax is in README.md.
//
//   x = f()  # flow: grad=live kind=tensor         (of what the line assigns)
//   a, b = f()  # flow: a: grad=none; b: grad=live
//   x = g()  # flow-gap: grad=none                 (should be so, is not yet)
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace torchleak::tests {

struct Expectation {
  std::size_t row = 0;  // from 1
  std::string subject;  // "x", "self.loss"; empty: what the line assigns or gives
  std::map<std::string, std::string> words;  // "grad" -> "live"
  bool gap = false;
};

struct Expectations {
  std::vector<Expectation> all;
  std::vector<std::string>
      errors;  // with their row: unknown keys or values, comments that do not parse
};

Expectations ReadExpectations(std::string_view code);

}  // namespace torchleak::tests

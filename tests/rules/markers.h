// Markers: what a fixture says about itself, in comments. The full syntax is in fixtures/README.md.
//
//   losses.append(loss)
//   ^^^^^^^^^^^^^^^^^^^ TLK101 error a: is kept      (as a comment line under the code)
//   losses.append(loss)  # TLK101                   (the line only)
//   losses.append(loss)  # expect-fn: TLK101 why    (known gap: not reported yet)
//
// The files of a project are read together: a step may stand in another file than its finding.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "findings/finding.h"
#include "text/source.h"

namespace torchleak::tests {

// Half-open, from 1; `end` may be on a later row.
struct Range {
  text::Position begin, end;
  bool operator==(const Range&) const = default;
};

struct ExpectedStep {
  std::string path;
  std::size_t number = 0;  // from 1
  Range range;
  std::string text;  // must occur in the step's message
};

enum class Expectation : std::uint8_t {
  kFinding,
  kFalseNegative,  // known gap: must not be found (yet)
  kFalsePositive,  // known gap: is found, although it should not be
};

struct Expected {
  Expectation kind = Expectation::kFinding;
  std::string path, code;
  std::uint32_t row = 0;       // where the finding begins
  std::optional<Range> range;  // without one, any range that begins on the row
  std::optional<findings::Severity> severity;
  std::string text;   // must occur in the message
  std::string label;  // when set, `steps` are all the steps of the finding's flow
  std::vector<ExpectedStep> steps;
};

struct Markers {
  std::vector<Expected> expected;
  std::vector<std::string> errors;  // of the markers themselves, with their place
};

Markers ReadMarkers(const text::Source& source);
// Labels count for all files together.
Markers ReadMarkers(std::span<const text::Source> sources);

// True for a line that holds nothing but a marker; it says something about the code line above it.
bool IsMarkerLine(std::string_view line);

}  // namespace torchleak::tests

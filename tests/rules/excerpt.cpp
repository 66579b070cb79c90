#include "excerpt.h"

#include <fmt/format.h>

#include <cstdint>
#include <vector>

namespace torchleak::tests {

Markers ReadExcerpt(const text::Source& excerpt, const text::Source& script) {
  Markers markers = ReadMarkers(excerpt);
  std::vector<std::uint32_t> script_row(excerpt.line_count() + 1, 0);
  std::uint32_t at = 0;  // last row that was quoted
  for (std::uint32_t row = 1; row <= excerpt.line_count(); ++row) {
    const std::string_view line = excerpt.Line(row);
    if (line.empty() || IsMarkerLine(line)) continue;
    std::uint32_t next = at + 1;
    while (next <= script.line_count() && script.Line(next) != line) ++next;
    if (next > script.line_count()) {
      markers.errors.push_back(
          fmt::format("row {} of the excerpt quotes no line below row {}: {}", row, at, line));
    } else {
      at = next;
    }
    script_row[row] = at;
  }
  const auto move = [&](Range* range) {
    const std::uint32_t rows = range->end.row - range->begin.row;
    range->begin.row = script_row[range->begin.row];
    range->end.row = range->begin.row + rows;
  };
  for (Expected& expected : markers.expected) {
    expected.path = script.path();
    expected.row = script_row[expected.row];
    if (expected.range) move(&*expected.range);
    for (ExpectedStep& step : expected.steps) {
      step.path = script.path();
      move(&step.range);
    }
  }
  return markers;
}

}  // namespace torchleak::tests

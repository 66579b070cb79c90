// HtmlFlow: the drawing beside the rows of an excerpt. Inner to this layer.
//
//   ╭─ 3      the path runs from dot to dot: straight down to the next one, else around those in
//   │  1      between; dashed to the edge when the next step is in another excerpt
//   ╰─ 2
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace torchleak::report {

inline constexpr std::uint32_t kHtmlRowHeight = 22;  // report.css has the same

struct FlowDot {
  std::uint32_t number = 0;  // 0: the finding, where it is no step; a small dot apart from the path
  std::uint32_t excerpt = 0;
  std::uint32_t row = 0;  // of the excerpt, from 0
  bool primary = false;
};

// One <svg> for excerpt `excerpt` of `row_count` rows. `dots` are those of all excerpts, in the
// order of their numbers. Every excerpt of a finding gets the same width.
std::string HtmlFlow(const std::vector<FlowDot>& dots, std::uint32_t excerpt,
                     std::uint32_t row_count);

}  // namespace torchleak::report

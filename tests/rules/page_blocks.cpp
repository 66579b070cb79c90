#include "page_blocks.h"

#include <array>

namespace torchleak::tests {
namespace {

constexpr std::string_view kSeverity = "- **Severity**: ", kCost = "- **Cost**: ";

// The third and the fourth line, between empty ones; nothing when any of them is something else.
void ReadCard(std::string_view page, PageParts* parts) {
  std::array<std::string_view, 5> lines;
  for (std::string_view& line : lines) {
    const std::size_t end = page.find('\n');
    if (end == std::string_view::npos) return;
    line = page.substr(0, end);
    page.remove_prefix(end + 1);
  }
  if (!lines[1].empty() || !lines[4].empty()) return;
  if (!lines[2].starts_with(kSeverity) || !lines[3].starts_with(kCost)) return;
  parts->severity = lines[2].substr(kSeverity.size());
  parts->cost = lines[3].substr(kCost.size());
}

}  // namespace

PageParts Parts(std::string_view page) {
  PageParts parts;
  ReadCard(page, &parts);
  PageBlock block;
  bool in_fence = false;
  bool in_python = false;
  for (std::size_t row = 1; !page.empty(); ++row) {
    const std::size_t end = page.find('\n');
    const std::string_view line = page.substr(0, end);
    page.remove_prefix(end == std::string_view::npos ? page.size() : end + 1);
    if (line.starts_with("```")) {
      if (in_python) parts.blocks.push_back(block);
      in_fence = !in_fence;
      in_python = in_fence && line == "```python";
      block = {parts.headings.empty() ? "" : parts.headings.back(), row + 1, ""};
    } else if (in_python) {
      block.code.append(line).append("\n");
    } else if (!in_fence && line.starts_with("## ")) {
      parts.headings.emplace_back(line.substr(3));
    } else if (!in_fence && line.starts_with("# ")) {
      parts.title = line.substr(2);
    }
  }
  return parts;
}

}  // namespace torchleak::tests

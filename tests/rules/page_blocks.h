// The Python blocks of a rule's page, each as a file of its own.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace torchleak::tests {

struct PageBlock {
  std::string section;  // the `## ` heading above it: "Bad", "Good"
  std::size_t row = 0;  // of its first line in the page, from 1
  std::string code;
};

// Blocks fenced as ```python, and all `## ` headings in order.
struct PageParts {
  std::vector<PageBlock> blocks;
  std::vector<std::string> headings;
  std::string title;           // of the `# ` line
  std::string severity, cost;  // of the two lines under it, see rules/README.md; else empty
};

PageParts Parts(std::string_view page);

}  // namespace torchleak::tests

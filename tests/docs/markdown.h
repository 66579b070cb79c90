// As much of Markdown as the tests need: fenced blocks, headings, links.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace torchleak::tests {

// ```language
// lines [first, last) of the document
// ```
struct Fence {
  std::string language;
  std::size_t first = 0, last = 0;
};
std::vector<Fence> Fences(const std::vector<std::string>& lines);

struct Link {
  std::size_t row = 0;  // from 1
  std::string target;   // "docs/glossary.md#summary"
};
// Links and pictures outside of code, in the forms [text](target) and src="target".
std::vector<Link> Links(const std::vector<std::string>& lines);

// The anchors that GitHub gives the headings.
std::vector<std::string> Anchors(const std::vector<std::string>& lines);

}  // namespace torchleak::tests

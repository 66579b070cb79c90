// The blocks of rules/*/rule.md: a *Bad* one yields exactly the findings that it marks, of all
// rules; a *Good* one none.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "analysis.h"
#include "compare.h"
#include "engine/rule.h"
#include "page_blocks.h"

namespace torchleak::tests {
namespace {

std::string PagePath(const engine::Rule& rule) {
  return fmt::format("rules/{}/rule.md", rule.info().name);
}

TEST_CASE("every rule has a page with the same sections") {
  for (const engine::Rule* rule : engine::AllRules()) {
    const PageParts parts = Parts(ReadFile(PagePath(*rule)));
    CAPTURE(PagePath(*rule));
    CHECK(parts.title == fmt::format("{} ({})", rule->info().name, rule->info().code));
    REQUIRE(parts.headings.size() == 7);
    CHECK(parts.headings[0] == "What it finds");
    CHECK((parts.headings[1] == "Why it costs memory" || parts.headings[1] == "Why it matters"));
    const std::array<std::string, 5> rest{"Bad", "Good", "How to fix", "Limits", "References"};
    CHECK(std::equal(rest.begin(), rest.end(), parts.headings.begin() + 2));
  }
}

// Problems of all blocks of one page.
std::vector<std::string> CheckPage(const std::string& path, std::string_view page) {
  std::vector<std::string> problems;
  for (const PageBlock& block : Parts(page).blocks) {
    // Blank lines in front, so that rows are those of the page.
    const text::Source source = SourceOf(path, std::string(block.row - 1, '\n') + block.code);
    const Markers markers = ReadMarkers(source);
    for (std::string& problem : Compare(source, markers, Findings(source)))
      problems.push_back(std::move(problem));
    const bool marked = !markers.expected.empty();
    if (marked != (block.section == "Bad"))
      problems.push_back(fmt::format("{}:{}: the block is {}, and {}\n", path, block.row,
                                     block.section, marked ? "has marks" : "has no marks"));
  }
  return problems;
}

TEST_CASE("the pages' Bad blocks are reported where they are marked, the Good ones are not") {
  for (const engine::Rule* rule : engine::AllRules()) {
    const std::string path = PagePath(*rule);
    for (const std::string& problem : CheckPage(path, ReadFile(path))) FAIL_CHECK(problem);
  }
}

TEST_CASE("every page shows its own rule") {
  for (const engine::Rule* rule : engine::AllRules()) {
    const PageParts parts = Parts(ReadFile(PagePath(*rule)));
    const std::string mark = fmt::format("# {}", rule->info().code);
    CAPTURE(PagePath(*rule));
    CHECK(std::any_of(parts.blocks.begin(), parts.blocks.end(), [&](const PageBlock& block) {
      return block.section == "Bad" && block.code.find(mark) != std::string::npos;
    }));
    CHECK(std::any_of(parts.blocks.begin(), parts.blocks.end(),
                      [](const PageBlock& block) { return block.section == "Good"; }));
  }
}

TEST_CASE("a page that is wrong is told so") {
  constexpr std::string_view kStep =
      "import torch.nn.functional as F\n"
      "def train(model, loader, optimizer):\n"
      "    losses = []\n"
      "    for x, y in loader:\n"
      "        optimizer.zero_grad()\n"
      "        loss = F.cross_entropy(model(x), y)\n"
      "        loss.backward()\n"
      "        optimizer.step()\n"
      "        losses.append(loss{})\n";
  const auto page = [&](std::string_view section, std::string_view end) {
    std::string code(kStep);
    code.replace(code.find("{})"), 3, end);
    return fmt::format("## {}\n```python\n{}```\n", section, code);
  };
  CHECK(CheckPage("p", page("Bad", ")  # TLK101")).empty());
  CHECK(CheckPage("p", page("Good", ".item())")).empty());
  CHECK(CheckPage("p", page("Good", ")")).size() == 1);                  // reported, no mark
  CHECK(CheckPage("p", page("Bad", ".item())")).size() == 1);            // no mark in Bad
  CHECK(CheckPage("p", page("Bad", ".item())  # TLK101")).size() == 1);  // mark, not reported
  CHECK(CheckPage("p", page("Bad", ")  # TLK102")).size() == 2);         // another rule's mark
}

}  // namespace
}  // namespace torchleak::tests

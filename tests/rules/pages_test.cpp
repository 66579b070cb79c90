// The blocks of rules/*/rule.md: a *Bad* one yields exactly the findings that it marks, of all
// rules; a *Good* one none.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <set>
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

// What is wrong with the title, the two lines under it and the headings of one page.
std::vector<std::string> CheckForm(const std::string& path, const engine::RuleInfo& info,
                                   std::string_view page) {
  const PageParts parts = Parts(page);
  std::vector<std::string> problems;
  const std::string title = fmt::format("{} ({})", info.name, info.code);
  if (parts.title != title)
    problems.push_back(fmt::format("{}:1: the title must be `# {}`\n", path, title));
  if (parts.severity.empty() || parts.cost.empty())
    problems.push_back(fmt::format(
        "{}:3: under the title, between empty lines, must stand `- **Severity**: {}` and in the "
        "next line `- **Cost**: …`; rules/README.md shows it\n",
        path, findings::Name(info.severity)));
  std::string known;
  std::size_t at = 0;
  for (const std::string_view wanted : {"What it finds", "Why it costs memory", "Bad", "Good",
                                        "How to fix", "Limits", "References"}) {
    known += fmt::format("{}`## {}`", known.empty() ? "" : ", ", wanted);
    const std::string_view other = wanted == "Why it costs memory" ? "Why it matters" : wanted;
    const bool there =
        at < parts.headings.size() && (parts.headings[at] == wanted || parts.headings[at] == other);
    at = there ? at + 1 : parts.headings.size() + 1;
  }
  if (at != parts.headings.size())
    problems.push_back(fmt::format(
        "{}: the headings must be {} (or `## Why it matters` for the second), in this order\n",
        path, known));
  return problems;
}

TEST_CASE("every rule has a page of the same form") {
  for (const engine::Rule* rule : engine::AllRules()) {
    const std::string path = PagePath(*rule);
    for (const std::string& problem : CheckForm(path, rule->info(), ReadFile(path)))
      FAIL_CHECK(problem);
  }
}

// What `- **Severity**: error when it grows; warning for one slot` promises, and what the findings
// of the rule are in the Bad blocks.
std::vector<std::string> CheckSeverities(const std::string& path, const engine::RuleInfo& info,
                                         std::string_view page) {
  const PageParts parts = Parts(page);
  std::set<std::string_view> said, shown;
  std::vector<std::string> problems;
  std::string_view rest = parts.severity;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find("; "), rest.size());
    const std::string_view part = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 2, rest.size()));
    const std::string_view word = part.substr(0, part.find(' '));
    if (word != "error" && word != "warning" && word != "note")
      problems.push_back(
          fmt::format("{}:3: `{}` must begin with error, warning or note; `; ` stands only before "
                      "one of these\n",
                      path, part));
    said.insert(word);
  }
  for (const PageBlock& block : parts.blocks) {
    if (block.section != "Bad") continue;
    for (const findings::Finding& finding : Findings(SourceOf(path, block.code))) {
      if (finding.code == info.code) shown.insert(findings::Name(finding.severity));
    }
  }
  for (const std::string_view word : {"error", "warning", "note"}) {
    if (shown.contains(word) && !said.contains(word))
      problems.push_back(fmt::format(
          "{}:3: a Bad block has findings that are {}s: say when, after `; `\n", path, word));
    if (said.contains(word) && !shown.contains(word))
      problems.push_back(fmt::format(
          "{}:3: says {}, and no Bad block has such a finding: add one, or drop the word\n", path,
          word));
  }
  if (!said.contains(findings::Name(info.severity)))
    problems.push_back(fmt::format("{}:3: lacks {}, the severity of the rule's info()\n", path,
                                   findings::Name(info.severity)));
  return problems;
}

TEST_CASE("the severities that a page names are those of its Bad blocks") {
  for (const engine::Rule* rule : engine::AllRules()) {
    const std::string path = PagePath(*rule);
    for (const std::string& problem : CheckSeverities(path, rule->info(), ReadFile(path)))
      FAIL_CHECK(problem);
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

TEST_CASE("a page without its card, or with other headings, is told so") {
  const engine::RuleInfo& info = engine::FindRule("TLK201")->info();
  const std::string page = ReadFile("rules/missing-zero-grad/rule.md");
  const auto problems = [&](std::string_view what, std::string_view instead) {
    std::string changed = page;
    changed.replace(changed.find(what), what.size(), instead);
    return CheckForm("p", info, changed).size();
  };
  CHECK(CheckForm("p", info, page).empty());
  CHECK(problems("(TLK201)", "(TLK202)") == 1);
  CHECK(problems("- **Severity**", "**Severity**") == 1);
  CHECK(problems("- **Severity**", "\n- **Severity**") == 1);
  CHECK(problems("- **Cost**: ", "- **Costs**: ") == 1);
  CHECK(problems("\n## What it finds", "## What it finds") == 1);
  CHECK(problems("## Limits", "## Limit") == 1);
  CHECK(problems("## References", "## References\n## More") == 1);
  CHECK(problems("## Why it matters", "## Why it costs memory") == 0);
}

TEST_CASE("severities that the Bad blocks do not have, or have besides, are told so") {
  const engine::RuleInfo& info = engine::FindRule("TLK201")->info();
  const std::string page = ReadFile("rules/missing-zero-grad/rule.md");
  const auto problems = [&](std::string_view severities) {
    std::string changed = page;
    changed.replace(changed.find("**: error"), 9, fmt::format("**: {}", severities));
    return CheckSeverities("p", info, changed).size();
  };
  CHECK(problems("error") == 0);
  CHECK(problems("error in a loop") == 0);
  CHECK(problems("error; warning elsewhere") == 1);  // no such finding
  CHECK(problems("warning") == 3);                   // no such, an error besides, not info()'s
  CHECK(problems("error; sometimes") == 1);          // no severity
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

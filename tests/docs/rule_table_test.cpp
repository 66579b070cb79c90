// README.md's table of rules: a choice, whose rows say what the pages of the rules say.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>

#include "engine/rule.h"
#include "files.h"
#include "tests/rules/page_blocks.h"

namespace torchleak::tests {
namespace {

std::string RowOf(const engine::RuleInfo& info) {
  const PageParts page = Parts(info.page);
  return fmt::format("| [{}](rules/{}/rule.md) {} | {} | {} |", info.code, info.name, info.name,
                     page.severity, page.cost);
}

// The document with every row of a rule as its page has it. `seen` becomes the rules, in order.
std::string WithRows(std::string_view document, std::vector<std::string>* seen) {
  std::string out;
  for (const std::string& line : Lines(document)) {
    const bool is_row = line.starts_with("| [TLK");
    const std::string code = is_row ? line.substr(3, line.find(']') - 3) : std::string();
    const engine::Rule* rule = is_row ? engine::FindRule(code) : nullptr;
    CHECK_MESSAGE((rule != nullptr || !is_row), "README.md: no such rule: ", line);
    if (is_row) seen->push_back(code);
    out += (rule == nullptr ? line : RowOf(rule->info())) + "\n";
  }
  return out;
}

TEST_CASE("the rules in README.md are as their pages say") {
  std::vector<std::string> seen;
  const std::string wanted = WithRows(ReadFile("README.md"), &seen);
  CHECK_MESSAGE(HoldsOrUpdated("README.md", wanted),
                "a row of README.md differs from the page of its rule; docs/update copies them");
  CHECK(seen.size() >= 5);
  CHECK_MESSAGE(std::is_sorted(seen.begin(), seen.end()), "README.md: rules by code");
}

TEST_CASE("a row that differs becomes that of the page") {
  std::vector<std::string> seen;
  const std::string row =
      "| [TLK201](rules/missing-zero-grad/rule.md) missing-zero-grad | error | ";
  const std::string out = WithRows("a\n| [TLK201](x) y | note | free |\n", &seen);
  CHECK(out.starts_with("a\n" + row));
  CHECK(out.find("free") == std::string::npos);
  CHECK(seen == std::vector<std::string>{"TLK201"});
}

}  // namespace
}  // namespace torchleak::tests

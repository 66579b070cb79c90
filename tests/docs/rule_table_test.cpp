// README.md's table of rules: one row for each rule, in order, with its code, name and severity.
#include <doctest/doctest.h>

#include "engine/rule.h"
#include "files.h"

namespace torchleak::tests {
namespace {

TEST_CASE("README.md lists the rules as they are") {
  std::vector<std::string> rows;
  for (std::string& line : Lines(ReadFile("README.md"))) {
    if (line.starts_with("| [TLK")) rows.push_back(std::move(line));
  }
  const auto rules = engine::AllRules();
  REQUIRE_EQ(rows.size(), rules.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const engine::RuleInfo& info = rules[i]->info();
    const std::string name(info.name);
    const std::string start =
        "| [" + std::string(info.code) + "](rules/" + name + "/rule.md) " + name + " | ";
    CHECK_MESSAGE(rows[i].starts_with(start), rows[i], "\nshould start with ", start);
    const std::string severity(findings::Name(info.severity));
    const std::string cell =
        rows[i].substr(start.size(), rows[i].find(" |", start.size()) - start.size());
    CHECK_MESSAGE(cell.find(severity) != std::string::npos, rows[i], "\nmust say ", severity);
  }
}

}  // namespace
}  // namespace torchleak::tests

// rules/all_rules.def against the folders of rules/.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <set>
#include <string>

#include "analysis.h"
#include "engine/rule.h"
#include "rules/all_rules.h"
#include "rules/pages.h"

namespace torchleak::tests {
namespace {

namespace fs = std::filesystem;

struct Line {
  std::string_view code, function;
  const engine::Rule* rule;
};

const std::array kLines{
#define TORCHLEAK_RULE(code, function) Line{#code, #function, &rules::function()},
#include "rules/all_rules.def"
#undef TORCHLEAK_RULE
};

// "accumulated-tensor" -> "AccumulatedTensor"
std::string FunctionOf(std::string_view name) {
  std::string out;
  bool upper = true;
  for (const char c : name) {
    if (c != '-') out += upper ? static_cast<char>(std::toupper(static_cast<unsigned char>(c))) : c;
    upper = c == '-';
  }
  return out;
}

TEST_CASE("a line of rules/all_rules.def says the code and the name of its rule") {
  for (const Line& line : kLines) {
    CAPTURE(line.function);
    CHECK_EQ(line.code, line.rule->info().code);
    CHECK_EQ(line.function, FunctionOf(line.rule->info().name));
  }
}

TEST_CASE("rules/all_rules.def lists the folders of rules/, no more and no fewer") {
  std::set<std::string> listed;
  for (const Line& line : kLines) listed.emplace(line.rule->info().name);
  for (const auto& entry : fs::directory_iterator(fs::path(Checkout()) / "rules")) {
    const std::string folder = entry.path().filename().string();
    if (!entry.is_directory() || folder == "facts") continue;
    CHECK_MESSAGE(listed.erase(folder) == 1, "rules/all_rules.def lacks TORCHLEAK_RULE(TLK…, ",
                  FunctionOf(folder), ") for rules/", folder);
  }
  for (const std::string& name : listed)
    FAIL_CHECK("rules/all_rules.def lists ", FunctionOf(name), ", and there is no rules/", name);
}

TEST_CASE("the list is sorted by code, and codes are unique") {
  for (std::size_t i = 1; i < kLines.size(); ++i)
    CHECK_MESSAGE(kLines[i - 1].code < kLines[i].code, "rules/all_rules.def: ", kLines[i].code,
                  " must not stand behind ", kLines[i - 1].code);
}

TEST_CASE("every rule carries its own page") {
  for (const engine::Rule* rule : engine::AllRules()) {
    CAPTURE(rule->info().name);
    CHECK_FALSE(rule->info().page.empty());
    CHECK_EQ(rule->info().page, rules::Page(rule->info().name));
  }
}

}  // namespace
}  // namespace torchleak::tests

#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <string>

#include "engine/rule.h"
#include "rules/pages.h"

namespace torchleak {
namespace {

namespace fs = std::filesystem;

TEST_CASE("rules/all_rules.cpp lists the folders of rules/, no more and no fewer") {
  std::set<std::string> folders;
  for (const auto& entry : fs::directory_iterator(fs::path(TORCHLEAK_SOURCE_DIR) / "rules")) {
    if (entry.is_directory() && entry.path().filename() != "facts") {
      folders.insert(entry.path().filename().string());
    }
  }
  std::set<std::string> listed;
  for (const engine::Rule* rule : engine::AllRules()) listed.emplace(rule->info().name);
  CHECK_EQ(folders, listed);
}

TEST_CASE("the list is sorted by code, and codes are unique") {
  const auto rules = engine::AllRules();
  const auto not_before = [](const engine::Rule* a, const engine::Rule* b) {
    return a->info().code >= b->info().code;
  };
  CHECK(std::adjacent_find(rules.begin(), rules.end(), not_before) == rules.end());
}

TEST_CASE("every rule carries its own page") {
  for (const engine::Rule* rule : engine::AllRules()) {
    CAPTURE(rule->info().name);
    CHECK_FALSE(rule->info().page.empty());
    CHECK_EQ(rule->info().page, rules::Page(rule->info().name));
  }
}

}  // namespace
}  // namespace torchleak

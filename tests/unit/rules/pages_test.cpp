#include "rules/pages.h"

#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

namespace torchleak::rules {
namespace {

namespace fs = std::filesystem;

TEST_CASE("a page is its file, byte for byte") {
  for (const auto& entry : fs::directory_iterator(fs::path(TORCHLEAK_SOURCE_DIR) / "rules")) {
    const fs::path page = entry.path() / "rule.md";
    if (!fs::exists(page)) continue;
    CAPTURE(page);
    std::ifstream file(page, std::ios::binary);
    const std::string bytes{std::istreambuf_iterator<char>(file), {}};
    CHECK(Page(entry.path().filename().string()) == bytes);
  }
}

TEST_CASE("no page for what is no rule") {
  CHECK(Page("facts").empty());
  CHECK(Page("no-such-rule").empty());
  CHECK(Page("").empty());
}

}  // namespace
}  // namespace torchleak::rules

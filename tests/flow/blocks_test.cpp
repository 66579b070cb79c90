// Every block of every page in this folder.
#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "checker.h"
#include "tests/rules/page_blocks.h"

namespace torchleak::tests {
namespace {

std::vector<std::filesystem::path> Pages() {
  std::vector<std::filesystem::path> pages;
  const std::filesystem::path folder = std::filesystem::path(TORCHLEAK_SOURCE_DIR) / "tests/flow";
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() == ".md" && entry.path().filename() != "README.md")
      pages.push_back(entry.path());
  }
  std::sort(pages.begin(), pages.end());
  return pages;
}

TEST_CASE("what the engine believes is what the pages say") {
  const auto pages = Pages();
  CHECK(pages.size() >= 5);
  for (const auto& path : pages) {
    std::stringstream text;
    text << std::ifstream(path, std::ios::binary).rdbuf();
    const PageParts parts = Parts(text.str());
    CAPTURE(path.filename().string());
    CHECK_FALSE(parts.blocks.empty());
    for (const PageBlock& block : parts.blocks) {
      for (const std::string& problem :
           CheckBlock(path.filename().string(), block.row, block.code)) {
        FAIL_CHECK(problem);
      }
    }
  }
}

}  // namespace
}  // namespace torchleak::tests

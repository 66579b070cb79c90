// What fixes make of code: pages of tests/fixes/ with the code before and after, and every fixture.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <string>
#include <vector>

#include "analysis.h"
#include "driver/fix_run.h"
#include "engine/rule.h"
#include "page_blocks.h"
#include "tests/unit/driver/temp_tree.h"

namespace torchleak::tests {
namespace {

driver::CheckOptions OptionsFor(std::string root, std::vector<std::string> paths) {
  driver::CheckOptions options;
  options.root = std::move(root);
  options.paths = std::move(paths);
  options.rules = RulesFor("");
  return options;
}

driver::FixPlan Fixed(const driver::CheckOptions& options, bool unsafe) {
  auto plan = driver::PlanFixes(options, {unsafe, {}}, driver::Check);
  REQUIRE_MESSAGE(plan, plan.error().message);
  return *std::move(plan);
}

// The code of one file after its fixes.
std::string After(const std::string& code, bool unsafe) {
  const driver::TempTree tree;
  tree.Write("code.py", code);
  const driver::FixPlan plan = Fixed(OptionsFor(tree.root(), {tree.root()}), unsafe);
  for (const driver::RefusedFix& refused : plan.refused)
    FAIL_CHECK(
        fmt::format("refused: {} in line {}: {}", refused.code, refused.row, refused.reason));
  return plan.files.empty() ? code : plan.files.front().after.raw();
}

struct Example {
  std::string title, kind, before, after;  // kind: "safe", "unsafe", "none"
};

std::vector<Example> Examples(const std::string& path) {
  std::vector<Example> examples;
  for (const PageBlock& block : Parts(ReadFile(path)).blocks) {
    const std::size_t colon = block.section.rfind(": ");
    REQUIRE_MESSAGE(colon != std::string::npos, path << ": " << block.section);
    if (!examples.empty() && examples.back().title == block.section) {
      examples.back().after = block.code;
    } else {
      examples.push_back({block.section, block.section.substr(colon + 2), block.code, {}});
    }
  }
  return examples;
}

TEST_CASE("pages of fixes: the code before becomes the code after") {
  const std::vector<std::string> pages = FilesBelow("tests/fixes", ".md");
  REQUIRE(pages.size() >= 3);
  for (const std::string& page : pages) {
    for (const Example& example : Examples(page)) {
      CAPTURE(page);
      CAPTURE(example.title);
      const bool is_none = example.kind == "none";
      REQUIRE((is_none || example.kind == "safe" || example.kind == "unsafe"));
      REQUIRE(example.after.empty() == is_none);
      const std::string& after = is_none ? example.before : example.after;
      CHECK(After(example.before, true) == after);
      CHECK(After(example.before, false) == (example.kind == "safe" ? after : example.before));
      CHECK(After(after, true) == after);
    }
  }
}

TEST_CASE("every fix of the fixtures holds, and a second run has nothing to do") {
  const std::string root = Checkout();
  driver::CheckOptions options = OptionsFor(root, FixtureFiles());
  const driver::FixPlan plan = Fixed(options, true);
  CHECK(plan.fixed > 300);
  CHECK_FALSE(plan.unfinished);
  for (const driver::RefusedFix& refused : plan.refused) {
    MESSAGE(fmt::format("{}:{}: {}: {}", refused.path, refused.row, refused.code, refused.reason));
  }
  CHECK(plan.refused.size() * 20 < plan.fixed);
  for (const driver::FixedFile& file : plan.files) {
    options.buffers.push_back({file.path, file.after.raw()});
  }
  CHECK(Fixed(options, true).files.empty());
}

}  // namespace
}  // namespace torchleak::tests

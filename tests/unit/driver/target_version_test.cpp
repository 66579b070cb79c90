// What the option target-version says reaches the rules, for each file its own.
#include <doctest/doctest.h>

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "driver/check.h"
#include "driver/project_run.h"
#include "tests/unit/driver/temp_tree.h"

namespace torchleak::driver {
namespace {

constexpr std::array<std::string_view, 1> kNeedles = {"torch"};

// Complains about every file that must run with a torch before 2.0.
class OldTorch final : public engine::Rule {
 public:
  OldTorch() {
    info_.code = "TLK999";
    info_.name = "old-torch";
    info_.needles = kNeedles;
  }
  const engine::RuleInfo& info() const override { return info_; }
  void Check(const flow::FileEvents&, engine::RuleContext& context) const override {
    if (!context.RunsBefore({2, 0})) return;
    findings::Finding finding;
    finding.code = info_.code;
    finding.name = info_.name;
    finding.location.span = {0, 1};
    context.Report(std::move(finding));
  }

 private:
  engine::RuleInfo info_;
};

const OldTorch kOldTorch;

std::shared_ptr<const config::SettingsIndex> SettingsOf(const TempTree& tree) {
  const std::vector<std::string> texts = {"min-confidence = 'low'"};
  auto inline_layer = config::InlineLayer(texts, tree.root());
  REQUIRE(inline_layer);
  auto index = config::SettingsIndex::Create({.root = tree.root(), .overrides = {*inline_layer}});
  REQUIRE(index);
  return *index;
}

void WriteFiles(TempTree* tree) {
  tree->Write("old/torchleak.toml", "target-version = '1.13'\n");
  tree->Write("old/a.py", "import torch\nfrom old import b\n");
  tree->Write("old/b.py", "import torch\nx = 1\n");
  tree->Write("new/torchleak.toml", "target-version = '2.0'\n");
  tree->Write("new/a.py", "import torch\n");
  tree->Write("any/a.py", "import torch\nimport old.b\n");
}

TEST_CASE("no word on the version: nothing is before any") {
  std::vector<findings::Finding> found;
  CHECK_FALSE(engine::RuleContext(&found).RunsBefore({2, 0}));
  CHECK(engine::RuleContext(&found, engine::TorchVersion{1, 13}).RunsBefore({2, 0}));
  CHECK_FALSE(engine::RuleContext(&found, engine::TorchVersion{2, 0}).RunsBefore({2, 0}));
  CHECK(engine::RuleContext(&found, engine::TorchVersion{2, 9}).RunsBefore({2, 10}));
}

TEST_CASE("each file is checked for its own version, alone or as part of a project") {
  TempTree tree;
  WriteFiles(&tree);
  // The project's analysis, without the selection of findings, which knows no rule of a test.
  const auto settings = SettingsOf(tree);
  project::DiskTree disk;
  project::LockedTree locked(&disk);
  TreeTexts texts(&locked);
  ImportMaps maps(std::make_shared<project::ModuleIndex>(&locked, std::vector{tree.root()}));
  const std::vector<std::string> paths = {tree.root() + "/any/a.py", tree.root() + "/new/a.py",
                                          tree.root() + "/old/a.py", tree.root() + "/old/b.py"};
  const std::vector<const engine::Rule*> rules = {&kOldTorch};
  AnalysisMemo memo;
  const auto found = [&](std::shared_ptr<const config::SettingsIndex> index) {
    memo.Begin();
    ProjectRun run(&texts, {{}, tree.root(), std::move(index)}, maps.Of(paths), &memo);
    std::string text;
    for (const ProjectRun::Outcome& outcome : run.Run(rules, 2))
      text += outcome.found == nullptr ? "?" : outcome.found->findings.empty() ? "-" : "x";
    memo.End();
    return text;
  };
  CHECK(found(settings) == "--xx");
  CHECK(found(settings) == "--xx");  // from the memo
  CHECK(found(nullptr) == "----");   // which asks for which version it was
  tree.Write("new/torchleak.toml", "target-version = '1.8'\n");
  CHECK(found(SettingsOf(tree)) == "-xxx");
}

TEST_CASE("another version is another result for the cache") {
  TempTree tree;
  tree.Write("a.py", "import torch\n");
  tree.Write("torchleak.toml", "target-version = '1.13'\n");
  const std::string before = SettingsOf(tree)->run().AnalysisKey();
  tree.Write("torchleak.toml", "target-version = '2.0'\n");
  CHECK(SettingsOf(tree)->run().AnalysisKey() != before);
}

}  // namespace
}  // namespace torchleak::driver

// Comments through the whole of a check: what they silence is left out, counted and kept; what they
// silence in vain is told, where that can be known.
#include "driver/suppression_pass.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <fstream>
#include <iterator>

#include "driver/check.h"
#include "tests/unit/driver/temp_tree.h"

namespace torchleak::driver {
namespace {

// Keeps its losses with their graph: TLK101 at row 7, TLK203 there as well.
std::string Leak(std::string_view comment) {
  return "import torch.nn.functional as F\n\n\ndef evaluate(model, loader):\n    losses = []\n"
         "    for x, y in loader:\n        losses.append(F.mse_loss(model(x), y))" +
         std::string(comment) + "\n    return losses\n";
}

CheckOptions Options(const TempTree& tree, const std::vector<std::string>& select = {}) {
  CheckOptions options;
  options.paths = {"."};
  options.root = tree.root();
  for (const engine::Rule* rule : engine::AllRules()) {
    const auto& code = rule->info().code;
    if (select.empty() || std::find(select.begin(), select.end(), code) != select.end())
      options.rules.push_back(rule);
  }
  return options;
}

FindingSet Checked(const CheckOptions& options) {
  auto set = Check(options);
  REQUIRE(set);
  return *std::move(set);
}

std::string Told(const std::vector<findings::Finding>& found) {
  std::string told;
  for (const findings::Finding& f : found)
    told += (told.empty() ? "" : " ") + f.location.path + ":" + std::string(f.code);
  return told;
}

std::string Run(const CheckOptions& options) { return Told(Checked(options).findings); }

TEST_CASE("what is suppressed is left out, and kept apart with its reason") {
  TempTree tree;
  tree.Write("a.py", Leak("  # noqa: TLK101, TLK203 two batches"));
  tree.Write("b.py", Leak(""));
  CheckOptions options = Options(tree);
  FindingSet set = Checked(options);
  CHECK_EQ(Told(set.findings), "b.py:TLK101 b.py:TLK203");
  REQUIRE_EQ(set.suppressed.size(), 2);
  CHECK_EQ(set.suppressed[0].finding.code, "TLK101");
  CHECK_EQ(set.suppressed[0].reason, "two batches");
  CHECK(set.SourceOf("a.py") != nullptr);
  // The comment is no part of the fingerprint.
  tree.Write("b/a.py", "");
  tree.Write("a.py", Leak(""));
  CHECK_EQ(Checked(options).findings[0].fingerprint, set.suppressed[0].finding.fingerprint);
}

TEST_CASE("--ignore-noqa reports everything and calls nothing unused") {
  TempTree tree;
  tree.Write("a.py", Leak("  # noqa: TLK101, TLK102, TLK999"));
  CheckOptions options = Options(tree);
  CHECK_EQ(Run(options), "a.py:TLK203 a.py:TLK001 a.py:TLK002");
  options.ignore_noqa = true;
  CHECK_EQ(Run(options), "a.py:TLK101 a.py:TLK203 a.py:TLK002");
}

TEST_CASE("only what was checked is called unused") {
  TempTree tree;
  tree.Write("a.py", Leak("  # noqa: TLK101, TLK102, TLK203"));
  CHECK_EQ(Run(Options(tree)), "a.py:TLK001");
  CHECK_EQ(Run(Options(tree, {"TLK001"})), "");
  CHECK_EQ(Run(Options(tree, {"TLK001", "TLK101"})), "");
  CHECK_EQ(Run(Options(tree, {"TLK001", "TLK102"})), "a.py:TLK001");
  CHECK_EQ(Run(Options(tree, {"TLK102"})), "");
  CheckOptions alone = Options(tree);
  alone.single_file = true;
  CHECK_EQ(Run(alone), "");
}

TEST_CASE("a file that was not understood as a whole is not judged") {
  TempTree tree;
  tree.Write("a.py", Leak("  # noqa: TLK101, TLK102, TLK203") + "x = (\n");
  CHECK_EQ(Run(Options(tree)), "a.py:TLK000");
}

TEST_CASE("files without findings are judged, with and without a word of torch") {
  TempTree tree;
  tree.Write("a.py", "import torch\nf()  # noqa: TLK101\n");
  tree.Write("b.py", "f()  # noqa: TLK101\ng()  # noqa: TLK999\n");
  tree.Write("c.py", "f()  # noqa: E501\n");
  tree.Write("d.py", "import b\n# torchleak: ignore-file[TLK101]\n");
  FindingSet set = Checked(Options(tree));
  CHECK_EQ(Told(set.findings), "a.py:TLK001 b.py:TLK001 b.py:TLK002 d.py:TLK001");
  CHECK(set.SourceOf("b.py") != nullptr);
  CHECK_EQ(Run(Options(tree, {"TLK101"})), "");
  CheckOptions alone = Options(tree);
  alone.single_file = true;
  CHECK_EQ(Run(alone), "b.py:TLK002");
}

TEST_CASE("what suppresses a weak finding is in use") {
  TempTree tree;
  tree.Write("a.py", Leak("  # noqa: TLK101, TLK203"));
  CheckOptions options = Options(tree);
  const std::size_t all = Checked(options).suppressed.size();
  options.min_confidence = findings::Confidence::kHigh;
  FindingSet set = Checked(options);
  CHECK_EQ(Told(set.findings), "");
  CHECK_LE(set.suppressed.size(), all);
}

TEST_CASE("a finding that other files explain away is not needed by a suppression") {
  TempTree tree;
  tree.Write("evaluate.py",
             "def evaluate(model, loader):\n    for x in loader:\n"
             "        print(model(x).mean().item())  # noqa: TLK203\n");
  tree.Write("main.py",
             "import torch\nfrom evaluate import evaluate\n\n\ndef main(model, loader):\n"
             "    model = torch.nn.Linear(2, 2)\n    with torch.no_grad():\n"
             "        evaluate(model, loader)\n");
  CHECK_EQ(Run(Options(tree)), "evaluate.py:TLK001");
}

TEST_CASE("add-noqa writes what silences all, and then nothing") {
  TempTree tree;
  tree.Write("a.py", Leak("  # why"));
  tree.Write("b.py", Leak("  # noqa: E1"));
  tree.Write("c.py", "x = 1\n");
  const auto write = [&](const text::Source& source, std::span<const findings::Edit> edits) {
    std::string after;
    std::uint32_t done = 0;
    for (const findings::Edit& edit : edits) {
      after += source.Text({done, edit.location.span.begin});
      after += edit.content;
      done = edit.location.span.end;
    }
    after += source.bytes().substr(done);
    tree.Write(source.path(), after);
    return text::Result<bool>(true);
  };
  NoqaTotals totals = WriteNoqa(Checked(Options(tree)), "", write);
  CHECK_EQ(totals.directives, 2);
  CHECK_EQ(totals.files, 2);
  CHECK_EQ(Run(Options(tree)), "");
  std::ifstream file(tree.Path("b.py"));
  CHECK_EQ(std::string{std::istreambuf_iterator<char>(file), {}},
           Leak("  # noqa: E1, TLK101, TLK203"));
  totals = WriteNoqa(Checked(Options(tree)), "", write);
  CHECK_EQ(totals.directives, 0);

  tree.Write("a.py", Leak(""));
  totals = WriteNoqa(Checked(Options(tree)), "", [](const auto&, auto) {
    return text::Result<bool>(text::Error{"No space left on device"});
  });
  CHECK_EQ(totals.files, 0);
  REQUIRE_EQ(totals.errors.size(), 1);
  CHECK_EQ(totals.errors[0].path, "a.py");
}

TEST_CASE("any number of threads gives the same") {
  TempTree tree;
  for (int i = 0; i < 20; ++i)
    tree.Write("f" + std::to_string(i) + ".py",
               Leak(i % 2 == 0 ? "  # noqa: TLK1" : "  # noqa: TLK102"));
  CheckOptions options = Options(tree);
  options.jobs = 1;
  const FindingSet one = Checked(options);
  options.jobs = 8;
  const FindingSet eight = Checked(options);
  CHECK_EQ(Told(one.findings), Told(eight.findings));
  CHECK_EQ(one.suppressed.size(), eight.suppressed.size());
}

}  // namespace
}  // namespace torchleak::driver

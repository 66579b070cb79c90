// Notebooks on the way from paths to findings.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "driver/check.h"
#include "tests/unit/driver/repo.h"
#include "tests/unit/driver/temp_tree.h"
#include "tests/unit/text/notebooks.h"
#include "text/json_string.h"

namespace torchleak::driver {
namespace {

// A notebook of such cells, with an output and an execution count in each.
std::string Cells(const std::vector<std::string>& cells, std::string_view output = "1") {
  std::string list;
  for (const std::string& cell : cells) {
    list += fmt::format(
        R"({}{{"cell_type":"code","execution_count":{},"outputs":[{{"text":"torch {}\n"}}],"source":"{}"}})",
        list.empty() ? "" : ",", output, output, text::EscapeJson(cell, false));
  }
  return text::Nb(list);
}

constexpr std::string_view kLeak =
    "def evaluate(model, loader):\n"
    "    losses = []\n"
    "    for x, y in loader:\n"
    "        losses.append(torch.nn.functional.cross_entropy(model(x), y))\n"
    "    return losses\n";

Lines Found(const FindingSet& set) {
  Lines lines;
  for (const findings::Finding& f : set.findings) {
    const text::Source* source = set.SourceOf(f.location.path);
    REQUIRE(source != nullptr);
    lines.push_back(fmt::format("{}:{} {} {}", f.location.path,
                                source->RowOf(f.location.span.begin), f.code, f.fingerprint));
  }
  return lines;
}

CheckOptions Options(const TempTree& tree, bool single_file) {
  CheckOptions options;
  options.paths = {"."};
  options.root = tree.root();
  options.rules.assign(engine::AllRules().begin(), engine::AllRules().end());
  options.single_file = single_file;
  return options;
}

TEST_CASE("notebooks are found, scanned by their code, and fingerprinted without their outputs") {
  for (const bool single_file : {true, false}) {
    TempTree tree;
    tree.Write("nb.ipynb", Cells({"%matplotlib inline\nimport torch", std::string(kLeak)}));
    tree.Write("outputs_only.ipynb", Cells({"print(1)"}));
    tree.Write("r.ipynb", R"({"nbformat":4,"cells":[{"cell_type":"code","source":"torch ("}],)"
                          R"("metadata":{"kernelspec":{"language":"R"}}})");
    const auto before = Check(Options(tree, single_file));
    REQUIRE(before);
    CHECK(before->counts.discovered == 3);
    CHECK(before->counts.parsed == 1);
    CHECK(before->notifications.empty());
    const Lines lines = Only("TLK101", Found(*before));
    REQUIRE(lines.size() == 1);
    CHECK(lines[0].starts_with("nb.ipynb:6 "));
    tree.Write(
        "nb.ipynb",
        Cells({"%matplotlib inline\nimport torch", "print('new')", std::string(kLeak)}, "27"));
    const auto after = Check(Options(tree, single_file));
    REQUIRE(after);
    const Lines moved = Only("TLK101", Found(*after));
    REQUIRE(moved.size() == 1);
    CHECK(moved[0].starts_with("nb.ipynb:7 "));
    CHECK(moved[0].substr(10) == lines[0].substr(10));
  }
}

TEST_CASE("what is no notebook is told, and the rest is checked") {
  for (const bool single_file : {true, false}) {
    TempTree tree;
    tree.Write("bad.ipynb", "{\"cells\": [");
    tree.Write("old.ipynb", R"({"nbformat":3,"worksheets":[]})");
    tree.Write("good.ipynb", Cells({"import torch\n" + std::string(kLeak)}));
    const auto set = Check(Options(tree, single_file));
    REQUIRE(set);
    CHECK(Only("TLK101", Found(*set)).size() == 1);
    REQUIRE(set->notifications.size() == 2);
    CHECK(set->notifications[0].path == "bad.ipynb");
    CHECK(set->notifications[0].level == Notification::Level::kWarning);
    CHECK(
        set->notifications[0].message.starts_with("is not a Jupyter notebook that can be read: "));
    CHECK(set->notifications[1].message.starts_with("is a notebook of nbformat 3;"));
  }
}

TEST_CASE("each cell that does not parse is told once") {
  TempTree tree;
  tree.Write("nb.ipynb",
             Cells({"import torch", "x = (", "y = 1", "z = )\nz = )", std::string(kLeak)}));
  const auto set = Check(Options(tree, true));
  REQUIRE(set);
  const Lines syntax = Only("TLK000", Found(*set));
  REQUIRE(syntax.size() == 2);
  CHECK(syntax[0].starts_with("nb.ipynb:2 "));
  CHECK(syntax[1].starts_with("nb.ipynb:4 "));
  CHECK(Only("TLK101", Found(*set)).size() == 1);
}

TEST_CASE("a notebook imports the project, and nobody imports a notebook") {
  Repo repo;
  repo.Put("log.py",
           "class Log:\n"
           "    def __init__(self):\n"
           "        self.kept = []\n\n"
           "    def keep(self, loss):\n"
           "        self.kept.append(loss)\n");
  repo.Put("nb.ipynb", Cells({"%load_ext autoreload\nimport torch", "from log import Log",
                              "def train(model, loader, optimizer):\n"
                              "    log = Log()\n"
                              "    for x, y in loader:\n"
                              "        optimizer.zero_grad()\n"
                              "        loss = torch.nn.functional.mse_loss(model(x), y)\n"
                              "        loss.backward()\n"
                              "        optimizer.step()\n"
                              "        log.keep(loss)\n"}));
  repo.Put("user.py", "import torch\nimport nb\n");
  repo.paths() = {"/repo/nb.ipynb", "/repo/user.py"};
  ProjectRun run = repo.Run();
  CHECK(run.imported_only() == 1);
  const auto outcomes = run.Run(engine::AllRules(), 1);
  REQUIRE(outcomes[0].found->findings.size() == 1);
  const findings::Finding& finding = outcomes[0].found->findings[0];
  CHECK(finding.code == "TLK101");
  CHECK(finding.location.path == "nb.ipynb");
  CHECK(outcomes[0].found->parsed->source.RowOf(finding.location.span.begin) == 11);
  bool through_log = false;
  for (const findings::Step& step : finding.flow) through_log |= step.location.path == "log.py";
  CHECK(through_log);
}

TEST_CASE("an import behind a magic, and none inside of an output or another language") {
  Repo repo;
  repo.Put("a.py", "import torch\n");
  repo.Put("b.py", "import torch\n");
  repo.Put("c.py", "import torch\n");
  repo.Put("nb.ipynb", Cells({"import torch\n%time import a", "%%bash\nimport b", "!import c"}));
  repo.paths() = {"/repo/nb.ipynb"};
  CHECK(repo.Run().imported_only() == 1);
}

TEST_CASE("cells that do not parse hide no imports of the others") {
  for (const std::string_view broken :
       {"x = (", "x = '''", "x = [1,", "if x:", "x = \\", "x = 'a", "f(\n  '''"}) {
    CAPTURE(broken);
    Repo repo;
    repo.Put("a.py", "import torch\n");
    repo.Put("b.py", "import torch\n");
    repo.Put("nb.ipynb",
             Cells({"import torch", std::string(broken), "import a", "from b import f"}));
    repo.paths() = {"/repo/nb.ipynb"};
    CHECK(repo.Run().imported_only() == 2);
  }
}

TEST_CASE("buffers, too, are notebooks by their name") {
  TempTree tree;
  CheckOptions options = Options(tree, false);
  options.paths = {};
  options.buffers = {{"sample.ipynb", Cells({"import torch\n" + std::string(kLeak)})}};
  const auto set = Check(options);
  REQUIRE(set);
  CHECK(Only("TLK101", Found(*set)).size() == 1);
}

}  // namespace
}  // namespace torchleak::driver

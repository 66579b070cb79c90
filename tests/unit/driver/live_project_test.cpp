// Whatever is edited, a LiveProject finds what Check() finds in the same files.
#include "driver/live_project.h"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <random>
#include <string>
#include <vector>

#include "driver/check.h"
#include "tests/unit/driver/temp_tree.h"

namespace torchleak::driver {
namespace {

std::string Shown(const findings::Location& at) {
  return fmt::format("{}[{},{})", at.path, at.span.begin, at.span.end);
}

// All that a report would show of it.
std::string Shown(const findings::Finding& f) {
  std::string text =
      fmt::format("{} {} {} {} {} {} {}", Shown(f.location), f.code, findings::Name(f.severity),
                  findings::Name(f.confidence), f.message, f.help, f.fingerprint);
  for (const findings::Step& step : f.flow) text += " | " + Shown(step.location) + step.message;
  if (!f.fix) return text;
  text += fmt::format(" fix {} {}", findings::Name(f.fix->applicability), f.fix->message);
  for (const findings::Edit& edit : f.fix->edits) text += Shown(edit.location) + edit.content;
  return text;
}

std::vector<std::string> Lines(const FindingSet& set) {
  std::vector<std::string> lines;
  for (const findings::Finding& f : set.findings) lines.push_back(Shown(f));
  for (const findings::Suppressed& s : set.suppressed) lines.push_back("- " + Shown(s.finding));
  for (const Notification& n : set.notifications) lines.push_back(n.path + ": " + n.message);
  std::sort(lines.begin(), lines.end());
  return lines;
}

std::string Replaced(std::string text, const std::string& what, const std::string& with) {
  const std::size_t at = text.find(what);
  REQUIRE(at != std::string::npos);
  return text.replace(at, what.size(), with);
}

constexpr auto kNever = [] { return false; };

class Workspace {
 public:
  explicit Workspace(const std::vector<std::pair<std::string, std::string>>& files) {
    for (const auto& [path, text] : files) tree_.Write(path, text);
    options_.root = tree_.root();
    options_.paths = {options_.root};
    options_.rules.assign(engine::AllRules().begin(), engine::AllRules().end());
    live_ = std::make_unique<LiveProject>(
        LiveProject::Options{.root = options_.root, .settings = nullptr, .jobs = 1});
    Survey();
  }

  void Survey() { live_->Take(SurveyOf(live_->options(), 1000, kNever)); }
  std::string Path(const std::string& name) const { return options_.root + "/" + name; }
  void Put(const std::string& name, const std::string& text) {
    const auto at = std::find_if(options_.buffers.begin(), options_.buffers.end(),
                                 [&](const Buffer& b) { return b.path == Path(name); });
    if (at == options_.buffers.end()) {
      options_.buffers.push_back({Path(name), text});
    } else {
      at->bytes = text;
    }
    live_->Put(Path(name), text::Source::FromText(name, text));
  }
  void Drop(const std::string& name) {
    std::erase_if(options_.buffers, [&](const Buffer& b) { return b.path == Path(name); });
    live_->Drop(Path(name));
  }

  std::vector<std::string> Live() {
    live_->Update();
    return Lines(live_->All());
  }
  std::vector<std::string> Fresh() const {
    const auto set = Check(options_);
    REQUIRE(set);
    return Lines(*set);
  }
  void CheckSame() {
    const auto live = Live(), fresh = Fresh();
    if (live == fresh) return;
    for (const std::string& line : fresh) {
      if (std::find(live.begin(), live.end(), line) == live.end()) MESSAGE("missing: " << line);
    }
    for (const std::string& line : live) {
      if (std::find(fresh.begin(), fresh.end(), line) == fresh.end()) MESSAGE("too much: " << line);
    }
    CHECK(live == fresh);
  }
  LiveProject& live() { return *live_; }
  TempTree& tree() { return tree_; }

 private:
  TempTree tree_;
  CheckOptions options_;
  std::unique_ptr<LiveProject> live_;
};

const char* const kTrain = R"(import torch
from helper import step, Meter
from losses import total_loss


def train(model, loader, optimizer):
    losses = []
    meter = Meter()
    for x, y in loader:
        optimizer.zero_grad()
        loss = total_loss(model(x), y)
        loss.backward()
        optimizer.step()
        losses.append(loss)
        meter.update(step(model, x))
    return losses
)";

const char* const kHelper = R"(import torch
import losses


class Meter:
    def __init__(self):
        self.sum = 0
        self.seen = []

    def update(self, value):
        self.sum += value
        self.seen.append(value)


def step(model, x):
    return model(x).mean()


def evaluate(model, loader):
    model.eval()
    hits = 0
    for x, y in loader:
        hits += (model(x).argmax(1) == y).sum().item()
    return hits
)";

const char* const kLosses = R"(import torch.nn.functional as F


def total_loss(out, y):
    return F.cross_entropy(out, y)
)";

const char* const kMain = R"(import torch
import helper
from train import train


def main(model, loader, optimizer):
    for epoch in range(10):
        train(model, loader, optimizer)
        with torch.no_grad():
            helper.evaluate(model, loader)
)";

const char* const kPlain = R"(from train import train

print(train(1, 2, 3))
)";

std::vector<std::pair<std::string, std::string>> Project() {
  return {{"train.py", kTrain},
          {"helper.py", kHelper},
          {"losses.py", kLosses},
          {"main.py", kMain},
          {"plain.py", kPlain}};
}

TEST_CASE("an editor that has changed nothing sees what the command line reports") {
  Workspace workspace(Project());
  CHECK_FALSE(workspace.Fresh().empty());
  workspace.CheckSame();
  for (const auto& [path, text] : Project()) workspace.Put(path, text);
  workspace.CheckSame();
}

TEST_CASE("an edit of a helper changes what is found in another file") {
  Workspace workspace(Project());
  workspace.Put("train.py", kTrain);
  workspace.Put("helper.py", kHelper);
  workspace.CheckSame();
  const auto before = workspace.Live();
  workspace.live().TakeChanged();
  workspace.Put("helper.py", Replaced(kHelper, "model(x).mean()", "model(x).mean().item()"));
  workspace.CheckSame();
  CHECK(workspace.Live() != before);
  const auto changed = workspace.live().TakeChanged();
  CHECK(std::count(changed.begin(), changed.end(), workspace.Path("train.py")) == 1);
  workspace.Put("helper.py", kHelper);
  workspace.CheckSame();
  CHECK(workspace.Live() == before);
}

TEST_CASE("an edit of a helper in which no rule can fire") {
  const std::string meter =
      "class Meter:\n    def __init__(self):\n        self.sum = 0\n\n"
      "    def update(self, value):\n        self.sum += value\n";
  const std::string train = Replaced(kTrain, "step(model, x)", "loss");
  Workspace workspace({{"meter.py", meter},
                       {"train.py", Replaced(train, "from helper import step, Meter\n",
                                             "from meter import Meter\n")},
                       {"losses.py", kLosses}});
  workspace.CheckSame();
  const auto before = workspace.Live();
  workspace.Put("meter.py", meter);
  workspace.CheckSame();
  workspace.Put("meter.py", Replaced(meter, "+= value", "+= float(value)"));
  workspace.CheckSame();
  CHECK(workspace.Live() != before);
}

TEST_CASE("the callers of a function come and go") {
  Workspace workspace(Project());
  workspace.Put("main.py", kMain);
  workspace.CheckSame();
  workspace.Put("main.py", Replaced(kMain, "with torch.no_grad():", "if epoch:"));
  workspace.CheckSame();
  workspace.Put("main.py", "import torch\n");
  workspace.CheckSame();
  workspace.Drop("main.py");
  workspace.CheckSame();
}

TEST_CASE("files that are only in the editor, and files that come, change and go on disk") {
  Workspace workspace(Project());
  workspace.Put("fresh.py", std::string("from helper import evaluate\n") + kTrain);
  workspace.CheckSame();
  workspace.Put("more/deep.py", kTrain);
  workspace.CheckSame();
  workspace.Drop("fresh.py");
  workspace.CheckSame();
  workspace.tree().Write("losses.py", Replaced(kLosses, "(out, y)\n", "(out, y).item()\n"));
  workspace.tree().Write("new.py", kTrain);
  workspace.Survey();
  workspace.CheckSame();
  workspace.tree().Remove("losses.py");
  workspace.Survey();
  workspace.CheckSame();
}

TEST_CASE("files that import each other") {
  Workspace workspace({{"a.py", std::string("import torch\nfrom b import step, Meter\n"
                                            "def total_loss(o, y):\n    return o - y\n") +
                                    kTrain},
                       {"b.py", std::string("from a import total_loss\n") + kHelper},
                       {"losses.py", kLosses},
                       {"helper.py", kHelper}});
  workspace.CheckSame();
  for (int i = 0; i < 3; ++i) {
    workspace.Put("b.py", std::string(static_cast<std::size_t>(i), '\n') +
                              "from a import total_loss\n" + kHelper);
    workspace.CheckSame();
    workspace.Put("a.py", std::string("import torch\nfrom b import Meter, step\n") + kTrain);
    workspace.CheckSame();
  }
}

TEST_CASE("work that gives way is taken up again") {
  Workspace workspace(Project());
  workspace.Put("train.py", kTrain);
  int asked = 0, rounds = 0;
  while (!workspace.live().Update([&] { return ++asked % 3 == 0; })) ++rounds;
  CHECK(rounds > 0);
  workspace.CheckSame();
}

TEST_CASE("a text that is none, and one that is broken for a while") {
  Workspace workspace(Project());
  workspace.Put("train.py", kTrain);
  workspace.Put("helper.py", std::string("import torch\ndef f(:\n") + kHelper);
  workspace.CheckSame();
  workspace.Put("helper.py", std::string("import torch\0", 13) + kHelper);
  workspace.CheckSame();
  workspace.Put("helper.py", kHelper);
  workspace.CheckSame();
}

std::vector<std::string> RowsOf(const std::string& text) {
  std::vector<std::string> rows;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    rows.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return rows;
}

// Edits as they come while somebody types: lines go, come back elsewhere, are changed, move others.
void EditAtRandom(const std::vector<std::pair<std::string, std::string>>& project, unsigned seed) {
  CAPTURE(seed);
  Workspace workspace(project);
  std::mt19937 random(seed);
  auto files = project;
  const std::vector<std::string> lines = {"    torch.no_grad()",
                                          "import torch",
                                          "from helper import *",
                                          "        losses.append(loss)",
                                          "    with torch.no_grad():",
                                          "        loss = loss.detach()",
                                          "def extra(x):",
                                          "    return x",
                                          "import losses as helper",
                                          "",
                                          "",
                                          "",
                                          "# noqa",
                                          "    '''",
                                          "from losses import total_loss as step",
                                          "        loss.backward(retain_graph=True)",
                                          "class Meter:",
                                          "        self.kept = value",
                                          "    first = lambda x: x"};
  const auto pick = [&](std::size_t n) { return static_cast<std::size_t>(random() % n); };
  for (int i = 0; i < 250; ++i) {
    const std::size_t file = pick(files.size());
    auto& [name, text] = files[file];
    std::vector<std::string> rows = RowsOf(text);
    const auto at = rows.begin() + static_cast<std::ptrdiff_t>(pick(rows.size()));
    switch (pick(4)) {
      case 0:
        *at = lines[pick(lines.size())];
        break;
      case 1:
        rows.erase(at);
        break;
      default:
        rows.insert(at, lines[pick(lines.size())]);
        break;
    }
    text.clear();
    for (const std::string& row : rows) text += row + "\n";
    if (!text.empty()) text.pop_back();
    if (pick(6) == 0) text = project[file].second;
    workspace.Put(name, text);
    if (pick(3) != 0) workspace.CheckSame();
  }
  workspace.CheckSame();
}

TEST_CASE("random edits in all files") {
  for (unsigned seed = 1; seed <= 3; ++seed) EditAtRandom(Project(), seed);
}

TEST_CASE("random edits in files that import each other") {
  auto project = Project();
  project[2].second = "from train import train\nfrom helper import Meter\n" + project[2].second;
  project[1].second = "from main import main\n" + project[1].second;
  for (unsigned seed = 1; seed <= 3; ++seed) EditAtRandom(project, seed);
}

}  // namespace
}  // namespace torchleak::driver

// Files of one project, as they are understood together.
#include "driver/project_run.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <set>

#include "tests/unit/driver/repo.h"

namespace torchleak::driver {
namespace {

constexpr std::string_view kLosses = R"(import torch.nn.functional as F


def live(model, x, y):
    return F.mse_loss(model(x), y)


def number(model, x, y):
    return live(model, x, y).item()
)";

constexpr std::string_view kEvaluate = R"(import torch
from losses import live, number


def evaluate(model, loader):
    kept = []
    for x, y in loader:
        kept.append(live(model, x, y))
    return kept


def evaluate_numbers(model, loader):
    kept = []
    for x, y in loader:
        kept.append(number(model, x, y))
    return kept
)";

constexpr std::string_view kLog = R"(class Log:
    def __init__(self):
        self.kept = []

    def keep(self, loss):
        self.put(loss)

    def put(self, loss):
        self.kept.append(loss)
)";

constexpr std::string_view kTrain = R"(import torch
from log import Log


def train(model, loader, optimizer):
    log = Log()
    for x, y in loader:
        optimizer.zero_grad()
        loss = torch.nn.functional.mse_loss(model(x), y)
        loss.backward()
        optimizer.step()
        log.keep(loss)
)";

TEST_CASE("what another file makes is kept here, and what is made here another file keeps") {
  Repo repo{
      {"losses.py", kLosses}, {"evaluate.py", kEvaluate}, {"log.py", kLog}, {"train.py", kTrain}};
  const Lines lines = Only("TLK101", repo.Findings());
  CHECK(lines == Lines{"evaluate.py:8 TLK101", "train.py:12 TLK101 <- log.py:6 <- log.py:9"});
}

TEST_CASE("imported files are looked at without being asked for, and have no findings then") {
  Repo repo{{"evaluate.py", kEvaluate}};
  repo.tree().Put("/repo/losses.py", std::string(kLosses) + R"(

def evaluate_here(model, loader):
    kept = []
    for x, y in loader:
        kept.append(live(model, x, y))
    return kept
)");
  CHECK(repo.Run().imported_only() == 1);
  Lines lines = Only("TLK101", repo.Findings());
  CHECK(lines == Lines{"evaluate.py:8 TLK101"});
  repo.paths().push_back("/repo/losses.py");
  CHECK(repo.Run().imported_only() == 0);
  lines = Only("TLK101", repo.Findings());
  CHECK(lines == Lines{"evaluate.py:8 TLK101", "losses.py:15 TLK101"});
}

TEST_CASE("the order of the files changes nothing") {
  Repo repo{
      {"losses.py", kLosses}, {"evaluate.py", kEvaluate}, {"log.py", kLog}, {"train.py", kTrain}};
  const Lines lines = repo.Findings();
  std::sort(repo.paths().begin(), repo.paths().end());
  do {
    CHECK(repo.Findings() == lines);
  } while (std::next_permutation(repo.paths().begin(), repo.paths().end()));
}

TEST_CASE("outcomes stand in the order in which the files were given") {
  Repo repo{{"train.py", kTrain}, {"losses.py", kLosses}, {"log.py", kLog}};
  ProjectRun run = repo.Run();
  const auto outcomes = run.Run(engine::AllRules(), 2);
  REQUIRE(outcomes.size() == 3);
  CHECK(outcomes[0].found->findings.size() == 1);
  REQUIRE(outcomes[0].found->parsed != nullptr);
  CHECK(outcomes[0].found->parsed->source.path() == "train.py");
  CHECK(outcomes[1].found->findings.empty());
  CHECK(outcomes[1].found->parsed == nullptr);
  for (const ProjectRun::Outcome& outcome : outcomes) CHECK(outcome.found != nullptr);
}

TEST_CASE("the number of threads changes nothing") {
  Repo repo;
  repo.Put("losses.py", std::string(kLosses));
  repo.Put("log.py", std::string(kLog));
  for (int i = 0; i < 30; ++i) {
    repo.Put(fmt::format("e{}.py", i), std::string(kEvaluate));
    repo.Put(fmt::format("p{}/train.py", i % 7), std::string(kTrain));
    // Each hands `live` on to the next; more than kMaxHops of them are not followed.
    if (i >= project::ModuleIndex::kMaxHops) continue;
    repo.Put(fmt::format("c{}.py", i),
             fmt::format("import torch\nfrom {} import live\n\n\ndef evaluate(model, loader):\n"
                         "    kept = []\n    for x, y in loader:\n"
                         "        kept.append(live(model, x, y))\n    return kept\n",
                         i == 0 ? "losses" : fmt::format("c{}", i - 1)));
  }
  std::sort(repo.paths().begin(), repo.paths().end());
  repo.paths().erase(std::unique(repo.paths().begin(), repo.paths().end()), repo.paths().end());
  const Lines lines = repo.Findings(1);
  CHECK(Only("TLK101", lines).size() == 30 + 7 + 16);
  for (const unsigned jobs : {2u, 4u, 16u}) CHECK(repo.Findings(jobs) == lines);
}

TEST_CASE("a file that has nothing to do with the others changes nothing") {
  Repo repo{
      {"losses.py", kLosses}, {"evaluate.py", kEvaluate}, {"log.py", kLog}, {"train.py", kTrain}};
  const Lines lines = repo.Findings();
  // The same names, the same attributes, but nobody imports it.
  repo.Put("other/unrelated.py", R"(import torch


class Log:
    def keep(self, loss):
        self.kept.clear()


def live(model, x, y):
    with torch.no_grad():
        return model(x).item()


def drop(log):
    log.kept.clear()
)");
  CHECK(repo.Findings() == lines);
}

TEST_CASE("what only the importing files know: who calls, who empties") {
  const std::string policy = R"(import torch
from torch import nn


class Policy(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Linear(3, 3)
        self.log_probs = []

    def forward(self, x):
        x = self.body(x)
        self.log_probs.append(x.log_softmax(0))
        return x


def accuracy(model, loader):
    model.eval()
    right = 0
    for x, y in loader:
        right += (model(x).argmax(1) == y).sum().item()
    return right
)";
  Repo repo;
  repo.Put("policy.py", policy);
  CHECK(repo.Findings() == Lines{"policy.py:13 TLK103", "policy.py:21 TLK203"});

  repo.Put("play.py", R"(import torch
import policy


def play(loader):
    net = policy.Policy()
    with torch.no_grad():
        print(policy.accuracy(net, loader))
    torch.stack(net.log_probs).sum().backward()
    net.log_probs.clear()
)");
  CHECK(repo.Findings() == Lines{});
  // One caller without no_grad, and the loop is at fault again.
  repo.Put("report.py", R"(import torch
from policy import accuracy


def report(net: torch.nn.Module, loader):
    return accuracy(net, loader)
)");
  CHECK(repo.Findings() == Lines{"policy.py:21 TLK203"});
}

TEST_CASE("files that cannot be read, or are no text, are told; the others are checked") {
  Repo repo{{"evaluate.py", kEvaluate}, {"losses.py", kLosses}};
  repo.Put("binary.py", std::string("import torch\0\0", 14));
  repo.paths().push_back("/repo/gone.py");
  ProjectRun run = repo.Run();
  const auto outcomes = run.Run(engine::AllRules(), 1);
  REQUIRE(outcomes.size() == 4);
  CHECK_FALSE(outcomes[0].found->findings.empty());
  CHECK(outcomes[1].error.empty());
  CHECK(outcomes[2].found == nullptr);
  CHECK_FALSE(outcomes[2].error.empty());
  CHECK(outcomes[3].found == nullptr);
  CHECK_FALSE(outcomes[3].error.empty());
}

TEST_CASE("modules that are missing, broken or empty leave the rest as it is") {
  Repo repo{{"evaluate.py", kEvaluate},
            {"broken.py", "import torch\ndef live(model, x, y:\n    return model(x)\n"},
            {"empty.py", ""},
            {"uses.py",
             "import torch\nfrom broken import live\nfrom empty import number\n"
             "from nowhere import more\nimport empty.sub\n"}};
  CHECK(repo.Findings() == Lines{"broken.py:2 TLK000"});
}

TEST_CASE("after the run: what the project knows of one file, and what that file sees") {
  Repo repo{{"losses.py", kLosses}, {"evaluate.py", kEvaluate}};
  ProjectRun run = repo.Run();
  run.Run(engine::AllRules(), 1);
  const flow::ProjectFacts facts = run.FactsOf("/repo/losses.py");
  CHECK(facts.callers.size() == 3);  // the module and two functions
  CHECK(facts.callers[1].has_callers);
  CHECK(facts.callers[1].called_in_loop);
  const auto others = run.SurroundingsOf("/repo/evaluate.py");
  const auto found = others->Find("losses.live");
  CHECK(found.in_project);
  REQUIRE(found.file != nullptr);
  CHECK(*found.file->path == "losses.py");
  CHECK(found.name == "live");
  CHECK_FALSE(others->Find("torch.nn").in_project);
  CHECK_FALSE(others->Find("losses_of_others.live").in_project);
}

}  // namespace
}  // namespace torchleak::driver

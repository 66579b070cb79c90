#include "patterns/sight.h"

#include <doctest/doctest.h>

#include <string>

#include "../flow/fixture.h"

namespace torchleak::patterns {
namespace {

// How often `here()` runs in that function.
Runs HowOften(const std::string& code, std::string_view function, bool in_all = true) {
  const flow::Py py("import torch\n" + code);
  const Sight sight(py.events());
  const flow::FunctionResult& r = py.Function(function);
  const flow::ValueId at = py.At(r, flow::Op::kCall, "here()");
  return in_all ? sight.HowOftenInAll(r, at) : Runs{.often = sight.HowOften(r, at)};
}

TEST_CASE("steps, epochs and other turns") {
  const std::string code = R"(
def train(model, loader, opt, names):
    here()
    for epoch in range(10):
        for batch in loader:
            opt.zero_grad()
            model(batch).backward()
            opt.step()
)";
  CHECK(HowOften(code, "train").often == Often::kOnce);
  CHECK(HowOften(code + "        here()\n", "train").often == Often::kEachEpoch);
  CHECK(HowOften(code + "            here()\n", "train").often == Often::kEachStep);
  CHECK(HowOften(code + "    for name in names:\n        here()\n", "train").often ==
        Often::kEachTurn);
}

TEST_CASE("micro-batches do not make an epoch of a batch") {
  CHECK(HowOften(R"(
def train(model, batches, opt):
    for batch in batches:
        for part in batch.split(4):
            model(part).backward()
        opt.step()
        here()
)",
                 "train")
            .often == Often::kEachStep);
}

TEST_CASE("a helper that goes through the data makes epochs") {
  CHECK(HowOften(R"(
def train(model, loader, opt):
    for batch in loader:
        model(batch).backward()
        opt.step()

def fit(model, loader, opt):
    for turn in range(10):
        train(model, loader, opt)
        here()
)",
                 "fit")
            .often == Often::kEachEpoch);
  CHECK(HowOften(R"(
from engine import train_one_epoch

def fit(model, loader, opt):
    for turn in range(10):
        train_one_epoch(model, loader, opt)
        here()
)",
                 "fit")
            .often == Often::kEachEpoch);
}

TEST_CASE("conditions that change, and those that do not") {
  auto under = [](const std::string& lines) {
    return HowOften("def train(step, loader, args, verbose, on_cuda):\n"
                    "    for i, batch in enumerate(loader):\n"
                    "        step(batch)\n" +
                        lines,
                    "train")
        .often;
  };
  CHECK(under("        if i % 100 == 0:\n            here()\n") == Often::kNowAndThen);
  CHECK(under("        if i % 100 != 0:\n            continue\n        here()\n") ==
        Often::kNowAndThen);
  CHECK(under("        if verbose:\n            here()\n") == Often::kNowAndThen);
  CHECK(under("        if on_cuda:\n            here()\n") == Often::kEachStep);
  CHECK(under("        if args.verbose:\n            here()\n") == Often::kEachStep);
  CHECK(under("        if torch.cuda.is_available():\n            here()\n") == Often::kEachStep);
  CHECK(under("        try:\n            step(i)\n        except ValueError:\n"
              "            here()\n") == Often::kNowAndThen);
}

TEST_CASE("a condition counts for the loops and comprehensions under it") {
  const std::string code = R"(
def train(step, loader):
    for i, batch in enumerate(loader):
        step(batch)
        if i % 100 == 0:
)";
  const flow::Py py("import torch\n" + code + "            print([here() for x in batch])\n");
  const Sight sight(py.events());
  const flow::FunctionResult& r = py.Function("train");
  const flow::ValueId at = py.At(r, flow::Op::kCall, "here()");
  CHECK(sight.OnChangingCondition(r, at, sight.LoopAround(r, at)));
  CHECK(sight.OnCondition(r, at));
}

TEST_CASE("a function runs as often as its callers call it") {
  const std::string code = R"(
def clean():
    here()

def train(step, loader):
    for batch in loader:
        step(batch)
        clean()
)";
  CHECK(HowOften(code, "clean", false).often == Often::kOnce);
  const Runs runs = HowOften(code, "clean");
  CHECK(runs.often == Often::kEachStep);
  CHECK(runs.caller != sema::kNoFunction);
  CHECK(HowOften(R"(
class Average:
    def step(self):
        self.turn += 1
        if self.turn % 10:
            return
        here()

def train(step, loader):
    average = Average()
    for batch in loader:
        step(batch)
        average.step()
)",
                 "Average.step")
            .often == Often::kNowAndThen);
}

TEST_CASE("layers of a model are no steps") {
  CHECK(HowOften(R"(
class Net(torch.nn.Module):
    def __init__(self, layers):
        super().__init__()
        self.layers = torch.nn.ModuleList(layers)

    def forward(self, x):
        for layer in self.layers:
            x = layer(x)
            here()
        return x
)",
                 "Net.forward")
            .often == Often::kEachTurn);
}

}  // namespace
}  // namespace torchleak::patterns

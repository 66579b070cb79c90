// Events: what whole-file passes make of the functions' results. One property of one event a test.
#include "flow/events.h"

#include "fixture.h"

namespace torchleak::flow {
namespace {

KeptEvent OnlyKept(const Py& py) {
  REQUIRE(py.events().kept.size() == 1);
  return py.events().kept[0];
}

TEST_CASE("kept in a local list: live before, freed after backward()") {
  const Py live(
      "import torch\ndef f(model: torch.nn.Module, loader):\n    xs = []\n"
      "    for x in loader:\n        xs.append(model(x))\n    print(len(xs))\n");
  const KeptEvent e = OnlyKept(live);
  CHECK(e.graph == Graph::kLive);
  CHECK(e.place == Place::kLocalContainer);
  CHECK(e.growth == Growth::kGrows);
  CHECK(e.cleared == Cleared::kNever);
  CHECK(e.in_loop);
  CHECK(e.over_data);
  CHECK_FALSE(e.needed);
  CHECK(live.Row(e.span) == 5);
  const Py freed(R"(import torch
from torch.nn import functional as F
def f(model, loader, opt):
    xs = []
    for x, y in loader:
        loss = F.cross_entropy(model(x), y)
        loss.backward()
        xs.append(loss)
    print(len(xs))
)");
  CHECK(OnlyKept(freed).graph == Graph::kFreed);
  CHECK(OnlyKept(freed).strength == Strength::kStrong);
  CHECK(OnlyKept(freed).size == Size::kScalar);
}

TEST_CASE("a running value is a chain") {
  const Py py(R"(import torch
from torch.nn import functional as F
def f(model, loader):
    total = 0
    for x, y in loader:
        loss = F.cross_entropy(model(x), y)
        loss.backward()
        total += loss
    print(total)
)");
  CHECK(OnlyKept(py).growth == Growth::kChain);
  CHECK(OnlyKept(py).place == Place::kLocalVariable);
}

TEST_CASE("in an attribute: never emptied, emptied each turn, emptied late") {
  auto code = [](const char* more) {
    return std::string(R"(import torch
class T:
    def __init__(self, model: torch.nn.Module):
        self.model = model
        self.kept = []
    def fit(self, loader):
        for x in loader:
            self.kept.append(self.model(x))
)") + more;
  };
  CHECK(OnlyKept(Py(code(""))).place == Place::kAttribute);
  CHECK(OnlyKept(Py(code(""))).cleared == Cleared::kNever);
  // Emptied in the turn that fills it: one element at a time, no event or one that says so.
  for (const char* reset : {"            self.kept = []\n", "            self.kept.clear()\n"}) {
    const Py py(code(reset));
    for (const KeptEvent& e : py.events().kept) CHECK(e.cleared == Cleared::kEachTurn);
  }
  CHECK(OnlyKept(Py(code("    def end(self):\n        self.kept = []\n"))).cleared ==
        Cleared::kLate);
  const Py late(code("    def end(self):\n        self.kept = []\n"));
  CHECK(late.Row(OnlyKept(late).cleared_at) == 10);
}

TEST_CASE("what a backward() uses later is needed") {
  const Py py(R"(import torch
def f(model: torch.nn.Module, loader):
    xs = []
    for x in loader:
        xs.append(model(x).mean())
    torch.stack(xs).sum().backward()
)");
  CHECK(OnlyKept(py).need == Need::kBackward);
  CHECK(py.Row(OnlyKept(py).needed_at) == 6);
}

TEST_CASE("deque(maxlen) and short loops are bounded") {
  const Py a(
      "import torch\nfrom collections import deque\ndef f(model: torch.nn.Module, loader):\n"
      "    xs = deque(maxlen=8)\n    for x in loader: xs.append(model(x))\n    print(len(xs))\n");
  CHECK(OnlyKept(a).bound == Bound::kMaxLength);
  const Py b(
      "import torch\ndef f(model: torch.nn.Module):\n    xs = []\n"
      "    for x in range(3): xs.append(model(x))\n    print(len(xs))\n");
  CHECK(OnlyKept(b).bound == Bound::kFewTurns);
}

TEST_CASE("stored by a helper: told at the call, with the line that keeps it in the path") {
  const Py py(R"(import torch
def keep(xs, value):
    xs.append(value)
def f(model: torch.nn.Module, loader):
    xs = []
    for x in loader:
        keep(xs, model(x))
    print(len(xs))
)");
  const KeptEvent e = OnlyKept(py);
  CHECK(py.Row(e.span) == 7);
  bool inside = false;
  for (const Step& s : e.flow) inside |= py.Row(s.span) == 3;
  CHECK(inside);
}

TEST_CASE("a forward: in eval mode, guarded by all callers, unused") {
  auto forwards = [](const std::string& code) {
    return Py("import torch\n" + code).events().forwards;
  };
  const auto open = forwards(
      "def evaluate(model, loader):\n    model.eval()\n    for x in loader:\n"
      "        print(model(x).argmax())\n");
  REQUIRE(open.size() == 1);
  CHECK(open[0].in_eval);
  CHECK(open[0].evaluation_function);
  CHECK(open[0].unused_gradient);
  CHECK(forwards("@torch.no_grad()\ndef evaluate(model, loader):\n    model.eval()\n"
                 "    for x in loader:\n        print(model(x).argmax())\n")
            .empty());
  CHECK(forwards("def run(model, x):\n    model.eval()\n    return model(x).argmax()\n"
                 "def main(model, loader):\n    with torch.no_grad():\n        for x in loader: "
                 "run(model, x)\n")
            .empty());
}

TEST_CASE("retain_graph that nothing uses, and one that a second backward uses") {
  auto retained = [](const char* more) {
    return Py(std::string(
                  "import torch\ndef f(model: torch.nn.Module, loader):\n    for x in loader:\n"
                  "        loss = model(x).sum()\n        loss.backward(retain_graph=True)\n") +
              more)
        .events()
        .retained.size();
  };
  CHECK(retained("") == 1);
  CHECK(retained("        loss.backward()\n") == 0);
  CHECK(retained("        mystery(loss)\n") == 0);
}

TEST_CASE("hooks: removed, thrown away, stored") {
  auto hook = [](const char* body) {
    const Py py(std::string("import torch\ndef hook(m, i, o): print(o.shape)\n"
                            "def f(model: torch.nn.Module, loader):\n") +
                body);
    REQUIRE(py.events().hooks.size() == 1);
    return py.events().hooks[0];
  };
  CHECK(hook("    model.register_forward_hook(hook)\n").dropped);
  CHECK(hook("    h = model.register_forward_hook(hook)\n    model(loader)\n    h.remove()\n")
            .removed);
  CHECK(hook("    hs = []\n    hs.append(model.register_forward_hook(hook))\n    for h in hs: "
             "h.remove()\n")
            .removed);
  CHECK(hook("    for x in loader:\n        model.register_forward_hook(hook)\n").in_loop);
  CHECK(hook("    return model.register_forward_hook(hook)\n").returned);
}

TEST_CASE("syntax errors are events, and the rest is still analysed") {
  const Py py(
      "import torch\ndef g(:\n    pass\n\ndef f(model: torch.nn.Module, loader):\n    xs = []\n"
      "    for x in loader:\n        xs.append(model(x))\n    print(len(xs))\n");
  CHECK_FALSE(py.events().syntax_errors.empty());
  CHECK(py.events().kept.size() == 1);
}

TEST_CASE("a file of another framework has no events") {
  const Py py(
      "import tensorflow\ndef f(model, loader):\n    xs = []\n    for x in loader:\n"
      "        loss = model(x)\n        loss.backward()\n        xs.append(loss)\n");
  CHECK(py.events().kept.empty());
  CHECK(py.events().forwards.empty());
}

}  // namespace
}  // namespace torchleak::flow

// The zero_grad automaton: every transition, loops, conditions, helpers; then which steps are
// stale.
#include "flow/grad_clearing.h"

#include <array>

#include "fixture.h"

namespace torchleak::flow {
namespace {

std::string Letters(std::uint8_t states) {
  static constexpr std::array<const char*, kGradStates> kNames{
      "entry", "fresh", "dirty", "stale", "stale-dirty", "entry-dirty"};
  std::string out;
  for (unsigned s = 0; s < kGradStates; ++s)
    if (states >> s & 1) out += (out.empty() ? "" : "|") + std::string(kNames[s]);
  return out.empty() ? "-" : out;
}

// States at exit of f(loss, opt, …) for the optimizer that it is given, from one state at entry.
std::string From(GradState entry, const std::string& body) {
  const Py py(
      "import torch\ndef f(loss, opt: torch.optim.Optimizer, other: torch.optim.Optimizer, "
      "model: torch.nn.Module, xs, mystery):\n" +
      body);
  const FunctionResult& r = py.Function("f");
  for (const GradEffect& e : r.summary.grad_effects) {
    const auto& params = py.module()[r.body.function].params;
    if (e.sink.root == Sink::Root::kParam && e.sink.depth == 0 &&
        py.module().Text(params[e.sink.index].name) == "opt") {
      return Letters(e.table[entry]);
    }
  }
  // Not spoken of: as any other optimizer.
  if (!r.summary.has_grad_ops) return Letters(static_cast<std::uint8_t>(1u << entry));
  return Letters(r.summary.grad_default[entry]);
}

void CheckTable(const std::string& body, const std::array<const char*, kGradStates>& expected) {
  CAPTURE(std::string(body));
  for (unsigned s = 0; s < kGradStates; ++s) {
    CAPTURE(s);
    CHECK(From(static_cast<GradState>(s), body) == expected[s]);
  }
}

TEST_CASE("backward() adds to what is there") {
  CheckTable("    loss.backward()\n",
             {"entry-dirty", "dirty", "dirty", "stale-dirty", "stale-dirty", "entry-dirty"});
}

TEST_CASE("step() leaves used gradients behind") {
  CheckTable("    opt.step()\n", {"stale", "stale", "stale", "stale", "stale", "stale"});
}

TEST_CASE("zero_grad() of the optimizer or of a module clears") {
  const std::array<const char*, kGradStates> fresh{"fresh", "fresh", "fresh",
                                                   "fresh", "fresh", "fresh"};
  CheckTable("    opt.zero_grad()\n", fresh);
  CheckTable("    opt.zero_grad(set_to_none=True)\n", fresh);
  CheckTable("    model.zero_grad()\n", fresh);
  CheckTable("    for p in model.parameters():\n        p.grad = None\n", fresh);
  CheckTable("    for p in model.parameters():\n        p.grad.zero_()\n", fresh);
}

TEST_CASE("another optimizer's step and clear are its own affair") {
  const std::array<const char*, kGradStates> same{"entry", "fresh",       "dirty",
                                                  "stale", "stale-dirty", "entry-dirty"};
  CheckTable("    other.step()\n", same);
  CheckTable("    other.zero_grad()\n", same);
  CheckTable("    x = loss + 1\n", same);
}

TEST_CASE("autograd.grad() leaves .grad alone") {
  CheckTable("    torch.autograd.grad(loss, xs)\n",
             {"entry", "fresh", "dirty", "stale", "stale-dirty", "entry-dirty"});
}

TEST_CASE("one after the other") {
  CHECK(From(kEntryState, "    opt.zero_grad()\n    loss.backward()\n    opt.step()\n") == "stale");
  CHECK(From(kEntryState, "    opt.zero_grad()\n    loss.backward()\n") == "dirty");
  CHECK(From(kStale, "    loss.backward()\n") == "stale-dirty");
  CHECK(From(kEntryState, "    loss.backward()\n    opt.step()\n    opt.zero_grad()\n") == "fresh");
}

TEST_CASE("either branch") {
  CHECK(From(kFresh, "    if xs: loss.backward()\n") == "fresh|dirty");
  CHECK(From(kStale, "    if xs: loss.backward()\n    else: opt.step()\n") == "stale|stale-dirty");
}

TEST_CASE("a clear under a condition counts: accumulation") {
  CHECK(From(kStale, "    if xs % 4 == 0: opt.zero_grad()\n") == "fresh");
}

TEST_CASE("an early return is an exit too") {
  CHECK(From(kFresh, "    if xs: return\n    loss.backward()\n") == "fresh|dirty");
}

TEST_CASE("code that nobody knows may clear what it is given") {
  CHECK(From(kStale, "    mystery(opt)\n") == "fresh");
  CHECK(From(kStale, "    mystery.zero_all(xs)\n") == "fresh");
  CHECK(From(kStale, "    mystery(xs)\n") == "stale");
}

// Rows of stale steps in a file, "r" after those that are stale only when the function is repeated.
std::string Stale(const std::string& code) {
  const Py py("import torch\n" + code);
  std::string out;
  for (const FunctionResult& r : py.events().world->results()) {
    for (const StaleStep& s : r.stale_steps) {
      const std::string row = std::to_string(py.Row(py.module().tree().Span(r.body[s.value].node)));
      out += (out.empty() ? "" : " ") + row + (s.only_if_repeated ? "r" : "");
    }
  }
  return out;
}

// Body of `for x in loader`, in rows from 5 on.
std::string InLoop(const std::string& body) {
  return Stale(
      "def train(model, loader, crit):\n    opt = torch.optim.SGD(model.parameters())\n"
      "    for i, x in enumerate(loader):\n" +
      body);
}

TEST_CASE("a loop: never cleared, cleared at any point of the turn") {
  CHECK(InLoop("        crit(model(x)).backward()\n        opt.step()\n") == "6");
  for (const char* clear : {"opt.zero_grad()", "model.zero_grad()"}) {
    const std::string c = std::string("        ") + clear + "\n";
    const std::string back = "        crit(model(x)).backward()\n", step = "        opt.step()\n";
    CHECK(InLoop(c + back + step).empty());
    CHECK(InLoop(back + step + c).empty());
  }
}

TEST_CASE("cleared before the loop only") {
  CHECK(Stale(R"(def train(model, loader, crit):
    opt = torch.optim.SGD(model.parameters())
    opt.zero_grad()
    for x in loader:
        crit(model(x)).backward()
        opt.step()
)") == "7");
}

TEST_CASE("cleared once an epoch is too late") {
  CHECK(Stale(R"(def train(model, loader, crit):
    opt = torch.optim.SGD(model.parameters())
    for epoch in range(9):
        opt.zero_grad()
        for x in loader:
            crit(model(x)).backward()
            opt.step()
)") == "8");
}

TEST_CASE("accumulation: step and clear together, or each under a guard of its own") {
  CHECK(InLoop(R"(        crit(model(x)).backward()
        if i % 4 == 3:
            opt.step()
            opt.zero_grad()
)")
            .empty());
  CHECK(InLoop(R"(        if i % 4 == 0: opt.zero_grad()
        crit(model(x)).backward()
        if i % 4 == 3: opt.step()
)")
            .empty());
}

TEST_CASE("accumulation that steps and never clears") {
  CHECK(InLoop(R"(        crit(model(x)).backward()
        if i % 4 == 3:
            opt.step()
)") == "7");
}

TEST_CASE("two backward() for one step are one gradient") {
  CHECK(InLoop("        opt.zero_grad()\n        crit(model(x)).backward()\n"
               "        model(x).sum().backward()\n        opt.step()\n")
            .empty());
}

TEST_CASE("two optimizers: each is followed by itself") {
  const char* const code = R"(def train(d, g, loader, crit):
    opt_d = torch.optim.SGD(d.parameters())
    opt_g = torch.optim.SGD(g.parameters())
    for x in loader:
        opt_d.zero_grad()
        crit(d(x)).backward()
        opt_d.step()
        crit(g(x)).backward()
        opt_g.step()
)";
  CHECK(Stale(code) == "10");
}

TEST_CASE("a loop over optimizers clears them all") {
  CHECK(Stale(R"(def train(model, loader, crit):
    optimizers = [torch.optim.SGD(model.parameters()), torch.optim.Adam(model.parameters())]
    for x in loader:
        for o in optimizers:
            o.zero_grad()
        crit(model(x)).backward()
        for o in optimizers:
            o.step()
)")
            .empty());
}

TEST_CASE("helpers: what they clear, differentiate and step counts in the caller") {
  const char* const helper = R"(def step(opt, loss):
    loss.backward()
    opt.step()
def train(model, loader, crit):
    opt = torch.optim.SGD(model.parameters())
    for x in loader:
)";
  CHECK(Stale(helper + std::string("        step(opt, crit(model(x)))\n")).find("8") !=
        std::string::npos);
  CHECK(Stale(helper + std::string("        opt.zero_grad()\n        step(opt, crit(model(x)))\n"))
            .find("9") == std::string::npos);
}

TEST_CASE("a helper that clears, by position, by keyword, through self") {
  CHECK(Stale(R"(def clear(x, o):
    o.zero_grad()
def train(model, loader, crit):
    opt = torch.optim.SGD(model.parameters())
    for x in loader:
        clear(o=opt, x=x)
        crit(model(x)).backward()
        opt.step()
)")
            .empty());
  CHECK(Stale(R"(class T:
    def __init__(self, model):
        self.opt = torch.optim.SGD(model.parameters())
    def clear(self):
        self.opt.zero_grad()
    def fit(self, model, loader, crit):
        for x in loader:
            self.clear()
            crit(model(x)).backward()
            self.opt.step()
)")
            .empty());
}

TEST_CASE("methods of one class: the step is in one, the loop in another") {
  CHECK(Stale(R"(class T:
    def __init__(self, model):
        self.opt = torch.optim.SGD(model.parameters())
    def one(self, loss):
        loss.backward()
        self.opt.step()
    def fit(self, model, loader, crit):
        for x in loader:
            self.one(crit(model(x)))
)")
            .find("10") != std::string::npos);
}

TEST_CASE("a function that steps without clearing is stale when it is repeated") {
  CHECK(Stale(R"(def one(opt: torch.optim.Optimizer, loss):
    loss.backward()
    opt.step()
)") == "4r");
}

TEST_CASE("while loops, and loops left by break") {
  CHECK(Stale(R"(def train(model, x, crit):
    opt = torch.optim.SGD(model.parameters())
    while True:
        crit(model(x)).backward()
        opt.step()
        if x: break
)") == "6");
}

TEST_CASE("no loop, no repetition: nothing is stale") {
  CHECK(Stale("opt = torch.optim.SGD(model.parameters())\nloss.backward()\nopt.step()\n").empty());
}

TEST_CASE("recursion and many optimizers come to an end") {
  std::string code =
      "def f(loss, opt: torch.optim.Optimizer):\n    loss.backward()\n    opt.step()\n    f(loss, "
      "opt)\n";
  for (int i = 0; i < 40; ++i) {
    code += "o" + std::to_string(i) + " = torch.optim.SGD(model.parameters())\n";
    code += "for x in xs:\n    x.backward()\n    o" + std::to_string(i) + ".step()\n";
  }
  Stale(code);
}

}  // namespace
}  // namespace torchleak::flow

// Shapes of generated code that once took time or memory out of proportion. Nothing is timed: what
// bounds the work is checked, and that the code around it is still understood.
#include <fmt/format.h>

#include "fixture.h"

namespace torchleak::flow {
namespace {

std::string Repeat(int times, auto line) {
  std::string out;
  for (int i = 0; i < times; ++i) out += line(i);
  return out;
}

// A function with one finding, to be put beside the large one.
const char* const kNeighbour = R"(
def neighbour(model: torch.nn.Module, loader):
    xs = []
    for x in loader:
        xs.append(model(x))
    print(len(xs))
)";

const FunctionResult& LargeBesideNeighbour(const Py& py) {
  REQUIRE(py.events().kept.size() == 1);
  CHECK(py.events().kept[0].function == py.Function("neighbour").body.function);
  const FunctionResult& large = py.Function("large");
  CHECK(large.over_budget);
  CHECK_FALSE(large.analyzed);
  CHECK(large.summary.ready);
  return large;
}

TEST_CASE("many variables and branches in one function: it is left alone, its neighbours are not") {
  const Py py(
      "import torch\ndef large(model: torch.nn.Module, loader):\n    xs = []\n    for x in loader: "
      "xs.append(model(x))\n" +
      Repeat(
          2000,
          [](int i) { return fmt::format("    if v{}:\n        w{} = model(v{})\n", i, i, i); }) +
      kNeighbour);
  LargeBesideNeighbour(py);
}

TEST_CASE("a very long function: likewise") {
  const Py py(
      "import torch\ndef large(model: torch.nn.Module, loader):\n    xs = []\n    for x in loader: "
      "xs.append(model(x))\n" +
      Repeat(20000, [](int) { return "    x = model(x)\n"; }) + kNeighbour);
  LargeBesideNeighbour(py);
}

TEST_CASE("a function called from one that is too large still has its own results") {
  const Py py(
      "import torch\ndef helper(model: torch.nn.Module, loader):\n    xs = []\n    for x in "
      "loader: xs.append(model(x))\n"
      "def large(model, loader):\n" +
      Repeat(12000, [](int) { return "    helper(model, loader)\n"; }));
  CHECK(py.Function("large").over_budget);
  CHECK(py.events().kept.size() == 1);
}

TEST_CASE("helpers of helpers do not add up in summaries") {
  const Py py("import torch\n" +
              Repeat(400,
                     [](int i) {
                       return fmt::format(
                           "def f{0}(a, b, x):\n    y = f{1}(a, b, x)\n    a.append(y)\n    "
                           "b.append(x)\n    return y\n",
                           i, i + 1);
                     }) +
              "def f400(a, b, x):\n    return x\n");
  std::size_t most = 0;
  for (const FunctionResult& r : py.events().world->results())
    most = std::max(
        {most, r.summary.stores.size(), r.summary.forwards.size(), r.summary.modes.size()});
  CHECK(most > 1);
  CHECK(most <= 64);
}

TEST_CASE("mutual recursion of thousands of functions") {
  const Py py("import torch\n" + Repeat(3000, [](int i) {
                return fmt::format(
                    "def f{}(x, kept):\n    kept.append(f{}(x, kept))\n    return f{}(x, kept)\n",
                    i, (i * 7 + 1) % 3000, (i * 13 + 5) % 3000);
              }));
  CHECK(py.events().world->order().size() == 3001);
  for (const FunctionResult& r : py.events().world->results()) CHECK(r.analyzed);
}

TEST_CASE("long attribute chains are no import and no slot") {
  const Py py("import torch\ndef f(x):\n    x" + Repeat(20000, [](int) { return ".a"; }) +
              "\n    torch" + Repeat(20000, [](int) { return ".a"; }) + "\n");
  CHECK(py.Function("f").body.slots.size() <= 1 + kMaxPath);
}

TEST_CASE("thousands of targets: each knows whether its value reads it") {
  const int n = 5000;
  auto names = [&](const char* prefix) {
    return Repeat(n, [&](int i) { return fmt::format("{}{}, ", prefix, i); });
  };
  const Py py("def f(b):\n    " + names("a") + "= " + names("a") + "\n    " + names("c") + "= " +
              names("a") + "\n");
  unsigned reads = 0, fresh = 0;
  for (const Instr& in : py.Function("f").body.instrs) {
    if (in.op != Op::kStore || in.aux8 == 4) continue;
    (in.aux8 == 2 ? reads : fresh) += 1;
  }
  CHECK(reads == n);
  CHECK(fresh == n);
}

TEST_CASE("thousands of parameters and arguments") {
  const int n = 5000;
  const Py py("import torch\ndef g(" + Repeat(n, [](int i) { return fmt::format("a{}, ", i); }) +
              "):\n    a5.backward()\n    return a7\n" + "def f(model, x):\n    return g(" +
              Repeat(n, [](int i) { return fmt::format("a{}=model(x), ", i); }) + ")\n");
  CHECK(py.Function("f").analyzed);
  CHECK((py.Function("g").summary.differentiated >> 5 & 1) == 1);
  CHECK(py.Function("f").differentiated.any());
}

TEST_CASE("thousands of methods and attributes: each is judged by its own uses") {
  const int n = 1500;
  const Py py("import torch\nclass A(torch.nn.Module):\n" + Repeat(n, [](int i) {
                return fmt::format(
                    "    def m{0}(self, model: torch.nn.Module, xs):\n        for x in xs: "
                    "self.h{0}.append(model(x))\n"
                    "    def end{0}(self):\n        {1}\n",
                    i, i % 2 ? fmt::format("self.h{} = []", i) : "pass");
              }));
  REQUIRE(py.events().kept.size() == n);
  unsigned late = 0;
  for (const KeptEvent& e : py.events().kept) late += e.cleared == Cleared::kLate ? 1u : 0u;
  CHECK(late == n / 2);
}

TEST_CASE("a literal of very many elements is one container") {
  const Py py("import torch\ndef f(model: torch.nn.Module, x):\n    xs = [" +
              Repeat(7000, [](int) { return "1.5, "; }) + "model(x)]\n    return xs\n");
  const FunctionResult& r = py.Function("f");
  CHECK(r.analyzed);
  CHECK((r.returned & r.graph_mask).any());
}

TEST_CASE("nested comprehensions, calls and operators of any depth") {
  for (const char* open :
       {"[", "model(", "(", "-", "not ", "[a for a in ", "lambda: ", "x + ", "x if y else "}) {
    const std::string_view o(open);
    const std::string close = o == "[" || o.starts_with("[a") ? "]" : o.ends_with("(") ? ")" : "";
    CAPTURE(std::string(o));
    const Py py(
        "import torch\ndef f(model, x, y):\n    z = " + Repeat(2000, [&](int) { return open; }) +
        "x" + Repeat(2000, [&](int) { return close; }) + "\n" + kNeighbour);
    CHECK(py.events().kept.size() == 1);
  }
}

}  // namespace
}  // namespace torchleak::flow

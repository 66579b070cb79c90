// Stubs in, linked table or errors out. Every mistake must be named with its file and line.
#include <doctest/doctest.h>

#include <string>
#include <utility>
#include <vector>

#include "facts/compiler/emit.h"
#include "facts/compiler/link.h"
#include "facts/compiler/stub.h"
#include "text/source.h"

namespace torchleak::facts::stubs {
namespace {

struct Compiled {
  Linked linked;
  std::vector<Error> errors;
};

// Files as (path below the root, content).
Compiled Compile(const std::vector<std::pair<std::string, std::string>>& files) {
  Compiled result;
  std::vector<Stub> stubs;
  for (const auto& [path, content] : files) {
    auto source = text::Source::FromBytes(path, content);
    REQUIRE(source);
    stubs.push_back(ReadStub(ModuleOf(path), *source, &result.errors));
  }
  result.linked = Link(stubs, &result.errors);
  return result;
}

// The errors of one stub file m.pyi, one a line.
std::string ErrorsOf(const std::string& content) {
  std::string all;
  for (const Error& error : Compile({{"m.pyi", content}}).errors) all += Format(error) + "\n";
  return all;
}

TEST_CASE("paths are module names") {
  CHECK(ModuleOf("torch/nn/functional.pyi") == "torch.nn.functional");
  CHECK(ModuleOf("torch/nn/__init__.pyi") == "torch.nn");
  CHECK(ModuleOf("math.pyi") == "math");
  CHECK(ModuleOf("__init__.pyi").empty());
}

TEST_CASE("mistakes name file, line and word") {
  CHECK(ErrorsOf("\n@bakward\ndef f(x): ...\n") == "m.pyi:2: unknown decorator @bakward\n");
  CHECK(ErrorsOf("def f(x) -> Tensr: ...\n") == "m.pyi:1: unknown word Tensr in an annotation\n");
  CHECK(ErrorsOf("def f(x) -> Tensor[Like]: ...\n") == "m.pyi:1: Tensor cannot be followed by [\n");
  CHECK(ErrorsOf("@stores(\"y\")\ndef f(x): ...\n") ==
        "m.pyi:1: f has no positional parameter y\n");
  CHECK(ErrorsOf("def f(x, *, target: Target): ...\n") ==
        "m.pyi:1: f has no positional parameter target\n");
  CHECK(ErrorsOf("@stores(\"x\")\n@step(\"y\")\ndef f(x, y): ...\n") ==
        "m.pyi:2: the decorators of one function speak of one parameter\n");
  CHECK(ErrorsOf("@stores(1)\ndef f(x): ...\n") ==
        "m.pyi:1: @stores takes the name of one parameter, in quotes\n");
  CHECK(ErrorsOf("def f(x: int): ...\n") ==
        "m.pyi:1: a parameter is annotated with Target or a result, not int\n");
  CHECK(ErrorsOf("class A(B): ...\n") == "m.pyi:1: unknown base class B\n");
  CHECK(ErrorsOf("@frozen\nclass A: ...\n") == "m.pyi:1: unknown decorator @frozen of a class\n");
  CHECK(ErrorsOf("def f(x): ...\n\ndef f(y): ...\n") == "m.pyi:3: m.f is declared twice\n");
  CHECK(ErrorsOf("from a.b import c as c\n") == "m.pyi:1: no stub has a.b.c\n");
  CHECK(
      ErrorsOf("from . import c as c\n").starts_with("m.pyi:1: a stub imports by absolute names"));
  CHECK(ErrorsOf("import math\n") == "m.pyi:1: `import` without `as` does nothing in a stub\n");
  CHECK(ErrorsOf("x = 1\n").starts_with("m.pyi:1: a stub holds functions"));
  CHECK(ErrorsOf("\ndef f(:\n").starts_with("m.pyi:2: this is not Python"));
}

TEST_CASE("what is allowed besides facts") {
  CHECK(
      ErrorsOf("\"\"\"Words.\"\"\"\n# more\nclass A:\n    \"\"\"Words.\"\"\"\n    ...\n").empty());
  CHECK(ErrorsOf("").empty());
}

TEST_CASE("positions count without the receiver, except in static methods") {
  const Compiled c = Compile({{"m.pyi",
                               "@stores(\"b\")\n"
                               "def f(a, b): ...\n"
                               "class A:\n"
                               "    @stores(\"b\")\n"
                               "    def g(self, a, b): ...\n"
                               "    @staticmethod\n"
                               "    @stores(\"b\")\n"
                               "    def h(a, b): ...\n"
                               "    @stores(\"values\")\n"
                               "    def k(self, *values, **options): ...\n"}});
  REQUIRE(c.errors.empty());
  CHECK(c.linked.facts.at("m.f").subject == 1);
  CHECK(c.linked.facts.at("m.A.g").subject == 1);
  CHECK(c.linked.facts.at("m.A.h").subject == 1);
  CHECK(c.linked.facts.at("m.A.k").subject == 0);
}

TEST_CASE("annotations are chains of words") {
  const Compiled c = Compile({{"m.pyi",
                               "def a(x) -> Detached[Host[Scalar]]: ...\n"
                               "def b(x) -> Number: ...\n"
                               "def c(x): ...\n"
                               "def d(x) -> InPlace: ...\n"}});
  REQUIRE(c.errors.empty());
  const Fact& a = c.linked.facts.at("m.a");
  CHECK(a.result == Result::kTensor);
  CHECK(a.graph == Graph::kDrops);
  CHECK(a.residency == Residency::kHost);
  CHECK(a.size == Size::kScalar);
  CHECK(c.linked.facts.at("m.b").effects == kHarmless);
  CHECK(c.linked.facts.at("m.c").result == Result::kUnknown);
  CHECK(c.linked.facts.at("m.d").result == Result::kSelf);
}

TEST_CASE("aliases follow chains, carry members, and stop in circles") {
  const Compiled c = Compile({
      {"a/__init__.pyi", "from a.inner import *\nfrom a import inner as renamed\n"},
      {"a/inner.pyi", "class C:\n    def m(self) -> Tensor: ...\ndef _hidden(): ...\n"},
      {"b.pyi", "from a import C as D\n"},
      {"__init__.pyi", "from a import inner as top\n"},
  });
  REQUIRE(c.errors.empty());
  CHECK(c.linked.names.at("a.C.m") == "a.inner.C.m");
  CHECK(c.linked.names.at("b.D.m") == "a.inner.C.m");
  CHECK(c.linked.names.at("top.C") == "a.inner.C");
  CHECK_FALSE(c.linked.names.contains("a._hidden"));
  CHECK(c.linked.names.contains("top._hidden"));

  const Compiled circle = Compile({
      {"a.pyi", "from b import *\n"},
      {"b.pyi", "from a import *\ndef f(): ...\n"},
  });
  CHECK(circle.errors.empty());
  CHECK(circle.linked.names.at("a.f") == "b.f");

  const Compiled growing = Compile({
      {"a.pyi", "from b import f as f\ndef g(): ...\n"},
      {"b.pyi", "import a as inner\ndef f(): ...\n"},
      {"a/b.pyi", "import a as c\n"},
  });
  REQUIRE_FALSE(growing.errors.empty());
  CHECK(growing.errors.back().message == "the re-exports of the stubs go round in a circle");
}

TEST_CASE("templates live only where they are used") {
  const Compiled c = Compile({
      {"_ops.pyi",
       "def relu(input, target: Target) -> Tensor: ...\ndef item(input) -> Tensor: ...\n"},
      {"t.pyi",
       "from _ops import *\n"
       "class T:\n"
       "    from _ops import *\n"
       "    def item(self) -> Number: ...\n"},
      {"__init__.pyi", "import _ops as u\n"},
  });
  REQUIRE(c.errors.empty());
  CHECK(c.linked.facts.at("t.relu").target == 1);
  CHECK(c.linked.facts.at("t.T.relu").target == 0);
  CHECK(c.linked.facts.at("t.T.item").result == Result::kNumber);
  CHECK(c.linked.facts.contains("u.relu"));
  CHECK_FALSE(c.linked.names.contains("_ops.relu"));
}

TEST_CASE("inheritance: nearest ancestor first, receiver and constructor inherited") {
  const Compiled c = Compile({{"m.pyi",
                               "@receiver\n"
                               "class A:\n"
                               "    def __new__(cls) -> Module: ...\n"
                               "class B(A): ...\n"
                               "class C: ...\n"
                               "class D(B, C): ...\n"
                               "class Loop(Loop): ...\n"}});
  REQUIRE(c.errors.empty());
  CHECK(c.linked.classes.at("m.D").ancestors ==
        std::vector<std::string>{"m.D", "m.B", "m.C", "m.A"});
  CHECK(c.linked.classes.at("m.D").receiver == "m.A");
  CHECK(c.linked.classes.at("m.C").receiver.empty());
  CHECK(c.linked.facts.at("m.D").result == Result::kModule);
  CHECK(c.linked.facts.at("m.D").is_class);
  CHECK(c.linked.classes.at("m.Loop").ancestors == std::vector<std::string>{"m.Loop"});
}

TEST_CASE("an effect on a class is one of all its methods") {
  const Compiled c = Compile({{"m.pyi", "@harmless\nclass W:\n    def add(self, x): ...\n"}});
  REQUIRE(c.errors.empty());
  CHECK(c.linked.facts.at("m.W.add").effects == kHarmless);
}

TEST_CASE("evidence") {
  const Compiled c = Compile({{"evidence.pyi", "def zero_grad(self: Optimizer | Module): ...\n"}});
  REQUIRE(c.errors.empty());
  CHECK(c.linked.evidence.at("zero_grad") == (kIsOptimizer | kIsModule));
  const Compiled bad = Compile({{"evidence.pyi", "\ndef f(self: Optimiser): ...\ndef g(): ...\n"}});
  REQUIRE(bad.errors.size() == 2);
  CHECK(Format(bad.errors[0]) == "evidence.pyi:2: unknown kind of receiver Optimiser");
  CHECK(bad.errors[1].line == 3);
}

TEST_CASE("the generated file is a function of the stubs") {
  const std::vector<std::pair<std::string, std::string>> files = {
      {"m.pyi", "def f(x, target: Target) -> Scalar: ...\nclass A:\n    data: Tensor\n"}};
  const std::string out = Emit(Compile(files).linked);
  CHECK(out == Emit(Compile(files).linked));
  CHECK(out.find("{\"m.f\", Result::kTensor, Graph::kKeeps, Residency::kKeeps, Size::kScalar, 0u, "
                 "-1, -1, 1, false, false, false, 0, {}, {}}") != std::string::npos);
  CHECK(out.find("{\"m.A.data\", Result::kTensor, Graph::kKeeps}") != std::string::npos);
}

}  // namespace
}  // namespace torchleak::facts::stubs

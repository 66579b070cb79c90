// Functions: parameters, decorators, kinds, and whose code a node is.
#include "fixture.h"

namespace torchleak::sema {
namespace {

using syntax::Kind;
using syntax::kNoNode;

TEST_CASE("parameters of every kind, in order") {
  const Py py("def f(a, b: int, /, c=1, d: T = 2, *args: X, e, g=3, **kw): pass\n");
  const auto& params = py.Fn("f").params;
  REQUIRE(params.size() == 8);
  const auto text = [&](syntax::NodeId node) {
    return node == kNoNode ? std::string_view("-") : py.tree().Text(node);
  };
  const std::string_view names[] = {"a", "b", "c", "d", "args", "e", "g", "kw"};
  const std::string_view defaults[] = {"-", "-", "1", "2", "-", "-", "3", "-"};
  const std::string_view types[] = {"-", "int", "-", "T", "X", "-", "-", "-"};
  using enum ParamKind;
  const ParamKind kinds[] = {kPositional, kPositional,  kPositional,  kPositional,
                             kVarArgs,    kKeywordOnly, kKeywordOnly, kKwArgs};
  for (std::size_t i = 0; i < params.size(); ++i) {
    CAPTURE(i);
    CHECK(py->Text(params[i].name) == names[i]);
    CHECK(text(params[i].default_value) == defaults[i]);
    CHECK(text(params[i].annotation) == types[i]);
    CHECK(params[i].kind == kinds[i]);
    CHECK(params[i].binding == py.At(names[i]));
    CHECK((*py)[params[i].binding].is_param);
  }
}

TEST_CASE("a bare star makes the rest keyword-only") {
  const Py py("def f(a, *, b): pass\ng = lambda x, *, y=1: 0\n");
  const auto& params = py.Fn("f").params;
  REQUIRE(params.size() == 2);
  CHECK(params[0].kind == ParamKind::kPositional);
  CHECK(params[1].kind == ParamKind::kKeywordOnly);
  const auto& lambda = py->functions()[2].params;
  REQUIRE(lambda.size() == 2);
  CHECK(lambda[1].kind == ParamKind::kKeywordOnly);
}

TEST_CASE("Python 2 tuple parameters bind their names and keep their place") {
  const Py py("def f(a, (b, c), d): return b\n");
  const auto& params = py.Fn("f").params;
  REQUIRE(params.size() == 3);
  CHECK(params[1].name == kNoName);
  CHECK(py->Text(params[1].name) == "");
  CHECK(py.Same("b", 0, 1));
}

TEST_CASE("decorators") {
  const Py py(R"(
import functools, abc
class C:
    @staticmethod
    def s(): pass
    @classmethod
    def c(cls): pass
    @property
    def p(self): pass
    @p.setter
    def p(self, v): pass
    @functools.cached_property
    def q(self): pass
    @torch.no_grad()
    @abc.abstractmethod
    def n(self): pass
@property
def free(): pass
)");
  CHECK(py.Fn("s").is_static);
  CHECK_FALSE(py.Fn("s").is_classmethod);
  CHECK(py.Fn("c").is_classmethod);
  CHECK(py.Fn("p").is_property);
  CHECK(py.Fn("p", 1).is_property);
  CHECK(py.Fn("q").is_property);
  CHECK_FALSE(py.Fn("n").is_property);
  REQUIRE(py.Fn("n").decorators.size() == 2);
  CHECK(py.tree().Text(py.Fn("n").decorators[0]) == "torch.no_grad()");
  CHECK(py.tree().Text(py.Fn("n").decorators[1]) == "abc.abstractmethod");
  // The name stays the getter, for the class body and for lookups.
  CHECK(py.Of("p").function == py.Function("p", 0));
  CHECK(py->FindMethod(py.Class("C"), "p") == py.Function("p", 0));
}

TEST_CASE("a decorator of the file's own called property is no property") {
  const Py py("def property(f): return f\nclass C:\n    @property\n    def p(self): pass\n");
  CHECK_FALSE(py.Fn("p").is_property);
}

TEST_CASE("overloads: the last definition is the function") {
  const Py py(R"(
from typing import overload
class C:
    @overload
    def f(self, x: int): ...
    @overload
    def f(self, x: str): ...
    def f(self, x): return x
)");
  CHECK(py->FindMethod(py.Class("C"), "f") == py.Function("f", 2));
  CHECK(py.Of("f").function == py.Function("f", 2));
}

TEST_CASE("generators and async functions") {
  const Py py(R"(
def gen(): yield 1
def outer():
    def inner(): yield from x
    return inner
async def co(): await y
lam = lambda: (yield)
def comp(): return (x for x in y)
)");
  CHECK(py.Fn("gen").is_generator);
  CHECK_FALSE(py.Fn("outer").is_generator);
  CHECK(py.Fn("inner").is_generator);
  CHECK(py.Fn("co").is_async);
  CHECK_FALSE(py.Fn("gen").is_async);
  CHECK_FALSE(py.Fn("comp").is_generator);
  CHECK_FALSE(py->functions()[0].is_generator);
}

TEST_CASE("functions know their parents and classes") {
  const Py py(R"(
class Trainer:
    class Inner:
        def deep(self): pass
    if flag:
        def fit(self):
            def hook(): return lambda: 0
            class Local:
                def m(self): pass
def train():
    pass
)");
  CHECK(py.Fn("fit").class_id == py.Class("Trainer"));
  CHECK(py.Fn("hook").class_id == kNoClass);
  CHECK(py.Fn("hook").parent == py.Function("fit"));
  CHECK(py.Fn("fit").parent == FunctionId{0});
  CHECK(py.Cls("Local").parent == py.Function("fit"));
  CHECK(py->DisplayName(FunctionId{0}) == "<module>");
  CHECK(py->DisplayName(py.Function("train")) == "train");
  CHECK(py->DisplayName(py.Function("fit")) == "Trainer.fit");
  CHECK(py->DisplayName(py.Function("deep")) == "Trainer.Inner.deep");
  CHECK(py->DisplayName(py.Function("hook")) == "Trainer.fit.<locals>.hook");
  CHECK(py->DisplayName(py.Function("m")) == "Trainer.fit.<locals>.Local.m");
  for (std::uint32_t i = 0; i < py->functions().size(); ++i) {
    if (py->functions()[i].is_lambda) CHECK(py->DisplayName(FunctionId{i}) == "<lambda>");
  }
}

TEST_CASE("FunctionAt: bodies are inside, everything else of a def is outside") {
  const Py py(R"(
@deco(before)
def f(p: note = default) -> result:
    inside
    g = lambda q=ldefault: lbody
    after_lambda
    class C(base):
        cbody
        def m(self): mbody
        cafter
    [element for t in iterable]
end
)");
  const auto at = [&](std::string_view name) {
    return py->DisplayName(py->FunctionAt(py.Name(name)));
  };
  for (const std::string_view name : {"before", "p", "note", "default", "result", "end"}) {
    CAPTURE(name);
    CHECK(at(name) == "<module>");
  }
  for (const std::string_view name :
       {"inside", "ldefault", "after_lambda", "base", "cbody", "cafter", "element", "iterable"}) {
    CAPTURE(name);
    CHECK(at(name) == "f");
  }
  CHECK(at("lbody") == "<lambda>");
  CHECK(at("mbody") == "f.<locals>.C.m");
  CHECK(py->FunctionAt(py.Fn("f").node) == FunctionId{0});
  CHECK(py->FunctionAt(py.Fn("f").body) == py.Function("f"));
  CHECK(py->FunctionAt(py.tree().root()) == FunctionId{0});
}

TEST_CASE("FunctionOf and ClassOf find what a node made") {
  const Py py("def f(): pass\nclass C:\n    def m(self): return lambda: 1\n");
  CHECK(py->FunctionOf(py.Fn("m").node) == py.Function("m"));
  CHECK(py->FunctionOf(py.tree().root()) == FunctionId{0});
  CHECK(py->FunctionOf(py.Node(Kind::kLambda, "lambda")) == FunctionId{3});
  CHECK(py->FunctionOf(py.Name("f")) == kNoFunction);
  CHECK(py->ClassOf(py.Cls("C").node) == py.Class("C"));
  CHECK(py->ClassOf(py.Fn("f").node) == kNoClass);
}

}  // namespace
}  // namespace torchleak::sema

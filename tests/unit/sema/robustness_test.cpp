// Input nobody writes: broken, empty, very deep, very long.
#include "fixture.h"

namespace torchleak::sema {
namespace {

std::string Repeat(std::string_view text, int times) {
  std::string all;
  for (int i = 0; i < times; ++i) all += text;
  return all;
}

TEST_CASE("an empty file has a module and nothing else") {
  const Py py("");
  CHECK(py->functions().size() == 1);
  CHECK(py->scopes().size() == 1);
  CHECK(py->bindings().empty());
  CHECK(py->FunctionAt(py.tree().root()) == FunctionId{0});
  CHECK(py->FindName("x") == kNoName);
}

TEST_CASE("code around a syntax error is still resolved") {
  const Py py(R"(
import torch
def f(x):
    y = x +
    return torch.cat(x)
def g(:
    pass
class (Base):
    pass
from import nothing
z = torch.stack
)");
  CHECK_FALSE(py.tree().errors().empty());
  CHECK(py.Qualified("torch.stack") == "torch.stack");
}

TEST_CASE("fragments of every statement do not crash") {
  for (const std::string_view code : {"def",
                                      "def f",
                                      "def f(",
                                      "def f(a=",
                                      "def f(*",
                                      "def f(**",
                                      "lambda",
                                      "lambda x",
                                      "class",
                                      "class C(",
                                      "import",
                                      "import a.",
                                      "import a as",
                                      "from",
                                      "from .",
                                      "from . import",
                                      "from a import (",
                                      "global",
                                      "nonlocal x",
                                      "for",
                                      "for x",
                                      "[x for",
                                      "[x for y in",
                                      "with a as",
                                      "try:\nexcept E as",
                                      "match x:\n case",
                                      "match x:\n case a as",
                                      "x :=",
                                      "(x :=",
                                      "x = ",
                                      "x: ",
                                      "x +=",
                                      "del",
                                      "@",
                                      "@a\n",
                                      "def f[",
                                      "def f[T",
                                      "type X[T] =",
                                      "a.",
                                      "a.b.",
                                      "f(x=",
                                      "f(**",
                                      "{**",
                                      "f'{",
                                      "f'{x!",
                                      "print >>f, x",
                                      "exec 'a' in b",
                                      "except* E as x: pass",
                                      "def f(a, a): pass",
                                      "def f((a, (b, c)), d=1): pass",
                                      "[x for x in 1, 2]",
                                      "(yield)",
                                      "def f(): global x; x = 1; nonlocal x",
                                      "nonlocal x; x = 1",
                                      "case = match = type = 1",
                                      "class C[T, *U, **V]: pass",
                                      "async def f(): [x async for x in y]",
                                      "\xC3\xA9 = 1\nprint(\xC3\xA9)"}) {
    CAPTURE(code);
    const Py py{std::string(code)};
    CHECK(py->functions().size() >= 1);
    for (std::uint32_t i = 0; i < py.tree().size(); ++i) {
      const syntax::NodeId id{i};
      const BindingId binding = py->BindingOf(id);
      if (binding != kNoBinding) CHECK((*py)[binding].name == py->NameOf(id));
      (void)py->QualifiedName(id);
      CHECK(Index(py->FunctionAt(id)) < py->functions().size());
    }
    for (std::uint32_t i = 0; i < py->functions().size(); ++i) {
      CHECK_FALSE(py->DisplayName(FunctionId{i}).empty());
    }
  }
}

TEST_CASE("identifiers beyond ASCII and long ones") {
  const std::string name = "v" + Repeat("\xC3\xA4\xCE\xB2", 40);
  const Py py(name + " = 1\ndef f():\n    return " + name + "\n");
  CHECK(py.Same(name, 0, 1));
}

TEST_CASE("many names are told apart") {
  std::string code;
  for (int i = 0; i < 5000; ++i) code += "name_" + std::to_string(i) + " = 1\n";
  for (int i = 0; i < 5000; ++i) code += "f(name_" + std::to_string(i) + ")\n";
  const Py py(code);
  CHECK(py->bindings().size() == 5000);
  CHECK(py->name_count() == 5001);
  std::size_t wrong = 0;
  for (std::uint32_t i = 0; i < py.tree().size(); ++i) {
    const syntax::NodeId id{i};
    const BindingId binding = py->BindingOf(id);
    if (binding != kNoBinding && py->Text((*py)[binding].name) != py.tree().Text(id)) ++wrong;
  }
  CHECK(wrong == 0);
}

TEST_CASE("a class of 50,000 methods, each also defined twice") {
  std::string code = "class C:\n";
  for (int i = 0; i < 50000; ++i) {
    const std::string def = " def m" + std::to_string(i) + "(self): pass\n";
    code += def + def;
  }
  const Py py(code);
  REQUIRE(py->classes()[0].methods.size() == 50000);
  CHECK(py->classes()[0].methods[49999].second == FunctionId{100000});
}

TEST_CASE("5,000 nested functions") {
  // The parser keeps far fewer levels of indentation, lambdas nest as deep as one likes.
  std::string code = "top = 1\n";
  std::string indent;
  for (int i = 0; i < 5000; ++i) {
    code += "(lambda x=top: ";
  }
  code += "x" + std::string(5000, ')') + "\n";
  const Py py(code);
  CHECK(py->functions().size() == 5001);
  CHECK(py->FunctionAt(py.Name("x", 5000)) == FunctionId{5000});
  CHECK(py.Same("x", 4999, 5000));
  CHECK(py->DisplayName(FunctionId{5000}) == "<lambda>");

  std::string defs;
  for (int i = 0; i < 100; ++i) {
    defs += indent + "def f" + std::to_string(i) + "(p" + std::to_string(i) + "):\n";
    indent += ' ';
  }
  defs += indent + "return p0 + p99\n";
  const Py deep(defs);
  CHECK(deep->functions().size() == 101);
  CHECK(deep.Same("p0", 0, 1));
  CHECK(deep.Of("p0").captured);
  CHECK_FALSE(deep.Of("p99").captured);
}

TEST_CASE("deep comprehensions, chains and parentheses") {
  const Py nest("y = 1\ndef f(y):\n  return " + Repeat("[", 1000) + "y" +
                Repeat(" for x in y if y]", 1000) + "\n");
  CHECK(nest.At("y", 1) != nest.At("y", 0));
  CHECK(nest.Same("y", 1, 2));
  CHECK(nest.Same("y", 1, 2001));

  const Py chain("import torch\nx = torch" + Repeat(".a", 20000) + "\n" + Repeat("a = ", 5000) +
                 "1\n");
  CHECK(chain->QualifiedName(chain.Of("x").sole_value) == "");

  const Py parens("z = 1\n" + std::string(50000, '(') + "z" + std::string(50000, ')') + "\n");
  CHECK(parens.Same("z", 0, 1));
}

}  // namespace
}  // namespace torchleak::sema

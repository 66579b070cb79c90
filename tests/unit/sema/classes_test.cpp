// The class hierarchy of one file.
#include "fixture.h"

#include <array>

namespace torchleak::sema {
namespace {

std::string Names(const Py& py, const std::vector<ClassId>& classes) {
  std::string names;
  for (const ClassId cls : classes) {
    if (!names.empty()) names += ' ';
    names += py->Text((*py)[cls].name);
  }
  return names;
}

using Bases = std::vector<std::string>;

TEST_CASE("bases: of the file, imported, builtin, unknown") {
  const Py py(R"(
import torch.nn as nn
from .base import Base
class A(nn.Module): pass
class B(A, Base, metaclass=Meta): pass
class C(B, make(), *more): pass
class D(object): pass
class E(unknown): pass
)");
  CHECK(py.Cls("B").bases.size() == 2);
  CHECK(py.Cls("B").project_bases == std::vector<ClassId>{py.Class("A")});
  CHECK(py.Cls("A").external_bases == Bases{"torch.nn.Module"});
  CHECK(py.Cls("B").external_bases == Bases{".base.Base", "torch.nn.Module"});
  CHECK(py.Cls("C").external_bases == Bases{".base.Base", "torch.nn.Module"});
  CHECK(py.Cls("D").external_bases == Bases{"object"});
  CHECK(py.Cls("E").external_bases.empty());
  const std::array<std::string_view, 2> modules = {"x.Y", "torch.nn.Module"};
  CHECK(py->DerivesFrom(py.Class("C"), modules));
  CHECK_FALSE(py->DerivesFrom(py.Class("D"), modules));
  CHECK_FALSE(py->DerivesFrom(kNoClass, modules));
}

TEST_CASE("bases through subscripts, parentheses and aliases") {
  const Py py(R"(
from torch import nn
from torch.utils.data import Dataset
Parent = nn.Module
Twice = Parent
class A(Dataset[int]): pass
class B((Twice)): pass
class C[T](Parent): pass
loop = loop
class D(loop): pass
)");
  CHECK(py.Cls("A").external_bases == Bases{"torch.utils.data.Dataset"});
  CHECK(py.Cls("B").external_bases == Bases{"torch.nn.Module"});
  CHECK(py.Cls("C").external_bases == Bases{"torch.nn.Module"});
  CHECK(py.Cls("D").external_bases.empty());
}

TEST_CASE("bases may be defined later in the file, or around a function") {
  const Py py(R"(
import m
def make():
    class Local(Late): pass
class Late(Later): pass
class Later(m.X): pass
)");
  CHECK(py.Cls("Local").external_bases == Bases{"m.X"});
}

TEST_CASE("a class named like its base extends what the name meant before") {
  const Py py(R"(
from lib import Trainer
class Trainer(Trainer): pass
class A: 
    def f(self): pass
class A(A): pass
class S(S): pass
)");
  CHECK(py.Cls("Trainer").external_bases == Bases{"lib.Trainer"});
  CHECK(py.Cls("Trainer").project_bases.empty());
  CHECK(py.Cls("A", 1).project_bases == std::vector<ClassId>{py.Class("A", 0)});
  CHECK(py->FindMethod(py.Class("A", 1), "f") == py.Function("f"));
  CHECK(py.Cls("S").project_bases.empty());
}

TEST_CASE("methods are found in resolution order") {
  const Py py(R"(
class A:
    def f(self): pass
    def g(self): pass
class B(A):
    def f(self): pass
class C(A):
    def f(self): pass
    def g(self): pass
class D(B, C):
    def f(self): pass
    def f(self): pass
)");
  CHECK(Names(py, py->Linearize(py.Class("D"))) == "D B C A");
  const NameId f = py->FindName("f");
  CHECK(py->FindMethod(py.Class("D"), f) == py.Function("f", 4));  // the last definition
  CHECK(py->FindSuperMethod(py.Class("D"), f) == py.Function("f", 1));
  CHECK(py->FindMethod(py.Class("D"), "g") == py.Function("g", 1));  // C before A
  CHECK(py->FindMethod(py.Class("B"), "g") == py.Function("g", 0));
  CHECK(py->FindSuperMethod(py.Class("A"), f) == kNoFunction);
  CHECK(py->FindMethod(py.Class("D"), "nothing") == kNoFunction);
  CHECK(py->FindMethod(kNoClass, f) == kNoFunction);
}

TEST_CASE("functions inside methods are no methods") {
  const Py py(
      "class C:\n    def m(self):\n        def hook(): pass\n    with x:\n        def w(self): "
      "pass\n");
  CHECK(py->FindMethod(py.Class("C"), "hook") == kNoFunction);
  CHECK(py->FindMethod(py.Class("C"), "w") == py.Function("w"));
}

TEST_CASE("cyclic inheritance ends") {
  const Py py(R"(
import m
class A(B, m.X):
    def f(self): pass
class B(C): pass
class C(A): pass
)");
  CHECK(Names(py, py->Linearize(py.Class("B"))) == "B C A");
  CHECK(py.Cls("B").external_bases == Bases{"m.X"});
  CHECK(py.Cls("C").external_bases == Bases{"m.X"});
  CHECK(py->FindMethod(py.Class("C"), "f") == py.Function("f"));
  CHECK(py->FindMethod(py.Class("C"), "absent") == kNoFunction);
  CHECK(py->FindSuperMethod(py.Class("A"), py->FindName("f")) == kNoFunction);
}

TEST_CASE("diamonds upon diamonds stay linear") {
  std::string code = "class A0: pass\n";
  for (int i = 1; i <= 60; ++i) {
    const std::string n = std::to_string(i), before = std::to_string(i - 1);
    code += "class L" + n + "(A" + before + "): pass\nclass R" + n + "(A" + before +
            "): pass\nclass A" + n + "(L" + n + ", R" + n + "): pass\n";
  }
  const Py py(code);
  CHECK(py->Linearize(py.Class("A60")).size() == 181);
}

TEST_CASE("a chain of 3,000 classes") {
  std::string code = "import torch\nclass C0(torch.nn.Module): pass\n";
  for (int i = 1; i < 3000; ++i) {
    code += "class C" + std::to_string(i) + "(C" + std::to_string(i - 1) + "): pass\n";
  }
  const Py py(code);
  REQUIRE(py->classes().size() == 3000);
  CHECK(py->Linearize(ClassId{2999}).size() == 1000);  // capped
  CHECK(py->classes()[2999].external_bases == Bases{"torch.nn.Module"});
}

}  // namespace
}  // namespace torchleak::sema

// What other files define, declared in a module: from then on it is found like the file's own.
#include <doctest/doctest.h>

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "fixture.h"

namespace torchleak::sema {
namespace {

// The module of a text, to be changed; the text outlives it.
struct Linked {
  explicit Linked(std::string code) : py(std::move(code)), module(Analyze(py.tree())) {}
  ClassId DeclareClass(std::string_view name, std::vector<Base> bases = {}) {
    Class cls;
    cls.node = syntax::kNoNode;
    cls.name = module.AddName(name);
    cls.scope = ScopeId{0};
    cls.parent = kNoFunction;
    cls.direct_bases = std::move(bases);
    return module.Declare(std::move(cls));
  }
  FunctionId DeclareFunction(std::string_view name, ClassId owner = kNoClass) {
    Function f;
    f.node = f.body = syntax::kNoNode;
    f.name = module.AddName(name);
    f.scope = ScopeId{0};
    f.parent = kNoFunction;
    f.class_id = owner;
    return module.Declare(std::move(f));
  }
  FunctionId DeclareMethod(ClassId cls, std::string_view name) {
    const FunctionId f = DeclareFunction(name, cls);
    module.DeclareMethod(cls, module.AddName(name), f);
    return f;
  }
  BindingId Global(std::string_view name) const {
    for (std::uint32_t i = 0; i < module.bindings().size(); ++i)
      if (module.Text(module.bindings()[i].name) == name) return BindingId{i};
    FAIL("no variable ", name);
    return kNoBinding;
  }

  Py py;
  Module module;
};

TEST_CASE("names: known ones keep their number, new ones get one") {
  Linked l("x = 1\n");
  const NameId x = l.module.FindName("x");
  CHECK(l.module.AddName("x") == x);
  std::string text = "brand_new";
  const NameId fresh = l.module.AddName(text);
  text = "gone_now!";  // the module keeps its own copy
  CHECK(fresh != x);
  CHECK(l.module.Text(fresh) == "brand_new");
  CHECK(l.module.AddName("brand_new") == fresh);
  CHECK(l.module.FindName("brand_new") == fresh);
}

TEST_CASE("declared functions follow the own ones, which stay those of functions()") {
  Linked l("from util import f\n\n\ndef g():\n    return f()\n");
  const std::size_t own = l.module.functions().size();
  const FunctionId f = l.DeclareFunction("f");
  CHECK(l.module.functions().size() == own);
  CHECK(l.module.function_count() == own + 1);
  CHECK(l.module.IsForeign(f));
  CHECK_FALSE(l.module.IsForeign(FunctionId{0}));
  l.module.Link(l.Global("f"), f, kNoClass);
  const Binding& binding = l.module[l.Global("f")];
  CHECK(binding.linked);
  CHECK(binding.function == f);
  CHECK(binding.class_id == kNoClass);
}

TEST_CASE("module.name at one place of the code") {
  Linked l("import util\nutil.f()\nutil.g()\n");
  const auto f = l.py.Node(syntax::Kind::kAttribute, "util.f");
  const auto g = l.py.Node(syntax::Kind::kAttribute, "util.g");
  CHECK(l.module.LinkedAt(f) == kNoBinding);
  const BindingId binding = l.module.DeclareBinding(l.module.AddName("f"));
  l.module.LinkAt(f, binding);
  CHECK(l.module.LinkedAt(f) == binding);
  CHECK(l.module.LinkedAt(g) == kNoBinding);
  CHECK(l.module[binding].linked);
}

TEST_CASE("methods and bases of another file are found through the hierarchy") {
  Linked l(R"(from util import Base


class Own(Base):
    def step(self):
        pass


class Lower(Own):
    pass
)");
  const ClassId root = l.DeclareClass("Root", {{kNoClass, "torch.nn.Module"}});
  const ClassId base = l.DeclareClass("Base", {{root, "Root"}});
  const FunctionId step = l.DeclareMethod(base, "step");
  const FunctionId reset = l.DeclareMethod(root, "reset");
  const ClassId own = l.py.Class("Own"), lower = l.py.Class("Lower");
  l.module.LinkBase(own, 0, base);
  l.module.FinishBases();

  CHECK(l.module.Linearize(lower) == std::vector<ClassId>{lower, own, base, root});
  CHECK(l.module[l.module.FindMethod(lower, "step")].class_id == own);
  CHECK(l.module.FindMethod(lower, "reset") == reset);
  CHECK(l.module.FindMethod(lower, "nothing") == kNoFunction);
  CHECK(l.module.FindSuperMethod(own, l.module.FindName("step")) == step);
  constexpr std::array<std::string_view, 1> kModule{"torch.nn.Module"};
  for (const ClassId cls : {root, base, own, lower}) CHECK(l.module.DerivesFrom(cls, kModule));
}

TEST_CASE("bases in a circle end, and what one of them has from outside all have") {
  Linked l("from util import A\n\n\nclass Own(A):\n    pass\n");
  const ClassId a = l.DeclareClass("A", {{kNoClass, ""}});
  const ClassId b = l.DeclareClass("B", {{a, "A"}, {kNoClass, "torch.nn.Module"}});
  l.module.LinkBase(a, 0, b);
  l.module.LinkBase(l.py.Class("Own"), 0, a);
  l.module.FinishBases();
  CHECK(l.module.Linearize(l.py.Class("Own")).size() == 3);
  constexpr std::array<std::string_view, 1> kModule{"torch.nn.Module"};
  CHECK(l.module.DerivesFrom(l.py.Class("Own"), kModule));
  CHECK(l.module.FindMethod(a, "f") == kNoFunction);
}

TEST_CASE("finishing again takes back what a base was before it was known") {
  Linked l("from util import Base\n\n\nclass Own(Base):\n    pass\n");
  const ClassId own = l.py.Class("Own");
  CHECK(l.module[own].external_bases == std::vector<std::string>{"util.Base"});
  CHECK(l.module[own].project_bases.empty());
  const ClassId base = l.DeclareClass("Base");
  l.module.LinkBase(own, 0, base);
  l.module.FinishBases();
  CHECK(l.module[own].external_bases.empty());
  CHECK(l.module[own].project_bases == std::vector<ClassId>{base});
}

TEST_CASE(
    "a tower of 5,000 declared classes: known to be modules, methods found as far as it goes") {
  Linked l("from util import Top\n\n\nclass Own(Top):\n    pass\n");
  ClassId below = l.DeclareClass("C0", {{kNoClass, "torch.nn.Module"}});
  const FunctionId f = l.DeclareMethod(below, "f");
  ClassId near = kNoClass;
  for (int i = 1; i < 5000; ++i) {
    below = l.DeclareClass("C" + std::to_string(i), {{below, ""}});
    if (i == 900) near = below;
  }
  l.module.LinkBase(l.py.Class("Own"), 0, below);
  l.module.FinishBases();
  CHECK(l.module.FindMethod(near, "f") == f);
  CHECK(l.module.FindMethod(l.py.Class("Own"), "f") == kNoFunction);
  constexpr std::array<std::string_view, 1> kModule{"torch.nn.Module"};
  CHECK(l.module.DerivesFrom(l.py.Class("Own"), kModule));
}

}  // namespace
}  // namespace torchleak::sema

// What a file gets from the files that it imports.
#include "flow/link.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "modules.h"

namespace torchleak::flow {
namespace {

constexpr const char* kUtil = R"(import torch
from torch import nn

HISTORY = []


def live(model, x):
    return model(x).mean()


def keep(kept, loss):
    kept.append(loss)


def remember(loss):
    HISTORY.append(loss)


class Meter:
    def __init__(self):
        self.values = []

    def update(self, value):
        self.values.append(value)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Linear(2, 2)

    def forward(self, x):
        return self.body(x)
)";

// Display names of the functions that a file declares for others.
std::vector<std::string> Declared(const PyFile& file) {
  std::vector<std::string> names;
  for (const Links::Foreign& f : file.links().functions) {
    const Interface& in = *f.file;
    const FunctionInterface& function = in.functions[f.index];
    const auto cls = function.head.class_id;
    const auto name = [&](sema::NameId id) { return in.names[Index(id)]; };
    names.push_back((cls == sema::kNoClass ? "" : name(in.classes[Index(cls)].head.name) + ".") +
                    name(function.head.name));
  }
  return names;
}

TEST_CASE("an imported function is declared with its summary, and nothing else is") {
  Modules modules;
  modules.Add("util", kUtil);
  const PyFile& file = modules.Add("train", "from util import live as alive\nalive(1, 2)\n");
  CHECK(Declared(file) == std::vector<std::string>{"live"});
  const sema::Binding& b = file.Global("alive");
  CHECK(b.linked);
  REQUIRE(b.function != sema::kNoFunction);
  CHECK(file.module.IsForeign(b.function));
  CHECK(file.module[b.function].params.size() == 2);
  REQUIRE(file.links().summaries.size() == 1);
  CHECK(file.links().summaries[0].ready);
  CHECK(file.links().summaries[0].ret_makes_graph);
}

TEST_CASE("import util, import util as u, and packages with dots") {
  Modules modules;
  modules.Add("util", kUtil);
  modules.Add("pkg.util", kUtil);
  const auto declared = [&](const std::string& code) {
    return Declared(modules.Add("train", code));
  };
  const std::vector<std::string> live{"live"};
  CHECK(declared("import util\nutil.live(1, 2)\n") == live);
  CHECK(declared("import util as u\nu.live(1, 2)\nu.live(3, 4)\n") == live);
  CHECK(declared("import pkg.util\npkg.util.live(1, 2)\n") == live);
  CHECK(declared("from pkg import util\nutil.live(1, 2)\n") == live);
  CHECK(declared("def f():\n    from pkg import util\n    return util.live(1, 2)\n") == live);
  // Only what is named is drawn in.
  CHECK(declared("import util\nutil.nothing_of_the_kind(1)\n").empty());
  CHECK(declared("import util\nprint(util)\n").empty());
}

TEST_CASE("a name that the file binds itself is not the import's") {
  Modules modules;
  modules.Add("util", kUtil);
  const PyFile& file = modules.Add("train", R"(from util import live
live = print


def f(util):
    return util.live(1, 2)
)");
  CHECK(Declared(file).empty());
}

TEST_CASE("import *: only for names that nothing binds, and the first module that has them") {
  Modules modules;
  modules.Add("util", kUtil);
  modules.Add("other", "def live():\n    return 1\n\n\ndef more():\n    return 2\n");
  const PyFile& file = modules.Add("train", R"(from util import *
from other import *


def f(keep):
    keep(live(1, 2))
    print(more())
    len([])
)");
  CHECK(Declared(file) == std::vector<std::string>{"live", "more"});
}

TEST_CASE("a class brings its methods and what is known of its attributes") {
  Modules modules;
  modules.Add("util", kUtil);
  const PyFile& file =
      modules.Add("train", "from util import Meter, Net\nm = Meter()\nn = Net()\n");
  const sema::ClassId meter = file.Global("Meter").class_id;
  REQUIRE(meter != sema::kNoClass);
  CHECK(file.module.IsForeign(meter));
  CHECK(file.module.FindMethod(meter, "update") != sema::kNoFunction);
  CHECK(file.module.FindMethod(meter, "reset") == sema::kNoFunction);
  const sema::ClassId net = file.Global("Net").class_id;
  CHECK(file.world().IsModuleClass(net));
  CHECK_FALSE(file.world().IsModuleClass(meter));
  const Value values = file.world().Attribute(meter, file.module.FindName("values"));
  CHECK(values.Is(Kind::kContainer));
  CHECK(file.world().Attribute(net, file.module.FindName("body")).Is(Kind::kModule));
}

TEST_CASE("bases over three files: methods, super() and the module from outside") {
  Modules modules;
  modules.Add("one", R"(from torch import nn


class Base(nn.Module):
    def step(self):
        pass

    def late(self):
        pass
)");
  modules.Add("two", R"(import one


class Middle(one.Base):
    def step(self):
        super().step()
)");
  const PyFile& file = modules.Add("three", R"(from two import Middle


class Leaf(Middle):
    pass
)");
  const sema::ClassId leaf = file.Class("Leaf");
  const auto order = file.module.Linearize(leaf);
  REQUIRE(order.size() == 3);
  CHECK(file.module.Text(file.module[order[1]].name) == "Middle");
  CHECK(file.module.Text(file.module[order[2]].name) == "Base");
  CHECK(file.world().IsModuleClass(leaf));
  const sema::FunctionId step = file.module.FindMethod(leaf, "step");
  REQUIRE(step != sema::kNoFunction);
  CHECK(file.module[step].class_id == order[1]);
  CHECK(file.module[file.module.FindMethod(leaf, "late")].class_id == order[2]);
  CHECK(file.module[file.module.FindSuperMethod(order[1], file.module.FindName("step"))].class_id ==
        order[2]);
}

TEST_CASE("variables of another file: what they are, and that they are the same one") {
  Modules modules;
  modules.Add("util", kUtil);
  const PyFile& file = modules.Add("train", R"(import torch
import util
from util import HISTORY, remember


def train(model: torch.nn.Module, loader, optimizer):
    for x in loader:
        loss = model(x).mean()
        loss.backward()
        optimizer.step()
        HISTORY.append(loss)
        util.HISTORY.append(loss)
        remember(loss)
)");
  REQUIRE_FALSE(file.links().globals.empty());
  for (const auto& [binding, value] : file.links().globals) CHECK(value.Is(Kind::kContainer));
  std::size_t kept = 0;
  for (const KeptEvent& event : file.events.kept) kept += event.place == Place::kGlobal;
  CHECK(kept == 3);
}

TEST_CASE("modules that are missing, or not analysed yet, declare nothing") {
  Modules modules;
  modules.AddUnknown("circle");
  const PyFile& file = modules.Add("train", R"(import circle
from circle import f, Base
from nowhere import g
from nowhere import *


class Mine(Base):
    def run(self, x):
        return circle.h(f(g(x)))
)");
  CHECK(Declared(file).empty());
  CHECK(file.links().classes.empty());
  CHECK_FALSE(file.Global("f").linked);
  CHECK(file.module.Linearize(file.Class("Mine")).size() == 1);
}

TEST_CASE("what the stubs know is not taken from a file of that name") {
  Modules modules;
  modules.Add("torch.nn", "class Module:\n    def forward(self):\n        return 1\n");
  const PyFile& file =
      modules.Add("train", "from torch import nn\n\n\nclass Net(nn.Module):\n    pass\n");
  CHECK(file.links().classes.empty());
  CHECK(file.world().IsModuleClass(file.Class("Net")));
}

// Class k of one file derives from class k - 1 of the file before.
TEST_CASE("towers of classes end, however high") {
  Modules modules;
  modules.Add("m0", "class C0:\n    def f(self):\n        return 0\n");
  for (int i = 1; i < 200; ++i) {
    const std::string n = std::to_string(i), before = std::to_string(i - 1);
    modules.Add("m" + n, "from m" + before + " import C" + before + "\n\n\nclass C" + n + "(C" +
                             before + "):\n    pass\n");
  }
  const PyFile& file = modules.Add("use", "from m20 import C20\nfrom m199 import C199\n");
  CHECK(file.module.Linearize(file.Global("C20").class_id).size() == 21);
  const std::size_t high = file.module.Linearize(file.Global("C199").class_id).size();
  CHECK(high > 20);
  CHECK(high <= 200);
}

}  // namespace
}  // namespace torchleak::flow

// What a file tells the files that import it.
#include "flow/interface.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <set>
#include <string>

#include "modules.h"

namespace torchleak::flow {
namespace {

const FunctionInterface& FunctionOf(const Interface& in, std::string_view name) {
  for (const FunctionInterface& f : in.functions)
    if (in.names[Index(f.head.name)] == name) return f;
  FAIL("no function ", name);
  return in.functions[0];
}

TEST_CASE("functions and classes of the module level, methods, variables; no imports, no locals") {
  Modules modules;
  const PyFile& file = modules.Add("util", R"(import os
from torch import nn

LIMIT = 3


def outer():
    def inner():
        pass

    class Hidden:
        def method(self):
            pass

    return inner


class Meter:
    LIMIT = 4

    def update(self):
        return lambda: 1
)");
  const Interface& in = *file.interface;
  CHECK(*in.path == "util.py");
  std::set<std::string> functions, classes, globals;
  for (const FunctionInterface& f : in.functions) functions.insert(in.names[Index(f.head.name)]);
  for (const ClassInterface& c : in.classes) classes.insert(in.names[Index(c.head.name)]);
  for (const auto& [name, index] : in.global_of) globals.insert(name);
  CHECK(functions == std::set<std::string>{"outer", "update"});
  CHECK(classes == std::set<std::string>{"Meter"});
  CHECK(globals == std::set<std::string>{"LIMIT", "Meter", "outer"});
  CHECK(FunctionOf(in, "update").row == 21);
  CHECK(FunctionOf(in, "update").head.class_id == sema::ClassId{0});
  CHECK(in.classes[0].row == 18);
}

TEST_CASE("summaries: what comes back, what is kept, which mode") {
  Modules modules;
  const PyFile& file = modules.Add("util", R"(import torch


def live(model, x):
    return model(x).mean()


def number(model, x):
    return live(model, x).item()


@torch.no_grad()
def guarded(model, x):
    return model(x)


def keep(kept, loss):
    kept.append(loss)


def differentiate(loss):
    loss.backward()
)");
  const Interface& in = *file.interface;
  CHECK(FunctionOf(in, "live").summary.ret_makes_graph);
  CHECK_FALSE(FunctionOf(in, "number").summary.ret_makes_graph);
  CHECK(FunctionOf(in, "guarded").decorated == GradMode::kOff);
  CHECK_FALSE(FunctionOf(in, "guarded").summary.ret_makes_graph);
  const Summary& keep = FunctionOf(in, "keep").summary;
  REQUIRE(keep.stores.size() == 1);
  CHECK(keep.stores[0].sink.root == Sink::Root::kParam);
  CHECK(keep.stores[0].sink.index == 0);
  CHECK((keep.stores[0].bare_params | keep.stores[0].params) == 2);
  CHECK((FunctionOf(in, "differentiate").summary.differentiated & 1) != 0);
}

// A sink names a variable by its number in the interface, and a trail says in which file it is.
TEST_CASE("stores into variables of the file") {
  Modules modules;
  const PyFile& file = modules.Add("state", R"(FIRST = 1
HISTORY = []


def keep(loss):
    HISTORY.append(loss)
)");
  const Interface& in = *file.interface;
  const Summary& keep = FunctionOf(in, "keep").summary;
  REQUIRE(keep.stores.size() == 1);
  REQUIRE(keep.stores[0].sink.root == Sink::Root::kBinding);
  const GlobalInterface& global = in.globals[keep.stores[0].sink.index];
  CHECK(in.names[Index(global.name)] == "HISTORY");
  CHECK(global.value.Is(Kind::kContainer));
  for (const Site& site : keep.stores[0].trail) {
    REQUIRE(site.path != nullptr);
    CHECK(*site.path == "state.py");
  }
}

TEST_CASE("trails through two files name both") {
  Modules modules;
  modules.Add("inner", "def put(kept, loss):\n    kept.append(loss)\n");
  modules.Add("outer", "from inner import put\n\n\ndef keep(kept, loss):\n    put(kept, loss)\n");
  const PyFile& file = modules.Add("train", R"(import torch
from outer import keep


def evaluate(model: torch.nn.Module, loader):
    kept = []
    for x in loader:
        keep(kept, model(x))
    return kept
)");
  REQUIRE(file.events.kept.size() == 1);
  std::vector<std::string> paths;
  for (const Step& step : file.events.kept[0].flow) paths.push_back(step.path);
  CHECK(std::count(paths.begin(), paths.end(), "outer.py") == 1);
  CHECK(std::count(paths.begin(), paths.end(), "inner.py") == 1);
  CHECK(paths.front().empty());
}

TEST_CASE("what an interface refers to in other files stays there") {
  Modules modules;
  const PyFile& base = modules.Add("base", R"(class Base:
    def run(self):
        return 1


def helper():
    return 2
)");
  const PyFile& file = modules.Add("derived", R"(from base import Base, helper


class Derived(Base):
    pass


def pick():
    return helper
)");
  const Interface& in = *file.interface;
  REQUIRE(in.classes.size() == 1);
  REQUIRE(in.classes[0].head.direct_bases.size() == 1);
  const auto base_id = Index(in.classes[0].head.direct_bases[0].cls);
  REQUIRE(base_id >= in.classes.size());
  const auto& [where, index] = in.foreign_classes[base_id - in.classes.size()];
  CHECK(where == base.interface);
  CHECK(where->names[Index(where->classes[index].head.name)] == "Base");
  // Imported names are not exported again: who imports them is led to where they are defined.
  CHECK_FALSE(in.global_of.contains("helper"));
}

}  // namespace
}  // namespace torchleak::flow

#include "flow/attribute_uses.h"

#include <doctest/doctest.h>

#include <string>

#include "fixture.h"

namespace torchleak::flow {
namespace {

AttributeUses Uses(const std::string& code) {
  const Py py("import torch\n" + code);
  return UsesOf(*py.events().world);
}

bool Has(const AttributeUses::Names& names, std::string_view name) {
  return AttributeUses::Has(names, name);
}

TEST_CASE("read: attributes of what is not `self`") {
  const AttributeUses uses = Uses(R"(
class Trainer:
    def __init__(self, model):
        self.model = model
        self.own = []

    def step(self, other):
        print(self.own)
        return self.model.features + other.scores
)");
  CHECK(Has(uses.read, "scores"));
  CHECK(Has(uses.read, "features"));
  CHECK_FALSE(Has(uses.read, "own"));
}

TEST_CASE("reset: emptied or rebound, by whatever function but __init__") {
  const AttributeUses uses = Uses(R"(
def train(policy, memory, agent):
    policy.log_probs.clear()
    del policy.rewards[:]
    agent.hidden = None
    memory.states.append(1)


class Holder:
    def __init__(self, policy):
        policy.made_here = []
)");
  CHECK(Has(uses.reset, "log_probs"));
  CHECK(Has(uses.reset, "rewards"));
  CHECK(Has(uses.reset, "hidden"));
  CHECK_FALSE(Has(uses.reset, "states"));
  CHECK_FALSE(Has(uses.reset, "made_here"));
}

TEST_CASE("removed: handles of hooks; differentiated: losses") {
  const AttributeUses uses = Uses(R"(
class Trainer:
    def __init__(self, model):
        self.model = model
        self.handles = []

    def close(self):
        for handle in self.handles:
            handle.remove()

    def train(self):
        (self.model.parts * 0.5).mean().backward()
        print(len(self.model.rest))
)");
  CHECK(Has(uses.removed, "handles"));
  CHECK_FALSE(Has(uses.removed, "parts"));
  CHECK(Has(uses.differentiated, "parts"));
  CHECK_FALSE(Has(uses.differentiated, "rest"));
}

TEST_CASE("uses of several files are put together, and an empty one has nothing") {
  AttributeUses all;
  CHECK_FALSE(Has(all.reset, "kept"));
  all.Add(Uses("def f(x):\n    x.kept.clear()\n"));
  all.Add(Uses("def f(x):\n    x.kept.clear()\n    x.more.clear()\n"));
  all.Sort();
  CHECK(Has(all.reset, "kept"));
  CHECK(Has(all.reset, "more"));
  CHECK(all.reset.size() == 2);
  CHECK_FALSE(Has(all.reset, "other"));
}

}  // namespace
}  // namespace torchleak::flow

// The mutations themselves: always the same for a seed, and of every kind.
#include "mutate.h"

#include <doctest/doctest.h>

#include <set>
#include <string>

namespace torchleak::tests {
namespace {

const char* const kCode =
    "import torch\ndef f(model, xs):\n    for x in xs:\n        y = model(x)\n";

TEST_CASE("a seed gives the same code each time, another one another") {
  std::set<std::string> seen;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    Random a(seed), b(seed);
    const std::string code = Mutate(kCode, kCode, a);
    CHECK(code == Mutate(kCode, kCode, b));
    seen.insert(code);
  }
  CHECK(seen.size() > 80);
}

TEST_CASE("code of no length, and of one byte") {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    Random random(seed);
    CHECK(Mutate("", "", random).empty());
    Mutate("x", "", random);
    Mutate("\n", "\n\n", random);
  }
}

}  // namespace
}  // namespace torchleak::tests

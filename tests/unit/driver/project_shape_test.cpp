// Projects of unpleasant shapes: circles, towers of classes, recursion over hundreds of functions.
// They must end, and find what can be found.
#include <doctest/doctest.h>

#include <algorithm>
#include <string>

#include "tests/unit/driver/repo.h"

namespace torchleak::driver {
namespace {

TEST_CASE("two files that import each other") {
  Repo repo{{"a.py", R"(import torch
import b


def live(model, x):
    return model(x).mean()


def evaluate(model: torch.nn.Module, loader):
    kept = []
    for x in loader:
        b.keep(kept, live(model, x))
    return kept
)"},
            {"b.py", R"(import torch
import a


def keep(kept, loss):
    kept.append(loss)


def evaluate(model: torch.nn.Module, loader):
    kept = []
    for x in loader:
        kept.append(a.live(model, x))
    return kept
)"}};
  const Lines lines = repo.Findings();
  CHECK(Only("TLK101", lines) == Lines{"a.py:12 TLK101 <- b.py:6", "b.py:12 TLK101"});
  std::reverse(repo.paths().begin(), repo.paths().end());
  CHECK(repo.Findings(2) == lines);
}

// What a function of a.py keeps comes back to it by way of b.py: the path of the store goes through
// both files twice, and their first, provisional summaries are long gone when it is told.
TEST_CASE("a chain of calls to and fro between two files") {
  Repo repo{{"a_file_with_a_name_that_is_long_enough_to_be_on_the_heap.py", R"(import torch
import b_file_with_a_name_that_is_long_enough_to_be_on_the_heap as b


def put(kept, loss):
    kept.append(loss)


def middle(kept, loss):
    b.inner(kept, loss)
)"},
            {"b_file_with_a_name_that_is_long_enough_to_be_on_the_heap.py", R"(import torch
import a_file_with_a_name_that_is_long_enough_to_be_on_the_heap as a


def inner(kept, loss):
    a.put(kept, loss)


def evaluate(model: torch.nn.Module, loader):
    kept = []
    for x in loader:
        a.middle(kept, model(x).mean())
    return kept
)"}};
  const Lines lines = repo.Findings();
  REQUIRE(lines.size() == 2);
  CHECK(
      lines[0].starts_with("b_file_with_a_name_that_is_long_enough_to_be_on_the_heap.py:12 "
                           "TLK101 <- a_file"));
  CHECK(lines[0].ends_with("a_file_with_a_name_that_is_long_enough_to_be_on_the_heap.py:6"));
  CHECK(repo.Findings(4) == lines);
}

TEST_CASE("a file that imports itself, and a circle of 50 files") {
  Repo repo{{"me.py",
             "import torch\nimport me\nfrom me import f\n\n\ndef f(model, x):\n"
             "    return me.f(model, model(x))\n"}};
  constexpr int kFiles = 50;
  for (int i = 0; i < kFiles; ++i) {
    const int next = (i + 1) % kFiles;
    repo.Put(fmt::format("c{}.py", i),
             fmt::format("import torch\nimport c{0}\n\n\ndef f(model, x):\n"
                         "    return c{0}.f(model, x)\n\n\ndef g(kept, x):\n    c{0}.g(kept, x)\n",
                         next));
  }
  CHECK(repo.Findings() == Lines{});
}

// Class k derives from class k - 1; only the first one has methods.
std::string Tower(int from, int to, std::string_view base) {
  std::string code;
  for (int k = from; k < to; ++k)
    code += fmt::format("class C{}({}):\n    size = {}\n\n\n", k,
                        k == from ? std::string(base) : fmt::format("C{}", k - 1), k);
  return code;
}

constexpr std::string_view kRoot = R"(import torch


class Root:
    def __init__(self):
        self.kept = []

    def keep(self, loss):
        self.kept.append(loss)


)";

std::string UseOf(int last) {
  return fmt::format(R"(

def evaluate(model: torch.nn.Module, loader):
    log = C{}()
    for x, y in loader:
        log.keep(torch.nn.functional.mse_loss(model(x), y))
    return log
)",
                     last);
}

TEST_CASE("a tower of 2,000 classes in one file") {
  Repo repo;
  repo.Put("tower.py", std::string(kRoot) + Tower(0, 2000, "Root") + UseOf(1999));
  const Lines lines = repo.Findings();
  // The method is found all the way down; were it given up, that would be silence.
  CHECK(lines.size() <= 2);
  Repo small;
  small.Put("small.py", std::string(kRoot) + Tower(0, 20, "Root") + UseOf(19));
  CHECK(Only("TLK101", small.Findings()).size() == 1);
}

TEST_CASE("a tower of 2,000 classes over 200 files") {
  Repo repo;
  for (int f = 0; f < 200; ++f) {
    const int first = f * 10;
    std::string head =
        f == 0 ? std::string(kRoot)
               : fmt::format("import torch\nfrom f{} import C{}\n\n\n", f - 1, first - 1);
    repo.Put(fmt::format("f{}.py", f),
             head + Tower(first, first + 10, f == 0 ? "Root" : fmt::format("C{}", first - 1)) +
                 UseOf(first + 9));
  }
  const Lines lines = repo.Findings();
  CHECK(lines.size() >= 4);  // near the root nothing is given up
  CHECK(std::count(lines.begin(), lines.end(), "f1.py:50 TLK101 <- f0.py:9") == 1);
  CHECK(repo.Findings(4) == lines);
}

TEST_CASE("2,000 classes that derive from one, and one that derives from 300") {
  Repo repo;
  repo.Put("root.py", std::string(kRoot));
  std::string wide = "import torch\nfrom root import Root\n\n\n", bases;
  for (int i = 0; i < 2000; ++i) wide += fmt::format("class C{}(Root):\n    pass\n\n\n", i);
  for (int i = 0; i < 300; ++i) bases += fmt::format("{}C{}", i == 0 ? "" : ", ", i);
  wide += fmt::format("class All({}):\n    pass\n", bases);
  repo.Put("wide.py", wide + UseOf(7));
  repo.Put("use.py", "import torch\nfrom wide import All, C7\n" + UseOf(7));
  const Lines lines = repo.Findings();
  CHECK(std::count_if(lines.begin(), lines.end(), [](const std::string& line) {
          return line.find("TLK101 <- root.py:9") != std::string::npos;
        }) == 2);
}

TEST_CASE("bases in a circle, over two files") {
  Repo repo{{"a.py",
             "import torch\nfrom b import B\n\n\nclass A(B):\n    pass\n\n\n"
             "def f(model, x):\n    return A().g(model(x))\n"},
            {"b.py",
             "import torch\nfrom a import A\n\n\nclass B(A):\n    pass\n\n\n"
             "def f(model, x):\n    return B().g(model(x))\n"}};
  CHECK(repo.Findings() == Lines{});
}

// Function k calls k + 1, k + 7 and, from the last on, the first again.
std::string Ring(int from, int to, int all, int per_file) {
  const auto name = [&](int k) {
    k %= all;
    return k >= from && k < to ? fmt::format("f{}", k) : fmt::format("m{}.f{}", k / per_file, k);
  };
  std::string code = "import torch\n";
  for (int f = 0; f < all / per_file; ++f) {
    if (f * per_file != from) code += fmt::format("import m{}\n", f);
  }
  for (int k = from; k < to; ++k)
    code += fmt::format(
        "\n\ndef f{}(model, x, kept):\n    if x.size(0) > {}:\n        {}(model, x, kept)\n"
        "    kept.append(model(x))\n    return {}(model, x[1:], kept)\n",
        k, k, name(k + 7), name(k + 1));
  return code;
}

TEST_CASE("500 functions that call each other, in one file and over 50") {
  Repo one;
  one.Put("ring.py", Ring(0, 500, 500, 500));
  one.Findings();
  Repo many;
  for (int f = 0; f < 50; ++f)
    many.Put(fmt::format("m{}.py", f), Ring(f * 10, f * 10 + 10, 500, 10));
  const Lines lines = many.Findings(4);
  CHECK(many.Findings(1) == lines);
  std::reverse(many.paths().begin(), many.paths().end());
  CHECK(many.Findings(2) == lines);
}

}  // namespace
}  // namespace torchleak::driver

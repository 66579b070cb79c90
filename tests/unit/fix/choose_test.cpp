#include "fix/choose.h"

#include <doctest/doctest.h>

namespace torchleak::fix {
namespace {

Replacement At(std::uint32_t begin, std::uint32_t end, std::string content) {
  return {{begin, end}, std::move(content)};
}

TEST_CASE("fixes at different places go together") {
  Together together;
  CHECK(together.Add({{"a.py", {At(10, 10, ".item()")}}}));
  CHECK(together.Add({{"a.py", {At(2, 5, "")}}}));
  CHECK(together.Add({{"b.py", {At(10, 10, "x")}}}));
  REQUIRE(together.edits().at("a.py").size() == 2);
  CHECK(together.edits().at("a.py")[0].span.begin == 2);
}

TEST_CASE("overlaps wait, whole: no edit of the fix is made") {
  Together together;
  CHECK(together.Add({{"a.py", {At(10, 20, "x")}}}));
  CHECK_FALSE(together.Add({{"a.py", {At(0, 2, ""), At(15, 25, "y")}}, {"b.py", {At(0, 1, "")}}}));
  CHECK(together.edits().at("a.py").size() == 1);
  CHECK_FALSE(together.edits().contains("b.py"));
  CHECK(together.Add({{"a.py", {At(20, 22, "z")}}}));  // a neighbour
}

TEST_CASE("insertions that meet another edit wait: their order is not known") {
  Together together;
  CHECK(together.Add({{"a.py", {At(10, 10, "x"), At(20, 30, "")}}}));
  CHECK_FALSE(together.Add({{"a.py", {At(10, 10, "y")}}}));
  CHECK_FALSE(together.Add({{"a.py", {At(20, 20, "y")}}}));
  CHECK_FALSE(together.Add({{"a.py", {At(30, 30, "y")}}}));
  CHECK_FALSE(together.Add({{"a.py", {At(5, 10, "")}}}));
}

TEST_CASE("what two fixes both do is done once") {
  Together together;
  CHECK(together.Add({{"a.py", {At(0, 0, "import torch\n"), At(10, 10, ".item()")}}}));
  CHECK(together.Add({{"a.py", {At(0, 0, "import torch\n"), At(10, 10, ".item()")}}}));
  CHECK(together.Add({{"a.py", {At(0, 0, "import torch\n"), At(20, 20, ".item()")}}}));
  CHECK(together.edits().at("a.py").size() == 3);
  // The same blanks for two different blocks: both are needed.
  CHECK(together.Add({{"a.py", {At(30, 30, "    "), At(40, 40, "    ")}}}));
  CHECK_FALSE(together.Add({{"a.py", {At(40, 40, "    "), At(50, 50, "    ")}}}));
}

}  // namespace
}  // namespace torchleak::fix

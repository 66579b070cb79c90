// The checker itself: whatever is wrong with an expectation must be told.
#include "checker.h"

#include <doctest/doctest.h>

#include <string>

#include "belief.h"

namespace torchleak::tests {
namespace {

const char* const kCode = R"(import torch
def f(model: torch.nn.Module, x):
    y = model(x)
    z = y.detach()
    y
)";

// kCode with a comment behind a row.
std::string With(std::size_t row, const std::string& comment) {
  std::string out, code = kCode;
  for (std::size_t at = 1; !code.empty(); ++at) {
    const std::size_t end = code.find('\n');
    out += code.substr(0, end) + (at == row ? "  " + comment : "") + "\n";
    code.erase(0, end + 1);
  }
  return out;
}

std::string Problem(std::size_t row, const std::string& comment) {
  const auto problems = CheckBlock("page.md", 10, With(row, comment));
  CHECK(problems.size() <= 1);
  return problems.empty() ? "" : problems[0];
}

TEST_CASE("right expectations, of assignments and of expressions") {
  CHECK(Problem(3, "# flow: grad=live kind=tensor mode=inherit") == "");
  CHECK(Problem(3, "# flow: y: grad=live; model: kind=module strength=strong") == "");
  CHECK(Problem(4, "# flow: grad=none kind=tensor") == "");
  CHECK(Problem(5, "# flow: grad=live") == "");
}

TEST_CASE("every wrong word is told, with its place") {
  CHECK(Problem(3, "# flow: grad=none") == "page.md:12: `` has grad=live instead of none");
  CHECK(Problem(4, "# flow: z: grad=live") == "page.md:13: `z` has grad=none instead of live");
  for (const char* words : {"kind=number", "device=host", "size=scalar", "mode=off",
                            "strength=none", "eval=yes", "frozen=yes"}) {
    CAPTURE(std::string(words));
    CHECK(Problem(3, std::string("# flow: ") + words).find("instead of") != std::string::npos);
  }
}

TEST_CASE("one wrong word among right ones") {
  CHECK(Problem(3, "# flow: kind=tensor grad=none") ==
        "page.md:12: `` has grad=live instead of none");
}

TEST_CASE("comments that say nothing") {
  CHECK(Problem(3, "# flow: q: grad=live").find("no value `q`") != std::string::npos);
  CHECK(Problem(1, "# flow: grad=live").find("no value") != std::string::npos);
  for (const char* comment :
       {"# flow:", "# flow: grad", "# flow: grad=alive", "# flow: grad=", "# flow: colour=red",
        "# flow: grad=live grad=live", "# flow; grad=live", "# flows: grad=live"}) {
    CAPTURE(std::string(comment));
    CHECK_FALSE(CheckBlock("page.md", 10, With(3, comment)).empty());
  }
  CHECK(Problem(3, "").find("expects nothing") != std::string::npos);
}

TEST_CASE("a gap must be one") {
  CHECK(Problem(3, "# flow-gap: grad=none") == "");
  CHECK(Problem(3, "# flow-gap: grad=live").find("the gap is closed") != std::string::npos);
}

TEST_CASE("a block that does not parse") {
  CHECK_FALSE(CheckBlock("page.md", 1, "def f(:\n    x = 1  # flow: kind=number\n").empty());
}

TEST_CASE("every kind of value has a word") {
  // A new kind must be named in belief.cpp and in the README.
  const Beliefs beliefs("import torch\nx = torch.distributions.Normal(0, 1)\n");
  CHECK(beliefs.After(2, "x")->at("kind") == "distribution");
}

}  // namespace
}  // namespace torchleak::tests

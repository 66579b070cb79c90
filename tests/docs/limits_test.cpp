#include "limits.h"

#include <doctest/doctest.h>

#include "files.h"

namespace torchleak::tests {
namespace {

TEST_CASE("docs/known-limits.md says what the fixtures admit") {
  CHECK_MESSAGE(HoldsOrUpdated("docs/known-limits.md", LimitsPage(AllLimits())),
                "out of date; docs/update writes it anew");
}

TEST_CASE("marks at the end of a line and under it") {
  const std::vector<Limit> limits = MarkedLimits("a.py", Lines(R"py(
    keep(loss)  # expect-fn: TLK101 another file
    window.append(loss)
#   ^^^^^^^^^^^^^^^^^^^ TLK101
# expect-fp: TLK102 bounded
)py"));
  REQUIRE_EQ(limits.size(), 2);
  CHECK(limits[0].missed);
  CHECK_EQ(limits[0].rule, "TLK101");
  CHECK_EQ(limits[0].reason, "another file");
  CHECK_EQ(limits[0].code, "keep(loss)");
  CHECK_FALSE(limits[1].missed);
  CHECK_EQ(limits[1].code, "window.append(loss)");
  CHECK_EQ(limits[1].file, "a.py");
}

TEST_CASE("the page counts, and sorts by rule") {
  const std::string page =
      LimitsPage({{false, "TLK203", "b", "g()", "y.py"}, {true, "TLK101", "a", "f()", "x.py"}});
  CHECK(page.find("**1 missed, 1 false alarms.**") != std::string::npos);
  CHECK_LT(page.find("## TLK101 accumulated-tensor"), page.find("## TLK203 eval-with-grad"));
  CHECK(page.find("| missed | `f()` | a | [x.py](../x.py) |") != std::string::npos);
}

}  // namespace
}  // namespace torchleak::tests

#include <doctest/doctest.h>

#include "report/report.h"
#include "report/version.h"

namespace torchleak::report {
namespace {

TEST_CASE("formats are found by name") {
  REQUIRE(Formats().size() == 13);
  for (const FormatInfo& info : Formats()) {
    const auto parsed = ParseFormat(info.name);
    REQUIRE(static_cast<bool>(parsed));
    CHECK(*parsed == info.format);
    CHECK(Info(info.format).name == info.name);
  }
  const auto upper = ParseFormat("SARIF");
  REQUIRE(static_cast<bool>(upper));
  CHECK(*upper == Format::kSarif);
}

TEST_CASE("an unknown format names the nearest one and all") {
  const auto slip = ParseFormat("jsn");
  REQUIRE_FALSE(static_cast<bool>(slip));
  CHECK(slip.error().message ==
        "unknown output format 'jsn'; did you mean 'json'? (known: full, concise, grouped, json, "
        "json-lines, sarif, github, gitlab, "
        "junit, pylint, rdjson, azure, html)");
  const auto far = ParseFormat("x\x1b[31m");
  REQUIRE_FALSE(static_cast<bool>(far));
  CHECK(far.error().message ==
        "unknown output format 'x␛[31m' (known: full, concise, grouped, json, json-lines, sarif, "
        "github, gitlab, "
        "junit, pylint, rdjson, azure, html)");
}

TEST_CASE("the version is that of the project") {
  CHECK(Version().find('.') != std::string_view::npos);
}

TEST_CASE("rules have a page on the web") {
  CHECK(RuleUrl("eval-with-grad") == "https://torchleak.readthedocs.io/rules/eval-with-grad");
}

}  // namespace
}  // namespace torchleak::report

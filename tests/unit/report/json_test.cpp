#include <nlohmann/json.hpp>

#include <doctest/doctest.h>

#include "report/report.h"
#include "tests/unit/report/builder.h"

namespace torchleak::report {
namespace {

TEST_CASE("the keys are those of the schema, in its order") {
  Builder builder;
  builder.AddFile("a.py", "é = f(x)\n");
  auto& finding = builder.Add("a.py", builder.Find("a.py", "f(x)"));
  finding.flow = {{{"", {0, 2}}, "here"}};
  finding.fix = findings::Fix{findings::Applicability::kSafe, "do", {{{"", {6, 7}}, ""}}};
  const auto report = nlohmann::ordered_json::parse(Render(Format::kJson, builder.Input()));
  REQUIRE(report.size() == 1);
  const auto keys = [](const nlohmann::ordered_json& object) {
    std::vector<std::string> names;
    for (const auto& item : object.items()) names.push_back(item.key());
    return names;
  };
  using Names = std::vector<std::string>;
  CHECK(keys(report[0]) == Names{"code", "name", "severity", "confidence", "message", "filename",
                                 "location", "end_location", "cell", "function", "url",
                                 "fingerprint", "flow", "fix"});
  CHECK(keys(report[0]["flow"][0]) ==
        Names{"filename", "cell", "location", "end_location", "message"});
  CHECK(keys(report[0]["fix"]) == Names{"applicability", "message", "edits"});
  CHECK(keys(report[0]["fix"]["edits"][0]) ==
        Names{"content", "filename", "cell", "location", "end_location"});
  CHECK(report[0]["cell"].is_null());
  CHECK(report[0]["filename"] == "/repo/a.py");
  CHECK(report[0]["flow"][0]["filename"] == "/repo/a.py");
  // Columns count characters: the é is two bytes.
  CHECK(report[0]["location"]["column"] == 5);
  CHECK(report[0]["end_location"]["column"] == 9);
}

TEST_CASE("no findings are an empty array") {
  CHECK(Render(Format::kJson, ReportInput{}) == "[]\n");
}

TEST_CASE("bytes that are not UTF-8 are replaced, not thrown over") {
  Builder builder;
  builder.Add("a\xFF.py", {}).message = "m\xFE";
  for (const Format format : {Format::kJson, Format::kSarif}) {
    CHECK(nlohmann::json::accept(Render(format, builder.Input())));
  }
}

}  // namespace
}  // namespace torchleak::report

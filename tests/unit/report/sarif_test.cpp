// What the gate of tests/golden cannot see: limits, links, positions.
#include <nlohmann/json.hpp>

#include <string>

#include <doctest/doctest.h>

#include "report/formats.h"
#include "report/gzip_size.h"
#include "report/report.h"
#include "tests/unit/report/builder.h"

namespace torchleak::report {
namespace {

nlohmann::json RunOf(const ReportInput& input, const SarifLimits& limits = {}) {
  return nlohmann::json::parse(RenderSarif(input, limits))["runs"][0];
}

TEST_CASE("columns are UTF-16 units and a region is one line") {
  Builder builder;
  builder.AddFile("a.py", "s = '🎉'; f(\n  1)\n");
  builder.Add("a.py", builder.Find("a.py", "f(\n  1)"));
  const auto result = RunOf(builder.Input())["results"][0];
  const auto region = result["locations"][0]["physicalLocation"]["region"];
  CHECK(region["startLine"] == 1);
  CHECK(region["startColumn"] == 11);  // characters: 10
  CHECK(region["endLine"] == 1);
  CHECK(region["endColumn"] == 13);
  CHECK(region["snippet"]["text"] == "f(");
}

TEST_CASE("the fingerprint is that of the finding's line, counted over the file") {
  Builder builder;
  builder.AddFile("a.py", std::string(120, 'a') + "\n" + std::string(120, 'a') + "\n");
  builder.Add("a.py", {0, 3});
  builder.Add("a.py", {121, 124}).fingerprint = "0123456789abcdef";
  const auto results = RunOf(builder.Input())["results"];
  const std::string first = results[0]["partialFingerprints"]["primaryLocationLineHash"];
  const std::string second = results[1]["partialFingerprints"]["primaryLocationLineHash"];
  CHECK(first.ends_with(":1"));
  CHECK(second == first.substr(0, first.size() - 1) + "2");
  CHECK(results[1]["partialFingerprints"]["torchleak/v1"] == "0123456789abcdef");
  CHECK_FALSE(results[0]["partialFingerprints"].contains("torchleak/v1"));
}

TEST_CASE("steps are linked from the message, brackets in them escaped") {
  Builder builder;
  builder.AddFile("a.py", "xs[0](y)\n");
  auto& finding = builder.Add("a.py", {0, 8});
  finding.message = "`xs[0](y)` is kept";
  finding.flow = {{{"", {0, 5}}, "`xs[0]` is made here"}, {{"", {6, 7}}, "and kept"}};
  const auto result = RunOf(builder.Input())["results"][0];
  CHECK(result["message"]["text"] ==
        "'xs\\[0\\](y)' is kept. Path: ['xs\\[0\\]' is made here](1), [and kept](2).");
  REQUIRE(result["relatedLocations"].size() == 2);
  CHECK(result["relatedLocations"][1]["id"] == 2);
  CHECK(result["relatedLocations"][1]["physicalLocation"]["region"]["startColumn"] == 7);
  const auto flow = result["codeFlows"][0]["threadFlows"][0]["locations"];
  REQUIRE(flow.size() == 2);
  CHECK(flow[0]["location"]["message"]["text"] == "'xs[0]' is made here.");
  CHECK(flow[1]["executionOrder"] == 2);
}

TEST_CASE("files are relative to the root when below it, each listed once") {
  Builder builder;
  builder.AddFile("/repo/my file.py", "a\n");
  builder.AddFile("/other/b.py", "b\n");
  builder.Add("/repo/my file.py", {0, 1});
  builder.Add("/repo/my file.py", {0, 1});
  builder.Add("/other/b.py", {0, 1});
  const auto run = RunOf(builder.Input());
  REQUIRE(run["artifacts"].size() == 2);
  CHECK(run["artifacts"][0]["location"]["uri"] == "my%20file.py");
  CHECK(run["artifacts"][0]["location"]["uriBaseId"] == "%SRCROOT%");
  CHECK(run["artifacts"][1]["location"]["uri"] == "file:///other/b.py");
  CHECK_FALSE(run["artifacts"][1]["location"].contains("uriBaseId"));
  CHECK(run["results"][2]["locations"][0]["physicalLocation"]["artifactLocation"]["index"] == 1);
  CHECK(run["originalUriBaseIds"]["%SRCROOT%"]["uri"] == "file:///repo/");
}

TEST_CASE("a fix always says what it inserts") {
  Builder builder;
  builder.AddFile("a.py", "a\nb\n");
  builder.AddFile("b.py", "c\n");
  auto& finding = builder.Add("a.py", {0, 1});
  finding.fix = findings::Fix{
      findings::Applicability::kSafe, "drop it", {{{"", {0, 4}}, ""}, {{"b.py", {0, 0}}, "x"}}};
  const auto fix = RunOf(builder.Input())["results"][0]["fixes"][0];
  REQUIRE(fix["artifactChanges"].size() == 2);
  const auto replacement = fix["artifactChanges"][0]["replacements"][0];
  CHECK(replacement["insertedContent"]["text"] == "");
  CHECK(replacement["deletedRegion"]["endLine"] == 3);
  CHECK(replacement["deletedRegion"]["endColumn"] == 1);
  CHECK(fix["artifactChanges"][1]["artifactLocation"]["uri"] == "b.py");
}

TEST_CASE("too many results: the least severe go, and it is said") {
  Builder builder;
  builder.AddFile("a.py", "a\n");
  using findings::Confidence;
  using findings::Severity;
  builder.Add("a.py", {0, 1}).severity = Severity::kNote;
  builder.Add("a.py", {0, 1}).severity = Severity::kError;
  builder.Add("a.py", {0, 1}).confidence = Confidence::kLow;
  builder.Add("a.py", {0, 1}).confidence = Confidence::kHigh;
  const auto run = RunOf(builder.Input(), {2, 1000});
  REQUIRE(run["results"].size() == 2);
  CHECK(run["results"][0]["level"] == "error");
  CHECK(run["results"][1]["properties"]["confidence"] == "high");
  const auto notices = run["invocations"][0]["toolExecutionNotifications"];
  REQUIRE(notices.size() == 1);
  CHECK(notices[0]["message"]["text"] ==
        "2 of 4 findings were left out, the least severe first: a run holds at most 2.");
  CHECK(notices[0]["descriptor"]["id"] == "report-cut");
}

TEST_CASE("too many steps: the last one stays") {
  Builder builder;
  builder.AddFile("a.py", "abcdefghij\n");
  auto& finding = builder.Add("a.py", {0, 1});
  for (std::uint32_t i = 0; i < 10; ++i) finding.flow.push_back({{"", {i, i + 1}}, "step"});
  auto run = RunOf(builder.Input(), {25'000, 3});
  const auto steps = run["results"][0]["codeFlows"][0]["threadFlows"][0]["locations"];
  REQUIRE(steps.size() == 3);
  CHECK(steps[1]["executionOrder"] == 2);
  CHECK(steps[2]["executionOrder"] == 10);
  CHECK(run["results"][0]["relatedLocations"].size() == 3);
  CHECK(run["invocations"][0]["toolExecutionNotifications"][0]["message"]["text"] ==
        "7 steps of code flows were left out: a result holds at most 3.");
  // Within the limit nothing is cut, but not every step is linked from the message.
  run = RunOf(builder.Input());
  CHECK(run["results"][0]["codeFlows"][0]["threadFlows"][0]["locations"].size() == 10);
  CHECK(run["results"][0]["relatedLocations"].size() == 8);
  CHECK(run["invocations"][0]["toolExecutionNotifications"].empty());
}

TEST_CASE("rank follows severity, then confidence") {
  Builder builder;
  using findings::Confidence;
  using findings::Severity;
  double last = 0;
  for (const Severity severity : {Severity::kNote, Severity::kWarning, Severity::kError}) {
    for (const Confidence confidence : {Confidence::kLow, Confidence::kMedium, Confidence::kHigh}) {
      builder.findings.clear();
      auto& finding = builder.Add("a.py", {});
      finding.severity = severity;
      finding.confidence = confidence;
      const double rank = RunOf(builder.Input())["results"][0]["rank"];
      CHECK(rank > last);
      CHECK(rank <= 100);
      last = rank;
    }
  }
}

TEST_CASE("a code that no rule explains still gets a rule") {
  Builder builder;
  builder.Add("a.py", {});
  const auto run = RunOf(builder.Input());
  CHECK(run["tool"]["driver"]["rules"][0]["id"] == "TLK101");
  CHECK(run["tool"]["driver"]["rules"][0]["name"] == "AccumulatedTensor");
  CHECK(run["results"][0]["ruleIndex"] == 0);
}

TEST_CASE("long lines leave no snippet") {
  Builder builder;
  builder.AddFile("a.py", std::string(5000, 'x'));
  builder.Add("a.py", {0, 4000});
  const auto place = RunOf(builder.Input())["results"][0]["locations"][0]["physicalLocation"];
  CHECK_FALSE(place["region"].contains("snippet"));
  CHECK_FALSE(place["contextRegion"].contains("snippet"));
}

TEST_CASE("a file that would be too large loses its least severe findings, and says how many") {
  Builder builder;
  builder.AddFile("a.py", "f(x)\n");
  for (int i = 0; i < 3'000; ++i) {
    auto& finding = builder.Add("a.py", {0, 4});
    finding.severity = i % 3 == 0 ? findings::Severity::kError : findings::Severity::kNote;
    finding.message = "`" + std::to_string(i * 7'919) + "` is kept";
  }
  const std::size_t whole = GzipSize(RenderSarif(builder.Input()));
  SarifLimits limits;
  limits.gzip_bytes = whole * 2 / 3;
  const std::string text = RenderSarif(builder.Input(), limits);
  CHECK(GzipSize(text) <= limits.gzip_bytes);
  const auto run = nlohmann::json::parse(text)["runs"][0];
  std::size_t errors = 0;
  for (const auto& result : run["results"]) errors += result["level"] == "error" ? 1 : 0;
  CHECK(errors == 1'000);
  CHECK(run["results"].size() > 1'500);
  const std::string notice =
      run["invocations"][0]["toolExecutionNotifications"][0]["message"]["text"];
  CHECK(notice == std::to_string(3'000 - run["results"].size()) +
                      " of 3000 findings were left out, the least severe first: the file holds at "
                      "most " +
                      std::to_string(limits.gzip_bytes) + " bytes compressed.");
  limits.gzip_bytes = 10;  // not even the frame fits: no findings, and an end
  CHECK(nlohmann::json::parse(RenderSarif(builder.Input(), limits))["runs"][0]["results"].empty());
}

TEST_CASE("suppressed findings come with their reason, and are the first to go") {
  Builder builder;
  builder.AddFile("a.py", "f(x)\ng(x)\n");
  builder.Add("a.py", {0, 4}).severity = findings::Severity::kNote;
  ReportInput input = builder.Input();
  findings::Finding hidden = builder.findings.front();
  hidden.severity = findings::Severity::kError;
  hidden.code = "TLK999";  // a rule of which nothing else is known
  hidden.location.span = {5, 9};
  const std::vector<SuppressedFinding> suppressed = {
      {hidden, SuppressedFinding::Kind::kInSource, "measured", findings::Location{"", {0, 4}}},
      {hidden, SuppressedFinding::Kind::kExternal, "", std::nullopt}};
  input.suppressed = suppressed;
  CHECK(RunOf(input)["results"].size() == 1);
  CHECK_FALSE(RunOf(input)["results"][0].contains("suppressions"));
  input.sarif_full = true;
  auto results = RunOf(input)["results"];
  REQUIRE(results.size() == 3);
  CHECK(results[0]["suppressions"].empty());
  CHECK_FALSE(results[0].contains("baselineState"));
  CHECK(results[1]["suppressions"][0]["kind"] == "inSource");
  CHECK(results[1]["suppressions"][0]["justification"] == "measured");
  CHECK(results[2]["suppressions"][0]["kind"] == "external");
  input.has_baseline = true;
  results = RunOf(input)["results"];
  CHECK(results[0]["baselineState"] == "new");
  CHECK_FALSE(results[1].contains("baselineState"));
  CHECK(results[2]["baselineState"] == "unchanged");
  results = RunOf(input, {.results = 1})["results"];
  REQUIRE(results.size() == 1);
  CHECK(results[0]["level"] == "note");
}

}  // namespace
}  // namespace torchleak::report

// Formats of one line for a finding, and the fingerprints of gitlab. tests/golden/check_formats.py
// reads all of them back.
#include <doctest/doctest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "report/report.h"
#include "tests/unit/report/builder.h"

namespace torchleak::report {
namespace {

TEST_CASE("github: properties and message have their own escapes, regions end with their line") {
  Builder builder;
  builder.AddFile("a,b%.py", "f(\n  1)\n");
  auto& finding = builder.Add("a,b%.py", {0, 7});
  finding.message = "50%\nmore: yes";
  finding.severity = findings::Severity::kNote;
  CHECK(Render(Format::kGithub, builder.Input()) ==
        "::notice file=a%2Cb%25.py,line=1,col=1,endLine=1,endColumn=3,title=TLK101 "
        "accumulated-tensor::a,b%25.py:1:1: TLK101 50%25 more: yes\n");
}

TEST_CASE("azure knows no notes; pylint leaves the function of a module empty") {
  Builder builder;
  builder.Add("a.py", {}).severity = findings::Severity::kNote;
  CHECK(Render(Format::kAzure, builder.Input()) ==
        "##vso[task.logissue type=warning;sourcepath=a.py;linenumber=1;columnnumber=1;code=TLK101;]"
        "a.py:1:1: TLK101 `loss` is kept\n");
  CHECK(Render(Format::kPylint, builder.Input()) ==
        "a.py:1:1: [TLK101(accumulated-tensor), ] `loss` is kept\n");
}

TEST_CASE("gitlab: no two issues have the same fingerprint, and the same run gives the same ones") {
  Builder builder;
  for (int i = 0; i < 3; ++i) builder.Add("a.py", {});
  builder.Add("b.py", {}).fingerprint = "0123456789abcdef";
  builder.Add("b.py", {}).fingerprint = "0123456789abcdef";
  const std::string text = Render(Format::kGitlab, builder.Input());
  const auto issues = nlohmann::json::parse(text);
  CHECK(issues[3]["fingerprint"] == "0123456789abcdef");
  for (std::size_t i = 0; i < 5; ++i) {
    for (std::size_t j = 0; j < i; ++j) CHECK(issues[i]["fingerprint"] != issues[j]["fingerprint"]);
  }
  CHECK(Render(Format::kGitlab, builder.Input()) == text);
}

TEST_CASE("grouped: a block for each file, columns in line") {
  Builder builder;
  builder.AddFile("a.py", std::string(9, '\n') + "f(x)\n");
  builder.Add("a.py", {0, 0}).severity = findings::Severity::kError;
  auto& finding = builder.Add("a.py", builder.Find("a.py", "x"));
  finding.fix = findings::Fix{findings::Applicability::kSafe, "do", {{{"", {9, 9}}, "y"}}};
  ReportInput input = builder.Input();
  input.files_checked = 1;
  CHECK(Render(Format::kGrouped, input) ==
        "a.py:\n"
        "  1:1   error    TLK101 accumulated-tensor      `loss` is kept\n"
        "  10:3  warning  TLK101 accumulated-tensor [*]  `loss` is kept\n"
        "\n"
        "Found 1 error, 1 warning in 1 file (1 file checked).\n"
        "[*] 1 fixable with `--fix`.\n");
}

TEST_CASE("json-lines: the objects of json, one a line") {
  Builder builder;
  builder.Add("a.py", {}).message = "two\nlines";
  builder.Add("b.py", {});
  const std::string text = Render(Format::kJsonLines, builder.Input());
  const std::size_t end = text.find('\n');
  const auto array = nlohmann::json::parse(Render(Format::kJson, builder.Input()));
  CHECK(nlohmann::json::parse(text.substr(0, end)) == array[0]);
  CHECK(nlohmann::json::parse(text.substr(end + 1)) == array[1]);
}

}  // namespace
}  // namespace torchleak::report

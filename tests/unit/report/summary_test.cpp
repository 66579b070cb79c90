#include "report/summary.h"

#include <vector>

#include <doctest/doctest.h>

#include "tests/unit/report/builder.h"

namespace torchleak::report {
namespace {

std::string Summary(const ReportInput& input) { return SummaryLine(input, Painter(false, false)); }

TEST_CASE("the summary counts by severity and by file") {
  Builder builder;
  builder.Add("a.py", {}).severity = findings::Severity::kError;
  builder.Add("a.py", {}).severity = findings::Severity::kError;
  ReportInput input = builder.Input();
  input.files_checked = 1;
  CHECK(Summary(input) == "Found 2 errors in 1 file (1 file checked).\n");
  builder.Add("b.py", {}).severity = findings::Severity::kNote;
  builder.Add("b.py", {});
  input = builder.Input();
  input.files_checked = 15;
  CHECK(Summary(input) == "Found 2 errors, 1 warning, 1 note in 2 files (15 files checked).\n");
}

TEST_CASE("nothing found, nothing checked, files that could not be read") {
  ReportInput input;
  CHECK(Summary(input) == "Nothing was checked: no Python files found.\n");
  const std::vector<Notification> one = {{Notification::Kind::kNotRead, "x.py", "gone"},
                                         {Notification::Kind::kNotParsed, "y.py", "bad"}};
  input.notifications = one;
  CHECK(Summary(input) ==
        "Nothing was checked: no Python files found, 1 file could not be read.\n");
  input.files_checked = 3;
  CHECK(Summary(input) == "All clear: no findings in 3 files, 1 file could not be read.\n");
  input.notifications = {};
  CHECK(Summary(input) == "All clear: no findings in 3 files.\n");
}

TEST_CASE("the summary says what can be fixed, and how") {
  Builder builder;
  const auto add = [&builder](findings::Applicability applicability) {
    builder.Add("a.py", {}).fix = findings::Fix{applicability, "do", {{{"", {}}, "x"}}};
  };
  add(findings::Applicability::kUnsafe);
  const auto line = [&builder] {
    const std::string summary = Summary(builder.Input());
    return summary.substr(summary.find('\n') + 1);
  };
  CHECK(line() == "1 fixable with `--fix --unsafe-fixes`.\n");
  add(findings::Applicability::kSafe);
  add(findings::Applicability::kSafe);
  CHECK(line() == "[*] 2 fixable with `--fix` (1 more with `--unsafe-fixes`).\n");
  builder.findings.erase(builder.findings.begin());
  CHECK(line() == "[*] 2 fixable with `--fix`.\n");
  builder.findings[0].fix->edits.clear();  // advice, nothing to apply
  CHECK(line() == "[*] 1 fixable with `--fix`.\n");
}

TEST_CASE("fixes that are not wanted are not counted") {
  Builder builder;
  for (const auto applicability :
       {findings::Applicability::kSafe, findings::Applicability::kUnsafe}) {
    builder.Add("a.py", {}).fix = findings::Fix{applicability, "do", {{{"", {}}, "x"}}};
  }
  ReportInput input = builder.Input();
  input.mention_unsafe = false;
  CHECK(Summary(input).ends_with("[*] 1 fixable with `--fix`.\n"));
  input.may_fix = [](const findings::Finding&) { return false; };
  CHECK(Summary(input).find("fixable") == std::string::npos);
  CHECK(Render(Format::kConcise, input).find("[*]") == std::string::npos);
}

TEST_CASE("what is not shown is counted only when verbose") {
  ReportInput input;
  input.files_checked = 1;
  const std::vector<SuppressedFinding> suppressed(3);
  input.suppressed = suppressed;
  CHECK(Summary(input) == "All clear: no findings in 1 file.\n");
  input.verbose = true;
  CHECK(Summary(input) ==
        "All clear: no findings in 1 file.\nNot shown: 3 suppressed by comments.\n");
}

}  // namespace
}  // namespace torchleak::report

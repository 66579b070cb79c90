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

}  // namespace
}  // namespace torchleak::report

// JUnit XML: one test suite for each file with findings, one failed test case for each finding. A
// run without any is a suite with one case that passes, since many readers take an empty report for
// a broken run.
#include <algorithm>
#include <map>
#include <vector>

#include <fmt/format.h>

#include "report/formats.h"
#include "report/markup.h"
#include "report/page_text.h"
#include "report/place.h"
#include "report/terminal.h"

namespace torchleak::report {
namespace {

struct Suite {
  std::size_t failures = 0;
  std::size_t errors = 0;
  std::string cases;
};

std::string Attribute(std::string_view text) { return EscapeMarkup(Printable(text)); }

// People read the report in a browser of test results: notebooks are shown by cell.
std::string Case(const ReportInput& input, const findings::Finding& finding) {
  const Place place = PlaceOf(input, finding, finding.location);
  const std::string path = DisplayPath(place.path, input.root);
  const std::string where = PositionText(place);
  std::string text = fmt::format("{}:{}: {}\n", path, where, finding.message);
  for (std::size_t i = 0; i < finding.flow.size(); ++i) {
    const Place step = PlaceOf(input, finding, finding.flow[i].location);
    text += fmt::format("{}. {}:{}: {}\n", i + 1, DisplayPath(step.path, input.root),
                        PositionText(step), finding.flow[i].message);
  }
  if (!finding.help.empty()) text += fmt::format("help: {}\n", finding.help);
  text += RuleUrl(finding.name);
  return fmt::format(
      "    <testcase name=\"{} {} ({})\" classname=\"{}\" file=\"{}\" line=\"{}\" time=\"0\">\n"
      "      <failure type=\"{}\" message=\"{}\">{}</failure>\n"
      "    </testcase>\n",
      finding.code, finding.name, where, Attribute(path), Attribute(path), OnDisk(place).begin.row,
      Name(finding.severity), Attribute(finding.message), EscapeMarkup(text));
}

std::string NotRead(const ReportInput& input, const Notification& notification) {
  const std::string path = Attribute(DisplayPath(notification.path, input.root));
  return fmt::format(
      "    <testcase name=\"not checked\" classname=\"{}\" file=\"{}\" time=\"0\">\n"
      "      <error type=\"not-read\" message=\"{}\"/>\n"
      "    </testcase>\n",
      path, path, Attribute(notification.message));
}

std::string Clean(const ReportInput& input) {
  return fmt::format(
      "  <testsuite name=\"torchleak\" tests=\"1\" failures=\"0\" errors=\"0\" skipped=\"0\" "
      "time=\"0\">\n"
      "    <testcase name=\"no findings in {} file{}\" classname=\"torchleak\" time=\"0\"/>\n"
      "  </testsuite>\n",
      input.files_checked, input.files_checked == 1 ? "" : "s");
}

}  // namespace

std::string RenderJunit(const ReportInput& input) {
  std::map<std::string, Suite> suites;  // by path, as findings are sorted
  for (const findings::Finding& finding : input.findings) {
    Suite& suite = suites[DisplayPath(finding.location.path, input.root)];
    ++suite.failures;
    suite.cases += Case(input, finding);
  }
  std::size_t errors = 0;
  for (const Notification& notification : input.notifications) {
    if (notification.kind != Notification::Kind::kNotRead) continue;
    Suite& suite = suites[DisplayPath(notification.path, input.root)];
    ++suite.errors;
    ++errors;
    suite.cases += NotRead(input, notification);
  }
  const std::size_t failures = input.findings.size();
  std::string out = fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
      "<testsuites name=\"torchleak\" tests=\"{}\" failures=\"{}\" errors=\"{}\" time=\"0\">\n",
      std::max<std::size_t>(failures + errors, 1), failures, errors);
  if (suites.empty()) out += Clean(input);
  for (const auto& [path, suite] : suites) {
    out += fmt::format(
        "  <testsuite name=\"{}\" tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"0\" "
        "time=\"0\">\n{}  </testsuite>\n",
        Attribute(path.empty() ? "torchleak" : path), suite.failures + suite.errors, suite.failures,
        suite.errors, suite.cases);
  }
  return out + "</testsuites>\n";
}

}  // namespace torchleak::report

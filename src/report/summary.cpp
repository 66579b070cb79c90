#include "report/summary.h"

#include <algorithm>
#include <array>
#include <unordered_set>
#include <vector>

#include <fmt/format.h>

namespace torchleak::report {
namespace {

std::string Count(std::size_t count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

// ", 2 files could not be read" when there are any.
std::string NotRead(const ReportInput& input) {
  const auto count =
      std::count_if(input.notifications.begin(), input.notifications.end(),
                    [](const Notification& n) { return n.kind == Notification::Kind::kNotRead; });
  if (count == 0) return "";
  return fmt::format(", {} could not be read", Count(static_cast<std::size_t>(count), "file"));
}

}  // namespace

std::string SummaryLine(const ReportInput& input, const Painter& painter) {
  if (input.findings.empty()) {
    if (input.files_checked == 0) {
      return fmt::format("Nothing was checked: no Python files found{}.\n", NotRead(input));
    }
    return fmt::format("{} no findings in {}{}.\n", painter.Paint(Style::kHelp, "All clear:"),
                       Count(input.files_checked, "file"), NotRead(input));
  }
  std::array<std::size_t, 3> counts{};
  std::unordered_set<std::string_view> files;
  for (const findings::Finding& finding : input.findings) {
    ++counts[static_cast<std::size_t>(finding.severity)];
    files.insert(finding.location.path);
  }
  std::vector<std::string> parts;
  for (const auto severity :
       {findings::Severity::kError, findings::Severity::kWarning, findings::Severity::kNote}) {
    const std::size_t count = counts[static_cast<std::size_t>(severity)];
    if (count != 0) parts.push_back(painter.Paint(StyleOf(severity), Count(count, Name(severity))));
  }
  return fmt::format("Found {} in {} ({} checked{}).\n", fmt::join(parts, ", "),
                     Count(files.size(), "file"), Count(input.files_checked, "file"),
                     NotRead(input));
}

}  // namespace torchleak::report

#include "report/summary.h"

#include <algorithm>
#include <array>
#include <unordered_set>
#include <vector>

#include <fmt/format.h>

#include "report/fixable.h"

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

std::string CountsLine(const ReportInput& input, const Painter& painter) {
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

// Empty when nothing can be fixed.
std::string FixLine(const ReportInput& input, const Painter& painter) {
  std::size_t safe = 0;
  std::size_t unsafe = 0;
  for (const findings::Finding& finding : input.findings) {
    if (MayFix(input, finding)) ++(MayFixSafely(input, finding) ? safe : unsafe);
  }
  if (!input.mention_unsafe) unsafe = 0;
  if (safe == 0 && unsafe == 0) return "";
  if (safe == 0) return fmt::format("{} fixable with `--fix --unsafe-fixes`.\n", unsafe);
  return fmt::format("[{}] {} fixable with `--fix`{}.\n", painter.Paint(Style::kHelp, "*"), safe,
                     unsafe == 0 ? "" : fmt::format(" ({} more with `--unsafe-fixes`)", unsafe));
}

// Empty when nothing was left out.
std::string SuppressedLine(const ReportInput& input) {
  const std::size_t all = input.suppressed.size();
  const auto known = static_cast<std::size_t>(
      std::count_if(input.suppressed.begin(), input.suppressed.end(),
                    [](const auto& s) { return s.kind == SuppressedFinding::Kind::kExternal; }));
  if (all == 0) return "";
  std::vector<std::string> parts;
  if (all > known) parts.push_back(fmt::format("{} suppressed by comments", all - known));
  if (known > 0) parts.push_back(fmt::format("{} known to the baseline", known));
  return fmt::format("Not shown: {}.\n", fmt::join(parts, ", "));
}

}  // namespace

std::string SummaryLine(const ReportInput& input, const Painter& painter) {
  if (!input.summary) return "";
  std::string out = CountsLine(input, painter) + FixLine(input, painter);
  if (input.verbose) out += SuppressedLine(input);
  return out;
}

}  // namespace torchleak::report

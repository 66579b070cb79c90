#include "cli/check_report.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

#include "cli/terminal.h"
#include "report/version.h"

namespace torchleak::cli {

CheckReport::CheckReport(const CheckArguments& arguments, const CheckPlan& plan,
                         const driver::FindingSet& set)
    : arguments_(arguments), plan_(plan), set_(set) {
  using Kind = report::SuppressedFinding::Kind;
  for (const driver::Notification& n : set.notifications) {
    notifications_.push_back({report::Notification::Kind::kNotRead, n.path, n.message});
  }
  for (const findings::Suppressed& s : set.suppressed) {
    suppressed_.push_back({s.finding, Kind::kInSource, s.reason, s.comment});
  }
  for (const findings::Finding& known : set.known) {
    suppressed_.push_back({known, Kind::kExternal, {}, std::nullopt});
  }
  std::stable_sort(suppressed_.begin(), suppressed_.end(), [](const auto& a, const auto& b) {
    return findings::Before(a.finding, b.finding);
  });
}

std::string CheckReport::Text(const Output& output, int descriptor) const {
  if (arguments_.statistics) return Statistics(output.format);
  report::ReportInput input;
  input.findings = set_.findings;
  input.source_of = [this](std::string_view path) { return set_.SourceOf(path); };
  input.root = plan_.options.root;
  input.rules = set_.rules;
  input.notifications = notifications_;
  input.suppressed = suppressed_;
  input.has_baseline = !plan_.baseline.empty() || !plan_.baseline_commit.empty();
  input.sarif_full = arguments_.sarif_full;
  input.verbose = arguments_.verbose;
  input.summary = !arguments_.quiet;
  input.may_fix = plan_.fixes.wanted;
  input.mention_unsafe = plan_.mention_unsafe;
  const auto unread = std::count_if(
      set_.notifications.begin(), set_.notifications.end(), [this](const driver::Notification& n) {
        return std::binary_search(set_.checked.begin(), set_.checked.end(), n.path);
      });  // read in full, and no Python
  input.files_checked = set_.counts.checked - static_cast<std::size_t>(unread);
  input.files_parsed = set_.counts.parsed;
  const bool to_terminal = descriptor >= 0;
  input.color =
      to_terminal ? UseColor(plan_.color, descriptor) : plan_.color == ColorChoice::kAlways;
  input.hyperlinks = to_terminal && input.color && UseHyperlinks(descriptor);
  if (to_terminal && isatty(descriptor) == 1) {
    input.width = static_cast<std::uint32_t>(TerminalWidth(descriptor));
  }
  input.version = report::Version();
  return report::Render(output.format, input);
}

// Most frequent first, then by code.
std::string CheckReport::Statistics(report::Format format) const {
  std::map<std::string_view, std::pair<std::size_t, std::string_view>> by_code;
  for (const findings::Finding& f : set_.findings) {
    auto& [count, name] = by_code[f.code];
    ++count;
    name = f.name;
  }
  std::vector<std::pair<std::string_view, std::pair<std::size_t, std::string_view>>> rows(
      by_code.begin(), by_code.end());
  std::stable_sort(rows.begin(), rows.end(),
                   [](const auto& a, const auto& b) { return a.second.first > b.second.first; });
  if (format == report::Format::kJson) {
    nlohmann::json array = nlohmann::json::array();
    for (const auto& [code, row] : rows) {
      array.push_back({{"code", code}, {"name", row.second}, {"count", row.first}});
    }
    return array.dump(2) + '\n';
  }
  std::string text;
  for (const auto& [code, row] : rows) {
    text += fmt::format("{:>6}  {}  {}\n", row.first, code, row.second);
  }
  return text;
}

}  // namespace torchleak::cli

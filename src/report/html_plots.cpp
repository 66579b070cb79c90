#include "report/html_plots.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include <fmt/format.h>

#include "report/markup.h"
#include "report/place.h"
#include "report/terminal.h"

namespace torchleak::report {
namespace {

constexpr std::array<findings::Severity, 3> kSeverities = {
    findings::Severity::kError, findings::Severity::kWarning, findings::Severity::kNote};
constexpr std::size_t kMostRows = 8;    // of a panel
constexpr std::size_t kFewFolders = 5;  // go one level deeper below this
constexpr std::size_t kDeepest = 4;

struct Bar {
  std::string label;                    // plain
  std::string value;                    // of the filter
  std::array<std::size_t, 3> counts{};  // by Severity
  std::size_t total() const { return counts[0] + counts[1] + counts[2]; }
};

std::string Prefix(std::string_view path, std::size_t depth) {
  std::size_t end = 0;
  const std::size_t folder = path.rfind('/');
  if (folder == std::string_view::npos || folder == 0) return folder == 0 ? "/" : ".";
  const std::string_view parent = path.substr(0, folder);
  for (std::size_t i = 0; i < depth; ++i) {
    end = parent.find('/', end == 0 ? 1 : end + 1);
    if (end == std::string_view::npos) return std::string(parent);
  }
  return std::string(parent.substr(0, end));
}

// The longest first, then by label.
std::vector<Bar> Sorted(const std::map<std::string, Bar>& by_value) {
  std::vector<Bar> bars;
  for (const auto& [value, bar] : by_value) bars.push_back(bar);
  std::stable_sort(bars.begin(), bars.end(),
                   [](const Bar& a, const Bar& b) { return a.total() > b.total(); });
  return bars;
}

std::vector<Bar> ByRule(const ReportInput& input) {
  std::map<std::string, Bar> bars;
  for (const findings::Finding& finding : input.findings) {
    Bar& bar = bars[std::string(finding.code)];
    bar.label = fmt::format("{} {}", finding.code, finding.name);
    bar.value = finding.code;
    ++bar.counts[static_cast<std::size_t>(finding.severity)];
  }
  return Sorted(bars);
}

std::vector<Bar> ByFolder(const ReportInput& input, const Folders& folders) {
  std::map<std::string, Bar> bars;
  for (const findings::Finding& finding : input.findings) {
    const std::string folder = folders.Of(finding.location.path);
    Bar& bar = bars[folder];
    bar.label = folder == "." ? "./" : folder;
    bar.value = folder;
    ++bar.counts[static_cast<std::size_t>(finding.severity)];
  }
  return Sorted(bars);
}

// A bar of up to 100 units, its severities one after the other. Counts that would vanish keep half
// a unit.
std::string BarSvg(const Bar& bar, std::size_t longest) {
  std::string out =
      "<svg class=\"bar\" viewBox=\"0 0 100 10\" preserveAspectRatio=\"none\" "
      "aria-hidden=\"true\">";
  double x = 0;
  for (const findings::Severity severity : kSeverities) {
    const std::size_t count = bar.counts[static_cast<std::size_t>(severity)];
    if (count == 0) continue;
    const double width =
        std::max(100.0 * static_cast<double>(count) / static_cast<double>(longest), 0.5);
    out += fmt::format("<rect class=\"{}\" x=\"{:.2f}\" y=\"0\" width=\"{:.2f}\" height=\"10\"/>",
                       Name(severity), x, width);
    x += width;
  }
  return out + "</svg>";
}

std::string Panel(std::string_view title, std::string_view filter, const std::vector<Bar>& bars) {
  std::string out = fmt::format("<section class=\"panel\"><h2>{}</h2>\n<ul class=\"bars\">", title);
  const std::size_t longest = bars.empty() ? 1 : bars.front().total();
  for (std::size_t i = 0; i < std::min(bars.size(), kMostRows); ++i) {
    const std::string label = EscapeMarkup(Printable(bars[i].label));
    out += fmt::format(
        "<li><button type=\"button\" disabled data-filter=\"{}\" data-value=\"{}\" "
        "aria-pressed=\"false\"><span title=\"{}\">{}</span><b>{}</b>{}</button></li>\n",
        filter, EscapeMarkup(Printable(bars[i].value)), label, label, HtmlNumber(bars[i].total()),
        BarSvg(bars[i], longest));
  }
  out += "</ul>";
  if (bars.size() > kMostRows) {
    std::size_t rest = 0;
    for (std::size_t i = kMostRows; i < bars.size(); ++i) rest += bars[i].total();
    out += fmt::format("<p class=\"more\">and {} more with {} findings</p>",
                       HtmlNumber(bars.size() - kMostRows), HtmlNumber(rest));
  }
  return out + "</section>\n";
}

std::string SeverityPanel(const ReportInput& input) {
  Bar all;
  for (const findings::Finding& finding : input.findings) {
    ++all.counts[static_cast<std::size_t>(finding.severity)];
  }
  std::string out = "<section class=\"panel wide\"><h2>By severity</h2>\n<div class=\"big\">";
  for (const findings::Severity severity : kSeverities) {
    const std::size_t count = all.counts[static_cast<std::size_t>(severity)];
    out += fmt::format(
        "<button type=\"button\" disabled data-filter=\"severity\" data-value=\"{0}\" "
        "aria-pressed=\"false\" class=\"{0}\"><b>{1}</b><span>{0}{2}</span></button>",
        Name(severity), HtmlNumber(count), count == 1 ? "" : "s");
  }
  return out + "</div>" + BarSvg(all, std::max<std::size_t>(all.total(), 1)) + "</section>\n";
}

std::string Options(std::vector<Bar> bars) {
  std::sort(bars.begin(), bars.end(), [](const Bar& a, const Bar& b) { return a.label < b.label; });
  std::string out;
  for (const Bar& bar : bars) {
    out += fmt::format("<option value=\"{}\">{} ({})</option>", EscapeMarkup(Printable(bar.value)),
                       EscapeMarkup(Printable(bar.label)), HtmlNumber(bar.total()));
  }
  return out;
}

}  // namespace

Folders::Folders(const ReportInput& input) : input_(input) {
  std::set<std::string> paths;
  for (const findings::Finding& finding : input.findings) {
    paths.insert(DisplayPath(finding.location.path, input.root));
  }
  std::size_t most = 0;
  for (std::size_t depth = 1; depth <= kDeepest && most < kFewFolders; ++depth) {
    std::set<std::string> folders;
    for (const std::string& path : paths) folders.insert(Prefix(path, depth));
    // One folder for all says more the deeper it is.
    if (folders.size() <= most && most > 1) continue;
    most = folders.size();
    depth_ = depth;
  }
}

std::string Folders::Of(std::string_view path) const {
  return Prefix(DisplayPath(path, input_.root), depth_);
}

std::string HtmlPlots(const ReportInput& input, const Folders& folders) {
  return SeverityPanel(input) + Panel("By rule", "rule", ByRule(input)) +
         Panel("By folder", "folder", ByFolder(input, folders));
}

std::string HtmlRuleOptions(const ReportInput& input) { return Options(ByRule(input)); }

std::string HtmlFolderOptions(const ReportInput& input, const Folders& folders) {
  return Options(ByFolder(input, folders));
}

}  // namespace torchleak::report

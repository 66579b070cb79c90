#include "report/html_excerpt.h"

#include <algorithm>

#include <fmt/format.h>

#include "report/html_flow.h"
#include "report/html_rows.h"
#include "report/markup.h"
#include "report/terminal.h"

namespace torchleak::report {
namespace {

std::string Heading(const ReportInput& input, const Place& place) {
  return fmt::format("<figcaption>{}<span>:{}</span></figcaption>",
                     EscapeMarkup(Printable(DisplayPath(place.path, input.root))),
                     PositionText(place));
}

// Steps of a file whose source is not at hand.
std::string WithoutCode(const FileMarks& file) {
  std::string out;
  for (const Mark& mark : file.marks) {
    if (mark.number == 0) continue;
    out += fmt::format("<p class=\"nocode\"><b>{}</b> {}</p>", mark.number, HtmlProse(mark.label));
  }
  return out.empty() ? "<p class=\"nocode\">The source could not be read.</p>" : out;
}

// The path as text: for narrow screens, where notes are cut, and for who cannot see the drawing.
std::string Steps(const ReportInput& input, const std::vector<FileMarks>& files) {
  struct Step {
    std::uint32_t number;
    std::string html;
  };
  std::vector<Step> steps;
  for (const FileMarks& file : files) {
    for (const Mark& mark : file.marks) {
      if (mark.number == 0) continue;
      const std::string path =
          &file == &files.front()
              ? ""
              : EscapeMarkup(Printable(DisplayPath(file.first.path, input.root))) + " ";
      std::string row;
      if (file.first.source != nullptr) {
        const std::uint32_t at = file.first.source->RowOf(mark.span.begin);
        row = fmt::format("<span>line {}</span>", RowsAround(*file.first.source, at).Shown(at));
      }
      steps.push_back({mark.number, fmt::format("<li>{} <small>{}{}</small></li>",
                                                HtmlProse(mark.label), path, row)});
    }
  }
  if (steps.empty()) return "";
  std::stable_sort(steps.begin(), steps.end(),
                   [](const Step& a, const Step& b) { return a.number < b.number; });
  std::string out = "<ol class=\"steps\">";
  for (const Step& step : steps) out += step.html;
  return out + "</ol>";
}

}  // namespace

std::string HtmlExcerpts(const ReportInput& input, const std::vector<FileMarks>& files,
                         const HtmlLimits& limits) {
  const std::size_t count = std::min(files.size(), limits.excerpts);
  std::vector<std::vector<HtmlRow>> rows(count);
  std::vector<FlowDot> dots;
  for (std::size_t i = 0; i < count; ++i) {
    if (files[i].first.source == nullptr) continue;
    rows[i] = HtmlRows(files[i], limits.rows);
    for (std::size_t row = 0; row < rows[i].size(); ++row) {
      const HtmlRow& r = rows[i][row];
      if (r.number == 0 && !r.primary) continue;
      dots.push_back(
          {r.number, static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(row), r.primary});
    }
  }
  std::stable_sort(dots.begin(), dots.end(),
                   [](const FlowDot& a, const FlowDot& b) { return a.number < b.number; });
  const bool has_path =
      std::any_of(dots.begin(), dots.end(), [](const FlowDot& dot) { return dot.number != 0; });
  std::string out;
  for (std::size_t i = 0; i < count; ++i) {
    out += "<figure>";
    // The page has the path of the finding's own file above it.
    if (files.size() > 1 || files[i].first.cell != 0) out += Heading(input, files[i].first);
    if (files[i].first.source == nullptr) {
      out += WithoutCode(files[i]);
    } else {
      out += "<div class=\"ex\">";
      if (has_path) {
        out += HtmlFlow(dots, static_cast<std::uint32_t>(i),
                        static_cast<std::uint32_t>(rows[i].size()));
      }
      out += "<div class=\"code\" tabindex=\"0\" role=\"region\" aria-label=\"code\"><div>";
      for (const HtmlRow& row : rows[i]) out += row.html;
      out += "</div></div></div>";
    }
    out += "</figure>\n";
  }
  if (count < files.size()) {
    out += fmt::format("<p class=\"cut\">{} more files of this path are not shown.</p>\n",
                       files.size() - count);
  }
  return out + Steps(input, files);
}

}  // namespace torchleak::report

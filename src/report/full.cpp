// One block for each finding: header, frame of its own file, frames of the others, help, fix.
#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "report/fix_diff.h"
#include "report/fixable.h"
#include "report/formats.h"
#include "report/frame.h"
#include "report/place.h"
#include "report/summary.h"
#include "report/terminal.h"

namespace torchleak::report {
namespace {

// Marks of one file, or of one cell of a notebook, in the order in which the path first comes
// there.
struct FileMarks {
  Place first;
  std::vector<Mark> marks;
  std::uint32_t last_row = 1;
};

FileMarks& MarksOf(const Place& place, std::vector<FileMarks>* files) {
  const auto found = std::find_if(files->begin(), files->end(), [&](const FileMarks& f) {
    return f.first.path == place.path && f.first.cell == place.cell;
  });
  if (found != files->end()) return *found;
  files->push_back({place, {}, 1});
  return files->back();
}

// The finding's own file first.
std::vector<FileMarks> CollectMarks(const ReportInput& input, const findings::Finding& finding) {
  std::vector<FileMarks> files;
  const Place own = PlaceOf(input, finding, finding.location);
  const auto add = [&files](const Place& place, bool primary, std::uint32_t number,
                            std::string label) {
    FileMarks& file = MarksOf(place, &files);
    file.marks.push_back({place.span, primary, number, std::move(label)});
    // The row below may be drawn as context.
    file.last_row = std::max(file.last_row, place.end.row + 1);
  };
  add(own, true, 0, "");
  for (std::size_t i = 0; i < finding.flow.size(); ++i) {
    const findings::Step& step = finding.flow[i];
    const Place place = PlaceOf(input, finding, step.location);
    const auto number = static_cast<std::uint32_t>(i + 1);
    Mark& primary = files.front().marks.front();
    // The step that is the finding itself labels its carets, once; a second one gets its own mark.
    if (place.path == own.path && place.span == own.span && primary.number == 0) {
      primary.number = number;
      primary.label = Printable(step.message);
    } else {
      add(place, false, number, Printable(step.message));
    }
  }
  return files;
}

class FullReport {
 public:
  explicit FullReport(const ReportInput& input)
      : input_(input), painter_(input.color, input.hyperlinks) {}

  std::string Render() {
    for (const findings::Finding& finding : input_.findings) DrawFinding(finding);
    return std::move(out_) + SummaryLine(input_, painter_);
  }

 private:
  void DrawFinding(const findings::Finding& finding) {
    const std::vector<FileMarks> files = CollectMarks(input_, finding);
    std::uint32_t last_row = 1;
    for (const FileMarks& file : files) last_row = std::max(last_row, file.last_row);

    FrameStyle style;
    style.painter = &painter_;
    style.primary = StyleOf(finding.severity);
    style.number_width = static_cast<std::uint32_t>(fmt::formatted_size("{}", last_row));
    style.width = std::max(input_.width, 40u);

    DrawHeader(finding, style);
    for (const FileMarks& file : files) {
      const bool own = &file == &files.front();
      if (!own) out_ += GutterLine(style, "");
      DrawArrow(file.first, own ? finding.function : "", style);
      DrawMarks(file, style);
    }
    DrawFooter(finding, files.front(), style);
    out_ += "\n";
  }

  // error[TLK101] accumulated-tensor: message
  void DrawHeader(const findings::Finding& finding, const FrameStyle& style) {
    const std::string tag =
        painter_.Paint(style.primary, fmt::format("{}[{}]", Name(finding.severity), finding.code));
    out_ += fmt::format("{} {}{}{} {}\n", painter_.Link(RuleUrl(finding.name), tag),
                        painter_.Paint(style.primary, finding.name), FixableMark(finding, painter_),
                        painter_.Paint(style.primary, ":"),
                        painter_.Paint(Style::kBold, Printable(finding.message)));
  }

  //   --> path:row:column in Trainer.fit
  void DrawArrow(const Place& place, std::string_view function, const FrameStyle& style) {
    const bool named = !function.empty() && function != "<module>";
    out_ += fmt::format(
        "{:{}}{} {}:{}{}{}\n", "", style.number_width, painter_.Paint(Style::kGutter, "-->"),
        Printable(DisplayPath(place.path, input_.root)), PositionText(place), named ? " in " : "",
        painter_.Paint(Style::kBold, named ? Printable(function) : ""));
  }

  void DrawMarks(const FileMarks& file, const FrameStyle& style) {
    if (file.first.source != nullptr) {
      out_ += GutterLine(style, "") + DrawFrame(*file.first.source, file.marks, style);
      return;
    }
    for (const Mark& mark : file.marks) {
      if (mark.number != 0)
        out_ += GutterLine(style, fmt::format("{} {}", mark.number, mark.label));
    }
  }

  void DrawFooter(const findings::Finding& finding, const FileMarks& own, const FrameStyle& style) {
    if (finding.help.empty() && !finding.fix) return;
    out_ += GutterLine(style, "");
    if (!finding.help.empty()) DrawNote("help", finding.help, style);
    if (!finding.fix) return;
    DrawNote("fix", fmt::format("{} ({})", finding.fix->message, Name(finding.fix->applicability)),
             style);
    if (own.first.source == nullptr) return;
    const std::string diff = FixDiff(*own.first.source, own.first.path, *finding.fix, style);
    if (!diff.empty()) out_ += GutterLine(style, "") + diff;
  }

  //    = help: text
  void DrawNote(std::string_view kind, std::string_view text, const FrameStyle& style) {
    out_ += fmt::format("{:{}}{} {} {}\n", "", style.number_width + 1,
                        painter_.Paint(Style::kGutter, "="),
                        painter_.Paint(Style::kHelp, fmt::format("{}:", kind)), Printable(text));
  }

  const ReportInput& input_;
  Painter painter_;
  std::string out_;
};

}  // namespace

std::string RenderFull(const ReportInput& input) { return FullReport(input).Render(); }

}  // namespace torchleak::report

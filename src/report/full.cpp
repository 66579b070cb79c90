// One block for each finding: header, frame of its own file, frames of the others, help, fix.
#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "report/file_marks.h"
#include "report/fix_diff.h"
#include "report/fixable.h"
#include "report/formats.h"
#include "report/frame.h"
#include "report/place.h"
#include "report/summary.h"
#include "report/terminal.h"

namespace torchleak::report {
namespace {

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
                        painter_.Paint(style.primary, finding.name),
                        FixableMark(input_, finding, painter_), painter_.Paint(style.primary, ":"),
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

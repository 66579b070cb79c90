// Rows are chosen first (marked ones, a little context, short gaps filled), then drawn from the
// top.
#include "report/frame.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "report/display_line.h"
#include "report/marks.h"
#include "report/place.h"

namespace torchleak::report {
namespace {

constexpr std::uint32_t kGapFilled =
    2;                                 // rows between two shown ones that are shown rather than cut
constexpr std::uint32_t kBarHead = 4;  // rows of a long bar that are shown at its top
constexpr std::uint32_t kBarTail = 2;  // and at its end

std::string Dashes(std::uint32_t columns) {
  std::string out;
  for (std::uint32_t i = 0; i < columns; ++i) out += "─";
  return out;
}

class FrameDrawing {
 public:
  FrameDrawing(const text::Source& source, std::vector<Mark> marks, const FrameStyle& style)
      : source_(source), style_(style) {
    if (!marks.empty()) shown_ = RowsAround(source, source.RowOf(marks.front().span.begin));
    for (Mark& mark : marks) Place(std::move(mark));
    ChooseRows();
  }

  std::string Draw() {
    std::uint32_t above = 0;
    for (const std::uint32_t row : rows_) {
      if (above != 0 && row > above + 1) DrawGap(row);
      DrawRow(row);
      above = row;
    }
    return std::move(out_);
  }

 private:
  // A primary mark over several lines.
  struct Bar {
    Mark mark;
    std::uint32_t first_row;
    std::uint32_t last_row;
    bool starts_line;  // only white space stands before it
  };

  void Place(Mark mark) {
    const std::uint32_t first_row = source_.RowOf(mark.span.begin);
    std::uint32_t last_row = source_.RowOf(mark.span.end);
    // A span that ends behind a line end does not reach into the next line.
    if (last_row > first_row && source_.LineSpan(last_row).begin == mark.span.end) {
      mark.span.end = source_.LineSpan(--last_row).end;
    }
    if (last_row > first_row && mark.primary && !bar_) {
      const text::Span line = source_.LineSpan(first_row);
      const auto before = source_.Text({line.begin, std::max(line.begin, mark.span.begin)});
      const bool starts_line = before.find_first_not_of(" \t") == std::string_view::npos;
      bar_ = Bar{std::move(mark), first_row, last_row, starts_line};
      return;
    }
    if (last_row > first_row) {
      mark.span.end = std::max(mark.span.begin, source_.LineSpan(first_row).end);
    }
    marks_[first_row].push_back(std::move(mark));
  }

  void ChooseRows() {
    for (const auto& [row, marks] : marks_) rows_.insert(row);
    if (bar_) {
      for (std::uint32_t row = bar_->first_row; row <= bar_->last_row; ++row) {
        const bool middle = row >= bar_->first_row + kBarHead && row + kBarTail <= bar_->last_row;
        if (middle) row = bar_->last_row - kBarTail + 1;
        rows_.insert(row);
      }
    }
    // One marked row alone says little; its neighbours say where it stands.
    if (rows_.size() == 1) {
      const std::uint32_t row = *rows_.begin();
      if (row > shown_.first && !IsBlank(row - 1)) rows_.insert(row - 1);
      if (row < shown_.last && !IsBlank(row + 1)) rows_.insert(row + 1);
    }
    std::vector<std::uint32_t> filled;
    for (auto row = rows_.begin(); row != rows_.end() && std::next(row) != rows_.end(); ++row) {
      if (*std::next(row) - *row - 1 > kGapFilled) continue;
      for (std::uint32_t between = *row + 1; between < *std::next(row); ++between) {
        filled.push_back(between);
      }
    }
    rows_.insert(filled.begin(), filled.end());
  }

  // Also true of rows that do not exist.
  bool IsBlank(std::uint32_t row) const {
    return source_.Line(row).find_first_not_of(" \t\f") == std::string_view::npos;
  }

  // What stands in the bar's column beside the code of a row, or beside its marks (`below`).
  std::string BarCell(std::uint32_t row, bool below) const {
    if (!bar_) return "";
    const bool inside = row > bar_->first_row && row <= bar_->last_row;
    const bool first = row == bar_->first_row;
    if (first && bar_->starts_line && !below) return Primary("╭") + " ";
    if (inside || (first && below)) return Primary("│") + " ";
    return "  ";
  }

  std::string Primary(std::string_view text) const {
    return style_.painter->Paint(style_.primary, text);
  }

  std::string LabelOf(const Mark& mark) const {
    if (mark.label.empty() && mark.number == 0) return "";
    const std::string text =
        mark.number == 0 ? mark.label : fmt::format("{} {}", mark.number, mark.label);
    return style_.painter->Paint(mark.primary ? style_.primary : Style::kStep, text);
  }

  void DrawGap(std::uint32_t next_row) {
    std::string line = style_.painter->Paint(Style::kGutter, "...");
    if (bar_ && next_row > bar_->first_row && next_row <= bar_->last_row) {
      const std::uint32_t bar_column = style_.number_width + 3;
      line.append(bar_column > 3 ? bar_column - 3 : 1, ' ');
      line += Primary("│");
    }
    out_ += line + "\n";
  }

  void DrawRow(std::uint32_t row) {
    const text::Span line_span = source_.LineSpan(row);
    const auto in_line = [&](text::Span span) {
      return text::Span{span.begin - line_span.begin, span.end - line_span.begin};
    };
    const auto found = marks_.find(row);
    text::Span focus{};
    if (found != marks_.end()) {
      const auto& marks = found->second;
      const auto primary =
          std::find_if(marks.begin(), marks.end(), [](const Mark& m) { return m.primary; });
      focus = in_line((primary == marks.end() ? marks.begin() : primary)->span);
    } else if (bar_ && row == bar_->first_row) {
      focus.begin = focus.end = bar_->mark.span.begin - line_span.begin;
    }
    const DisplayLine line(source_.Line(row), focus, style_.width);
    const bool opens_below = bar_ && row == bar_->first_row && !bar_->starts_line;
    out_ += CodeLine(style_, shown_.Shown(row), Trimmed(BarCell(row, false) + line.text()));

    if (opens_below) {
      const std::uint32_t column = line.ColumnOf(bar_->mark.span.begin - line_span.begin);
      out_ += GutterLine(style_, Primary("╭" + Dashes(column + 1) + "^"));
    }
    if (found != marks_.end()) {
      std::vector<Underline> underlines;
      for (const Mark& mark : found->second) {
        const text::Span span = in_line(mark.span);
        const std::uint32_t begin = line.ColumnOf(span.begin);
        const std::uint32_t end = std::max(line.ColumnOf(span.end), begin + 1);
        underlines.push_back({begin, end, mark.primary, LabelOf(mark)});
      }
      for (const std::string& text :
           MarkLines(std::move(underlines), *style_.painter, style_.primary)) {
        out_ += GutterLine(style_, BarCell(row, true) + text);
      }
    }
    if (bar_ && row == bar_->last_row) {
      const std::uint32_t end = line.ColumnOf(bar_->mark.span.end - line_span.begin);
      std::string close = Primary("╰" + Dashes(std::max(end, 1u)) + "^");
      const std::string label = LabelOf(bar_->mark);
      out_ += GutterLine(style_, label.empty() ? close : close + " " + label);
    }
  }

  static std::string Trimmed(std::string text) {
    while (!text.empty() && text.back() == ' ') text.pop_back();
    return text;
  }

  const text::Source& source_;
  const FrameStyle& style_;
  std::map<std::uint32_t, std::vector<Mark>> marks_;  // by row
  std::optional<Bar> bar_;
  Rows shown_;
  std::set<std::uint32_t> rows_;
  std::string out_;
};

}  // namespace

std::string DrawFrame(const text::Source& source, std::vector<Mark> marks,
                      const FrameStyle& style) {
  return FrameDrawing(source, std::move(marks), style).Draw();
}

std::string GutterLine(const FrameStyle& style, std::string_view rest) {
  return fmt::format("{:{}}{}{}{}\n", "", style.number_width + 1,
                     style.painter->Paint(Style::kGutter, "│"), rest.empty() ? "" : " ", rest);
}

std::string CodeLine(const FrameStyle& style, std::uint32_t row, std::string_view rest) {
  const std::string gutter = fmt::format("{:>{}} │", row, style.number_width);
  return fmt::format("{}{}{}\n", style.painter->Paint(Style::kGutter, gutter),
                     rest.empty() ? "" : " ", rest);
}

}  // namespace torchleak::report

// Which rows of the source are shown is settled first, then each becomes a line of code, followed
// by a note for each step that begins there.
#include "report/html_rows.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include <fmt/format.h>

#include "report/html_code.h"
#include "report/markup.h"
#include "report/terminal.h"

namespace torchleak::report {
namespace {

constexpr std::uint32_t kContext = 2;       // rows around the finding; one around other steps
constexpr std::uint32_t kGapFilled = 2;     // rows between two shown ones that are shown as well
constexpr std::uint32_t kHead = 4;          // rows of a long span that are shown at its top
constexpr std::uint32_t kTail = 2;          // and at its end
constexpr std::uint32_t kNoteColumns = 48;  // a note further right would leave the page

class Layout {
 public:
  Layout(const FileMarks& file, std::size_t limit)
      : source_(*file.first.source), marks_(file.marks), limit_(limit) {
    shown_ = RowsAround(source_, source_.RowOf(file.first.span.begin));
    number_width_ = fmt::formatted_size("{}", shown_.Shown(shown_.last));
    for (const Mark& mark : marks_) by_row_[source_.RowOf(mark.span.begin)].push_back(&mark);
    ChooseRows();
    shared_indent_ = SharedIndent();
  }

  std::vector<HtmlRow> Draw() {
    std::uint32_t above = 0;
    for (const std::uint32_t row : rows_) {
      const auto notes = by_row_.find(row);
      const std::size_t needed = 2 + (notes == by_row_.end() ? 0 : notes->second.size());
      if (out_.size() + needed >= limit_) {  // one is for the gap that says so
        Gap("the rest is not shown");
        break;
      }
      if (above != 0 && row > above + 1) Gap("");
      DrawRow(row);
      above = row;
    }
    return std::move(out_);
  }

 private:
  // The last row that a mark covers: one that ends behind a line end does not reach further.
  std::uint32_t LastRow(const Mark& mark) const {
    const std::uint32_t last = source_.RowOf(mark.span.end);
    const bool at_start = source_.LineSpan(last).begin == mark.span.end;
    return at_start && mark.span.end > mark.span.begin ? last - 1 : last;
  }

  bool IsBlank(std::uint32_t row) const {
    return source_.Line(row).find_first_not_of(" \t\f\r") == std::string_view::npos;
  }

  // Bytes of white space with which all shown rows begin. They are left out: on a phone they would
  // be half of the width.
  std::uint32_t SharedIndent() const {
    std::optional<std::string_view> shared;
    for (const std::uint32_t row : rows_) {
      if (IsBlank(row)) continue;
      const std::string_view here = source_.Line(row).substr(0, Indent(row));
      if (!shared) shared = here;
      const auto differ = std::mismatch(shared->begin(), shared->end(), here.begin(), here.end());
      shared = shared->substr(0, static_cast<std::size_t>(differ.first - shared->begin()));
    }
    return static_cast<std::uint32_t>(shared.value_or("").size());
  }

  std::uint32_t Indent(std::uint32_t row) const {
    const std::string_view line = source_.Line(row);
    return static_cast<std::uint32_t>(std::min(line.find_first_not_of(" \t\f"), line.size()));
  }

  void Insert(std::uint32_t row) {
    if (row >= shown_.first && row <= shown_.last) rows_.insert(row);
  }

  void ChooseRows() {
    for (const Mark& mark : marks_) {
      const std::uint32_t first = source_.RowOf(mark.span.begin);
      const std::uint32_t last = LastRow(mark);
      for (std::uint32_t row = first; row <= last; ++row) {
        if (row >= first + kHead && row + kTail <= last) row = last - kTail + 1;
        Insert(row);
        if (!mark.primary) break;
      }
      const std::uint32_t context = mark.primary ? kContext : 1;
      for (std::uint32_t i = 1; i <= context; ++i) {
        if (first > i) Insert(first - i);
        Insert((mark.primary ? last : first) + i);
      }
    }
    std::vector<std::uint32_t> between;
    for (auto row = rows_.begin(); row != rows_.end() && std::next(row) != rows_.end(); ++row) {
      if (*std::next(row) - *row - 1 > kGapFilled) continue;
      for (std::uint32_t r = *row + 1; r < *std::next(row); ++r) between.push_back(r);
    }
    rows_.insert(between.begin(), between.end());
    while (!rows_.empty() && IsBlank(*rows_.begin()) && !by_row_.contains(*rows_.begin()))
      rows_.erase(rows_.begin());
    while (!rows_.empty() && IsBlank(*rows_.rbegin()) && !by_row_.contains(*rows_.rbegin()))
      rows_.erase(std::prev(rows_.end()));
  }

  void Gap(std::string_view text) {
    out_.push_back({fmt::format("<div class=\"r gap\"><i>⋯</i>{}</div>", text), 0, false});
  }

  void DrawRow(std::uint32_t row) {
    text::Span line = source_.LineSpan(row);
    line.begin = std::min(line.begin + shared_indent_, line.end);
    std::vector<CodeMark> code_marks;
    bool primary_row = false;
    bool unnumbered = false;  // the finding begins here, and is no step of its path
    for (const Mark& mark : marks_) {
      const std::uint32_t first = source_.RowOf(mark.span.begin);
      const bool here = mark.primary ? row >= first && row <= LastRow(mark) : row == first;
      if (!here) continue;
      primary_row |= mark.primary;
      unnumbered |= mark.primary && mark.number == 0 && row == first;
      std::uint32_t begin = std::max(mark.span.begin, line.begin);
      if (row > first) begin = std::max(begin, source_.LineSpan(row).begin + Indent(row));
      const std::uint32_t end = std::max(std::min(mark.span.end, line.end), begin);
      code_marks.push_back({{begin - line.begin, end - line.begin}, mark.primary});
    }
    const CodeLineHtml code(source_.Text(line), code_marks);
    out_.push_back({fmt::format("<div class=\"r{}\"><i>{:>{}}</i>{}</div>",
                                primary_row          ? " p"
                                : code_marks.empty() ? ""
                                                     : " s",
                                shown_.Shown(row), number_width_, code.html()),
                    0, unnumbered});
    const auto found = by_row_.find(row);
    if (found == by_row_.end()) return;
    for (const Mark* mark : found->second) DrawNote(*mark, code, line);
  }

  void DrawNote(const Mark& mark, const CodeLineHtml& code, text::Span line) {
    if (mark.number == 0) return;
    const std::uint32_t column =
        std::min(code.ColumnOf(std::max(mark.span.begin, line.begin) - line.begin), kNoteColumns);
    out_.push_back(
        {fmt::format("<div class=\"r n{}\"><i>{:{}}</i><u>{:{}}</u><span><b>{}</b> {}</span></div>",
                     mark.primary ? " p" : "", "", number_width_, "", column, mark.number,
                     HtmlProse(mark.label)),
         mark.number, mark.primary});
  }

  const text::Source& source_;
  const std::vector<Mark>& marks_;
  std::size_t limit_;
  Rows shown_;
  std::size_t number_width_ = 1;
  std::uint32_t shared_indent_ = 0;
  std::map<std::uint32_t, std::vector<const Mark*>> by_row_;
  std::set<std::uint32_t> rows_;
  std::vector<HtmlRow> out_;
};

}  // namespace

std::vector<HtmlRow> HtmlRows(const FileMarks& file, std::size_t limit) {
  return Layout(file, limit).Draw();
}

}  // namespace torchleak::report

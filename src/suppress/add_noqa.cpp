// The codes of a logical line are collected, a row is chosen, and a list that is there is made
// longer. In the end the changed text is parsed: what did not become a comment, in a file with
// errors, is not written.
#include "suppress/add_noqa.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "suppress/logical_lines.h"
#include "suppress/suppressions.h"

namespace torchleak::suppress {
namespace {

constexpr std::string_view kSyntaxErrorCode = "TLK000";

struct Line {
  Rows rows;
  std::uint32_t row = 0;  // of its first finding
  std::set<std::string_view> codes;
  std::size_t findings = 0;
};

class Adder {
 public:
  Adder(const text::Source& source, const syntax::Tree& tree, std::span<const KnownRule> rules,
        std::string_view reason)
      : source_(source), lines_(source, tree), reason_(reason) {
    CommentReader reader{source, rules, {}, {}};
    for (const text::Span& comment : tree.comments()) reader.Read(comment);
    for (Directive& directive : reader.directives) {
      if (directive.form == Form::kNoqa && directive.has_list)
        lists_.emplace(source.RowOf(directive.comment.begin), std::move(directive));
    }
  }

  AddedNoqa Run(std::span<const findings::Finding> found) {
    AddedNoqa added;
    std::map<std::uint32_t, Line> by_line;
    for (const findings::Finding& finding : found) {
      if (finding.code == kUnusedCode || finding.code == kInvalidCode ||
          finding.code == kSyntaxErrorCode) {
        ++added.skipped;
        continue;
      }
      const std::uint32_t row = source_.RowOf(finding.location.span.begin);
      const Rows rows = lines_.At(row);
      Line& line = by_line[rows.first];
      line.rows = rows;
      line.row = line.codes.empty() ? row : std::min(line.row, row);
      line.codes.insert(finding.code);
      ++line.findings;
    }
    for (const auto& [first, line] : by_line) {
      const std::uint32_t row = RowFor(line);
      if (row == 0) {
        added.skipped += line.findings;
      } else {
        added.edits.push_back(EditAt(row, line.codes));
        counts_.push_back(line.findings);
      }
    }
    DropWhatIsNoComment(&added);
    return added;
  }

 private:
  // From the row of the finding down, then from the first; 0 when there is none.
  std::uint32_t RowFor(const Line& line) const {
    for (std::uint32_t row = line.row; row <= line.rows.last; ++row) {
      if (lines_.CommentFits(row)) return row;
    }
    for (std::uint32_t row = line.rows.first; row < line.row; ++row) {
      if (lines_.CommentFits(row)) return row;
    }
    return 0;
  }

  findings::Edit EditAt(std::uint32_t row, const std::set<std::string_view>& codes) const {
    std::string list;
    for (const std::string_view code : codes) {
      list += list.empty() ? "" : ", ";
      list += code;
    }
    if (const auto known = lists_.find(row); known != lists_.end())
      return Insertion(known->second.head.end, ", " + list);
    const text::Span span = source_.LineSpan(row);
    std::uint32_t end = span.end;
    // White space at the end stays where it is: the comment goes behind the code.
    while (end > span.begin &&
           (source_.bytes()[end - 1] == ' ' || source_.bytes()[end - 1] == '\t'))
      --end;
    std::string comment = "  # noqa: " + list;
    if (!reason_.empty()) comment += " " + std::string(reason_);
    return Insertion(end, std::move(comment));
  }

  findings::Edit Insertion(std::uint32_t at, std::string content) const {
    return {{source_.path(), {at, at}}, std::move(content)};
  }

  void DropWhatIsNoComment(AddedNoqa* added) const {
    // The cells of a notebook are no file by themselves.
    if (added->edits.empty() || source_.path().ends_with(".ipynb")) return;
    std::string text;
    std::vector<std::uint32_t> places;  // of the last byte of each insertion, in `text`
    std::uint32_t done = 0;
    for (const findings::Edit& edit : added->edits) {
      text += source_.Text({done, edit.location.span.begin});
      text += edit.content;
      done = edit.location.span.begin;
      places.push_back(static_cast<std::uint32_t>(text.size()) - 1);
    }
    text += source_.bytes().substr(done);
    auto changed = text::Source::FromBytes(source_.path(), std::move(text));
    std::vector<findings::Edit> kept;
    if (changed) {
      const syntax::Tree tree = syntax::Parse(*changed);
      for (std::size_t i = 0; i < places.size(); ++i) {
        if (IsInComment(tree, places[i])) {
          kept.push_back(std::move(added->edits[i]));
        } else {
          added->skipped += counts_[i];
        }
      }
    }
    added->edits = std::move(kept);
  }

  static bool IsInComment(const syntax::Tree& tree, std::uint32_t offset) {
    const auto& comments = tree.comments();
    const auto at = std::partition_point(comments.begin(), comments.end(),
                                         [offset](const text::Span& c) { return c.end <= offset; });
    return at != comments.end() && at->begin <= offset;
  }

  const text::Source& source_;
  LogicalLines lines_;
  std::string_view reason_;
  std::map<std::uint32_t, Directive> lists_;  // by row
  std::vector<std::size_t> counts_;           // findings, by edit
};

}  // namespace

AddedNoqa AddNoqa(const text::Source& source, const syntax::Tree& tree,
                  std::span<const findings::Finding> found, std::span<const KnownRule> rules,
                  std::string_view reason) {
  return Adder(source, tree, rules, reason).Run(found);
}

}  // namespace torchleak::suppress

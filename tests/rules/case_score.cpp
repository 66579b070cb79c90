// The statement of a line is the smallest statement node that covers it, of a compound statement
// only the part above its body, of a decorated one the decorators too.
#include "case_score.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string_view>
#include <tuple>

#include "engine/rule.h"
#include "syntax/tree.h"

namespace torchleak::tests {
namespace {

using syntax::Kind;
using syntax::NodeId;

struct Rows {
  std::uint32_t first = 0, last = 0;
  bool Has(std::uint32_t row) const { return first <= row && row <= last; }
  std::uint32_t size() const { return last - first; }
};

bool IsStatement(Kind kind) {
  switch (kind) {
    case Kind::kAssertStatement:
    case Kind::kBreakStatement:
    case Kind::kContinueStatement:
    case Kind::kDeleteStatement:
    case Kind::kExpressionStatement:
    case Kind::kForStatement:
    case Kind::kFutureImportStatement:
    case Kind::kGlobalStatement:
    case Kind::kIfStatement:
    case Kind::kImportFromStatement:
    case Kind::kImportStatement:
    case Kind::kMatchStatement:
    case Kind::kNonlocalStatement:
    case Kind::kPassStatement:
    case Kind::kRaiseStatement:
    case Kind::kReturnStatement:
    case Kind::kTryStatement:
    case Kind::kWhileStatement:
    case Kind::kWithStatement:
    case Kind::kFunctionDefinition:
    case Kind::kClassDefinition:
      return true;
    default:
      return false;
  }
}

bool IsDefinition(Kind kind) {
  return kind == Kind::kFunctionDefinition || kind == Kind::kClassDefinition;
}

std::string_view Trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t'\"");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t'\"") + 1 - begin);
}

std::set<std::string, std::less<>> Split(std::string_view text, std::string_view separators) {
  std::set<std::string, std::less<>> parts;
  while (!text.empty()) {
    const std::size_t end = text.find_first_of(separators);
    const std::string_view part = Trimmed(text.substr(0, end));
    if (engine::FindRule(part) != nullptr) parts.emplace(part);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return parts;
}

class Case {
 public:
  Case(const text::Source& source, std::span<const findings::Finding> found)
      : source_(source), found_(found), tree_(syntax::Parse(source)) {}

  std::vector<std::string> Gaps() {
    for (std::uint32_t row = 1; row <= source_.line_count(); ++row) {
      for (std::string_view pattern : MarksAt(row, "# expect: ")) Expect(row, pattern);
      for (std::string_view pattern : MarksAt(row, "# ok: ")) ExpectNone(row, pattern);
    }
    CheckGoodOnes();
    std::vector<std::string> gaps;
    for (const auto& [row, kind, pattern] : gaps_) {
      const std::size_t slash = source_.path().rfind('/');
      gaps.push_back(
          fmt::format("{} {}:{} {}", kind, source_.path().substr(slash + 1), row, pattern));
    }
    return gaps;
  }

 private:
  Rows RowsOf(NodeId node) const {
    const text::Span span = tree_.Span(node);
    return {source_.RowOf(span.begin),
            source_.RowOf(span.end > span.begin ? span.end - 1 : span.end)};
  }

  Rows Header(NodeId statement) const {
    Rows rows = RowsOf(statement);
    for (NodeId child : tree_.Children(statement)) {
      if (tree_.kind(child) != Kind::kBlock) continue;
      rows.last = std::max(rows.first, RowsOf(child).first - 1);
      break;
    }
    const NodeId parent = tree_.Parent(statement);
    if (parent != syntax::kNoNode && tree_.kind(parent) == Kind::kDecoratedDefinition)
      rows.first = RowsOf(parent).first;
    return rows;
  }

  template <typename Wanted>
  NodeId Smallest(std::uint32_t row, Wanted wanted) const {
    NodeId best = syntax::kNoNode;
    for (std::uint32_t i = 0; i < tree_.size(); ++i) {
      const NodeId node{i};
      if (!wanted(tree_.kind(node)) || !RowsOf(node).Has(row)) continue;
      if (best == syntax::kNoNode || RowsOf(node).size() < RowsOf(best).size()) best = node;
    }
    return best;
  }

  Rows Statement(std::uint32_t row) const {
    const NodeId node = Smallest(row, IsStatement);
    return node == syntax::kNoNode ? Rows{row, row} : Header(node);
  }

  std::vector<std::string_view> MarksAt(std::uint32_t row, std::string_view mark) const {
    std::vector<std::string_view> patterns;
    const std::string_view line = source_.Line(row);
    for (std::size_t at = line.find(mark); at != std::string_view::npos;
         at = line.find(mark, at + 1)) {
      const std::string_view rest = line.substr(at + mark.size());
      patterns.push_back(rest.substr(0, rest.find(' ')));
    }
    return patterns;
  }

  std::uint32_t RowOf(const findings::Finding& finding) const {
    return source_.RowOf(finding.location.span.begin);
  }

  bool Touches(const findings::Finding& finding, Rows rows) const {
    return rows.Has(RowOf(finding)) ||
           std::any_of(finding.flow.begin(), finding.flow.end(), [&](const findings::Step& step) {
             return step.location.path == source_.path() &&
                    rows.Has(source_.RowOf(step.location.span.begin));
           });
  }

  void Expect(std::uint32_t row, std::string_view pattern) {
    const std::set<std::string, std::less<>> names = Split(pattern, "|");
    if (names.empty()) return;
    Rows rows = Statement(row);
    if (names.contains("missing-zero-grad")) {  // anywhere in the function that steps
      const NodeId function =
          Smallest(row, [](Kind kind) { return kind == Kind::kFunctionDefinition; });
      if (function != syntax::kNoNode) rows = RowsOf(function);
    }
    const bool met = std::any_of(found_.begin(), found_.end(), [&](const findings::Finding& f) {
      return names.contains(f.name) && Touches(f, rows);
    });
    if (!met) gaps_.emplace(row, "miss", std::string(pattern));
  }

  void ExpectNone(std::uint32_t row, std::string_view pattern) {
    const Rows rows = Statement(row);
    for (const findings::Finding& finding : found_) {
      if (finding.name == pattern && rows.Has(RowOf(finding)))
        gaps_.emplace(RowOf(finding), "false", std::string(pattern));
    }
  }

  void CheckGoodOnes() {
    const std::string_view bytes = source_.bytes();
    const std::size_t at = bytes.find("\npattern:");
    if (at == std::string_view::npos) return;
    const std::string_view rest = bytes.substr(at + 9);
    const std::set<std::string, std::less<>> own = Split(rest.substr(0, rest.find('\n')), ",;");
    for (std::uint32_t i = 0; i < tree_.size(); ++i) {
      const NodeId node{i};
      if (!IsDefinition(tree_.kind(node))) continue;
      const std::string_view name = tree_.Text(tree_.Child(node, syntax::Field::kName));
      if (!name.starts_with("good") && !name.starts_with("Good")) continue;
      for (const findings::Finding& finding : found_) {
        if (own.contains(finding.name) && RowsOf(node).Has(RowOf(finding)))
          gaps_.emplace(RowOf(finding), "false", std::string(finding.name));
      }
    }
  }

  const text::Source& source_;
  std::span<const findings::Finding> found_;
  syntax::Tree tree_;
  std::set<std::tuple<std::uint32_t, std::string_view, std::string>> gaps_;
};

}  // namespace

std::vector<std::string> CaseGaps(const text::Source& source,
                                  std::span<const findings::Finding> found) {
  return Case(source, found).Gaps();
}

}  // namespace torchleak::tests

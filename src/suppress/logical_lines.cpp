// Statements come in preorder, a header before its body, so their rows come sorted: those that
// share a row with the one before are joined to it.
#include "suppress/logical_lines.h"

#include <algorithm>

namespace torchleak::suppress {
namespace {

using syntax::Kind;
using syntax::NodeId;

bool IsSimple(Kind kind) {
  switch (kind) {
    case Kind::kAssertStatement:
    case Kind::kBreakStatement:
    case Kind::kContinueStatement:
    case Kind::kDeleteStatement:
    case Kind::kExecStatement:
    case Kind::kExpressionStatement:
    case Kind::kFutureImportStatement:
    case Kind::kGlobalStatement:
    case Kind::kImportFromStatement:
    case Kind::kImportStatement:
    case Kind::kNonlocalStatement:
    case Kind::kPassStatement:
    case Kind::kPrintStatement:
    case Kind::kRaiseStatement:
    case Kind::kReturnStatement:
    case Kind::kTypeAliasStatement:
      return true;
    default:
      return false;
  }
}

bool IsCompound(Kind kind) {
  switch (kind) {
    case Kind::kCaseClause:
    case Kind::kClassDefinition:
    case Kind::kElifClause:
    case Kind::kElseClause:
    case Kind::kExceptClause:
    case Kind::kFinallyClause:
    case Kind::kForStatement:
    case Kind::kFunctionDefinition:
    case Kind::kIfStatement:
    case Kind::kMatchStatement:
    case Kind::kTryStatement:
    case Kind::kWhileStatement:
    case Kind::kWithStatement:
      return true;
    default:
      return false;
  }
}

// One past the colon of a header. It follows the last part before the body: `parameters` of a
// function, the word `try` itself.
std::uint32_t HeaderEnd(const text::Source& source, const syntax::Tree& tree, NodeId statement) {
  std::uint32_t last = tree[statement].begin, limit = tree[statement].end;
  for (NodeId child : tree.Children(statement)) {
    if (tree.kind(child) == Kind::kBlock) {
      limit = tree[child].begin;
      break;
    }
    last = tree[child].end;
  }
  if (limit < last) return last;
  const std::size_t colon = source.Text({last, limit}).find(':');
  return colon == std::string_view::npos ? last : last + static_cast<std::uint32_t>(colon) + 1;
}

}  // namespace

LogicalLines::LogicalLines(const text::Source& source, const syntax::Tree& tree)
    : source_(source),
      ends_inside_(source.line_count() + 2),
      has_comment_(source.line_count() + 2) {
  for (const text::Span& comment : tree.comments())
    has_comment_[source.RowOf(comment.begin)] = true;
  const auto rows_of = [&](std::uint32_t begin, std::uint32_t end) {
    return Rows{source.RowOf(begin), source.RowOf(end > begin ? end - 1 : end)};
  };
  for (std::uint32_t i = 0; i < tree.size(); ++i) {
    const NodeId node{i};
    const Kind kind = tree.kind(node);
    if (kind == Kind::kString) {
      MarkString(rows_of(tree[node].begin, tree[node].end));
    } else if (IsSimple(kind)) {
      Add(rows_of(tree[node].begin, tree[node].end));
    } else if (IsCompound(kind)) {
      const NodeId parent = tree.Parent(node);
      const bool decorated =
          parent != syntax::kNoNode && tree.kind(parent) == Kind::kDecoratedDefinition;
      Add(rows_of(tree[decorated ? parent : node].begin, HeaderEnd(source, tree, node)));
    }
  }
}

void LogicalLines::Add(Rows rows) {
  if (lines_.empty() || lines_.back().last < rows.first) {
    lines_.push_back(rows);
  } else {
    lines_.back().last = std::max(lines_.back().last, rows.last);
  }
}

void LogicalLines::MarkString(Rows rows) {
  // Marked by whoever came first: strings in strings do not make this quadratic.
  for (std::uint32_t row = rows.last; row > rows.first && !ends_inside_[row - 1]; --row)
    ends_inside_[row - 1] = true;
}

Rows LogicalLines::At(std::uint32_t row) const {
  const auto at = std::partition_point(lines_.begin(), lines_.end(),
                                       [row](const Rows& line) { return line.last < row; });
  return at != lines_.end() && at->Has(row) ? *at : Rows{row, row};
}

std::optional<Rows> LogicalLines::After(std::uint32_t row) const {
  const auto at = std::partition_point(lines_.begin(), lines_.end(),
                                       [row](const Rows& line) { return line.first <= row; });
  return at != lines_.end() ? std::optional(*at) : std::nullopt;
}

bool LogicalLines::CommentFits(std::uint32_t row) const {
  return !ends_inside_[row] && (has_comment_[row] || !source_.Line(row).ends_with('\\'));
}

}  // namespace torchleak::suppress

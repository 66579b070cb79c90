// From a row to the statement that holds it. Of a compound statement only the header is meant: its
// body has rows of its own.
#include <algorithm>

#include "flow/explain_internal.h"

namespace torchleak::flow {

using syntax::kNoNode;
using syntax::NodeId;
using SyntaxKind = syntax::Kind;

namespace {

bool IsStatement(SyntaxKind kind) {
  switch (kind) {
    case SyntaxKind::kFunctionDefinition:
    case SyntaxKind::kClassDefinition:
    case SyntaxKind::kDecorator:
    case SyntaxKind::kElifClause:
    case SyntaxKind::kElseClause:
    case SyntaxKind::kExceptClause:
    case SyntaxKind::kFinallyClause:
    case SyntaxKind::kCaseClause:
      return true;
    default:
      return syntax::Name(kind).ends_with("_statement");
  }
}

}  // namespace

NodeId Explainer::StatementAt(std::uint32_t offset) const {
  for (NodeId n = tree().At(offset); n != kNoNode; n = tree().Parent(n)) {
    if (IsStatement(tree().kind(n))) return n;
  }
  return kNoNode;
}

text::Span Explainer::HeaderOf(NodeId statement) const {
  text::Span span = tree().Span(statement);
  const std::string_view bytes = source_.bytes();
  for (NodeId c : tree().Children(statement)) {
    if (tree().kind(c) != SyntaxKind::kBlock) continue;
    span.end = std::max(span.begin, tree().Span(c).begin);
    // A comment may stand between the colon and the block.
    for (const text::Span& comment : tree().comments()) {
      if (comment.begin >= span.begin && comment.begin < span.end) span.end = comment.begin;
    }
    break;
  }
  while (span.end > span.begin &&
         std::string_view(" \t\r\n").find(bytes[span.end - 1]) != std::string_view::npos)
    --span.end;
  return span;
}

std::string Explainer::Nowhere(std::uint32_t row) const {
  const text::Span line = source_.LineSpan(row);
  const std::string_view text = source_.Text(line);
  const std::size_t first = text.find_first_not_of(" \t\f\r\n");
  if (first == text.npos) return "This line is blank.";
  const auto offset = line.begin + static_cast<std::uint32_t>(first);
  for (const text::Span& c : tree().comments()) {
    if (c.begin <= offset && offset < c.end) return "This line is a comment.";
  }
  const NodeId at = StatementAt(offset);
  if (at == kNoNode) return "No statement stands on this line.";
  if (tree().kind(at) == SyntaxKind::kExpressionStatement) {
    const NodeId child = tree().FirstChild(at);
    if (child != kNoNode && tree().kind(child) == SyntaxKind::kString &&
        tree().NextSibling(child) == kNoNode) {
      return "This line is a piece of text that nothing uses, such as a docstring.";
    }
  }
  return {};
}

}  // namespace torchleak::flow

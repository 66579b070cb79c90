#include "repair/source_edits.h"

#include <algorithm>

#include <fmt/format.h>

namespace torchleak::repair {
namespace {

using syntax::Field;
using syntax::Kind;
using syntax::kNoNode;
using syntax::NodeId;

// Takes a suffix as it stands.
bool IsPrimary(Kind kind) {
  switch (kind) {
    case Kind::kIdentifier:
    case Kind::kAttribute:
    case Kind::kCall:
    case Kind::kSubscript:
    case Kind::kParenthesizedExpression:
      return true;
    default:
      return false;
  }
}

bool IsBlank(std::string_view text) { return text.find_first_not_of(" \t\f") == text.npos; }

}  // namespace

void SourceEdits::Insert(std::uint32_t at, std::string text) { Replace({at, at}, std::move(text)); }

void SourceEdits::Replace(text::Span span, std::string text) {
  edits_.push_back({{{}, span}, std::move(text)});
}

void SourceEdits::Suffix(NodeId expression, std::string_view suffix) {
  const NodeId parent = tree_.Parent(expression);
  if (parent != kNoNode && tree_.kind(parent) == Kind::kParenthesizedExpression)
    expression = parent;
  const text::Span span = tree_.Span(expression);
  if (IsPrimary(tree_.kind(expression))) return Insert(span.end, std::string(suffix));
  Insert(span.begin, "(");
  Insert(span.end, ")" + std::string(suffix));
}

NodeId SourceEdits::StatementOf(NodeId node) const {
  while (node != kNoNode) {
    const NodeId parent = tree_.Parent(node);
    if (parent == kNoNode) return kNoNode;
    if (tree_.kind(parent) == Kind::kBlock || tree_.kind(parent) == Kind::kModule) return node;
    node = parent;
  }
  return kNoNode;
}

std::uint32_t SourceEdits::LineStart(std::uint32_t at) const {
  const std::size_t feed = at == 0 ? std::string_view::npos : Source().find_last_of("\r\n", at - 1);
  return feed == std::string_view::npos ? 0 : static_cast<std::uint32_t>(feed) + 1;
}

std::uint32_t SourceEdits::LineEnd(std::uint32_t at) const {
  return static_cast<std::uint32_t>(std::min(Source().find_first_of("\r\n", at), Source().size()));
}

bool SourceEdits::Indentation(NodeId statement, std::string_view* indent) const {
  const std::uint32_t begin = tree_[statement].begin, start = LineStart(begin);
  *indent = Source().substr(start, begin - start);
  return IsBlank(*indent);
}

// Nothing but a comment follows on its last line.
bool SourceEdits::EndsItsLine(NodeId statement) const {
  const std::uint32_t end = tree_[statement].end;
  std::string_view rest = Source().substr(end, LineEnd(end) - end);
  const std::size_t text = rest.find_first_not_of(" \t\f");
  return text == rest.npos || rest[text] == '#';
}

// What one more level of indentation is, judged by the code around.
std::string SourceEdits::Unit(NodeId first, std::string_view indent) const {
  std::string_view inner = indent, outer;
  NodeId below = kNoNode;
  for (NodeId child : tree_.Children(first)) {
    if (tree_.kind(child) == Kind::kBlock) below = tree_.FirstChild(child);
  }
  std::string_view other;
  if (below != kNoNode && Indentation(below, &other)) {
    inner = other, outer = indent;
  } else if (const NodeId block = tree_.Parent(first); tree_.Parent(block) != kNoNode) {
    if (!Indentation(StatementOf(tree_.Parent(block)), &outer)) outer = indent;
  }
  if (inner.size() > outer.size() && inner.starts_with(outer))
    return std::string(inner.substr(outer.size()));
  return indent.find('\t') != indent.npos ? "\t" : "    ";
}

std::vector<text::Span> SourceEdits::Strings(NodeId first, NodeId last) const {
  std::vector<text::Span> strings;
  for (std::uint32_t i = syntax::Index(first); i < syntax::Index(tree_.End(last)); ++i) {
    if (tree_.kind(NodeId{i}) == Kind::kString) strings.push_back(tree_.Span(NodeId{i}));
  }
  return strings;
}

bool SourceEdits::Wrap(NodeId first, NodeId last, std::string_view context) {
  std::string_view indent;
  if (!Indentation(first, &indent)) return false;
  const std::string head = fmt::format("{}with {}:\n", indent, context);
  return Indent(first, last, head);
}

bool SourceEdits::Indent(NodeId first, NodeId last, const std::string& head) {
  std::string_view indent;
  if (!Indentation(first, &indent) || !EndsItsLine(last)) return false;
  const std::string unit = Unit(first, indent);
  const std::vector<text::Span> strings = Strings(first, last);
  std::uint32_t start = LineStart(tree_[first].begin);
  const std::uint32_t end = tree_[last].end;
  Insert(start, head + unit);
  while (true) {
    start = LineEnd(start);
    if (start >= end) return true;
    start += Source().substr(start).starts_with("\r\n") ? 2 : 1;
    if (start >= end) return true;
    const bool in_string = std::any_of(strings.begin(), strings.end(), [&](text::Span s) {
      return s.begin < start && start < s.end;
    });
    if (!in_string && !IsBlank(Source().substr(start, LineEnd(start) - start))) Insert(start, unit);
  }
}

bool SourceEdits::LineBefore(NodeId statement, std::string_view code) {
  std::string_view indent;
  if (!Indentation(statement, &indent)) return false;
  Insert(LineStart(tree_[statement].begin), fmt::format("{}{}\n", indent, code));
  return true;
}

bool SourceEdits::LineAfter(NodeId statement, std::string_view code, unsigned blank_lines) {
  const std::uint32_t end = tree_[statement].end;
  std::string_view indent;
  if (!EndsItsLine(statement)) return false;
  if (!Indentation(statement, &indent)) {  // `if ready: optimizer.step()`, `a(); b()`
    Insert(end, fmt::format("; {}", code));
    return true;
  }
  const std::uint32_t line_end = LineEnd(end);
  Insert(line_end, fmt::format("{}\n{}{}", std::string(blank_lines, '\n'), indent, code));
  return true;
}

bool SourceEdits::Decorate(NodeId definition, std::string_view decorator) {
  std::string_view indent;
  if (!Indentation(definition, &indent)) return false;
  Insert(LineStart(tree_[definition].begin), fmt::format("{}{}\n", indent, decorator));
  return true;
}

// An unconditional import of the package, or of a part of it, above that place.
bool SourceEdits::ImportsAtTop(std::string_view package, std::uint32_t before) const {
  for (const NodeId statement : tree_.Children(tree_.root())) {
    const Kind kind = tree_.kind(statement);
    const bool import = kind == Kind::kImportStatement || kind == Kind::kImportFromStatement;
    if (!import || tree_[statement].end > before) continue;
    const std::string_view text = tree_.Text(statement);
    const std::size_t at = text.find(package);
    if (at == text.npos || text.find_last_not_of(" \t", at == 0 ? 0 : at - 1) == text.npos)
      continue;
    const char next = at + package.size() < text.size() ? text[at + package.size()] : ' ';
    if (text[at - 1] == ' ' && (next == ' ' || next == '.' || next == ',')) return true;
  }
  return false;
}

SourceEdits::Name SourceEdits::Torch(NodeId use) {
  const bool at_top = ImportsAtTop("torch", tree_[use].begin);
  bool taken = false;
  for (const sema::Binding& b : module_.bindings()) {
    if (b.scope != sema::ScopeId{0}) continue;
    if (b.qualified == "torch" && !b.shadowed) {
      return {std::string(module_.Text(b.name)), at_top && b.assignments <= 1};
    }
    taken |= module_.Text(b.name) == "torch";
  }
  if (taken) return {};
  // Before the first import, but behind the docstring and what must come first.
  NodeId before = kNoNode, after = kNoNode;
  for (const NodeId statement : tree_.Children(tree_.root())) {
    const Kind kind = tree_.kind(statement);
    const bool docstring = after == kNoNode && kind == Kind::kExpressionStatement &&
                           tree_.FirstChild(statement) != kNoNode &&
                           tree_.kind(tree_.FirstChild(statement)) == Kind::kString;
    if (docstring || kind == Kind::kFutureImportStatement) {
      after = statement;
    } else if (kind == Kind::kImportStatement || kind == Kind::kImportFromStatement) {
      before = statement;
      break;
    } else {
      if (after == kNoNode) before = statement;
      break;
    }
  }
  if (before != kNoNode) {
    Insert(LineStart(tree_[before].begin), "import torch\n");
  } else if (after != kNoNode) {
    Insert(LineEnd(tree_[after].end), "\nimport torch");
  } else {
    Insert(0, "import torch\n");
  }
  return {"torch", at_top};
}

}  // namespace torchleak::repair

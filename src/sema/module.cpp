// Queries on a finished Module. Functions and classes are in node order, so both are found by
// binary search and need no map.
#include "sema/module.h"

#include <algorithm>
#include <array>

namespace torchleak::sema {

using syntax::Field;
using syntax::Kind;
using syntax::kNoNode;
using syntax::NodeId;

namespace {

// Longer chains name nothing that anyone knows; the bound keeps a chain of 100,000 linear.
constexpr std::size_t kMaxParts = 32;

// `a.b.c`: the identifier a, and c and b in this order.
struct Chain {
  NodeId root = kNoNode;  // kNoNode when the expression is no chain
  std::size_t size = 0;
  std::array<NodeId, kMaxParts> parts;
};

// The dotted name of a pattern, `case torch.Size()`.
void TakeDottedName(const syntax::Tree& tree, NodeId dotted, Chain& chain) {
  chain.root = tree.FirstChild(dotted);
  if (chain.root == kNoNode) return;
  for (NodeId part = tree.NextSibling(chain.root); part != kNoNode; part = tree.NextSibling(part)) {
    if (chain.size == kMaxParts) {
      chain.root = kNoNode;
      return;
    }
    chain.parts[chain.size++] = part;
  }
  std::reverse(chain.parts.begin(), chain.parts.begin() + static_cast<std::ptrdiff_t>(chain.size));
}

Chain TakeApart(const syntax::Tree& tree, NodeId node) {
  Chain chain;
  while (node != kNoNode) {
    switch (tree.kind(node)) {
      case Kind::kIdentifier:
        chain.root = node;
        return chain;
      case Kind::kAttribute:
        if (chain.size == kMaxParts) return chain;
        chain.parts[chain.size++] = tree.Child(node, Field::kAttribute);
        node = tree.Child(node, Field::kObject);
        break;
      case Kind::kParenthesizedExpression:
      case Kind::kType:
        node = tree.FirstChild(node);
        break;
      case Kind::kDottedName:
        TakeDottedName(tree, node, chain);
        return chain;
      default:
        return chain;
    }
  }
  return chain;
}

template <typename Id, typename Entry>
Id FindByNode(const std::vector<Entry>& entries, NodeId node, Id none) {
  const auto at = std::lower_bound(entries.begin(), entries.end(), node,
                                   [](const Entry& e, NodeId n) { return e.node < n; });
  if (at == entries.end() || at->node != node) return none;
  return Id{static_cast<std::uint32_t>(at - entries.begin())};
}

}  // namespace

NameId Module::FindName(std::string_view text) const { return NameId{names_.Find(text)}; }

NameId Module::NameOf(NodeId identifier) const {
  return identifier == kNoNode ? kNoName : NameId{name_of_[Index(identifier)]};
}

BindingId Module::BindingOf(NodeId identifier) const {
  return identifier == kNoNode ? kNoBinding : BindingId{binding_of_[Index(identifier)]};
}

FunctionId Module::FunctionAt(NodeId node) const {
  const auto after = std::upper_bound(code_.begin(), code_.end(), node,
                                      [](NodeId n, const CodeRange& r) { return n < r.begin; });
  return std::prev(after)->function;
}

FunctionId Module::FunctionOf(NodeId node) const {
  return FindByNode(functions_, node, kNoFunction);
}

ClassId Module::ClassOf(NodeId node) const { return FindByNode(classes_, node, kNoClass); }

std::string Module::DisplayName(FunctionId id) const {
  if (id == FunctionId{0}) return "<module>";
  if ((*this)[id].is_lambda) return "<lambda>";
  // Parts from the inside out: the scope chain passes functions and classes alike.
  std::vector<std::string_view> parts;
  for (ScopeId at = (*this)[id].scope; at != kNoScope; at = (*this)[at].parent) {
    const Scope& scope = (*this)[at];
    if (scope.kind == ScopeKind::kClass) {
      parts.push_back(Text((*this)[scope.class_id].name));
    } else if (scope.kind == ScopeKind::kFunction || scope.kind == ScopeKind::kLambda) {
      if (!parts.empty()) parts.push_back("<locals>");
      const Function& f = (*this)[scope.function];
      parts.push_back(f.is_lambda ? "<lambda>" : Text(f.name));
    }
  }
  std::string name;
  for (auto part = parts.rbegin(); part != parts.rend(); ++part) {
    if (!name.empty()) name += '.';
    name += *part;
  }
  return name;
}

bool Module::IsVariable(NodeId identifier) const {
  const syntax::Node& node = (*tree_)[identifier];
  if (node.field == Field::kAttribute || node.field == Field::kName) return false;
  if (node.parent == kNoNode) return true;
  const NodeId first = tree_->FirstChild(node.parent);
  switch (tree_->kind(node.parent)) {
    case Kind::kMemberType:
      return identifier == first;
    case Kind::kKeywordPattern:
      return identifier != first;
    case Kind::kDottedName: {
      const NodeId above = tree_->Parent(node.parent);
      return identifier == first && above != kNoNode && tree_->kind(above) == Kind::kClassPattern;
    }
    default:
      return true;
  }
}

bool Module::IsFree(NodeId identifier) const {
  const NameId name = NameOf(identifier);
  return name != kNoName && BindingOf(identifier) == kNoBinding && is_builtin_[Index(name)] == 0 &&
         IsVariable(identifier);
}

std::string Module::QualifiedName(NodeId expression) const {
  Chain chain = TakeApart(*tree_, expression);
  const NameId root = NameOf(chain.root);
  if (root == kNoName) return {};
  const BindingId id = BindingOf(chain.root);
  std::string name;
  if (id != kNoBinding) {
    const Binding& binding = (*this)[id];
    if (binding.qualified.empty() || binding.shadowed) return {};
    name = binding.qualified;
  } else if (is_builtin_[Index(root)] != 0 && IsVariable(chain.root)) {
    name = Text(root);
  } else {
    return {};
  }
  while (chain.size > 0) {
    const NodeId part = chain.parts[--chain.size];
    if (part == kNoNode || tree_->Text(part).empty()) return {};
    name += '.';
    name += tree_->Text(part);
  }
  return name;
}

}  // namespace torchleak::sema

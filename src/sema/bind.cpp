// Bindings: which scope a name is bound in and what the binding then says about it.
#include "sema/builder.h"

namespace torchleak::sema {

using syntax::Field;
using syntax::Kind;
using syntax::kNoNode;

namespace {

constexpr std::uint8_t Bit(Bound how) {
  return static_cast<std::uint8_t>(1U << static_cast<unsigned>(how));
}

// Enough for any chain that a person writes; keeps `a = b = … = z` linear.
constexpr int kMaxChain = 64;
constexpr int kMaxClimb = 500;

}  // namespace

NameId ModuleBuilder::Intern(NodeId identifier) {
  const std::string_view text = tree_.Text(identifier);
  if (text.empty()) return kNoName;  // the parser put it in (MISSING)
  const std::uint32_t id = m_.names_.Intern(text);
  m_.name_of_[Index(identifier)] = id;
  return NameId{id};
}

BindingId ModuleBuilder::BindingIn(ScopeId scope, NameId name) {
  std::uint32_t& value = scoped_.At(Index(scope), Index(name));
  if (value == ScopedNames::kNone) {
    value = static_cast<std::uint32_t>(m_.bindings_.size());
    m_.bindings_.push_back({.name = name, .scope = scope, .qualified = {}});
    seen_.push_back(0);
  }
  return BindingId{value};
}

BindingId ModuleBuilder::Bind(NodeId identifier, ScopeId scope, Bound how, std::uint32_t value) {
  const NameId name = Intern(identifier);
  if (name == kNoName) return kNoBinding;
  BindingId binding = BindingIn(scope, name);
  if (Index(binding) == kNonlocalMark) {
    nonlocal_writes_.push_back({identifier, scope, how, value});
    return kNoBinding;
  }
  if (Index(binding) == kGlobalMark) {
    binding = BindingIn(ScopeId{0}, name);
    if (CurrentFunction() != FunctionId{0}) m_.bindings_[Index(binding)].captured = true;
  }
  m_.binding_of_[Index(identifier)] = Index(binding);
  Apply(binding, identifier, how, value);
  return binding;
}

void ModuleBuilder::Apply(BindingId id, NodeId node, Bound how, std::uint32_t value) {
  if (how == Bound::kDeclare) return;
  Binding& b = m_.bindings_[Index(id)];
  std::uint8_t& seen = seen_[Index(id)];
  if (how == Bound::kParam) {
    b.is_param = true;
  } else {
    ++b.assignments;
  }
  const bool assigned = how == Bound::kAssign || how == Bound::kNone;
  b.sole_value = seen == 0 && assigned ? NodeId{value} : kNoNode;
  const bool only_defs = how == Bound::kDef && (seen & ~Bit(Bound::kDef)) == 0;
  if (!only_defs) {
    b.function = kNoFunction;
  } else if (b.function == kNoFunction || !IsAccessor(FunctionId{value})) {
    b.function = FunctionId{value};
  }
  if (how == Bound::kClass) {
    earlier_class_.resize(m_.classes_.size() + 1, kNoClass);
    earlier_class_[value] = b.class_id;
  }
  const bool only_classes = how == Bound::kClass && (seen & ~Bit(Bound::kClass)) == 0;
  b.class_id = only_classes ? ClassId{value} : kNoClass;
  if (!b.qualified.empty() && !b.shadowed && how != Bound::kImport) {
    b.shadowed = !IsFallback(node, how);
  }
  seen |= Bit(how);
}

// True when the statement around `node` runs whenever its function, class or module does.
bool ModuleBuilder::IsUnconditional(NodeId node) const {
  for (NodeId up = tree_.Parent(node); up != kNoNode; up = tree_.Parent(up)) {
    switch (tree_.kind(up)) {
      case Kind::kIfStatement:
      case Kind::kTryStatement:
      case Kind::kForStatement:
      case Kind::kWhileStatement:
      case Kind::kMatchStatement:
        return false;
      case Kind::kFunctionDefinition:
      case Kind::kClassDefinition:
        if (tree_.Child(up, Field::kName) != node) return true;
        break;
      default:
        break;
    }
  }
  return true;
}

// `except ImportError: amp = None` and the like: the name still means the import where it works.
bool ModuleBuilder::IsFallback(NodeId node, Bound how) const {
  if (how == Bound::kNone) return true;
  if (how == Bound::kDef || how == Bound::kClass) return !IsUnconditional(node);
  NodeId up = tree_.Parent(node);
  for (int i = 0; i < kMaxClimb && up != kNoNode; ++i, up = tree_.Parent(up)) {
    switch (tree_.kind(up)) {
      case Kind::kExceptClause:
      case Kind::kElseClause:
      case Kind::kElifClause:
        return true;
      case Kind::kFunctionDefinition:
      case Kind::kClassDefinition:
      case Kind::kLambda:
        return false;
      default:
        break;
    }
  }
  return false;
}

// Binds the names of a target; attributes, subscripts and anything else in it only read names, and
// the walk sees those.
void ModuleBuilder::BindTargets(NodeId target, Bound how) {
  const NodeId end = tree_.End(target);
  for (NodeId node = target; node < end;) {
    switch (tree_.kind(node)) {
      case Kind::kIdentifier:
        Bind(node, current_, how);
        [[fallthrough]];
      case Kind::kPatternList:
      case Kind::kTuplePattern:
      case Kind::kListPattern:
      case Kind::kListSplatPattern:
      case Kind::kAsPatternTarget:
      case Kind::kExpressionList:
      case Kind::kTuple:
      case Kind::kList:
      case Kind::kListSplat:
      case Kind::kParenthesizedExpression:
        node = NodeId{Index(node) + 1};
        break;
      default:
        node = tree_.End(node);
        break;
    }
  }
}

void ModuleBuilder::Assignment(NodeId id) {
  const NodeId left = tree_.Child(id, Field::kLeft);
  if (left == kNoNode) return;
  NodeId value = tree_.Child(id, Field::kRight);
  if (value == kNoNode) return BindTargets(left, Bound::kDeclare);  // `x: int`
  if (tree_.kind(left) != Kind::kIdentifier) return BindTargets(left, Bound::kOther);
  for (int i = 0; value != kNoNode && tree_.kind(value) == Kind::kAssignment; ++i) {
    value = i < kMaxChain ? tree_.Child(value, Field::kRight) : kNoNode;
  }
  if (value == kNoNode) return BindTargets(left, Bound::kOther);
  const Kind kind = tree_.kind(value);
  const bool placeholder = kind == Kind::kNone || kind == Kind::kFalse || kind == Kind::kTrue;
  Bind(left, current_, placeholder ? Bound::kNone : Bound::kAssign, Index(value));
}

// A walrus binds in the function, module or class around all comprehensions.
void ModuleBuilder::NamedExpression(NodeId id) {
  const NodeId name = tree_.Child(id, Field::kName);
  if (name == kNoNode || tree_.kind(name) != Kind::kIdentifier) return;
  ScopeId scope = current_;
  while (m_.scopes_[Index(scope)].kind == ScopeKind::kComprehension ||
         m_.scopes_[Index(scope)].kind == ScopeKind::kTypeParams) {
    scope = m_.scopes_[Index(scope)].parent;
  }
  Bind(name, scope, Bound::kOther);
}

// `with a as b` and `except A as b` have a target; `case A() as b` ends in the bare name.
void ModuleBuilder::AsPattern(NodeId id) {
  const NodeId alias = tree_.Child(id, Field::kAlias);
  if (alias != kNoNode) return BindTargets(alias, Bound::kOther);
  NodeId last = kNoNode;
  for (const NodeId child : tree_.Children(id)) last = child;
  if (last != kNoNode && tree_.kind(last) == Kind::kIdentifier) Bind(last, current_, Bound::kOther);
}

}  // namespace torchleak::sema

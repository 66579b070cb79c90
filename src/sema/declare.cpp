// Scopes and what opens them: def, lambda, class, comprehension, type parameters.
#include "sema/builder.h"

#include <algorithm>

namespace torchleak::sema {

using syntax::Field;
using syntax::Kind;
using syntax::kNoNode;

ScopeId ModuleBuilder::NewScope(ScopeKind kind, ScopeId parent, NodeId node, FunctionId function) {
  const ScopeId id{static_cast<std::uint32_t>(m_.scopes_.size())};
  m_.scopes_.push_back({kind, parent, node, function, kNoClass});
  return id;
}

std::vector<syntax::NodeId> ModuleBuilder::Decorators(NodeId definition) const {
  std::vector<NodeId> expressions;
  const NodeId parent = tree_.Parent(definition);
  if (parent == kNoNode || tree_.kind(parent) != Kind::kDecoratedDefinition) return expressions;
  for (const NodeId decorator : tree_.Children(parent)) {
    if (tree_.kind(decorator) != Kind::kDecorator) continue;
    const NodeId expression = tree_.FirstChild(decorator);
    if (expression != kNoNode) expressions.push_back(expression);
  }
  return expressions;
}

void ModuleBuilder::DeclareFunction(NodeId id) {
  const FunctionId function{static_cast<std::uint32_t>(m_.functions_.size())};
  const Scope here = m_.scopes_[Index(current_)];
  NodeId name = kNoNode, type_params = kNoNode, params = kNoNode, body = kNoNode;
  for (const NodeId child : tree_.Children(id)) {
    switch (tree_[child].field) {
      case Field::kName:
        name = child;
        break;
      case Field::kTypeParameters:
        type_params = child;
        break;
      case Field::kParameters:
        params = child;
        break;
      case Field::kBody:
        body = child;
        break;
      default:
        break;
    }
  }
  ScopeId outer = current_;
  if (type_params != kNoNode) {
    outer = NewScope(ScopeKind::kTypeParams, current_, type_params, here.function);
  }
  Function f{};
  f.node = id;
  f.body = body;
  f.name = kNoName;
  f.parent = here.function;
  f.class_id = here.kind == ScopeKind::kClass ? here.class_id : kNoClass;
  f.is_async = (tree_[id].flags & syntax::kAsync) != 0;
  f.scope = NewScope(ScopeKind::kFunction, outer, id, function);
  f.decorators = Decorators(id);
  const ScopeId scope = f.scope;
  const ClassId cls = f.class_id;
  m_.functions_.push_back(std::move(f));
  if (name != kNoNode) {
    const bool redefined = cls != kNoClass && HasDef(current_, name);
    Bind(name, current_, Bound::kDef, Index(function));
    m_.functions_.back().name = m_.NameOf(name);
    if (cls != kNoClass) AddMethod(cls, m_.NameOf(name), function, redefined);
  }
  if (params != kNoNode) DeclareParams(params, function);
  if (body != kNoNode) pending_.push_back({Index(body), Index(tree_.End(body)), scope});
  if (type_params != kNoNode) DeclareTypeParams(type_params, outer, id);
  if (!pending_.empty()) next_pending_ = pending_.back().begin;
}

void ModuleBuilder::DeclareLambda(NodeId id) {
  const FunctionId function{static_cast<std::uint32_t>(m_.functions_.size())};
  Function f{};
  f.node = id;
  f.body = tree_.Child(id, Field::kBody);
  f.name = kNoName;
  f.parent = CurrentFunction();
  f.class_id = kNoClass;
  f.is_lambda = true;
  f.scope = NewScope(ScopeKind::kLambda, current_, id, function);
  if (f.body != kNoNode) {
    next_pending_ = Index(f.body);
    pending_.push_back({Index(f.body), Index(tree_.End(f.body)), f.scope});
  }
  m_.functions_.push_back(std::move(f));
  const NodeId params = tree_.Child(id, Field::kParameters);
  if (params != kNoNode) DeclareParams(params, function);
}

void ModuleBuilder::DeclareParams(NodeId list, FunctionId function) {
  const ScopeId scope = m_.functions_[Index(function)].scope;
  ParamKind kind = ParamKind::kPositional;
  for (const NodeId child : tree_.Children(list)) {
    switch (tree_.kind(child)) {
      case Kind::kKeywordSeparator:
        kind = ParamKind::kKeywordOnly;
        break;
      case Kind::kIdentifier:
      case Kind::kTypedParameter:
      case Kind::kDefaultParameter:
      case Kind::kTypedDefaultParameter:
      case Kind::kListSplatPattern:
      case Kind::kDictionarySplatPattern:
      case Kind::kTuplePattern: {
        const Param param = MakeParam(child, kind, scope);
        if (param.kind == ParamKind::kVarArgs) kind = ParamKind::kKeywordOnly;
        m_.functions_[Index(function)].params.push_back(param);
        break;
      }
      default:
        break;  // `/`, ERROR
    }
  }
}

Param ModuleBuilder::MakeParam(NodeId node, ParamKind kind, ScopeId scope) {
  Param param{kNoName, kNoBinding, kind, kNoNode, kNoNode};
  NodeId target = node;
  const Kind node_kind = tree_.kind(node);
  if (node_kind == Kind::kDefaultParameter || node_kind == Kind::kTypedDefaultParameter) {
    target = tree_.Child(node, Field::kName);
    param.default_value = tree_.Child(node, Field::kValue);
  } else if (node_kind == Kind::kTypedParameter) {
    target = tree_.FirstChild(node);
  }
  if (const NodeId type = tree_.Child(node, Field::kType); type != kNoNode) {
    param.annotation = tree_.FirstChild(type);
  }
  if (target == kNoNode) return param;
  if (tree_.kind(target) == Kind::kListSplatPattern) {
    param.kind = ParamKind::kVarArgs;
    target = tree_.FirstChild(target);
  } else if (tree_.kind(target) == Kind::kDictionarySplatPattern) {
    param.kind = ParamKind::kKwArgs;
    target = tree_.FirstChild(target);
  }
  if (target == kNoNode) return param;
  if (tree_.kind(target) == Kind::kIdentifier) {
    param.binding = Bind(target, scope, Bound::kParam);
    param.name = m_.NameOf(target);
  } else if (tree_.kind(target) == Kind::kTuplePattern) {
    for (NodeId inner = target; inner < tree_.End(target); inner = NodeId{Index(inner) + 1}) {
      if (tree_.kind(inner) == Kind::kIdentifier) Bind(inner, scope, Bound::kParam);
    }
  }
  return param;
}

void ModuleBuilder::DeclareClass(NodeId id) {
  const ClassId cls{static_cast<std::uint32_t>(m_.classes_.size())};
  Class c{};
  c.node = id;
  c.name = kNoName;
  c.parent = CurrentFunction();
  const NodeId type_params = tree_.Child(id, Field::kTypeParameters);
  ScopeId outer = current_;
  if (type_params != kNoNode) {
    outer = NewScope(ScopeKind::kTypeParams, current_, type_params, c.parent);
  }
  const ScopeId scope = NewScope(ScopeKind::kClass, outer, id, c.parent);
  m_.scopes_[Index(scope)].class_id = cls;
  c.scope = scope;
  if (const NodeId bases = tree_.Child(id, Field::kSuperclasses); bases != kNoNode) {
    for (const NodeId base : tree_.Children(bases)) {
      const Kind kind = tree_.kind(base);
      if (kind != Kind::kKeywordArgument && kind != Kind::kListSplat &&
          kind != Kind::kDictionarySplat && kind != Kind::kError) {
        c.bases.push_back(base);
      }
    }
  }
  if (const NodeId name = tree_.Child(id, Field::kName); name != kNoNode) {
    Bind(name, current_, Bound::kClass, Index(cls));
    c.name = m_.NameOf(name);
  }
  m_.classes_.push_back(std::move(c));
  const NodeId body = tree_.Child(id, Field::kBody);
  if (body != kNoNode) pending_.push_back({Index(body), Index(tree_.End(body)), scope});
  if (type_params != kNoNode) DeclareTypeParams(type_params, outer, id);
  if (!pending_.empty()) next_pending_ = pending_.back().begin;
}

// The iterable of the first `for` is evaluated before the comprehension's scope exists. It is the
// last part of its clause (Python 2 allows several, `for x in 1, 2`).
void ModuleBuilder::DeclareComprehension(NodeId id) {
  const ScopeId outer = current_;
  current_ = NewScope(ScopeKind::kComprehension, outer, id, CurrentFunction());
  frames_.push_back({Index(tree_.End(id)), current_});
  for (const NodeId child : tree_.Children(id)) {
    if (tree_.kind(child) != Kind::kForInClause) continue;
    const NodeId iterable = tree_.Child(child, Field::kRight);
    if (iterable != kNoNode) {
      pending_.push_back({Index(iterable), Index(tree_.End(child)), outer});
      next_pending_ = Index(iterable);
    }
    return;
  }
}

// `type A[T] = …`: A is bound here, T for the rest of the statement.
void ModuleBuilder::DeclareTypeAlias(NodeId id) {
  NodeId name = tree_.Child(id, Field::kLeft);
  if (name == kNoNode) return;
  if (tree_.kind(name) == Kind::kType) name = tree_.FirstChild(name);
  if (name == kNoNode) return;
  if (tree_.kind(name) != Kind::kGenericType) return BindTargets(name, Bound::kOther);
  const NodeId generic = name;
  name = tree_.FirstChild(generic);
  if (name != kNoNode) BindTargets(name, Bound::kOther);
  for (const NodeId child : tree_.Children(generic)) {
    if (tree_.kind(child) != Kind::kTypeParameter) continue;
    const ScopeId scope = NewScope(ScopeKind::kTypeParams, current_, child, CurrentFunction());
    DeclareTypeParams(child, scope, id);
    next_pending_ = pending_.back().begin;
  }
}

// Names are the first identifier of each entry: `T`, `T: int`, `*Ts`, `**P`.
void ModuleBuilder::DeclareTypeParams(NodeId list, ScopeId scope, NodeId owner) {
  for (const NodeId entry : tree_.Children(list)) {
    NodeId name = entry;
    while (name != kNoNode && tree_.kind(name) != Kind::kIdentifier) {
      const Kind kind = tree_.kind(name);
      const bool inside =
          kind == Kind::kType || kind == Kind::kConstrainedType || kind == Kind::kSplatType;
      name = inside ? tree_.FirstChild(name) : kNoNode;
    }
    if (name != kNoNode) Bind(name, scope, Bound::kOther);
  }
  pending_.push_back({Index(list), Index(tree_.End(owner)), scope});
}

// `@x.setter` and `@x.deleter` define x once more, but x stays what its getter made it.
bool ModuleBuilder::IsAccessor(FunctionId function) const {
  for (const NodeId decorator : m_.functions_[Index(function)].decorators) {
    if (tree_.kind(decorator) != Kind::kAttribute) continue;
    const NodeId attribute = tree_.Child(decorator, Field::kAttribute);
    if (attribute == kNoNode) continue;
    const std::string_view text = tree_.Text(attribute);
    if (text == "setter" || text == "deleter") return true;
  }
  return false;
}

bool ModuleBuilder::HasDef(ScopeId scope, NodeId identifier) const {
  const std::uint32_t name = m_.names_.Find(tree_.Text(identifier));
  if (name == NameTable::kNone) return false;
  const std::uint32_t binding = scoped_.Find(Index(scope), name);
  return binding < kNonlocalMark && (seen_[binding] >> static_cast<unsigned>(Bound::kDef) & 1) != 0;
}

// Only a redefinition searches, from the end, where the first definition mostly is.
void ModuleBuilder::AddMethod(ClassId cls, NameId name, FunctionId function, bool redefined) {
  if (name == kNoName) return;
  auto& methods = m_.classes_[Index(cls)].methods;
  if (redefined) {
    const auto known = std::find_if(methods.rbegin(), methods.rend(),
                                    [name](const auto& method) { return method.first == name; });
    if (known != methods.rend()) {
      if (!IsAccessor(function)) known->second = function;
      return;
    }
  }
  methods.emplace_back(name, function);
}

}  // namespace torchleak::sema

// Pass 1: one loop over all nodes. Most nodes cost the two comparisons with the stacks' tops and
// the switch; an identifier costs one hash of its text.
#include "sema/builder.h"

namespace torchleak::sema {

using syntax::Field;
using syntax::Kind;
using syntax::kNoNode;

Module Analyze(const syntax::Tree& tree) { return ModuleBuilder(tree).Build(); }

ModuleBuilder::ModuleBuilder(const syntax::Tree& tree) : tree_(tree) {
  const std::size_t size = tree.size();
  m_.tree_ = &tree;
  m_.name_of_.assign(size, kNone);
  m_.binding_of_.assign(size, kNone);
  reads_.reserve(size / 4);
}

Module ModuleBuilder::Build() {
  Function top{};
  top.node = top.body = tree_.root();
  top.name = kNoName;
  top.parent = kNoFunction;
  top.class_id = kNoClass;
  top.scope = NewScope(ScopeKind::kModule, kNoScope, tree_.root(), FunctionId{0});
  m_.functions_.push_back(std::move(top));
  m_.code_.push_back({tree_.root(), FunctionId{0}});
  frames_.push_back({kNone, ScopeId{0}});
  Walk();
  Resolve();
  m_.own_functions_ = m_.functions_.size();
  m_.own_classes_ = m_.classes_.size();
  MarkBuiltins();
  ReadDecorators();
  LinkClasses();
  return std::move(m_);
}

void ModuleBuilder::Walk() {
  const auto size = static_cast<std::uint32_t>(tree_.size());
  for (std::uint32_t i = 0; i < size; ++i) {
    if (i >= frames_.back().end) LeaveFrames(i);
    if (i == next_pending_) EnterPending(i);
    Visit(NodeId{i});
  }
}

void ModuleBuilder::LeaveFrames(std::uint32_t node) {
  while (frames_.back().end <= node) frames_.pop_back();
  current_ = frames_.back().scope;
  NoteCode(node);
}

void ModuleBuilder::EnterPending(std::uint32_t node) {
  while (!pending_.empty() && pending_.back().begin == node) {
    frames_.push_back({pending_.back().end, pending_.back().scope});
    pending_.pop_back();
  }
  current_ = frames_.back().scope;
  next_pending_ = pending_.empty() ? kNone : pending_.back().begin;
  NoteCode(node);
}

void ModuleBuilder::NoteCode(std::uint32_t node) {
  const FunctionId function = CurrentFunction();
  if (m_.code_.back().begin == NodeId{node}) {
    m_.code_.back().function = function;
  } else if (m_.code_.back().function != function) {
    m_.code_.push_back({NodeId{node}, function});
  }
}

// The kinds that a file has most of come first; no other kind binds or opens a scope.
void ModuleBuilder::Visit(NodeId id) {
  switch (tree_.kind(id)) {
    case Kind::kIdentifier:
      return Identifier(id);
    case Kind::kAssignment:
      return Assignment(id);
    case Kind::kAugmentedAssignment:
    case Kind::kForStatement:
    case Kind::kForInClause:
      if (const NodeId left = tree_.Child(id, Field::kLeft); left != kNoNode) {
        BindTargets(left, Bound::kOther);
      }
      return;
    case Kind::kNamedExpression:
      return NamedExpression(id);
    case Kind::kAsPattern:
      return AsPattern(id);
    case Kind::kExceptClause:
      if (const NodeId alias = tree_.Child(id, Field::kAlias); alias != kNoNode) {
        BindTargets(alias, Bound::kOther);
      }
      return;
    case Kind::kDeleteStatement:
      for (const NodeId target : tree_.Children(id)) BindTargets(target, Bound::kDeclare);
      return;
    default:
      return VisitLeafOrScope(id);
  }
}

void ModuleBuilder::VisitLeafOrScope(NodeId id) {
  switch (tree_.kind(id)) {
    case Kind::kFunctionDefinition:
      return DeclareFunction(id);
    case Kind::kLambda:
      return DeclareLambda(id);
    case Kind::kClassDefinition:
      return DeclareClass(id);
    case Kind::kListComprehension:
    case Kind::kSetComprehension:
    case Kind::kDictionaryComprehension:
    case Kind::kGeneratorExpression:
      return DeclareComprehension(id);
    case Kind::kTypeAliasStatement:
      return DeclareTypeAlias(id);
    case Kind::kImportStatement:
      return Import(id);
    case Kind::kImportFromStatement:
      return ImportFrom(id);
    case Kind::kFutureImportStatement:
      return FutureImport(id);
    case Kind::kGlobalStatement:
      return Marks(id, kGlobalMark);
    case Kind::kNonlocalStatement:
      return Marks(id, kNonlocalMark);
    case Kind::kYield:
      if (CurrentFunction() != FunctionId{0}) {
        m_.functions_[Index(CurrentFunction())].is_generator = true;
      }
      return;
    case Kind::kDottedName:
      return DottedName(id);
    case Kind::kKeywordPattern:
      return KeywordPattern(id);
    case Kind::kMemberType: {  // type, then the attribute
      const NodeId first = tree_.FirstChild(id);
      if (first != kNoNode) OnlyName(tree_.NextSibling(first));
      return;
    }
    case Kind::kSplatPattern:
      for (const NodeId name : tree_.Children(id)) BindTargets(name, Bound::kOther);
      return;
    default:
      return;
  }
}

void ModuleBuilder::Identifier(NodeId id) {
  if (m_.name_of_[Index(id)] != kNone) return;  // done by the statement it belongs to
  if (Intern(id) == kNoName) return;
  const Field field = tree_[id].field;
  if (field == Field::kAttribute || field == Field::kName) return;
  reads_.push_back({id, current_});
}

void ModuleBuilder::OnlyName(NodeId id) {
  if (id != kNoNode && tree_.kind(id) == Kind::kIdentifier) Intern(id);
}

// Outside imports, dotted names stand in `case` patterns only: one part captures, more are a
// value to compare with, and the class of a class pattern is read.
void ModuleBuilder::DottedName(NodeId id) {
  const NodeId first = tree_.FirstChild(id);
  if (first == kNoNode || m_.name_of_[Index(first)] != kNone) return;  // an import's
  for (const NodeId part : tree_.Children(id)) OnlyName(part);
  const NodeId parent = tree_.Parent(id);
  const Kind kind = parent == kNoNode ? Kind::kError : tree_.kind(parent);
  const bool pattern = kind == Kind::kCasePattern || kind == Kind::kUnionPattern ||
                       kind == Kind::kKeywordPattern || kind == Kind::kClassPattern ||
                       kind == Kind::kDictPattern;
  if (!pattern || m_.name_of_[Index(first)] == kNone) return;
  const bool single = tree_.NextSibling(first) == kNoNode;
  if (!single || kind == Kind::kClassPattern || kind == Kind::kDictPattern) {
    reads_.push_back({first, current_});
  } else if (tree_.Text(first) != "_") {
    Bind(first, current_, Bound::kOther);
  }
}

// `case Point(x=0)`: x names an attribute.
void ModuleBuilder::KeywordPattern(NodeId id) { OnlyName(tree_.FirstChild(id)); }

void ModuleBuilder::Marks(NodeId statement, std::uint32_t mark) {
  for (const NodeId child : tree_.Children(statement)) {
    if (tree_.kind(child) != Kind::kIdentifier) continue;
    const NameId name = Intern(child);
    if (name == kNoName) continue;
    reads_.push_back({child, current_});
    if (current_ == ScopeId{0}) continue;  // `global x` at the top changes nothing
    std::uint32_t& value = scoped_.At(Index(current_), Index(name));
    const std::uint32_t before = value;
    if (before == ScopedNames::kNone) {
      value = mark;
    } else if (mark == kGlobalMark && before < kNonlocalMark) {
      value = mark;
      MoveToModule(BindingId{before});
    }
  }
}

// `from m import x` and then `global x`: Python takes it, for imports and defs at least. When the
// module has an x already, what was bound so far keeps its own binding.
void ModuleBuilder::MoveToModule(BindingId id) {
  Binding& local = m_.bindings_[Index(id)];
  if (local.is_param) return;
  std::uint32_t& value = scoped_.At(0, Index(local.name));
  if (value == ScopedNames::kNone) {
    value = Index(id);
    local.scope = ScopeId{0};
    local.captured = true;
    return;
  }
  Binding& global = m_.bindings_[value];
  global.assignments += local.assignments;
  global.captured = true;
  global.sole_value = kNoNode;
  global.function = kNoFunction;
  global.class_id = kNoClass;
  if (global.qualified.empty()) global.qualified = local.qualified;
}

}  // namespace torchleak::sema

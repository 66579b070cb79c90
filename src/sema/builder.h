// ModuleBuilder: fills a Module in two linear passes. Private to sema.
//
//   1. Walk: all nodes in preorder. Statements that bind declare their targets ahead of the walk
//      (a name set in `name_of_` tells it to pass over them); every other identifier that is a
//      variable joins `reads_` together with the scope it stands in.
//   2. Resolve: `reads_` only, now that every scope knows all its names.
//
// Scopes do not nest like nodes do: a default value stands inside its `def` but is evaluated
// outside, the first iterable of a comprehension likewise. So the walk keeps two stacks. `frames_`
// holds the scopes that are open, each up to a node; `pending_` holds node ranges further on that
// will open one (a function's body, a first iterable). Both are ordered by node, so the loop only
// compares with their tops.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_set>
#include <vector>

#include "sema/module.h"

namespace torchleak::sema {

// What a statement does to a name.
enum class Bound : std::uint8_t {
  kDeclare,  // local from here on but no value: `x: int`, `del x`
  kParam,
  kImport,
  kDef,     // value: FunctionId
  kClass,   // value: ClassId
  kAssign,  // value: NodeId of the right-hand side
  kNone,    // the same where it is None, True or False, a usual placeholder
  kOther,   // loop targets, unpacking, `+=`, `with … as`, patterns
};

class ModuleBuilder {
 public:
  explicit ModuleBuilder(const syntax::Tree& tree);
  Module Build();

 private:
  using NodeId = syntax::NodeId;
  static constexpr std::uint32_t kNone = 0xFFFFFFFF;

  struct Frame {
    std::uint32_t end;  // first node after the scope
    ScopeId scope;
  };
  struct Pending {
    std::uint32_t begin, end;
    ScopeId scope;
  };
  struct Read {
    NodeId node;
    ScopeId scope;
  };
  struct NonlocalWrite {
    NodeId node;
    ScopeId scope;  // that of the `nonlocal` statement
    Bound how;
    std::uint32_t value;
  };
  // What pass 2 knows of one name.
  struct NameUse {
    std::uint32_t bindings = 0;
    std::uint32_t first = kNone;
    ScopeId last_scope = kNoScope;  // answer of the last walk, to end the next one early
    std::uint32_t last_binding = kNone;
  };

  // walk.cpp
  void Walk();
  void EnterPending(std::uint32_t node);
  void LeaveFrames(std::uint32_t node);
  void NoteCode(std::uint32_t node);
  void Visit(NodeId id);
  void VisitLeafOrScope(NodeId id);
  void Identifier(NodeId id);
  void OnlyName(NodeId id);
  void DottedName(NodeId id);
  void KeywordPattern(NodeId id);
  void Marks(NodeId statement, std::uint32_t mark);
  void MoveToModule(BindingId local);

  // declare.cpp
  ScopeId NewScope(ScopeKind kind, ScopeId parent, NodeId node, FunctionId function);
  std::vector<NodeId> Decorators(NodeId definition) const;
  void DeclareFunction(NodeId id);
  void DeclareLambda(NodeId id);
  void DeclareParams(NodeId list, FunctionId function);
  Param MakeParam(NodeId node, ParamKind kind, ScopeId scope);
  void DeclareClass(NodeId id);
  void DeclareComprehension(NodeId id);
  void DeclareTypeAlias(NodeId id);
  void DeclareTypeParams(NodeId list, ScopeId scope, NodeId owner);
  void AddMethod(ClassId cls, NameId name, FunctionId function, bool redefined);
  bool HasDef(ScopeId scope, NodeId identifier) const;
  bool IsAccessor(FunctionId function) const;

  // bind.cpp
  NameId Intern(NodeId identifier);
  BindingId Bind(NodeId identifier, ScopeId scope, Bound how, std::uint32_t value = kNone);
  BindingId BindingIn(ScopeId scope, NameId name);
  void Apply(BindingId id, NodeId node, Bound how, std::uint32_t value);
  void BindTargets(NodeId target, Bound how);
  void Assignment(NodeId id);
  void NamedExpression(NodeId id);
  void AsPattern(NodeId id);
  bool IsUnconditional(NodeId node) const;
  bool IsFallback(NodeId node, Bound how) const;

  // imports.cpp
  void Import(NodeId statement);
  void ImportFrom(NodeId statement);
  void FutureImport(NodeId statement);
  void ImportName(NodeId name, const std::string& prefix);
  void BindImport(NodeId identifier, std::string qualified);
  std::string Dotted(NodeId dotted_name);
  void AddModule(std::string module);

  // resolve.cpp
  void Resolve();
  BindingId Lookup(NameId name, ScopeId from);
  BindingId WalkScopes(NameId name, ScopeId from);
  void Touch(BindingId binding, ScopeId from);
  void ResolveNonlocalWrites();

  // finish.cpp
  void MarkBuiltins();
  void ReadDecorators();
  void LinkClasses();
  void ResolveBase(ClassId cls, NodeId base);

  FunctionId CurrentFunction() const { return m_.scopes_[Index(current_)].function; }

  const syntax::Tree& tree_;
  Module m_;
  ScopedNames scoped_;
  ScopeId current_{0};
  std::uint32_t next_pending_ = kNone;
  std::vector<Frame> frames_;
  std::vector<Pending> pending_;
  std::vector<Read> reads_;
  std::vector<NonlocalWrite> nonlocal_writes_;
  std::vector<std::uint8_t> seen_;      // by binding: bit set of Bound
  std::vector<ClassId> earlier_class_;  // by class: the one its name meant before
  std::vector<NameUse> uses_;           // by name
  std::unordered_set<std::string> modules_seen_;
};

// Values in ScopedNames that are no binding: `global x` and `nonlocal x` in that scope.
inline constexpr std::uint32_t kGlobalMark = 0xFFFFFFFE;
inline constexpr std::uint32_t kNonlocalMark = 0xFFFFFFFD;

}  // namespace torchleak::sema

// Module: who is who in one file, complete before any flow analysis starts.
//
// Names are interned per file; every identifier that reads or writes a variable is resolved to a
// Binding of some scope by Python's rules (class scopes are skipped by nested functions, `global`
// and `nonlocal`, comprehension scopes, walrus binds in the enclosing function). Imports give
// bindings a qualified name, so `th.nn.functional.relu` after `import torch as th` is
// "torch.nn.functional.relu".
//
//   sema::Module m = sema::Analyze(tree);
//   if (m.QualifiedName(call_function) == "torch.no_grad") …
//
// Other files of a project come in by declaration: Declare() adds a function or class that is
// defined elsewhere (node == kNoNode), Link() says that an import means it. From then on methods,
// base classes and calls find it like those of the file itself.
#pragma once

#include <cstdint>
#include <deque>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "sema/hash_tables.h"
#include "syntax/tree.h"

namespace torchleak::sema {

enum class NameId : std::uint32_t {};      // an identifier's text, interned in this file
enum class BindingId : std::uint32_t {};   // a variable of one scope
enum class ScopeId : std::uint32_t {};     // 0 = module
enum class FunctionId : std::uint32_t {};  // 0 = the module's top-level code
enum class ClassId : std::uint32_t {};
inline constexpr NameId kNoName{0xFFFFFFFF};
inline constexpr BindingId kNoBinding{0xFFFFFFFF};
inline constexpr ScopeId kNoScope{0xFFFFFFFF};
inline constexpr FunctionId kNoFunction{0xFFFFFFFF};
inline constexpr ClassId kNoClass{0xFFFFFFFF};
template <typename Id>
constexpr std::uint32_t Index(Id id) {
  return static_cast<std::uint32_t>(id);
}

// kTypeParams holds the `T` of `def f[T]`, `class C[T]` and `type A[T]`: around annotations, bases
// and body, and like a comprehension it runs in the enclosing function.
enum class ScopeKind : std::uint8_t {
  kModule,
  kClass,
  kFunction,
  kLambda,
  kComprehension,
  kTypeParams
};

struct Scope {
  ScopeKind kind;
  ScopeId parent;
  syntax::NodeId node;
  FunctionId function;  // the function (or lambda, or module) whose code this scope runs in
  ClassId class_id;     // for class scopes
};

struct Binding {
  NameId name;
  ScopeId scope;
  // Of an import: "torch.nn"; of `from .a import b`: ".a.b"; else empty. The first one of
  // alternatives (try / except, if / else), the last one of a straight line.
  std::string qualified;
  FunctionId function = kNoFunction;  // bound by `def` and nothing else; the last of several
  ClassId class_id = kNoClass;        // bound by `class` and nothing else; the last of several
  bool is_param = false;
  bool captured = false;          // read or written from a nested function (or lambda)
  bool shadowed = false;          // an import rebound by other code, not as its fallback
  bool linked = false;            // an import of something that another file of the project defines
  std::uint32_t assignments = 0;  // number of statements that bind it; a parameter is none
  syntax::NodeId sole_value = syntax::kNoNode;  // right-hand side when all is one `x = value`
};

enum class ParamKind : std::uint8_t { kPositional, kVarArgs, kKeywordOnly, kKwArgs };

struct Param {
  NameId name;  // kNoName, and no binding, for Python 2's `def f((a, b))`
  BindingId binding;
  ParamKind kind;
  syntax::NodeId default_value;  // or kNoNode
  syntax::NodeId annotation;     // the type expression, or kNoNode
  bool operator==(const Param&) const = default;
};

struct Function {
  syntax::NodeId node;  // function_definition, lambda, or the module root
  syntax::NodeId body;  // block, or the lambda's expression; kNoNode when it did not parse
  NameId name;          // kNoName for lambdas and the module
  ScopeId scope;
  FunctionId parent;                       // enclosing function, kNoFunction for the module
  ClassId class_id;                        // class whose body holds this def directly
  std::vector<Param> params;               // in order, `self` included
  std::vector<syntax::NodeId> decorators;  // the expressions after `@`
  bool is_lambda = false, is_async = false, is_generator = false;
  bool is_static = false, is_classmethod = false, is_property = false;
  bool operator==(const Function&) const = default;
};

// One base of a class: a class of the project or a name from outside.
struct Base {
  ClassId cls = kNoClass;
  std::string name;
  bool operator==(const Base&) const = default;
};

struct Class {
  syntax::NodeId node;
  NameId name;
  ScopeId scope;
  FunctionId parent;                        // function in whose code the class statement stands
  std::vector<syntax::NodeId> bases;        // positional base expressions
  std::vector<Base> direct_bases;           // what they mean, in order
  std::vector<ClassId> project_bases;       // those found in the project
  std::vector<std::string> external_bases;  // the others, transitively: "torch.nn.Module"
  std::vector<std::pair<NameId, FunctionId>> methods;  // own only, last definition wins
  bool operator==(const Class&) const = default;
};

class Module {
 public:
  const syntax::Tree& tree() const { return *tree_; }

  std::string_view Text(NameId name) const {  // empty for kNoName
    return name == kNoName ? std::string_view{} : names_.Text(Index(name));
  }
  NameId FindName(std::string_view text) const;    // kNoName when the file never uses it
  NameId NameOf(syntax::NodeId identifier) const;  // kNoName for other nodes
  std::size_t name_count() const { return names_.size(); }

  // Binding that an identifier node reads or writes; kNoBinding for attribute names, keyword
  // argument names, builtins and names that nothing binds.
  BindingId BindingOf(syntax::NodeId identifier) const;

  std::span<const Scope> scopes() const { return scopes_; }
  std::span<const Binding> bindings() const { return bindings_; }
  // Of this file; the declared ones follow, up to function_count() and class_count().
  std::span<const Function> functions() const { return {functions_.data(), own_functions_}; }
  std::span<const Class> classes() const { return {classes_.data(), own_classes_}; }
  std::size_t function_count() const { return functions_.size(); }
  std::size_t class_count() const { return classes_.size(); }
  bool IsForeign(FunctionId id) const { return Index(id) >= own_functions_; }
  bool IsForeign(ClassId id) const { return Index(id) >= own_classes_; }
  const Scope& operator[](ScopeId id) const { return scopes_[Index(id)]; }
  const Binding& operator[](BindingId id) const { return bindings_[Index(id)]; }
  const Function& operator[](FunctionId id) const { return functions_[Index(id)]; }
  const Class& operator[](ClassId id) const { return classes_[Index(id)]; }

  // Function whose code holds the node: the innermost def or lambda whose body it is in, or the
  // module. Decorators, parameters, defaults and annotations belong to the outer function, whose
  // code evaluates them. O(log functions).
  FunctionId FunctionAt(syntax::NodeId node) const;
  // Function made by this def or lambda node; class made by this class node.
  FunctionId FunctionOf(syntax::NodeId node) const;
  ClassId ClassOf(syntax::NodeId node) const;
  // "Trainer.fit", "train.<locals>.hook", "<module>"; "<lambda>" for lambdas.
  std::string DisplayName(FunctionId id) const;

  // A variable that nothing in this file binds, nor a builtin: `from m import *` may.
  bool IsFree(syntax::NodeId identifier) const;

  // Dotted name of an identifier or attribute chain whose root is an import or a builtin that
  // nothing shadows ("open", "range"); empty otherwise. Allocates only for a name it returns.
  std::string QualifiedName(syntax::NodeId expression) const;

  // Method through this file's class hierarchy in method resolution order, or kNoFunction.
  FunctionId FindMethod(ClassId cls, std::string_view name) const;
  FunctionId FindMethod(ClassId cls, NameId name) const;
  // Next definition of `name` after `cls` itself: what super().name() calls.
  FunctionId FindSuperMethod(ClassId cls, NameId name) const;
  // The class and all its project bases, in resolution order; cycles end.
  std::vector<ClassId> Linearize(ClassId cls) const;
  // True when one of the transitive external bases is in the list.
  bool DerivesFrom(ClassId cls, std::span<const std::string_view> qualified) const;

  // Every module that the file imports, as written ("torch", "torch.nn", ".util", "tensorflow").
  const std::vector<std::string>& imported_modules() const { return imported_modules_; }
  // Those of `from m import *`: they may bind any name that has no binding here.
  const std::vector<std::string>& star_imports() const { return star_imports_; }

  // Declarations of other files, before any analysis of this one; see flow/link.h.
  NameId AddName(std::string_view text);
  FunctionId Declare(Function function);
  ClassId Declare(Class cls);
  void DeclareMethod(ClassId cls, NameId name, FunctionId function);
  // A variable of another file. It has no identifier here.
  BindingId DeclareBinding(NameId name);
  // The import means this; both ids may be none, for a variable.
  void Link(BindingId import, FunctionId function, ClassId cls);
  // `module.name` at this attribute node is that binding.
  void LinkAt(syntax::NodeId attribute, BindingId binding);
  BindingId LinkedAt(syntax::NodeId attribute) const;  // or kNoBinding
  // What that entry of direct_bases means; FinishBases() after the last one.
  void LinkBase(ClassId derived, std::size_t base, ClassId cls);
  void FinishBases();

 private:
  friend class ModuleBuilder;
  // From node `begin` on, up to the next entry's, the code is that of `function`.
  struct CodeRange {
    syntax::NodeId begin;
    FunctionId function;
  };
  // False for attribute names, keyword argument names and other identifiers that are no variable.
  bool IsVariable(syntax::NodeId identifier) const;

  const syntax::Tree* tree_ = nullptr;
  NameTable names_;
  std::vector<std::uint32_t> name_of_;     // by node, 0xFFFFFFFF for none
  std::vector<std::uint32_t> binding_of_;  // by node, 0xFFFFFFFF for none
  std::vector<Scope> scopes_;
  std::vector<Binding> bindings_;
  std::vector<Function> functions_;  // in order of their nodes, as are classes_
  std::vector<Class> classes_;
  std::vector<CodeRange> code_;
  std::vector<std::uint8_t> is_builtin_;  // by name
  std::vector<std::string> imported_modules_;
  std::vector<std::string> star_imports_;
  std::size_t own_functions_ = 0, own_classes_ = 0;
  std::deque<std::string> added_names_;
  std::unordered_map<std::uint32_t, BindingId> linked_at_;  // by node
};

// The tree (and its source) must outlive the module.
Module Analyze(const syntax::Tree& tree);

}  // namespace torchleak::sema

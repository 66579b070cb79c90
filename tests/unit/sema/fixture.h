// A Python text with its tree and module, and ways to point at things in it.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include <doctest/doctest.h>

#include "sema/module.h"

namespace torchleak::sema {

class Py {
 public:
  explicit Py(std::string code) {
    auto source = text::Source::FromBytes("test.py", std::move(code));
    REQUIRE(source);
    source_ = std::make_unique<text::Source>(std::move(*source));
    tree_ = std::make_unique<syntax::Tree>(syntax::Parse(*source_));
    module_ = std::make_unique<Module>(Analyze(*tree_));
  }

  const Module& operator*() const { return *module_; }
  const Module* operator->() const { return module_.get(); }
  const syntax::Tree& tree() const { return *tree_; }

  // The n-th identifier (from 0) of this text.
  syntax::NodeId Name(std::string_view name, int n = 0) const {
    return Node(syntax::Kind::kIdentifier, name, n);
  }
  // The n-th node of this kind with this text; of larger kinds, whose text starts like this.
  syntax::NodeId Node(syntax::Kind kind, std::string_view prefix, int n = 0) const {
    for (std::uint32_t i = 0; i < tree_->size(); ++i) {
      const syntax::NodeId id{i};
      if (tree_->kind(id) != kind) continue;
      const std::string_view text = tree_->Text(id);
      const bool whole = kind == syntax::Kind::kIdentifier || kind == syntax::Kind::kAttribute;
      const bool match = whole ? text == prefix : text.substr(0, prefix.size()) == prefix;
      if (match && n-- == 0) return id;
    }
    FAIL("no such node: " << prefix);
    return syntax::kNoNode;
  }
  BindingId At(std::string_view name, int n = 0) const { return module_->BindingOf(Name(name, n)); }
  const Binding& Of(std::string_view name, int n = 0) const {
    const BindingId id = At(name, n);
    REQUIRE_MESSAGE(id != kNoBinding, "unbound: " << name << " " << n);
    return (*module_)[id];
  }
  // Do the a-th and b-th identifier of this text mean the same variable?
  bool Same(std::string_view name, int a, int b) const {
    return At(name, a) != kNoBinding && At(name, a) == At(name, b);
  }
  ScopeKind ScopeOf(std::string_view name, int n = 0) const {
    return (*module_)[Of(name, n).scope].kind;
  }
  // Name of the function that owns the binding of the n-th identifier.
  std::string Owner(std::string_view name, int n = 0) const {
    return module_->DisplayName((*module_)[Of(name, n).scope].function);
  }
  std::string Qualified(std::string_view expression, int n = 0) const {
    const auto kind = expression.find('.') == std::string_view::npos ? syntax::Kind::kIdentifier
                                                                     : syntax::Kind::kAttribute;
    return module_->QualifiedName(Node(kind, expression, n));
  }
  // The n-th function or class of this name.
  FunctionId Function(std::string_view name, int n = 0) const {
    for (std::uint32_t i = 0; i < module_->functions().size(); ++i) {
      if (module_->Text(module_->functions()[i].name) == name && n-- == 0) return FunctionId{i};
    }
    FAIL("no such function: " << name);
    return kNoFunction;
  }
  ClassId Class(std::string_view name, int n = 0) const {
    for (std::uint32_t i = 0; i < module_->classes().size(); ++i) {
      if (module_->Text(module_->classes()[i].name) == name && n-- == 0) return ClassId{i};
    }
    FAIL("no such class: " << name);
    return kNoClass;
  }
  const sema::Function& Fn(std::string_view name, int n = 0) const {
    return (*module_)[Function(name, n)];
  }
  const sema::Class& Cls(std::string_view name, int n = 0) const {
    return (*module_)[Class(name, n)];
  }

 private:
  std::unique_ptr<text::Source> source_;  // on the heap: tree and module point into it
  std::unique_ptr<syntax::Tree> tree_;
  std::unique_ptr<Module> module_;
};

}  // namespace torchleak::sema

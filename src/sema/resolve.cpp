// Pass 2: every read to its binding.
//
// Most names of a file are bound in one scope only, or in none (builtins): one comparison then
// answers. The rest walks up the scopes with one probe each, and ends early where the last walk
// for the same name began: reads come in source order, so deep nests cost no square.
#include "sema/builder.h"

namespace torchleak::sema {

void ModuleBuilder::Resolve() {
  uses_.assign(m_.names_.size(), {});
  for (std::uint32_t i = 0; i < m_.bindings_.size(); ++i) {
    NameUse& use = uses_[Index(m_.bindings_[i].name)];
    if (use.bindings++ == 0) use.first = i;
  }
  ResolveNonlocalWrites();
  for (const Read& read : reads_) {
    const BindingId binding = Lookup(NameId{m_.name_of_[Index(read.node)]}, read.scope);
    if (binding == kNoBinding) continue;
    m_.binding_of_[Index(read.node)] = Index(binding);
    Touch(binding, read.scope);
  }
}

void ModuleBuilder::Touch(BindingId binding, ScopeId from) {
  Binding& b = m_.bindings_[Index(binding)];
  if (m_.scopes_[Index(from)].function != m_.scopes_[Index(b.scope)].function) b.captured = true;
}

void ModuleBuilder::ResolveNonlocalWrites() {
  for (const NonlocalWrite& write : nonlocal_writes_) {
    const BindingId binding = Lookup(NameId{m_.name_of_[Index(write.node)]}, write.scope);
    if (binding == kNoBinding) continue;
    m_.binding_of_[Index(write.node)] = Index(binding);
    Touch(binding, write.scope);
    Apply(binding, write.node, write.how, write.value);
  }
}

BindingId ModuleBuilder::Lookup(NameId name, ScopeId from) {
  NameUse& use = uses_[Index(name)];
  if (use.bindings == 0) return kNoBinding;
  if (use.bindings == 1) {
    const ScopeId scope = m_.bindings_[use.first].scope;
    if (scope == from || scope == ScopeId{0}) return BindingId{use.first};
  }
  if (use.last_scope == from) return BindingId{use.last_binding};
  const BindingId found = WalkScopes(name, from);
  use.last_scope = from;
  use.last_binding = Index(found);
  return found;
}

BindingId ModuleBuilder::WalkScopes(NameId name, ScopeId from) {
  const NameUse& use = uses_[Index(name)];
  bool crossed = false;  // left a scope that hides an enclosing class from its inside
  for (ScopeId id = from; id != kNoScope; id = m_.scopes_[Index(id)].parent) {
    const ScopeKind kind = m_.scopes_[Index(id)].kind;
    const bool is_class = kind == ScopeKind::kClass;
    if (!(is_class && crossed)) {
      // A class or type-parameter scope answers its own code and its inside differently.
      if (crossed && id == use.last_scope && kind != ScopeKind::kTypeParams) {
        return BindingId{use.last_binding};
      }
      const std::uint32_t value = scoped_.Find(Index(id), Index(name));
      if (value == kGlobalMark) {
        const std::uint32_t global = scoped_.Find(0, Index(name));
        return global < kNonlocalMark ? BindingId{global} : kNoBinding;
      }
      if (value != ScopedNames::kNone && value != kNonlocalMark) return BindingId{value};
    }
    if (kind != ScopeKind::kTypeParams) crossed = true;
  }
  return kNoBinding;
}

}  // namespace torchleak::sema

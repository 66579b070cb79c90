// What other files define, and the bases that follow from it.
#include <algorithm>

#include "sema/module.h"

namespace torchleak::sema {
namespace {

constexpr std::size_t kMaxExternalBases = 64;

}  // namespace

NameId Module::AddName(std::string_view text) {
  const std::uint32_t known = names_.Find(text);
  if (known != NameTable::kNone) return NameId{known};
  return NameId{names_.Intern(added_names_.emplace_back(text))};
}

FunctionId Module::Declare(Function function) {
  functions_.push_back(std::move(function));
  return FunctionId{static_cast<std::uint32_t>(functions_.size() - 1)};
}

ClassId Module::Declare(Class cls) {
  classes_.push_back(std::move(cls));
  return ClassId{static_cast<std::uint32_t>(classes_.size() - 1)};
}

void Module::DeclareMethod(ClassId cls, NameId name, FunctionId function) {
  classes_[Index(cls)].methods.emplace_back(name, function);
}

BindingId Module::DeclareBinding(NameId name) {
  Binding binding{.name = name, .scope = ScopeId{0}, .qualified = {}};
  binding.linked = true;
  bindings_.push_back(std::move(binding));
  return BindingId{static_cast<std::uint32_t>(bindings_.size() - 1)};
}

void Module::Link(BindingId import, FunctionId function, ClassId cls) {
  Binding& b = bindings_[Index(import)];
  b.linked = true;
  b.function = function;
  b.class_id = cls;
}

void Module::LinkAt(syntax::NodeId attribute, BindingId binding) {
  linked_at_.emplace(syntax::Index(attribute), binding);
}

BindingId Module::LinkedAt(syntax::NodeId attribute) const {
  if (linked_at_.empty()) return kNoBinding;
  const auto it = linked_at_.find(syntax::Index(attribute));
  return it == linked_at_.end() ? kNoBinding : it->second;
}

void Module::LinkBase(ClassId derived, std::size_t base, ClassId cls) {
  classes_[Index(derived)].direct_bases[base].cls = cls;
}

// Each class hands what it newly has to the classes derived from it, until nothing is new.
void Module::FinishBases() {
  std::vector<std::vector<std::uint32_t>> derived(classes_.size());
  std::vector<std::uint32_t> work;
  for (std::uint32_t i = 0; i < classes_.size(); ++i) {
    Class& c = classes_[i];
    c.project_bases.clear();
    c.external_bases.clear();
    for (const Base& base : c.direct_bases) {
      if (base.cls == kNoClass) {
        c.external_bases.push_back(base.name);
      } else {
        c.project_bases.push_back(base.cls);
        derived[Index(base.cls)].push_back(i);
      }
    }
    if (!c.external_bases.empty()) work.push_back(i);
  }
  for (std::size_t next = 0; next < work.size(); ++next) {
    const std::vector<std::string> from = classes_[work[next]].external_bases;
    for (const std::uint32_t to : derived[work[next]]) {
      std::vector<std::string>& known = classes_[to].external_bases;
      const std::size_t before = known.size();
      for (const std::string& name : from) {
        if (known.size() >= kMaxExternalBases) break;
        if (std::find(known.begin(), known.end(), name) == known.end()) known.push_back(name);
      }
      if (known.size() != before) work.push_back(to);
    }
  }
}

}  // namespace torchleak::sema

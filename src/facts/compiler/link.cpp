// In this order: declarations under their own names, then templates where nothing of that name
// stands, then aliases until no round adds one, then base classes (which aliases may name).
#include "facts/compiler/link.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "facts/compiler/build_fact.h"
#include "facts/compiler/vocabulary.h"

namespace torchleak::facts::stubs {
namespace {

constexpr int kMaxAliasRounds = 8;  // a chain of re-exports longer than this is a mistake

std::string Join(const std::string& owner, const std::string& member) {
  return owner.empty() ? member : owner + "." + member;
}

bool IsTemplate(const Stub& stub) {
  const std::size_t dot = stub.module.rfind('.');
  return stub.module.substr(dot == std::string::npos ? 0 : dot + 1).starts_with('_');
}

class Linker {
 public:
  Linker(const std::vector<Stub>& stubs, std::vector<Error>* errors)
      : stubs_(stubs), errors_(errors) {}

  Linked Run() {
    for (const Stub& stub : stubs_)
      if (IsTemplate(stub)) templates_[stub.module] = &stub;
    for (const Stub& stub : stubs_) {
      if (stub.module == kEvidenceModule)
        DeclareEvidence(stub);
      else if (!IsTemplate(stub))
        Declare(stub);
    }
    ExpandAliases();
    ResolveBases();
    for (auto& [name, cls] : linked_.classes) FinishClass(name, &cls);
    return std::move(linked_);
  }

 private:
  struct PendingClass {
    const Stub* stub;
    const Class* cls;
    std::vector<std::string> bases;  // canonical, once resolved
  };

  void Fail(const Stub& stub, std::uint32_t line, std::string message) {
    errors_->push_back({stub.path, line, std::move(message)});
  }

  void DeclareName(const Stub& stub, std::uint32_t line, const std::string& name) {
    if (!linked_.names.emplace(name, name).second)
      Fail(stub, line, fmt::format("{} is declared twice", name));
  }

  void DeclareEvidence(const Stub& stub) {
    for (const Function& function : stub.functions) {
      std::uint16_t bits = 0;
      if (function.parameters.empty()) {
        Fail(stub, function.line, "evidence is written as `def method(self: Tensor | Module)`");
      } else if (auto error = ApplyEvidence(function.parameters[0].annotation, &bits)) {
        Fail(stub, function.line, *error);
      }
      if (!linked_.evidence.emplace(function.name, bits).second)
        Fail(stub, function.line, fmt::format("{} is declared twice", function.name));
    }
  }

  void Declare(const Stub& stub) {
    for (const Function& function : stub.functions)
      DeclareFunction(stub, stub.module, function, false);
    for (const Attribute& attribute : stub.attributes)
      DeclareAttribute(stub, stub.module, attribute);
    for (const Class& cls : stub.classes) DeclareClass(stub, cls);
    for (const Import& import : stub.imports) {
      if (import.name == "*" && templates_.contains(import.module))
        UseTemplate(stub, stub.module, import.module, false);
      else if (templates_.contains(import.name))  // import _plain as math
        UseTemplate(stub, Join(stub.module, import.alias), import.name, false);
    }
  }

  void DeclareFunction(const Stub& stub, const std::string& owner, const Function& function,
                       bool is_method) {
    const std::string name = Join(owner, function.name);
    DeclareName(stub, function.line, name);
    linked_.facts.emplace(name, BuildFact(function, is_method, stub.path, errors_));
  }

  void DeclareAttribute(const Stub& stub, const std::string& owner, const Attribute& attribute) {
    const std::string name = Join(owner, attribute.name);
    DeclareName(stub, attribute.line, name);
    Fact fact;
    if (auto error = ApplyAnnotation(attribute.annotation, &fact))
      Fail(stub, attribute.line, *error);
    linked_.attributes.emplace(name, fact);
  }

  void DeclareClass(const Stub& stub, const Class& cls) {
    const std::string name = Join(stub.module, cls.name);
    DeclareName(stub, cls.line, name);
    linked_.classes.emplace(name, LinkedClass{});
    pending_.emplace(name, PendingClass{&stub, &cls, {}});
    for (const Function& method : cls.methods) DeclareFunction(stub, name, method, true);
    for (const Attribute& attribute : cls.attributes) DeclareAttribute(stub, name, attribute);
    for (const Import& import : cls.templates) {
      if (templates_.contains(import.module) && import.name == "*")
        UseTemplate(stub, name, import.module, true);
      else
        Fail(stub, import.line, fmt::format("{} is no template", import.module));
    }
  }

  void UseTemplate(const Stub& stub, const std::string& owner, const std::string& module,
                   bool is_method) {
    for (const Function& function : templates_.at(module)->functions)
      if (!linked_.names.contains(Join(owner, function.name)))
        DeclareFunction(stub, owner, function, is_method);
  }

  bool UsesTemplate(const Import& import) const {
    return templates_.contains(import.module) || templates_.contains(import.name);
  }

  void ExpandAliases() {
    for (int round = 0; round < kMaxAliasRounds; ++round) {
      bool changed = false;
      for (const Stub& stub : stubs_)
        for (const Import& import : stub.imports)
          if (import.reexported && !UsesTemplate(import)) changed = Expand(stub, import) || changed;
      if (!changed) {
        CheckAliases();
        return;
      }
    }
    Fail(stubs_.front(), 1, "the re-exports of the stubs go round in a circle");
  }

  // Names at and below `target`, as (what follows target, canonical name).
  std::vector<std::pair<std::string, std::string>> Below(const std::string& target) const {
    std::vector<std::pair<std::string, std::string>> found;
    for (auto it = linked_.names.lower_bound(target);
         it != linked_.names.end() && it->first.starts_with(target); ++it) {
      std::string rest = it->first.substr(target.size());
      if (rest.empty() || rest[0] == '.') found.emplace_back(std::move(rest), it->second);
    }
    return found;
  }

  // `*` brings what the module itself names in public, with its members, but no submodules.
  bool IsPublicMember(const std::string& module, const std::string& rest) const {
    if (rest.size() < 2 || rest[1] == '_') return false;
    return linked_.names.contains(module + rest.substr(0, rest.find('.', 1)));
  }

  bool Expand(const Stub& stub, const Import& import) {
    const bool star = import.name == "*";
    const std::string target = star ? import.module : Join(import.module, import.name);
    const std::string local = star ? stub.module : Join(stub.module, import.alias);
    bool changed = false;
    for (const auto& [rest, canonical] : Below(target)) {
      if (star && !IsPublicMember(target, rest)) continue;
      const std::string name = local.empty() ? rest.substr(1) : local + rest;
      changed = linked_.names.emplace(name, canonical).second || changed;
    }
    return changed;
  }

  void CheckAliases() {
    for (const Stub& stub : stubs_) {
      for (const Import& import : stub.imports) {
        if (UsesTemplate(import)) continue;
        const std::string target =
            import.name == "*" ? import.module : Join(import.module, import.name);
        if (Below(target).empty()) Fail(stub, import.line, fmt::format("no stub has {}", target));
      }
    }
  }

  void ResolveBases() {
    for (auto& [name, pending] : pending_) {
      for (const std::string& base : pending.cls->bases) {
        const std::string canonical = ResolveBase(*pending.stub, base);
        if (canonical.empty())
          Fail(*pending.stub, pending.cls->line, fmt::format("unknown base class {}", base));
        else
          pending.bases.push_back(canonical);
      }
    }
  }

  std::string ResolveBase(const Stub& stub, const std::string& base) const {
    std::vector<std::string> candidates{Join(stub.module, base), base};
    for (const Import& import : stub.imports)
      if (import.alias == base) candidates.push_back(Join(import.module, import.name));
    for (const std::string& candidate : candidates) {
      const auto it = linked_.names.find(candidate);
      if (it != linked_.names.end() && linked_.classes.contains(it->second)) return it->second;
    }
    return "";
  }

  static bool IsReceiver(const Class& cls) {
    return std::ranges::find(cls.decorators, "receiver", &Decorator::name) != cls.decorators.end();
  }

  // Ancestors breadth first, the receiver among them, and what constructing the class gives.
  void FinishClass(const std::string& name, LinkedClass* cls) {
    cls->ancestors = {name};
    for (std::size_t i = 0; i < cls->ancestors.size(); ++i)
      for (const std::string& base : pending_.at(cls->ancestors[i]).bases)
        if (std::ranges::find(cls->ancestors, base) == cls->ancestors.end())
          cls->ancestors.push_back(base);
    Fact fact;
    bool constructed = false;
    for (const std::string& ancestor : cls->ancestors) {
      const auto made = linked_.facts.find(ancestor + ".__new__");
      if (!constructed && made != linked_.facts.end()) {
        fact = made->second;
        constructed = true;
      }
      if (cls->receiver.empty() && IsReceiver(*pending_.at(ancestor).cls)) cls->receiver = ancestor;
    }
    fact.is_class = true;
    const PendingClass& own = pending_.at(name);
    for (const Decorator& decorator : own.cls->decorators) DecorateClass(own, decorator, &fact);
    linked_.facts.emplace(name, fact);
    const auto by_name = [](const Decorator& d) { return d.name == "by_name"; };
    if (std::ranges::any_of(own.cls->decorators, by_name)) cls->suffix = own.cls->name;
  }

  // An effect on a class is an effect of all its methods.
  void DecorateClass(const PendingClass& own, const Decorator& decorator, Fact* fact) {
    if (decorator.name == "receiver" || decorator.name == "by_name") return;
    if (decorator.name == "bounded") {
      fact->bounded = true;
      return;
    }
    const auto effect = EffectOf(decorator.name);
    if (!effect || !decorator.argument.empty()) {
      Fail(*own.stub, decorator.line,
           fmt::format("unknown decorator @{} of a class", decorator.name));
      return;
    }
    fact->effects |= *effect;
    const std::string name = Join(own.stub->module, own.cls->name);
    for (const Function& method : own.cls->methods)
      linked_.facts.at(Join(name, method.name)).effects |= *effect;
  }

  const std::vector<Stub>& stubs_;
  std::vector<Error>* errors_;
  std::map<std::string, const Stub*> templates_;
  std::map<std::string, PendingClass> pending_;
  Linked linked_;
};

}  // namespace

Linked Link(const std::vector<Stub>& stubs, std::vector<Error>* errors) {
  return Linker(stubs, errors).Run();
}

}  // namespace torchleak::facts::stubs

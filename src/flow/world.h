// World: what the functions of one file know of each other while they are analysed.
//
// Attributes and globals are described flow-insensitively: by what is assigned to them anywhere in
// the file and by what is done with them (evidence). Functions are analysed callees first; a
// function's summary is ready before its callers need it, except inside recursion.
#pragma once

#include <array>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "flow/link.h"
#include "flow/result.h"

namespace torchleak::flow {

inline constexpr std::array<std::string_view, 4> kModuleBases{
    "torch.nn.Module", "lightning.pytorch.LightningModule", "pytorch_lightning.LightningModule",
    "transformers.PreTrainedModel"};

class World final : public ParamEvidence {
 public:
  explicit World(const sema::Module& module, Links links = {});

  const sema::Module& module() const { return module_; }
  FunctionResult& result(sema::FunctionId id) { return results_[Index(id)]; }
  const FunctionResult& result(sema::FunctionId id) const { return results_[Index(id)]; }
  std::vector<FunctionResult>& results() { return results_; }
  const std::vector<FunctionResult>& results() const { return results_; }

  // Bottom-up order over the call graph: callees first, members of a cycle together.
  const std::vector<sema::FunctionId>& order() const { return order_; }

  Role role(sema::FunctionId id) const { return roles_[Index(id)]; }
  bool IsModuleClass(sema::ClassId cls) const;
  // Its __init__ turns requires_grad off for all its parameters.
  // A module without parameters, as far as its attributes tell: most losses.
  bool IsWeightless(sema::ClassId cls) const;
  // Some attribute of it, or of a base, is a tensor or a module.
  bool ShowsWeights(sema::ClassId cls) const;
  // Buffers and numbers, nothing that could be a parameter: what goes through it has a graph only
  // when it comes with one.
  bool IsParameterless(sema::ClassId cls) const { return parameterless_.contains(Index(cls)); }
  bool IsFrozenClass(sema::ClassId cls) const { return frozen_classes_.contains(Index(cls)); }
  void NoteFrozenClass(sema::ClassId cls) { frozen_classes_.insert(Index(cls)); }
  // … for the parameters of one attribute: for p in self.ema.parameters(): p.requires_grad = False
  void NoteFrozenAttribute(sema::ClassId cls, sema::NameId name);
  // What the stubs say of a method that the class has from a base of another file; nullptr when
  // none lists it.
  const facts::Fact* InheritedFact(sema::ClassId cls, std::string_view method) const;
  // The fact of the framework's method that this one overrides; nullptr for others.
  const facts::Fact* Overridden(sema::FunctionId id) const {
    return Index(id) < overridden_.size() ? overridden_[Index(id)] : nullptr;
  }
  // What the framework does around it: bits of facts::kOfOverrides.
  std::uint32_t Around(sema::FunctionId id) const {
    const facts::Fact* fact = Overridden(id);
    return fact == nullptr ? 0 : fact->effects & facts::kOfOverrides;
  }
  // True when the function's decorators turn grad off, or a framework does around it.
  GradMode DecoratedMode(sema::FunctionId id) const;

  // Value of attribute `name` of an instance of `cls`; kBottom when nothing is known.
  Value Attribute(sema::ClassId cls, sema::NameId name) const;
  std::uint16_t AttributeEvidence(sema::NameId name) const {
    return attribute_evidence_[Index(name)];
  }
  Value Global(sema::BindingId binding) const { return globals_[Index(binding)]; }
  // log["skipped"] = int(…), and nothing else anywhere in the file: a number wherever it is read.
  bool IsNumberKey(std::uint32_t key) const { return number_keys_.contains(key); }
  std::uint16_t BindingEvidence(sema::BindingId b) const { return binding_evidence_[Index(b)]; }
  std::uint16_t ParameterEvidence(sema::FunctionId f, unsigned index) const {
    return param_evidence_[Index(f)][index];
  }
  std::uint16_t Of(const Body& body, const Call& call, unsigned argument) const override;

  // The function of this file that a call runs, when there is exactly one; `bound` tells whether
  // the receiver is its first argument. Classes resolve to their __init__.
  struct Target {
    sema::FunctionId function = sema::kNoFunction;
    sema::ClassId class_id = sema::kNoClass;  // an instance of it is made
    bool bound = false;
  };
  Target Resolve(const Body& body, const Call& call) const;
  // Functions that a value may be: a def, a lambda, a bound method, a partial, what a factory
  // returns.
  std::vector<sema::FunctionId> FunctionsOf(const Body& body, ValueId value) const;
  // Class whose method has this binding as its receiver (`self`), also seen from nested functions.
  sema::ClassId SelfClass(sema::BindingId binding) const;
  // Class of this file that a variable is an instance of: by annotation, or made by one constructor
  // call.
  sema::ClassId ClassOfBinding(sema::BindingId binding) const;
  Value OfFact(const facts::Fact& fact) const;  // what constructing or calling gives
  static Value OfResult(facts::Result result);
  const Links& links() const { return links_; }
  // What is known of the attributes of this file's classes, by class and name.
  struct AttributeValue {
    sema::ClassId cls;
    sema::NameId name;
    Value value;
  };
  std::vector<AttributeValue> Attributes() const;
  // Guess from evidence and name alone.
  Value FromEvidence(std::uint16_t bits, std::string_view name) const;

  // Facts gathered over the whole file by the analyses, by attribute name.
  std::vector<bool> attr_removed, attr_eval, attr_train;
  // Attributes whose values are differentiated, or leave the file's sight, by class and name. A
  // class's methods speak for it and its subclasses.
  void NoteAttribute(sema::BindingId root, sema::NameId name, bool differentiated);
  bool AttributeDifferentiated(sema::ClassId cls, sema::NameId name) const {
    return Noted(cls, name, 0) || AttributeUses::Has(outside.differentiated, module_.Text(name));
  }
  bool AttributeEscapes(sema::ClassId cls, sema::NameId name) const {
    return Noted(cls, name, 1) || AttributeUses::Has(outside.escaping, module_.Text(name));
  }
  bool AttributeRemoved(sema::NameId name) const {
    return attr_removed[Index(name)] || AttributeUses::Has(outside.removed, module_.Text(name));
  }
  AttributeUses outside;                                // what other files do with attributes
  std::vector<std::vector<std::string>> outside_calls;  // by FunctionId, for `why`
  bool test_file = false;                               // unit tests
  bool torch_file = false;                              // imports torch or a library on top of it
  bool foreign_file = false;                            // imports another framework and no torch

 private:
  bool Noted(sema::ClassId cls, sema::NameId name, int which) const;
  // What a name suggests to FromEvidence. Asked for the same few names again and again: kept, that
  // is a tenth of an analysis.
  struct NameLooks {
    bool accelerator, optimizer, module, scheduler, loader;
  };
  struct NameHasher : std::hash<std::string_view> {
    using is_transparent = void;
  };
  const NameLooks& LooksOf(std::string_view name) const;
  // A base that is neither of the project nor known to be no module.
  static bool HoldsWeights(const Value& attribute);
  bool HasUnknownBase(sema::ClassId cls) const;
  void TakeLinks();
  void LowerAll();
  void BuildOrder();
  void FindHooks();
  void CollectEvidence();
  void ShallowValues();
  void FindParameterless();  // world_weights.cpp
  void FindNumberKeys();     // world_keys.cpp
  bool KeepsParameters(sema::ClassId cls) const;
  Value Shallow(const Body& body, ValueId value, int depth) const;
  std::uint32_t ElementClass(const Body& body, ValueId value, int depth) const;

  const sema::Module& module_;
  Links links_;
  MethodEvidence methods_;
  std::vector<FunctionResult> results_;
  std::vector<sema::FunctionId> order_;
  std::vector<bool> calls_within_;  // functions that call others of the file
  std::vector<Role> roles_;
  std::vector<const facts::Fact*> overridden_;  // by function of this file
  std::vector<std::vector<std::uint16_t>> param_evidence_;
  std::vector<std::uint16_t> attribute_evidence_;  // by name
  std::vector<std::uint16_t> binding_evidence_;
  std::unordered_map<std::uint64_t, Value> attributes_;  // by class and name
  std::vector<Value> globals_;
  std::unordered_map<std::uint32_t, GradMode> foreign_modes_;
  std::unordered_set<std::uint32_t> frozen_classes_, weightless_, parameterless_, number_keys_;
  std::unordered_set<std::uint64_t> noted_[2];  // differentiated, escaping
  mutable std::unordered_map<std::string, NameLooks, NameHasher, std::equal_to<>> looks_;
};

}  // namespace torchleak::flow

// What values are before this function does anything to them: parameters, attributes, globals.
#include <algorithm>
#include <array>
#include <bit>

#include "flow/analysis.h"
#include "flow/names.h"

namespace torchleak::flow {

using facts::Fact;
using sema::NameId;

namespace {

// self.Optimizer(…) makes an object; self.D(x) and self.G_ema(x) may run one.
bool IsClassName(std::string_view name) {
  return name.size() > 2 && name[0] >= 'A' && name[0] <= 'Z' && name[1] >= 'a' && name[1] <= 'z';
}

}  // namespace

// What a parameter's annotation says; unknown when it says nothing that matters.
Value FunctionAnalysis::AnnotatedValue(const sema::Param& p) const {
  const sema::Module& m = world_.module();
  std::string_view name = NameText(p.name);
  Value v = Value::Unknown();
  std::string_view text = m.tree().Text(p.annotation);
  const bool of_classes = text.find("Type[") != text.npos || text.find("type[") != text.npos ||
                          text.find("Callable") != text.npos;
  if (of_classes) return Value::Unknown();  // a class or a function, not a module
  if (text == "float" || text == "int" || text == "str" || text == "bool") return Value::Number();
  const bool is_class = !name.empty() && name[0] >= 'A' && name[0] <= 'Z';
  if (const facts::Fact* fact = facts::Find(m.QualifiedName(p.annotation));
      fact != nullptr && fact->is_class && !is_class) {
    v = world_.OfFact(*fact);
  } else if (is_class && name.size() > 1 && name[0] >= 'A' && name[0] <= 'Z') {
    v = Value::Unknown();  // Model: torch.nn.Module, then Model(envs): a class, not an instance
  } else if (text.ends_with("Module") || text.ends_with("PreTrainedModel")) {
    v = Value::Of(Kind::kModule);
  } else if (text.ends_with("Optimizer")) {
    v = Value::Of(Kind::kOptimizer);
  } else if (text.starts_with("Dict") || text.starts_with("dict") || text.starts_with("List") ||
             text.starts_with("list")) {
    v = Value::Of(Kind::kContainer);
  }
  for (std::uint32_t i = syntax::Index(p.annotation); i < syntax::Index(m.tree().End(p.annotation));
       ++i) {
    sema::BindingId b = m.BindingOf(syntax::NodeId{i});
    if (b == sema::kNoBinding || m[b].class_id == sema::kNoClass || !v.Is(Kind::kUnknown)) continue;
    v = Value::Of(world_.IsModuleClass(m[b].class_id) ? Kind::kModule : Kind::kInstance);
    v.ref = Index(m[b].class_id);
  }
  return v;
}

// An input of forward, what a hook sees: tensors that come with a graph.
void FunctionAnalysis::MarkActivation(std::uint32_t index, unsigned origin, Value* value) {
  const sema::Function& f = world_.module()[body_.function];
  const sema::Param& p = f.params[index];
  std::string_view name = NameText(p.name);
  Value& v = *value;
  const bool activation = role_ == Role::kForward && index > 0 && index <= 4 &&
                          !v.Is(Kind::kModule) && name.find("mask") == name.npos &&
                          name.find("idx") == name.npos && name.find("index") == name.npos &&
                          name.find("label") == name.npos && name.find("len") == name.npos &&
                          name.find("size") == name.npos && name.find("target") == name.npos &&
                          p.default_value == syntax::kNoNode;
  // lambda module, args, output, name=name: what has a default is bound by who registers the hook.
  std::size_t given = f.params.size();
  while (given > 0 && f.params[given - 1].default_value != syntax::kNoNode) --given;
  const bool bound = index >= given;
  const bool hook_value =
      !bound && ((role_ == Role::kForwardHook && index + 2 >= given && !v.Has(kSelfObject)) ||
                 (role_ == Role::kForwardPreHook && index + 1 == given));
  if (!bound && role_ == Role::kBackwardHook && index + 2 >= given) {
    v.kind = Kind::kTensor;  // gradients
    v.strength = Strength::kStrong;
  }
  if (activation || hook_value) {
    r_.origins[origin].makes_graph = true;
    r_.origins[origin].kind = OriginKind::kHookArgument;
    // Signals, images: a module without parameters is no sign that its input comes from one with.
    const bool preprocesses = !hook_value && world_.IsParameterless(f.class_id);
    r_.origins[origin].strength = hook_value     ? Strength::kStrong
                                  : preprocesses ? Strength::kWeak
                                                 : Strength::kMedium;
    r_.origins[origin].node = f.node;
    r_.graph_mask.set(origin);
    v.kind = Kind::kTensor;
    v.strength = r_.origins[origin].strength;
    v.size = Size::kSized;
  }
}

Value FunctionAnalysis::ParamValue(ValueId id, std::uint32_t index) {
  const sema::Module& m = world_.module();
  const sema::Function& f = m[body_.function];
  const sema::Param& p = f.params[index];
  std::string_view name = NameText(p.name);
  sema::ClassId cls = world_.SelfClass(p.binding);
  if (cls != sema::kNoClass && index == 0 && !f.is_classmethod) {
    Value self = Value::Of(Kind::kInstance);
    self.ref = Index(cls);
    self.flags = kSelfObject;
    self.objects = Bit(EntryObject(SlotId{body_.instrs[Index(id) + 1].aux}));
    return self;
  }
  Value v = Value::Unknown();
  std::uint16_t bits =
      static_cast<std::uint16_t>(EvidenceOf(id) | world_.ParameterEvidence(body_.function, index));
  if (p.kind == sema::ParamKind::kVarArgs || p.kind == sema::ParamKind::kKwArgs) {
    v.kind = Kind::kContainer;
  } else if (p.annotation != syntax::kNoNode) {
    v = AnnotatedValue(p);
    if (v.Is(Kind::kNumber)) return v;
  }
  const std::size_t self = world_.SelfClass(f.params[0].binding) != sema::kNoClass ? 1 : 0;
  const Fact* overridden = world_.Overridden(body_.function);
  if (overridden != nullptr && v.Is(Kind::kUnknown) && index >= self &&
      index - self < overridden->takes.size())
    v = World::OfResult(overridden->takes[index - self]);
  if (v.Is(Kind::kUnknown)) v = world_.FromEvidence(bits, name);
  v.flags |= kBareParam;
  if (role_ != Role::kPlain && role_ != Role::kForward && role_ != Role::kTrainingStep &&
      role_ != Role::kTensorHook && index == self) {
    return Value::Of(Kind::kModule);  // the module that a hook is called for
  }
  unsigned origin = OriginFor(id, OriginKind::kParam, index);
  MarkActivation(index, origin, &v);
  v.origins.set(origin);
  v.objects |= Bit(EntryObject(SlotId{body_.instrs[Index(id) + 1].aux}));
  return v;
}

// What a slot holds when this function has not assigned it on the way here.
Value FunctionAnalysis::EntryValue(ValueId id, SlotId slot) {
  const Slot& s = body_.slots[Index(slot)];
  const sema::Module& m = world_.module();
  Value v = Value::Unknown();
  if (s.depth == 0) {
    const sema::Binding& b = m[s.root];
    if (b.function != sema::kNoFunction) {
      v = Value::Of(Kind::kFunction);
      v.ref = Index(b.function);
      return v;
    }
    if (b.class_id != sema::kNoClass) {
      v = Value::Of(Kind::kClass);
      v.ref = Index(b.class_id);
      return v;
    }
    if (s.is_local) return v;  // read before assignment, or in a loop's first turn
    sema::ClassId cls = world_.SelfClass(s.root);
    if (cls != sema::kNoClass) {
      v = Value::Of(Kind::kInstance);
      v.ref = Index(cls);
      v.flags = kSelfObject;
      v.objects = Bit(EntryObject(slot));
      return v;
    }
    v = world_.Global(s.root);
    if (!v.Reached() || (v.Is(Kind::kUnknown) && v.ref == kNoRef)) {
      std::uint16_t bits =
          static_cast<std::uint16_t>(EvidenceOf(id) | world_.BindingEvidence(s.root));
      v = world_.FromEvidence(bits, NameText(b.name));
    }
  } else {
    // `self.x`, `model.layer`: what the base says of its attribute, then what the file does with
    // it.
    const Value& base = state_->slots[Index(s.parent)].Reached()
                            ? state_->slots[Index(s.parent)]
                            : (r_.values[Index(id)] = EntryValue(id, s.parent));
    Value base_copy = base;
    v = AttributeOf(id, base_copy, s.attribute);
    // What other functions do with policy.saved_log_probs counts, whatever is handed in.
    if (v.Is(Kind::kTensor) && base_copy.Has(kBareParam))
      v.origins.set(OriginFor(id, OriginKind::kEntry, Index(slot)));
    if (v.Is(Kind::kTensor) || v.Is(Kind::kNumber)) return v;
    // x.data of what this call has set: no place of the caller's.
    const std::string_view attribute = NameText(s.attribute);
    const bool part =
        (attribute == "data" || attribute == "grad") && !base_copy.Is(Kind::kInstance);
    if (part && body_.slots[Index(s.parent)].is_local && base_copy.Reached() &&
        state_->slots[Index(s.parent)].Reached())
      return v;
  }
  // Origins are few: only places that seem to hold tensors get one.
  const std::uint16_t bits =
      s.depth == 0 ? world_.BindingEvidence(s.root) : world_.AttributeEvidence(s.attribute);
  constexpr std::uint16_t kTensorish =
      facts::kIsTensor | facts::kIsDifferentiated | kThroughElement | kThroughUnknown;
  const bool holds = v.Is(Kind::kContainer) || v.Is(Kind::kTensor) ||
                     (v.Is(Kind::kUnknown) && ((bits | EvidenceOf(id)) & kTensorish));
  if (is_callee_[Index(id)]) return v;  // the name of a method: no place that could hold anything
  const bool meter = v.Is(Kind::kInstance) && s.depth > 0;  // self.loss_meter = Meter()
  if (holds || meter || v.Is(Kind::kContainer) || v.Is(Kind::kUnknown))
    v.objects |= Bit(EntryObject(slot));
  if (v.Is(Kind::kContainer) && v.Has(kBounded)) {  // self.recent = deque(maxlen=100)
    const unsigned object = EntryObject(slot);
    if (object < r_.objects.size()) r_.objects[object].bounded = true;
  }
  if (holds) v.origins.set(OriginFor(id, OriginKind::kEntry, Index(slot)));
  return v;
}

// generator = self.generator.beam_search: what is done with a module, not a module.
void FunctionAnalysis::FindBoundMethods() {
  static constexpr std::array<std::string_view, 8> kDoings{
      "search", "decode", "sample", "generate", "translate", "predict", "infer", "score"};
  is_bound_method_.assign(body_.slots.size(), false);
  for (const Instr& in : body_.instrs) {
    if (in.op != Op::kStore) continue;
    const Instr& made = body_[body_.Operand(in, 0)];
    if (made.op != Op::kLoad || body_.slots[made.aux].depth == 0) continue;
    const std::string_view name = NameText(body_.slots[made.aux].attribute);
    if (std::any_of(kDoings.begin(), kDoings.end(),
                    [&](std::string_view doing) { return name.ends_with(doing); }))
      is_bound_method_[in.aux] = true;
  }
}

Value FunctionAnalysis::Load(ValueId id, SlotId slot) {
  Value& held = state_->slots[Index(slot)];
  if (!held.Reached()) {
    Value v = EntryValue(id, slot);
    return v;
  }
  const Slot& s = body_.slots[Index(slot)];
  // Evidence that comes after the assignment: `net = build(); net.parameters()`.
  if (held.Is(Kind::kUnknown) && held.Has(kInEvalMode)) {  // eval() was called on it
    Value v = held;
    v.kind = Kind::kModule;
    v.strength = Strength::kStrong;
    return v;
  }
  if (held.Is(Kind::kUnknown) && s.depth == 0) {
    Value guess = world_.FromEvidence(EvidenceOf(id), SlotName(slot));
    if (guess.Is(Kind::kModule) && guess.strength < Strength::kStrong &&
        is_bound_method_[Index(slot)])
      return held;
    if (guess.Is(Kind::kModule) || guess.Is(Kind::kOptimizer) || guess.Is(Kind::kScheduler)) {
      Value v = held;
      v.kind = guess.kind;
      v.strength = guess.strength;
      return v;
    }
  }
  return held;
}

// What an object of the project, other than `self`, was made of: out.logits of a dataclass.
Value FunctionAnalysis::PartOf(const Value& base, std::uint16_t bits) const {
  if (base.Has(kSelfObject) || !base.Is(Kind::kInstance)) return {};
  const Value deep = Deep(base);
  if (deep.origins.none()) return {};
  Value v = Value::Unknown();
  v.origins = deep.origins;
  if ((bits & facts::kIsTensor) != 0 || deep.Is(Kind::kTensor)) {
    v.kind = Kind::kTensor;
    v.strength = Strength::kWeak;
  }
  return v;
}

Value FunctionAnalysis::AttributeOf(ValueId id, const Value& base, NameId name) {
  std::string_view text = NameText(name);
  const std::uint16_t bits =
      static_cast<std::uint16_t>(EvidenceOf(id) | world_.AttributeEvidence(name));
  if (base.Is(Kind::kInstance) || (base.Is(Kind::kModule) && base.ref < 0x80000000u)) {
    Value v = world_.Attribute(sema::ClassId{base.ref}, name);
    if (v.Reached() && (!v.Is(Kind::kUnknown) || v.ref != kNoRef) && !v.Is(Kind::kNone)) {
      if (world_.attr_eval[Index(name)] && !world_.attr_train[Index(name)]) v.flags |= kInEvalMode;
      return v;
    }
    sema::FunctionId method = world_.module().FindMethod(sema::ClassId{base.ref}, name);
    if (method != sema::kNoFunction) {
      if (world_.module()[method].is_property) return Value::Unknown();
      Value f = Value::Of(Kind::kFunction);
      f.ref = Index(method);
      return f;
    }
    // What a framework's base class keeps on its objects: self.accelerator, self.trainer.
    for (const std::string& b : world_.module()[sema::ClassId{base.ref}].external_bases) {
      const facts::AttributeFact* fact = facts::FindAttribute(facts::ClassByName(b), text);
      if (fact == nullptr || fact->result == facts::Result::kUnknown) continue;
      if (fact->result != facts::Result::kTensor) return World::OfResult(fact->result);
    }
    if (const Value held = PartOf(base, bits); held.Reached()) return held;
    v = world_.FromEvidence(bits, text);
    if (LooksLikeMetric(text) || (v.Is(Kind::kUnknown) && LooksLikeFactory(text)))
      return Value::Unknown();
    if (v.Is(Kind::kUnknown) && (bits & kIsCalled) && !LooksLikeMethod(text) &&
        !IsClassName(text) && world_.IsModuleClass(sema::ClassId{base.ref}) &&
        base.Is(Kind::kInstance) &&
        world_.InheritedFact(sema::ClassId{base.ref}, text) == nullptr) {
      v = Value::Of(Kind::kModule, LooksLikeLoss(text) ? Strength::kWeak : Strength::kMedium);
    }
    if (v.Is(Kind::kModule) && v.strength == Strength::kWeak &&
        world_.IsModuleClass(sema::ClassId{base.ref})) {
      v.strength = Strength::kMedium;  // a module's attribute that is called
    }
    if (v.Is(Kind::kModule) && world_.attr_eval[Index(name)] && !world_.attr_train[Index(name)])
      v.flags |= kInEvalMode;
    return v;
  }
  if (base.Is(Kind::kTensor)) {
    if (text == "indices") {  // of topk, max, sort
      Value v = base;
      v.origins.reset();
      return v;
    }
    if (const facts::AttributeFact* fact = facts::FindAttribute("torch.Tensor", text)) {
      if (fact->result == facts::Result::kNumber) return Value::Number();
      Value v = base;
      v.objects = 0;
      if (fact->graph == facts::Graph::kDrops) v.origins.reset();
      return v;
    }
  }
  if (base.Is(Kind::kModule)) {
    if (facts::FindMethod("torch.nn.Module", text) != nullptr)
      return Value::Unknown();  // a method, bound
    Value v = world_.FromEvidence(bits, text);
    // model.encoder(x) runs a submodule, model.reset_parameters() does not.
    if ((bits & kIsCalled) && LooksLikeModule(text) && !LooksLikeMethod(text)) {
      v = Value::Of(Kind::kModule, std::min(base.strength, Strength::kMedium));
    }
    if (v.Is(Kind::kModule)) v.flags = base.flags;
    return v;
  }
  if (text.starts_with("__")) return Value::Number();  // __class__, __name__
  if (text == "shape" || text == "ndim" || text == "dtype" || text == "device")
    return Value::Number();
  if (text == "data" || text == "grad") {
    Value v = base;
    v.origins.reset();
    return v;
  }
  Value v = base.origins.any() ? base : Value::Unknown();
  if (base.origins.any()) {  // out.loss, batch.x: a part of what came out of a call or came in
    v.objects = 0;
    v.flags = 0;
    v.kind = base.Is(Kind::kTensor) || (bits & facts::kIsTensor) ? Kind::kTensor : Kind::kUnknown;
    v.ref = kNoRef;
  }
  if (v.Is(Kind::kUnknown)) {
    Value guess = world_.FromEvidence(bits, text);
    if (!guess.Is(Kind::kUnknown) && !guess.Is(Kind::kTensor)) {
      guess.objects = v.objects;
      return guess;
    }
  }
  return v;
}

bool FunctionAnalysis::OverHeldOut(LoopId loop) const {
  const sema::Module& m = world_.module();
  for (LoopId l = loop; l != kNoLoop; l = body_.loops[Index(l)].parent) {
    syntax::NodeId n = body_.loops[Index(l)].iterable;
    if (n == syntax::kNoNode) continue;
    std::string_view text = m.tree().Text(n);
    if (text.size() < 80 && LooksHeldOut(text.substr(0, text.find('('))) &&
        text.find("train") == text.npos)
      return true;
    if (text.starts_with("enumerate(") &&
        LooksHeldOut(text.substr(10, text.find_first_of(",)", 10) - 10)))
      return true;
    if (text.starts_with("tqdm(") && LooksHeldOut(text.substr(5, text.find_first_of(",)", 5) - 5)))
      return true;
  }
  return false;
}

}  // namespace torchleak::flow

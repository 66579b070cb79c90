// The solver and the instructions that neither call nor store.
#include "flow/analysis.h"

#include <algorithm>
#include <bit>

#include "flow/names.h"

namespace torchleak::flow {

using sema::NameId;

namespace {

constexpr int kMaxSweeps = 8;

GradMode Join(GradMode a, GradMode b) { return a == b ? a : GradMode::kUnknown; }

}  // namespace

FunctionAnalysis::FunctionAnalysis(World& world, sema::FunctionId function)
    : world_(world), r_(world.result(function)), body_(r_.body), role_(world.role(function)) {}

void FunctionAnalysis::Run() {
  r_.values.assign(body_.instrs.size(), Value{});
  if (body_.TooLarge()) {
    r_.over_budget = true;
    r_.summary.ready = true;
    r_.summary.ret = Value::Unknown();
    return;
  }
  is_callee_.assign(body_.instrs.size(), false);
  for (const Call& call : body_.calls) {
    if (call.callee != kNoValue && call.receiver != kNoValue) is_callee_[Index(call.callee)] = true;
  }
  saved_mode_.assign(body_.instrs.size(), GradMode::kInherit);
  r_.modes.assign(body_.instrs.size(), GradMode::kInherit);
  Solve();
  recording_ = true;
  State state;
  for (BlockId b : body_.order) {
    if (!in_[Index(b)].reached) continue;
    state = in_[Index(b)];
    Block(b, state);
  }
  r_.analyzed = true;
  BuildSummary();
}

void FunctionAnalysis::Solve() {
  in_.assign(body_.blocks.size(), State{});
  State& entry = in_[0];
  entry.slots.assign(body_.slots.size(), Value{});
  entry.reached = true;
  GradMode decorated = world_.DecoratedMode(body_.function);
  entry.mode = decorated;
  // Whatever runs before a captured grad mode is known: hooks of Lightning and decorators only.
  for (int i = 0; i < kMaxSweeps; ++i) {
    heap_changed_ = false;
    bool changed = Sweep();
    if (!changed && !heap_changed_) break;
  }
}

bool FunctionAnalysis::Sweep() {
  bool changed = false;
  State state;
  for (BlockId b : body_.order) {
    if (!in_[Index(b)].reached) continue;
    state = in_[Index(b)];
    Block(b, state);
    for (BlockId s : body_.blocks[Index(b)].successors) changed |= JoinInto(in_[Index(s)], state);
  }
  return changed;
}

bool FunctionAnalysis::JoinInto(State& to, const State& from) {
  if (!to.reached) {
    to = from;
    return true;
  }
  bool changed = false;
  for (std::size_t i = 0; i < to.slots.size(); ++i) {
    if (from.slots[i] == to.slots[i]) continue;
    Value& t = to.slots[i];
    const Value& f = from.slots[i];
    // A slot that one side has not assigned still holds what it had at entry there; for attributes and
    // captured variables that is a value too, for plain locals it is not.
    if (t.Reached() && f.Reached()) {
      Value joined = flow::Join(t, f);
      if (!(joined == t)) {
        t = joined;
        changed = true;
      }
    } else if (!t.Reached()) {
      t = f;
      changed = true;
    }
  }
  GradMode mode = Join(to.mode, from.mode);
  if (mode != to.mode) {
    to.mode = mode;
    changed = true;
  }
  return changed;
}

void FunctionAnalysis::Block(BlockId id, State& state) {
  state_ = &state;
  const auto& block = body_.blocks[Index(id)];
  for (std::uint32_t i = block.first; i < block.last; ++i) {
    if (recording_) r_.modes[i] = state.mode;
    r_.values[i] = Transfer(ValueId{i}, body_.instrs[i]);
  }
}

std::string_view FunctionAnalysis::SlotName(SlotId id) const {
  if (id == kNoSlot) return {};
  const Slot& s = body_.slots[Index(id)];
  return NameText(s.attribute == sema::kNoName ? world_.module()[s.root].name : s.attribute);
}

unsigned FunctionAnalysis::OriginFor(ValueId id, OriginKind kind, std::uint32_t ref) {
  std::uint64_t key = std::uint64_t{Index(id)} << 8 | static_cast<std::uint64_t>(kind);
  if (kind == OriginKind::kEntry) key = (std::uint64_t{ref} << 8 | static_cast<std::uint64_t>(kind)) | 1ull << 63;
  auto [it, fresh] = origin_ids_.try_emplace(key, 0u);
  if (!fresh) return it->second;
  if (r_.origins.size() >= kMaxOrigins) {
    it->second = kOverflowOrigin;
    return kOverflowOrigin;
  }
  Origin o;
  o.kind = kind;
  o.value = id;
  o.node = id == kNoValue ? syntax::kNoNode : body_[id].node;
  o.ref = ref;
  r_.origins.push_back(o);
  it->second = static_cast<unsigned>(r_.origins.size() - 1);
  if (it->second == kOverflowOrigin) r_.origins.back().kind = OriginKind::kStore;  // shared by the rest: no graph
  return it->second;
}

unsigned FunctionAnalysis::ObjectFor(ValueId id, ObjectKind kind) {
  auto [it, fresh] = object_ids_.try_emplace(std::uint64_t{Index(id)} << 1, 0u);
  if (!fresh) return it->second;
  if (r_.objects.size() >= kOverflowObject) return it->second = kOverflowObject;
  Object o;
  o.kind = kind;
  o.value = id;
  o.loop = body_.LoopOf(id);
  r_.objects.push_back(o);
  r_.contents.emplace_back();
  r_.fields.emplace_back();
  return it->second = static_cast<unsigned>(r_.objects.size() - 1);
}

unsigned FunctionAnalysis::EntryObject(SlotId slot) {
  auto [it, fresh] = object_ids_.try_emplace(std::uint64_t{Index(slot)} << 1 | 1, 0u);
  if (!fresh) return it->second;
  if (r_.objects.size() >= kOverflowObject) return it->second = kOverflowObject;
  Object o;
  o.kind = ObjectKind::kEntry;
  o.slot = slot;
  r_.objects.push_back(o);
  r_.contents.emplace_back();
  r_.fields.emplace_back();
  return it->second = static_cast<unsigned>(r_.objects.size() - 1);
}

bool FunctionAnalysis::OverHeldOut(LoopId loop) const {
  const sema::Module& m = world_.module();
  for (LoopId l = loop; l != kNoLoop; l = body_.loops[Index(l)].parent) {
    syntax::NodeId n = body_.loops[Index(l)].iterable;
    if (n == syntax::kNoNode) continue;
    std::string_view text = m.tree().Text(n);
    if (text.size() < 80 && LooksHeldOut(text.substr(0, text.find('('))) && text.find("train") == text.npos) return true;
    if (text.starts_with("enumerate(") && LooksHeldOut(text.substr(10, text.find_first_of(",)", 10) - 10))) return true;
    if (text.starts_with("tqdm(") && LooksHeldOut(text.substr(5, text.find_first_of(",)", 5) - 5))) return true;
  }
  return false;
}

// Everything the value reaches: a container hands on the graphs of what it holds.
Value FunctionAnalysis::Deep(const Value& v) const {
  if (v.objects == 0) return v;
  Value out = v;
  Objects seen = 0, left = v.objects;
  while (left != 0) {
    auto i = static_cast<unsigned>(std::countr_zero(left));
    seen |= Bit(i);
    left &= ~seen;
    if (i >= r_.contents.size()) continue;
    out.origins |= r_.contents[i].origins;
    if (r_.contents[i].Has(kMovedToHost)) out.flags |= kMovedToHost;
    const Residency held = r_.contents[i].residency;
    if (out.Is(Kind::kContainer) && held != Residency::kUnknown && out.residency != Residency::kDevice) out.residency = held;
    left |= r_.contents[i].objects & ~seen;
  }
  return out;
}

Value FunctionAnalysis::ElementOf(const Value& base) {
  Value out = Value::Unknown();
  out.origins = base.origins;
  out.strength = base.strength;
  switch (base.kind) {
    case Kind::kNumber: return Value::Number();
    case Kind::kTensor:
      out = base;
      out.objects = 0;
      out.flags = 0;
      if (out.size == Size::kScalar) out.size = Size::kUnknown;
      return out;
    case Kind::kLoader:
      out.strength = Strength::kNone;
      out.origins.reset();
      return out;
    case Kind::kParameters:
      out = base;
      return out;
    case Kind::kModule: {  // model[0], for block in self.blocks
      out = Value::Of(Kind::kModule, std::min(base.strength, Strength::kMedium));
      out.flags = base.flags;
      return out;
    }
    case Kind::kOptimizer: return base;
    default: break;
  }
  Value held;
  for (Objects left = base.objects; left != 0; left &= left - 1) {
    auto i = static_cast<unsigned>(std::countr_zero(left));
    if (i >= r_.contents.size()) continue;
    if (r_.contents[i].Reached()) held = flow::Join(held, r_.contents[i]);
  }
  if (held.Reached()) {
    held.objects |= base.objects;
    held.origins |= base.origins;
    held.flags = static_cast<std::uint8_t>(held.flags & ~kBareParam);
    return held;
  }
  out.objects = base.objects;
  if (base.kind == Kind::kContainer && (base.origins & r_.graph_mask).any()) {
    out.kind = Kind::kTensor;
    out.residency = base.residency;
    out.strength = base.strength;
  }
  return out;
}

Value FunctionAnalysis::ItemOf(const Value& base, std::uint32_t key, bool slice) {
  if (slice) {
    Value v = base;
    v.flags = static_cast<std::uint8_t>(v.flags & ~kBareParam);
    return v;
  }
  if (key != kNoKey && std::popcount(base.objects) == 1) {
    auto i = static_cast<unsigned>(std::countr_zero(base.objects));
    if (i < r_.fields.size()) {
      for (const auto& [k, v] : r_.fields[i]) {
        if (k == key) return v;
      }
    }
  }
  return ElementOf(base);
}

// for name, p in model.named_parameters(): the first part is text.
bool FunctionAnalysis::IteratesNames(const Instr& in) const {
  if (in.op != Op::kIterate || body_[body_.Operand(in, 0)].op != Op::kCall) return false;
  std::string_view method = NameText(body_.calls[body_[body_.Operand(in, 0)].aux].method);
  return method.starts_with("named_") || method == "items";
}

// values, indices = torch.topk(x, k): the second part is integers.
bool FunctionAnalysis::SecondIsIndices(const Instr& in) const {
  if (in.op != Op::kCall) return false;
  const Call& call = body_.calls[in.aux];
  std::string_view name = call.fact != nullptr ? call.fact->name : NameText(call.method);
  name = name.substr(name.rfind('.') + 1);
  return name == "topk" || name == "max" || name == "min" || name == "sort" || name == "kthvalue" || name == "mode" ||
         name == "median";
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
  std::uint16_t bits = static_cast<std::uint16_t>(EvidenceOf(id) | world_.ParameterEvidence(body_.function, index));
  if (p.kind == sema::ParamKind::kVarArgs || p.kind == sema::ParamKind::kKwArgs) {
    v.kind = Kind::kContainer;
  } else if (p.annotation != syntax::kNoNode) {
    std::string_view text = m.tree().Text(p.annotation);
    const bool of_classes = text.find("Type[") != text.npos || text.find("type[") != text.npos || text.find("Callable") != text.npos;
    if (of_classes) return Value::Unknown();  // a class or a function, not a module
    if (text == "float" || text == "int" || text == "str" || text == "bool") return Value::Number();
    const bool is_class = !name.empty() && name[0] >= 'A' && name[0] <= 'Z';
    if (const facts::Fact* fact = facts::Find(m.QualifiedName(p.annotation)); fact != nullptr && fact->is_class && !is_class) {
      v = world_.OfFact(*fact);
    } else if (is_class && name.size() > 1 && name[0] >= 'A' && name[0] <= 'Z') {
      v = Value::Unknown();  // Model: torch.nn.Module, then Model(envs): a class, not an instance
    } else if (text.ends_with("Module") || text.ends_with("PreTrainedModel")) {
      v = Value::Of(Kind::kModule);
    } else if (text.ends_with("Optimizer")) {
      v = Value::Of(Kind::kOptimizer);
    } else if (text.starts_with("Dict") || text.starts_with("dict") || text.starts_with("List") || text.starts_with("list")) {
      v = Value::Of(Kind::kContainer);
    }
    for (std::uint32_t i = syntax::Index(p.annotation); i < syntax::Index(m.tree().End(p.annotation)); ++i) {
      sema::BindingId b = m.BindingOf(syntax::NodeId{i});
      if (b == sema::kNoBinding || m[b].class_id == sema::kNoClass || !v.Is(Kind::kUnknown)) continue;
      v = Value::Of(world_.IsModuleClass(m[b].class_id) ? Kind::kModule : Kind::kInstance);
      v.ref = Index(m[b].class_id);
    }
  }
  if (v.Is(Kind::kUnknown)) v = world_.FromEvidence(bits, name);
  v.flags |= kBareParam;
  const std::size_t self = world_.SelfClass(f.params[0].binding) != sema::kNoClass ? 1 : 0;
  if (role_ != Role::kPlain && role_ != Role::kForward && role_ != Role::kTrainingStep && role_ != Role::kTensorHook &&
      index == self) {
    return Value::Of(Kind::kModule);  // the module that a hook is called for
  }
  unsigned origin = OriginFor(id, OriginKind::kParam, index);
  const bool activation = role_ == Role::kForward && index > 0 && index <= 4 && !v.Is(Kind::kModule) &&
                          name.find("mask") == name.npos && name.find("idx") == name.npos &&
                          name.find("index") == name.npos && name.find("label") == name.npos &&
                          name.find("target") == name.npos && p.default_value == syntax::kNoNode;
  const bool hook_value = (role_ == Role::kForwardHook && index + 2 >= f.params.size() && !v.Has(kSelfObject)) ||
                          (role_ == Role::kForwardPreHook && index + 1 == f.params.size());
  if (role_ == Role::kBackwardHook && index + 2 >= f.params.size()) {
    v.kind = Kind::kTensor;  // gradients
    v.strength = Strength::kStrong;
  }
  if (activation || hook_value) {
    r_.origins[origin].makes_graph = true;
    r_.origins[origin].kind = OriginKind::kHookArgument;
    r_.origins[origin].strength = hook_value ? Strength::kStrong : Strength::kMedium;
    r_.origins[origin].node = m.tree().Parent(f.body) == syntax::kNoNode ? f.node : f.node;
    r_.graph_mask.set(origin);
    v.kind = Kind::kTensor;
    v.strength = r_.origins[origin].strength;
    v.size = Size::kSized;
  }
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
    if (!v.Reached() || v.Is(Kind::kUnknown)) {
      std::uint16_t bits = static_cast<std::uint16_t>(EvidenceOf(id) | world_.BindingEvidence(s.root));
      v = world_.FromEvidence(bits, NameText(b.name));
    }
  } else {
    // `self.x`, `model.layer`: what the base says of its attribute, then what the file does with it.
    const Value& base = state_->slots[Index(s.parent)].Reached() ? state_->slots[Index(s.parent)]
                                                                  : (r_.values[Index(id)] = EntryValue(id, s.parent));
    Value base_copy = base;
    v = AttributeOf(id, base_copy, s.attribute);
    if (v.Is(Kind::kTensor) || v.Is(Kind::kNumber)) return v;
  }
  // Origins are few: only places that seem to hold tensors get one.
  const std::uint16_t bits = s.depth == 0 ? world_.BindingEvidence(s.root) : world_.AttributeEvidence(s.attribute);
  constexpr std::uint16_t kTensorish = facts::kIsTensor | facts::kIsDifferentiated | kThroughElement | kThroughUnknown;
  const bool holds = v.Is(Kind::kContainer) || v.Is(Kind::kTensor) || (v.Is(Kind::kUnknown) && ((bits | EvidenceOf(id)) & kTensorish));
  if (is_callee_[Index(id)]) return v;  // the name of a method: no place that could hold anything
  if (holds || v.Is(Kind::kContainer) || v.Is(Kind::kUnknown)) v.objects |= Bit(EntryObject(slot));
  if (holds) v.origins.set(OriginFor(id, OriginKind::kEntry, Index(slot)));
  return v;
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
    if (guess.Is(Kind::kModule) || guess.Is(Kind::kOptimizer) || guess.Is(Kind::kScheduler)) {
      Value v = held;
      v.kind = guess.kind;
      v.strength = guess.strength;
      return v;
    }
  }
  return held;
}

Value FunctionAnalysis::AttributeOf(ValueId id, const Value& base, NameId name) {
  std::string_view text = NameText(name);
  const std::uint16_t bits = static_cast<std::uint16_t>(EvidenceOf(id) | world_.AttributeEvidence(name));
  if (base.Is(Kind::kInstance) || (base.Is(Kind::kModule) && base.ref < 0x80000000u)) {
    Value v = world_.Attribute(sema::ClassId{base.ref}, name);
    if (v.Reached() && !v.Is(Kind::kUnknown) && !v.Is(Kind::kNone)) {
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
    v = world_.FromEvidence(bits, text);
    if (LooksLikeMetric(text)) return Value::Unknown();
    if (v.Is(Kind::kUnknown) && (bits & kIsCalled) && !LooksLikeMethod(text) && world_.IsModuleClass(sema::ClassId{base.ref}) && base.Is(Kind::kInstance) &&
        facts::FindMethod("lightning.pytorch.LightningModule", text) == nullptr) {
      v = Value::Of(Kind::kModule, LooksLikeLoss(text) ? Strength::kWeak : Strength::kMedium);
    }
    if (v.Is(Kind::kModule) && v.strength == Strength::kWeak && world_.IsModuleClass(sema::ClassId{base.ref})) {
      v.strength = Strength::kMedium;  // a module's attribute that is called
    }
    if (v.Is(Kind::kModule) && world_.attr_eval[Index(name)] && !world_.attr_train[Index(name)]) v.flags |= kInEvalMode;
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
    if (facts::FindMethod("torch.nn.Module", text) != nullptr) return Value::Unknown();  // a method, bound
    Value v = world_.FromEvidence(bits, text);
    // model.encoder(x) runs a submodule, model.reset_parameters() does not.
    if ((bits & kIsCalled) && LooksLikeModule(text) && !LooksLikeMethod(text)) {
      v = Value::Of(Kind::kModule, std::min(base.strength, Strength::kMedium));
    }
    if (v.Is(Kind::kModule)) v.flags = base.flags;
    return v;
  }
  if (text.starts_with("__")) return Value::Number();  // __class__, __name__
  if (text == "shape" || text == "ndim" || text == "dtype" || text == "device") return Value::Number();
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

Value FunctionAnalysis::Tensor(ValueId, const Origins& origins, Strength strength) const {
  Value v = Value::Of(Kind::kTensor, strength);
  if (state_->mode != GradMode::kOff) v.origins = origins;
  return v;
}

Value FunctionAnalysis::Arithmetic(const Instr& in) {
  const Value& a = Of(body_.Operand(in, 0));
  const Value& b = Of(body_.Operand(in, 1));
  for (ValueId o : body_.Operands(in)) {  // "a" + b: text
    if (body_[o].op == Op::kString || body_[o].op == Op::kFormat) return Value::Number();
  }
  if (a.Is(Kind::kNumber) && b.Is(Kind::kNumber)) return Value::Number();
  if (a.Is(Kind::kContainer) && b.Is(Kind::kContainer)) {  // list + list, list * n
    Value v = flow::Join(a, b);
    return v;
  }
  if (a.Is(Kind::kContainer) && b.Is(Kind::kNumber)) return a;
  Value v = Value::Unknown();
  const bool tensor = a.Is(Kind::kTensor) || b.Is(Kind::kTensor);
  if (tensor) v.kind = Kind::kTensor;
  v.strength = tensor ? std::max(a.Is(Kind::kTensor) ? a.strength : Strength::kNone,
                                 b.Is(Kind::kTensor) ? b.strength : Strength::kNone)
                      : Strength::kNone;
  if (state_->mode != GradMode::kOff) v.origins = Deep(a).origins | Deep(b).origins;
  auto scalar = [](const Value& x) { return x.size == Size::kScalar; };
  v.size = scalar(a) && scalar(b)                       ? Size::kScalar
           : (a.size == Size::kSized || b.size == Size::kSized) ? Size::kSized
                                                        : Size::kUnknown;
  v.residency = a.residency == Residency::kDevice || b.residency == Residency::kDevice ? Residency::kDevice
                : a.Is(Kind::kTensor) && !a.Is(Kind::kNumber)                           ? a.residency
                                                                                        : b.residency;
  if (!tensor) v.residency = Residency::kUnknown;
  v.flags = static_cast<std::uint8_t>((a.flags | b.flags) & kMovedToHost);
  return v;
}

Value FunctionAnalysis::Allocate(ValueId id, const Instr& in) {
  unsigned object = ObjectFor(id, ObjectKind::kAllocation);
  Value v = Value::Of(Kind::kContainer);
  v.objects = Bit(object);
  if (object >= r_.objects.size()) return v;
  if (in.op == Op::kList && in.aux8 == 1) r_.objects[object].generator = true;
  r_.objects[object].in_comprehension = body_.LoopOf(id) != kNoLoop && body_.loops[Index(body_.LoopOf(id))].is_comprehension;
  auto operands = body_.Operands(in);
  Value held = r_.contents[object];
  auto& fields = r_.fields[object];
  const bool first = fields.empty();
  for (std::size_t i = 0; i < operands.size(); ++i) {
    Value part = Deep(Of(operands[i]));
    if (in.op == Op::kDict && body_.keys[in.aux + i] == kNoKey && part.Is(Kind::kContainer)) part = ElementOf(part);
    held = flow::Join(held, part);
    std::uint32_t key = in.op == Op::kTuple || in.op == Op::kList ? static_cast<std::uint32_t>(i)
                        : in.op == Op::kDict                      ? body_.keys[in.aux + i]
                                                                  : kNoKey;
    if (key == kNoKey || operands.size() > 32) continue;
    auto it = std::find_if(fields.begin(), fields.end(), [&](const auto& f) { return f.first == key; });
    if (it == fields.end()) {
      fields.emplace_back(key, part);
    } else if (!(it->second == part)) {
      it->second = part;
      if (!first) heap_changed_ = true;
    }
  }
  if (!(held == r_.contents[object])) {
    r_.contents[object] = held;
    heap_changed_ = true;
  }
  return v;
}

Value FunctionAnalysis::Tuple(ValueId id, const std::vector<Value>& parts) {
  unsigned object = ObjectFor(id, ObjectKind::kAllocation);
  Value v = Value::Of(Kind::kContainer);
  v.objects = Bit(object);
  if (object >= r_.objects.size()) return v;
  auto& fields = r_.fields[object];
  Value held = r_.contents[object];
  for (std::size_t i = 0; i < parts.size(); ++i) {
    held = flow::Join(held, parts[i]);
    if (i < fields.size()) {
      fields[i].second = parts[i];
    } else {
      fields.emplace_back(static_cast<std::uint32_t>(i), parts[i]);
    }
  }
  r_.contents[object] = held;
  return v;
}

void FunctionAnalysis::EnterWith(ValueId id, const Instr& in, Value* out) {
  saved_mode_[Index(id)] = state_->mode;
  if (in.argc == 0) return;
  const sema::Module& m = world_.module();
  *out = Of(body_.Operand(in, 0));
  if (out->Is(Kind::kHandle) && recording_) r_.removed |= out->origins;  // leaving the block removes the hook
  std::string_view text = m.tree().Text(in.node);
  const Instr& context = body_[body_.Operand(in, 0)];
  if (context.op == Op::kSelect) {
    if (TurnsGradOff(text)) SetMode(GradMode::kUnknown);
    return;
  }
  std::uint32_t effects = 0;
  std::string_view method;
  if (context.op == Op::kCall) {
    const Call& call = body_.calls[context.aux];
    if (call.fact != nullptr) effects = call.fact->effects;
    method = call.fact != nullptr ? std::string_view{} : NameText(call.method);
    // A context manager of this file: the grad mode at its yield holds in the block.
    World::Target target = world_.Resolve(body_, call);
    if (target.function != sema::kNoFunction && target.class_id == sema::kNoClass) {
      const FunctionResult& manager = world_.result(target.function);
      for (std::uint32_t i = 0; i < manager.body.instrs.size() && manager.analyzed; ++i) {
        if (manager.body.instrs[i].op != Op::kYield) continue;
        if (manager.modes[i] == GradMode::kOff) SetMode(GradMode::kOff);
        if (manager.modes[i] == GradMode::kUnknown) SetMode(GradMode::kUnknown);
        return;
      }
    }
    if (effects & facts::kGradSet) {
      Value flag = ArgumentValue(call, 0);
      SetMode(flag.Has(kIsFalse) ? GradMode::kOff : flag.Has(kIsTrue) ? GradMode::kOn : GradMode::kUnknown);
      return;
    }
  }
  if (effects & facts::kGradOff) {
    SetMode(GradMode::kOff);
  } else if (effects & facts::kGradOn) {
    SetMode(GradMode::kOn);
  } else if (TurnsGradOff(text.substr(0, text.find('(')))) {
    SetMode(context.op == Op::kCall ? GradMode::kOff : GradMode::kInherit);
  } else if (text.find("grad") != text.npos && effects == 0 && text.find("clip") == text.npos && text.size() < 120 &&
             text.find("scale") == text.npos && text.find("accum") == text.npos) {
    SetMode(GradMode::kUnknown);
  }
}

Value FunctionAnalysis::Transfer(ValueId id, const Instr& in) {
  Value out = Value::Unknown();
  switch (in.op) {
    case Op::kNumber: case Op::kString: case Op::kFormat: return Value::Number();
    case Op::kTrue: out = Value::Number(); out.flags = kIsTrue; return out;
    case Op::kFalse: out = Value::Number(); out.flags = kIsFalse; return out;
    case Op::kNone: return Value::Of(Kind::kNone);
    case Op::kParam: return ParamValue(id, in.aux);
    case Op::kLoad: return Load(id, SlotId{in.aux});
    case Op::kStore: Assign(id, in); return out;
    case Op::kDelete: case Op::kDelItem: Delete(id, in); return out;
    case Op::kGetAttr: return AttributeOf(id, Of(body_.Operand(in, 0)), NameId{in.aux});
    case Op::kSetAttr: SetAttribute(id, in); return out;
    case Op::kGetItem:
      out = ItemOf(Of(body_.Operand(in, 0)), in.aux, in.aux8 == 1);
      if (in.aux == 1 && SecondIsIndices(body_[body_.Operand(in, 0)])) out.origins.reset();
      return out;
    case Op::kSetItem: SetItem(id, in); return out;
    case Op::kCall: return CallOf(id, body_.calls[in.aux]);
    case Op::kBinary: case Op::kAugment: return Arithmetic(in);
    case Op::kUnary:
      out = Of(body_.Operand(in, 0));
      out.flags = static_cast<std::uint8_t>(out.flags & ~kBareParam);
      return out;
    case Op::kCompare: {
      bool tensor = false;
      for (ValueId v : body_.Operands(in)) tensor |= Of(v).Is(Kind::kTensor);
      if (!tensor) return Value::Number();
      out = Value::Of(Kind::kTensor);
      for (ValueId v : body_.Operands(in)) {
        if (Of(v).residency == Residency::kDevice) out.residency = Residency::kDevice;
      }
      return out;
    }
    case Op::kSelect: {
      Value v;
      for (ValueId o : body_.Operands(in)) v = flow::Join(v, Of(o));
      return v.Reached() ? v : out;
    }
    case Op::kTuple: case Op::kList: case Op::kDict: case Op::kSet: return Allocate(id, in);
    case Op::kAppend: {
      const Value& base = Of(body_.Operand(in, 0));
      StoreInto(id, body_.Operand(in, 1), base, Of(body_.Operand(in, 1)), StoreKind::kGrow, kNoSlot, sema::kNoName);
      return out;
    }
    case Op::kIterate: {
      out = ElementOf(Of(body_.Operand(in, 0)));
      const Instr& source = body_[body_.Operand(in, 0)];
      if (out.Is(Kind::kUnknown) && source.op == Op::kLoad && LooksLikeOptimizer(SlotName(SlotId{source.aux}))) {
        out.kind = Kind::kOptimizer;  // for o in self.optimizers
        out.strength = Strength::kMedium;
      }
      return out;
    }
    case Op::kUnpack: {
      const Value& base = Of(body_.Operand(in, 0));
      out = in.aux8 == 1 ? ElementOf(base) : ItemOf(base, in.aux, false);
      // loss, size, log = criterion(…): of a call nobody knows, only the parts that are used as tensors are.
      const Instr& source = body_[body_.Operand(in, 0)];
      if (in.aux == 1 && in.aux8 == 0 && SecondIsIndices(source)) out.origins.reset();
      if (in.aux == 0 && IteratesNames(source)) return Value::Number();
      if (source.op == Op::kCall && (EvidenceOf(id) & (facts::kIsTensor | facts::kIsDifferentiated)) == 0) {
        auto it = origin_ids_.find(std::uint64_t{Index(body_.Operand(in, 0))} << 8 | static_cast<std::uint64_t>(OriginKind::kCall));
        if (it != origin_ids_.end() || base.Is(Kind::kUnknown)) {
          Value unknown = Value::Unknown();
          unknown.objects = out.objects;
          return unknown;
        }
      }
      return out;
    }
    case Op::kFunction: {
      out = Value::Of(Kind::kFunction);
      out.ref = in.aux;
      return out;
    }
    case Op::kClass:
      out = Value::Of(Kind::kClass);
      out.ref = in.aux;
      return out;
    case Op::kReturn: case Op::kYield: case Op::kRaise: {
      Value v = Deep(Of(body_.Operand(in, 0)));
      if (in.op == Op::kReturn) {
        returns_value_ = true;
        if (recording_) r_.returned |= v.origins;
      } else if (recording_) {
        r_.escaped |= v.origins;
      }
      return v;
    }
    case Op::kEnterWith: EnterWith(id, in, &out); return out;
    case Op::kExitWith: SetMode(saved_mode_[Index(body_.Operand(in, 0))]); return out;
    case Op::kUnknown: return out;
  }
  return out;
}

}  // namespace torchleak::flow

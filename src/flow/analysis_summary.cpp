// Summaries, applied: what a call of a function does to the caller. Only summaries and store
// records cross from callee to caller. `analysis_summarize.cpp` writes them.
#include <algorithm>
#include <bit>

#include "flow/analysis.h"
#include "flow/arguments.h"

namespace torchleak::flow {

using sema::FunctionId;

std::vector<FunctionAnalysis::Bound> FunctionAnalysis::BindArguments(const Call& call,
                                                                     FunctionId callee,
                                                                     const Value* self,
                                                                     bool bound) const {
  const auto& all = world_.module()[callee].params;
  const auto params = std::span(all).first(std::min(all.size(), kMaxParams));
  std::vector<Bound> out(params.size());
  std::size_t next = 0;
  auto put = [&](std::size_t i, const Bound& b) {
    if (out[i].value.Reached()) {
      out[i].value = flow::Join(out[i].value, b.value);
    } else {
      out[i] = b;
    }
  };
  if (bound && !params.empty()) {
    if (self != nullptr) out[0] = {*self, call.receiver, call.receiver_slot};
    next = 1;
  }
  for (const Argument& a : body_.Arguments(call)) {
    const Instr& in = body_[a.value];
    Bound b{Of(a.value), a.value, in.op == Op::kLoad ? SlotId{in.aux} : kNoSlot};
    if (a.keyword != sema::kNoName) {
      auto it = std::find_if(params.begin(), params.end(),
                             [&](const auto& p) { return p.name == a.keyword; });
      if (it == params.end() || it->kind == sema::ParamKind::kVarArgs) {
        it = std::find_if(params.begin(), params.end(),
                          [](const auto& p) { return p.kind == sema::ParamKind::kKwArgs; });
      }
      if (it != params.end()) put(static_cast<std::size_t>(it - params.begin()), b);
      continue;
    }
    if (a.stars != 0) {
      // *args and **kw may stand for every parameter that is still open
      for (std::size_t i = next; i < params.size(); ++i) {
        if (a.stars == 2 && params[i].kind == sema::ParamKind::kVarArgs) continue;
        Bound part = b;
        part.slot = kNoSlot;
        if (params[i].kind == sema::ParamKind::kPositional && out[i].value.Reached()) continue;
        put(i, part);
      }
      continue;
    }
    if (next >= params.size()) continue;
    if (params[next].kind == sema::ParamKind::kVarArgs) {
      b.slot = kNoSlot;
      put(next, b);
    } else if (params[next].kind == sema::ParamKind::kPositional) {
      put(next++, b);
    }
  }
  return out;
}

Objects FunctionAnalysis::SinkObjects(const Sink& sink, const std::vector<Bound>& args,
                                      SlotId* slot) {
  SlotId base = kNoSlot;
  Objects objects = 0;
  if (sink.root == Sink::Root::kParam) {
    if (sink.index >= args.size()) return 0;
    base = args[sink.index].slot;
    objects = args[sink.index].value.objects;
  } else {
    base = body_.RootSlot(sema::BindingId{sink.index});
    if (base == kNoSlot) {
      auto [it, fresh] =
          object_ids_.try_emplace(std::uint64_t{sink.index} << 1 | 1ull << 62, kOverflowObject);
      if (fresh && r_.objects.size() < kOverflowObject) {
        Object o;
        o.kind = ObjectKind::kEntry;
        o.binding = sema::BindingId{sink.index};
        r_.objects.push_back(o);
        r_.contents.emplace_back();
        r_.fields.emplace_back();
        it->second = static_cast<unsigned>(r_.objects.size() - 1);
      }
      return Bit(it->second);
    }
    const Value& held = state_->slots[Index(base)];
    objects = held.Reached() && held.objects != 0 ? held.objects : Bit(EntryObject(base));
  }
  for (unsigned d = 0; d < sink.depth && base != kNoSlot; ++d) {
    std::uint32_t child = body_.slots[Index(base)].first_child;
    while (child != kNoKey && body_.slots[child].attribute != sink.path[d])
      child = body_.slots[child].next_child;
    base = child == kNoKey ? kNoSlot : SlotId{child};
    if (base != kNoSlot && state_->slots[child].Reached() && state_->slots[child].objects != 0) {
      objects = state_->slots[child].objects;
    } else if (base != kNoSlot && objects != 0) {
      bool local = true;
      for (Objects left = objects; left != 0; left &= left - 1) {
        auto i = static_cast<std::size_t>(std::countr_zero(left));
        local &= i < r_.objects.size() && r_.objects[i].kind != ObjectKind::kEntry;
      }
      if (!local) objects = Bit(EntryObject(base));
    }
  }
  if (sink.depth > 0 && objects == 0 && base != kNoSlot) objects = Bit(EntryObject(base));
  *slot = base;
  return objects;
}

Value FunctionAnalysis::ApplySummary(ValueId id, const Call& call, FunctionId callee,
                                     const Value* self, bool bound) {
  const FunctionResult& target = world_.result(callee);
  if (!target.summary.ready) {  // recursion: nothing is known yet
    if (recording_) r_.calls.push_back({callee, id, state_->mode, kOverflowOrigin});
    return UnknownCall(id, call, self);
  }
  return ApplyTo(id, callee, BindArguments(call, callee, self, bound));
}

Value FunctionAnalysis::ApplyTo(ValueId id, FunctionId callee, const std::vector<Bound>& args) {
  const FunctionResult& target = world_.result(callee);
  const Summary& s = target.summary;
  ApplyStores(id, callee, args);
  for (const auto& [sink, eval] : s.modes) {
    SlotId slot = kNoSlot;
    SinkObjects(sink, args, &slot);
    if (slot == kNoSlot) continue;
    Value& held = state_->slots[Index(slot)];
    if (!held.Reached()) held = EntryValue(id, slot);
    held.flags =
        static_cast<std::uint8_t>(eval ? held.flags | kInEvalMode : held.flags & ~kInEvalMode);
  }
  unsigned origin = kOverflowOrigin;
  Value out = Result(id, target, args, &origin);
  if (!recording_) return out;
  r_.calls.push_back({callee, id, state_->mode, origin, Evaluates(id, s, args)});
  Backward b;
  b.value = id;
  b.node = body_[id].node;
  for (std::size_t i = 0; i < args.size() && i < 64; ++i) {
    Origins deep = Deep(args[i].value).origins;
    if (s.differentiated >> i & 1) b.origins |= deep;
    if (s.freed >> i & 1) r_.freed |= deep;
    if (s.escaped >> i & 1) r_.escaped |= deep;
  }
  if (s.differentiated != 0 && b.origins.any()) {
    r_.differentiated |= b.origins;
    r_.backwards.push_back(b);
  }
  if (s.has_grad_ops)
    r_.grad_ops.push_back({GradOpKind::kCallee, id, kNoKey, Strength::kStrong, callee});
  for (const Sink& sink : s.resets) {
    SlotId slot = kNoSlot;
    Value base;
    base.objects = SinkObjects(sink, args, &slot);
    AddReset(id, slot, base, sink.depth > 0 ? sink.path[sink.depth - 1] : sema::kNoName, false);
  }
  ApplyModules(id, target, args, origin);
  return out;
}

void FunctionAnalysis::ApplyStores(ValueId id, FunctionId callee, const std::vector<Bound>& args) {
  const FunctionResult& target = world_.result(callee);
  std::uint32_t index = 0;
  for (const StoreSummary& store : target.summary.stores) {
    const std::uint32_t inner = index++;
    Value what;
    ValueId stored = kNoValue;
    for (std::size_t i = 0; i < args.size() && i < 64; ++i) {
      if (!((store.params | store.bare_params) >> i & 1)) continue;
      Value deep = Deep(args[i].value);
      if (!(store.params >> i & 1)) deep.origins.reset();
      if (stored == kNoValue || deep.origins.any()) stored = args[i].id;
      what = flow::Join(what, deep);
    }
    if (!what.Reached() || !WorthKeeping(what)) continue;
    SlotId slot = kNoSlot;
    Objects sinks = SinkObjects(store.sink, args, &slot);
    if (sinks == 0) {  // kept somewhere that nobody can name
      if (recording_) r_.escaped |= what.origins;
      continue;
    }
    unsigned origin = OriginFor(id, OriginKind::kStore);
    Value held = what;
    held.origins.set(origin);
    bool outlives = false, in_instance = false;
    for (Objects left = sinks; left != 0; left &= left - 1) {
      auto i = static_cast<unsigned>(std::countr_zero(left));
      in_instance |= i < r_.objects.size() && r_.objects[i].kind == ObjectKind::kInstance;
    }
    for (Objects left = sinks; left != 0; left &= left - 1) {
      auto i = static_cast<unsigned>(std::countr_zero(left));
      if (i >= r_.contents.size()) continue;
      outlives |= r_.objects[i].kind == ObjectKind::kEntry;
      // What a meter in a dict is given lies in the meter, not beside it in the dict.
      if (in_instance && store.sink.depth > 0 && r_.objects[i].kind != ObjectKind::kInstance)
        continue;
      Value joined = flow::Join(r_.contents[i], held);
      if (!(joined == r_.contents[i])) {
        r_.contents[i] = joined;
        heap_changed_ = true;
      }
    }
    if (!recording_) continue;
    Store record;
    record.kind = store.kind;
    record.value = id;
    record.stored = stored;
    record.node = body_[id].node;
    record.what = what;
    record.sinks = sinks;
    record.slot = slot;
    record.attribute = store.sink.depth > 0 ? store.sink.path[store.sink.depth - 1] : sema::kNoName;
    record.origin = origin;
    record.callee = callee;
    record.inner = inner;
    record.mode = state_->mode;
    r_.origins[origin].ref = static_cast<std::uint32_t>(r_.stores.size());
    r_.stores.push_back(record);
    if (outlives) r_.kept |= what.origins;
  }
}

// A module in eval mode runs inside, and grad is on.
bool FunctionAnalysis::Evaluates(ValueId id, const Summary& s, const std::vector<Bound>& args) {
  if (state_->mode == GradMode::kOff) return false;
  return std::any_of(s.forwards.begin(), s.forwards.end(), [&](const ForwardSummary& f) {
    SlotId slot = kNoSlot;
    SinkObjects(f.module, args, &slot);
    if (slot == kNoSlot || !f.unused) return false;
    return Load(id, slot).Has(kInEvalMode);
  });
}

// Modules that the callee runs in the grad mode of its caller.
void FunctionAnalysis::ApplyModules(ValueId id, const FunctionResult& callee,
                                    const std::vector<Bound>& args, unsigned origin) {
  for (const auto& [sink, site, unused] : callee.summary.forwards) {
    SlotId slot = kNoSlot;
    SinkObjects(sink, args, &slot);
    // model.infer(x) runs parts of `model`.
    const bool own = sink.root == Sink::Root::kParam && sink.index == 0 && !args.empty() &&
                     args[0].value.Is(Kind::kModule);
    if (slot == kNoSlot && own) slot = args[0].slot;
    if (slot == kNoSlot) continue;
    const Value held = Load(id, slot);
    if (held.Has(kFrozen) || (!held.Is(Kind::kModule) && !(sink.depth > 0))) continue;
    Forward f;
    f.value = id;
    f.node = body_[id].node;
    f.origin = unused ? kOverflowOrigin : origin;
    f.unused = unused;
    f.module_slot = slot;
    f.strength = held.Is(Kind::kModule) ? held.strength : Strength::kMedium;
    if (f.strength == Strength::kWeak && FedByLoader(world_.module(), body_, id))
      f.strength = Strength::kMedium;
    f.mode = state_->mode;
    f.in_eval = held.Has(kInEvalMode);
    f.direct = false;
    f.inner = site;
    f.over_held_out = OverHeldOut(body_.LoopOf(id));
    r_.forwards.push_back(f);
  }
}

Value FunctionAnalysis::Result(ValueId id, const FunctionResult& callee,
                               const std::vector<Bound>& args, unsigned* origin) {
  const Summary& s = callee.summary;
  const std::uint16_t bits = EvidenceOf(id);
  const bool off = state_->mode == GradMode::kOff && s.ret_mode != GradMode::kOn;
  const Value& ret = s.ret.value;
  const bool knows = ret.Is(Kind::kTensor) || ret.Is(Kind::kNumber) || ret.Is(Kind::kContainer);
  const bool demanded =
      (bits & facts::kIsDifferentiated) && !(bits & (kThroughUnknown | kIsWeightless)) &&
      (!knows || !s.ret_fields.empty()) && s.ret_params == 0 && s.ret_mode != GradMode::kOff;
  if ((s.ret_makes_graph || demanded) && !off) {
    *origin = OriginFor(id, OriginKind::kCallee);
    Origin& o = r_.origins[*origin];
    if (o.kind == OriginKind::kCallee) {
      o.makes_graph = true;
      o.callee = callee.body.function;
      o.mode = s.ret_mode == GradMode::kOn ? GradMode::kOn : state_->mode;
      o.strength = s.ret_makes_graph ? s.ret_strength : Strength::kMedium;
      if (demanded) o.strength = Strength::kStrong;
      for (std::size_t i = 0; i < args.size() && i < 64; ++i) {
        if ((s.ret_modules >> i & 1) && args[i].value.Is(Kind::kModule)) {
          o.strength = std::max(o.strength, args[i].value.strength);
          o.in_eval |= args[i].value.Has(kInEvalMode);
        }
      }
      const bool weak = o.strength == Strength::kWeak && s.ret_modules != 0;
      if (weak && FedByLoader(world_.module(), body_, id)) o.strength = Strength::kMedium;
      o.freed_in_callee = s.ret_freed;
      o.in_eval |= s.ret_in_eval;
      r_.graph_mask.set(*origin);
    }
  }
  if (s.ret_fields.empty()) {
    Value v = Translate(s.ret, args, *origin);
    if (v.Is(Kind::kTensor) && v.residency == Residency::kUnknown) {
      for (const Bound& a : args) {
        if (a.value.residency == Residency::kDevice) v.residency = Residency::kDevice;
      }
    }
    if (demanded && *origin != kOverflowOrigin && !off) {
      v.origins.set(*origin);
      v.kind = Kind::kTensor;
      v.strength = Strength::kStrong;
      if (!(bits & kThroughElement)) v.size = Size::kScalar;
    }
    if (v.Is(Kind::kContainer) && v.objects == 0) {
      unsigned object = ObjectFor(id, ObjectKind::kAllocation);
      v.objects = Bit(object);
      if (object < r_.contents.size() && v.origins.any()) {
        Value held = Value::Of(Kind::kTensor, v.strength);
        held.residency = v.residency;
        held.origins = v.origins;
        Value joined = flow::Join(r_.contents[object], held);
        if (!(joined == r_.contents[object])) r_.contents[object] = joined, heap_changed_ = true;
      }
    }
    return v;
  }
  unsigned object = ObjectFor(id, ObjectKind::kAllocation);
  Value v = Value::Of(Kind::kContainer);
  v.objects = Bit(object);
  if (object >= r_.objects.size()) {
    for (const auto& field : s.ret_fields)
      v.origins |= Translate(field.second, args, *origin).origins;
    return v;
  }
  Value held = r_.contents[object];
  auto& fields = r_.fields[object];
  for (const auto& [key, field] : s.ret_fields) {
    Value part = Translate(field, args, *origin);
    held = flow::Join(held, part);
    auto it = std::find_if(fields.begin(), fields.end(),
                           [&, k = key](const auto& f) { return f.first == k; });
    if (it == fields.end()) {
      fields.emplace_back(key, part);
    } else {
      it->second = part;
    }
  }
  if (!(held == r_.contents[object])) r_.contents[object] = held, heap_changed_ = true;
  return v;
}

Value FunctionAnalysis::Translate(const Returned& in, const std::vector<Bound>& args,
                                  unsigned origin) {
  Value v = in.value;
  if (!v.Reached()) v = Value::Unknown();
  v.flags = static_cast<std::uint8_t>(v.flags & (kInEvalMode | kFrozen | kIsTrue | kIsFalse));
  if (v.Is(Kind::kParameters)) v.ref = kNoRef;
  if (state_->mode != GradMode::kOff && origin != kOverflowOrigin && in.graph)
    v.origins.set(origin);
  for (std::size_t i = 0; i < args.size() && i < 64; ++i) {
    const Value& argument = args[i].value;
    if (in.objects >> i & 1) v.objects |= argument.objects;
    if (!(in.params >> i & 1)) continue;
    if (state_->mode != GradMode::kOff) v.origins |= Deep(argument).origins;
    if (v.residency == Residency::kUnknown) v.residency = argument.residency;
    if (v.Is(Kind::kUnknown) && argument.Is(Kind::kTensor)) {
      v.kind = Kind::kTensor;
      v.strength = argument.strength;
    }
  }
  return v;
}

}  // namespace torchleak::flow

// Kept values: which stores outlive the iteration or call that made the value, and whether anything
// excuses them (cleared in time, bounded, differentiated later).
#include <algorithm>
#include <array>
#include <bit>

#include "flow/arguments.h"
#include "flow/events_internal.h"
#include "flow/names.h"

namespace torchleak::flow {

using syntax::kNoNode;

namespace {

// sum(l for l in losses.values()), then backward(): parts of one step's loss, put together for it.
bool FreedAfterwards(const FunctionResult& r, const Store& store, LoopId loop) {
  if (loop == kNoLoop || !r.body.loops[Index(loop)].is_comprehension) return false;
  return std::any_of(r.backwards.begin(), r.backwards.end(), [&](const Backward& b) {
    return (b.origins & store.what.origins & r.graph_mask).any() &&
           !r.body.Within(r.body.LoopOf(b.value), loop);
  });
}

}  // namespace

LoopId EventBuilder::GrowingLoop(const FunctionResult& r, const Store& store, KeptEvent* e) const {
  const Body& body = r.body;
  LoopId growing = kNoLoop;
  bool any_short_only = true;
  for (LoopId l = body.LoopOf(store.value); l != kNoLoop; l = body.loops[Index(l)].parent) {
    bool made_inside = store.sinks != 0;
    for (Objects left = store.sinks; left != 0; left &= left - 1) {
      auto o = static_cast<std::size_t>(std::countr_zero(left));
      if (o >= r.objects.size()) return kNoLoop;
      made_inside &= r.objects[o].kind != ObjectKind::kEntry && body.Within(r.objects[o].loop, l);
    }
    if (made_inside) break;
    bool reset = false, late = false;
    for (const Reset& x : r.resets) {
      if (x.value == store.value || !body.Within(body.LoopOf(x.value), l)) continue;
      const bool same =
          (store.slot != kNoSlot && x.slot == store.slot) || (x.objects & store.sinks) != 0;
      if (!same) continue;
      bool small = false;
      // Rebound on every way to the store: the store never sees an earlier turn's value.
      const bool before =
          Index(x.value) < Index(store.value) && !x.shrinks &&
          GuardCovers(body, body.BlockOf(x.value).guard, body.BlockOf(store.value).guard) &&
          body.Within(body.LoopOf(store.value), body.LoopOf(x.value));
      // A list without graphs is no longer than what goes by between two clears.
      const bool emptied = e->graph == Graph::kNone && !x.shrinks &&
                           ComesTrueAgain(body, body.BlockOf(x.value).guard, l);
      const bool counts =
          before || emptied || GuardCounts(body, body.BlockOf(x.value).guard, l, &small);
      if (counts || !reset) e->cleared_at = Span(body[x.value].node);
      if (counts) {
        reset = true;
        if (small) e->bound = Bound::kSmallGuard;
      } else {
        late = true;
      }
    }
    if (reset) {
      // Once an epoch is late: until then the graphs of all its batches pile up.
      // What is kept beyond an optimizer's step is kept for no backward().
      const bool epoch = e->graph != Graph::kNone && growing != kNoLoop &&
                         (OverLoader(body, growing) || StepsIn(r, growing));
      e->cleared = epoch ? Cleared::kLate : Cleared::kEachTurn;
      break;
    }
    if (late) e->cleared = Cleared::kLate;
    if (growing == kNoLoop) growing = l;
    e->over_data |= OverData(r, l, e->graph == Graph::kNone && InPlainLocal(r, store));
    any_short_only &= body.loops[Index(l)].is_short;
  }
  if (growing != kNoLoop && any_short_only) e->bound = Bound::kFewTurns;
  return growing;
}

const EventBuilder::AttributePlaces& EventBuilder::UsesOf(sema::NameId attribute) const {
  if (uses_.empty()) {
    uses_.resize(module().name_count());
    for (const FunctionResult& r : world_.results()) {
      for (std::uint32_t i = 0; i < r.resets.size(); ++i) {
        if (r.resets[i].attribute != sema::kNoName)
          uses_[Index(r.resets[i].attribute)].resets.emplace_back(r.body.function, i);
      }
      for (std::uint32_t i = 0; i < r.body.instrs.size(); ++i) {
        const Instr& in = r.body.instrs[i];
        const sema::NameId name = in.op == Op::kGetAttr ? sema::NameId{in.aux}
                                  : in.op == Op::kLoad  ? r.body.slots[in.aux].attribute
                                                        : sema::kNoName;
        if (name != sema::kNoName) uses_[Index(name)].reads.emplace_back(r.body.function, i);
      }
    }
  }
  return uses_[Index(attribute)];
}

// summary(output): nobody knows what that gives, a number, say.
bool EventBuilder::OfUnknownCall(const FunctionResult& r, const Store& store) const {
  if (store.stored == kNoValue || !store.what.Is(Kind::kUnknown)) return false;
  const Instr* made = &r.body[store.stored];
  if (made->op == Op::kLoad) {
    const std::uint32_t slot = made->aux;
    for (const Instr& in : r.body.instrs)
      if (in.op == Op::kStore && in.aux == slot) made = &r.body[r.body.Operand(in, 0)];
  }
  if (made->op != Op::kCall) return false;
  const Call& call = r.body.calls[made->aux];
  return call.fact == nullptr && call.receiver == kNoValue &&
         world_.Resolve(r.body, call).function == sema::kNoFunction;
}

// Attributes: emptied by another method of the file, in time or late?
Cleared EventBuilder::ClearedElsewhere(const FunctionResult& r, const Store& store,
                                       text::Span* at) const {
  if (store.attribute == sema::kNoName) return Cleared::kNever;
  Cleared out = Cleared::kNever;
  bool of_argument = false;
  if (store.slot != kNoSlot) {
    const sema::BindingId root = r.body.slots[Index(store.slot)].root;
    of_argument = module()[root].is_param && world_.SelfClass(root) == sema::kNoClass;
  }
  for (const auto& [function, index] : UsesOf(store.attribute).resets) {
    const FunctionResult& other = world_.result(function);
    std::string_view name = FunctionName(function);
    if (name == "__init__" || name == "reset" || name == "reset_parameters") continue;
    const Reset& x = other.resets[index];
    const bool here = function == r.body.function;
    if (here && x.value == store.value) continue;
    bool small = false;
    const bool counts = GuardCounts(other.body, other.body.BlockOf(x.value).guard, kNoLoop, &small);
    // Whoever empties it behind a backward() has used what was gathered, an episode, say.
    const bool used =
        !here && of_argument && std::ranges::any_of(other.backwards, [&](const Backward& b) {
          return Index(b.value) < Index(x.value) &&
                 other.body.LoopOf(b.value) == other.body.LoopOf(x.value);
        });
    const bool each = used || (here && counts && other.body.LoopOf(x.value) == kNoLoop);
    *at = Span(other.body[x.value].node);
    if (each || (here && small)) return Cleared::kEachTurn;
    out = Cleared::kLate;
  }
  if (AttributeUses::Has(world_.outside.reset, module().Text(store.attribute)))
    out = std::max(out, Cleared::kLate);
  return out;
}

text::Span EventBuilder::BackwardOf(const FunctionResult& r, unsigned origin) const {
  for (const Backward& b : r.backwards) {
    if (b.origins.test(origin)) return Span(b.node);
  }
  return {};
}

// An optimizer steps in the loop: what was computed before a step is not differentiated after it.
bool EventBuilder::StepsIn(const FunctionResult& r, LoopId loop) const {
  if (loop == kNoLoop) return false;
  return std::any_of(r.grad_ops.begin(), r.grad_ops.end(), [&](const GradOp& op) {
    if (!r.body.Within(r.body.LoopOf(op.value), loop)) return false;
    return op.kind == GradOpKind::kStep ||
           (op.kind == GradOpKind::kCallee && world_.result(op.callee).summary.steps);
  });
}

Need EventBuilder::Needed(const FunctionResult& r, const Store& store, LoopId loop, bool live,
                          bool in_eval) const {
  const bool tracked = store.origin != kOverflowOrigin;
  const bool returned = tracked && r.returned.test(store.origin);
  const bool attribute = store.attribute != sema::kNoName;
  if (tracked && r.differentiated.test(store.origin)) return Need::kBackward;
  if (!live) return Need::kNone;  // its graph is gone: nothing can use it
  if (returned && r.result_differentiated) return Need::kCallersBackward;
  if (attribute && world_.AttributeDifferentiated(StoreClass(r, store), store.attribute))
    return Need::kAttributeBackward;
  // A backward() ran and kept the graph: a second one after the optimizer's step would fail.
  if ((store.what.origins & r.graph_mask & ~r.differentiated).none()) return Need::kNone;
  // Nobody moves to the host, batch by batch, what is to be differentiated later. (A module's own
  // inference() does so under whatever grad mode its callers choose.)
  const sema::ClassId cls = module()[r.body.function].class_id;
  const bool of_module = cls != sema::kNoClass && world_.IsModuleClass(cls);
  if (in_eval || (store.what.Has(kMovedToHost) && !of_module)) return Need::kNone;
  if (tracked && r.escaped.test(store.origin)) return Need::kHandedOn;
  if (returned && StepsIn(r, loop)) return Need::kNone;
  // The outputs for a whole loader: no backward() goes through all of its batches at once.
  const bool outputs = store.what.size != Size::kScalar && store.kind != StoreKind::kSlot;
  if (returned && outputs && loop != kNoLoop && OverLoader(r.body, loop) &&
      Text(r.body.loops[Index(loop)].iterable).find("range(") == std::string_view::npos)
    return Need::kNone;
  if (returned) {
    return !r.has_callers || r.result_escapes || r.has_unknown_callers ? Need::kReturned
                                                                       : Need::kNone;
  }
  return attribute && world_.AttributeEscapes(StoreClass(r, store), store.attribute)
             ? Need::kAttributeHandedOn
             : Need::kNone;
}

// The class whose attribute a store writes; kNoClass when nobody knows.
sema::ClassId EventBuilder::StoreClass(const FunctionResult& r, const Store& store) const {
  if (store.callee != sema::kNoFunction) return module()[store.callee].class_id;
  return store.slot == kNoSlot ? sema::kNoClass
                               : world_.SelfClass(r.body.slots[Index(store.slot)].root);
}

// A hook that fills a local of the function that registers it, and takes it off again.
bool EventBuilder::HookRemovedByOwner(sema::FunctionId hook, sema::BindingId place) const {
  sema::FunctionId owner = module()[module()[place].scope].function;
  if (owner == sema::kNoFunction || owner == sema::FunctionId{0} || owner == hook) return false;
  const FunctionResult& r = world_.result(owner);
  for (const Reset& x : r.resets) {  // emptied after each pass
    if (x.slot != kNoSlot && r.body.slots[Index(x.slot)].root == place &&
        r.body[x.value].op == Op::kCall)
      return true;
  }
  for (const HookAdded& h : r.hooks) {
    const bool mine = std::find(h.functions.begin(), h.functions.end(), hook) != h.functions.end();
    if (!mine) continue;
    if (r.removed.test(h.origin) || r.returned.test(h.origin)) return true;  // … by its caller
    for (const Store& s : r.stores) {
      const bool holds = s.what.origins.test(h.origin) && s.origin != kOverflowOrigin;
      if (holds && (r.removed.test(s.origin) || r.returned.test(s.origin))) return true;
    }
  }
  return false;
}

bool EventBuilder::ReadElsewhere(const FunctionResult& r, const Store& store) const {
  if (store.attribute == sema::kNoName) return false;
  if (AttributeUses::Has(world_.outside.read, module().Text(store.attribute))) return true;
  for (const auto& [function, i] : UsesOf(store.attribute).reads) {
    const Instr& in = world_.result(function).body.instrs[i];
    if (in.op == Op::kGetAttr || function != r.body.function) return true;
    // Read before it is stored in the same call: the value of the call before is used.
    // (`x += v` reads x too, but that is the store itself)
    const bool own = store.kind == StoreKind::kChain && SlotId{in.aux} == store.slot;
    if (i < Index(store.value) && !own) return true;
    // … or read where this call may not have stored it.
    if (i > Index(store.value) &&
        !GuardCovers(r.body, r.body.BlockOf(store.value).guard, r.body.BlockOf(ValueId{i}).guard))
      return true;
  }
  return false;
}

void EventBuilder::Kept() {
  for (const FunctionResult& r : world_.results()) {
    if (!r.analyzed) continue;
    for (const Store& s : r.stores) {
      KeptEvent e;
      e.function = r.body.function;
      e.span = Span(s.node);
      e.record = static_cast<std::uint32_t>(&s - r.stores.data());
      e.dismissal = KeptOne(r, s, &e);
      if (e.dismissal == Dismissal::kNone) {
        out_->kept.push_back(std::move(e));
      } else if (out_->dismissed.wanted) {
        const Kind kind = s.what.kind;
        if (kind != Kind::kTensor && kind != Kind::kUnknown && kind != Kind::kContainer)
          continue;  // a module, …
        NameKept(r, s, &e);
        for (std::size_t i = 0; i < r.origins.size(); ++i) {
          const bool argument = s.what.origins.test(i) && r.origins[i].kind == OriginKind::kParam;
          if (argument && e.dismissal == Dismissal::kNoTensor)
            e.dismissal = Dismissal::kCallersValue;
        }
        out_->dismissed.kept.push_back(std::move(e));
      }
    }
  }
}

void EventBuilder::NameKept(const FunctionResult& r, const Store& store, KeptEvent* e) const {
  e->what = store.stored == kNoValue ? std::string{} : Short(r.body[store.stored].node);
  e->where = SlotText(r.body, store.slot);
  if (e->where.empty() && store.callee != sema::kNoFunction) e->where = PlaceAtCall(r, store);
}

// `losses.sum` of losses.update(x), `stats.items` of record(stats, x).
std::string EventBuilder::PlaceAtCall(const FunctionResult& r, const Store& store) const {
  const Sink& sink = world_.result(store.callee).summary.stores[store.inner].sink;
  if (sink.root != Sink::Root::kParam || r.body[store.value].op != Op::kCall) return {};
  const Call& call = r.body.calls[r.body[store.value].aux];
  const World::Target target = world_.Resolve(r.body, call);
  if (target.class_id != sema::kNoClass) return {};
  const bool bound = target.function == store.callee ? target.bound : call.receiver != kNoValue;
  ValueId holder = kNoValue;
  if (bound && sink.index == 0) {
    holder = call.receiver;
  } else {
    const auto& params = module()[store.callee].params;
    std::uint32_t position = bound ? 1 : 0;
    for (const Argument& a : r.body.Arguments(call)) {
      if (StandsFor(a, params, sink.index, &position) && a.stars == 0) holder = a.value;
    }
  }
  if (holder == kNoValue) return {};
  std::string out = Short(r.body[holder].node);
  for (unsigned d = 0; d < sink.depth; ++d) out += "." + std::string(module().Text(sink.path[d]));
  return out;
}

Dismissal EventBuilder::KeptOne(const FunctionResult& r, const Store& store,
                                KeptEvent* event) const {
  const Body& body = r.body;
  KeptEvent& e = *event;
  e.graph = GraphOf(r, store.what.origins, &e.strength, &e.in_eval);
  e.tensor = store.what.Is(Kind::kTensor) || e.graph != Graph::kNone;
  if (!e.tensor && store.what.residency != Residency::kDevice) return Dismissal::kNoTensor;
  if (e.strength == Strength::kNone) e.strength = store.what.strength;
  e.residency = store.what.residency;
  e.size = store.what.size;
  const Role role = world_.role(body.function);
  e.in_hook =
      role == Role::kForwardHook || role == Role::kForwardPreHook || role == Role::kBackwardHook;
  e.in_forward = role == Role::kForward || role == Role::kTrainingStep || r.within_forward;
  e.in_training_step = role == Role::kTrainingStep;
  e.growth = store.kind == StoreKind::kSlot    ? Growth::kSlot
             : store.kind == StoreKind::kChain ? Growth::kChain
                                               : Growth::kGrows;
  bool outer = false, parameter = false, instance = false;
  for (Objects left = store.sinks; left != 0; left &= left - 1) {
    auto o = static_cast<std::size_t>(std::countr_zero(left));
    if (o >= r.objects.size()) return Dismissal::kTooManyObjects;
    const Object& object = r.objects[o];
    if (object.bounded) e.bound = Bound::kMaxLength;
    if (object.generator) return Dismissal::kGenerator;
    if (object.kind == ObjectKind::kInstance) instance = true;
    if (object.kind != ObjectKind::kEntry) continue;
    outer = true;
    if (e.in_hook && object.slot != kNoSlot &&
        HookRemovedByOwner(body.function, body.slots[Index(object.slot)].root)) {
      e.bound = Bound::kHookRemoved;
    }
    if (object.slot != kNoSlot && body.slots[Index(object.slot)].depth == 0) {
      parameter |= module()[body.slots[Index(object.slot)].root].is_param &&
                   body.slots[Index(object.slot)].is_local;
    }
  }
  const bool attribute = store.attribute != sema::kNoName;
  e.place = attribute          ? Place::kAttribute
            : parameter        ? Place::kParameter
            : outer            ? Place::kGlobal
            : store.sinks != 0 ? Place::kLocalContainer
                               : Place::kLocalVariable;
  if (instance && !outer) e.place = Place::kLocalContainer;
  LoopId loop = GrowingLoop(r, store, &e);
  e.in_loop = loop != kNoLoop;
  if (!e.over_data && FreedAfterwards(r, store, loop)) return Dismissal::kDiesInTime;
  if (store.kind == StoreKind::kKeyed && (!e.in_loop || !GainsKeys(r, store, loop)))
    e.growth = Growth::kSlot;  // a cache or a registry: one place a key
  e.in_test = InTest(body.function);
  const bool made_here = !outer && store.sinks != 0;
  if (attribute && made_here && e.in_forward)
    e.cleared = Cleared::kEachTurn;  // self.xs = [] at the start of the call
  if (e.in_hook && OfUnknownCall(r, store)) return Dismissal::kNoTensor;
  if (store.kind == StoreKind::kSlot && store.stored != kNoValue) {
    const Instr& made = body[store.stored];
    const bool display = made.op == Op::kList || made.op == Op::kDict || made.op == Op::kSet;
    if (display && made.argc == 0) return Dismissal::kNoTensor;  // an empty container is put there
  }
  // Locals and the batch are gone by then.
  if (e.in_training_step && outer && !parameter && e.graph == Graph::kLive &&
      (store.what.origins & r.returned & r.graph_mask).any()) {
    e.graph = Graph::kFreed;  // the framework runs backward() on what training_step returns
  }
  if (e.cleared == Cleared::kEachTurn && outer) {
    // emptied in the loop that fills it
  } else if (outer && attribute && e.cleared != Cleared::kEachTurn) {
    e.cleared = std::max(e.cleared, ClearedElsewhere(r, store, &e.cleared_at));
  }
  if (!e.in_loop && !outer) return Dismissal::kDiesInTime;
  // data.x = cat([data.x, …]): once for each object that is handed in.
  const bool of_argument = attribute && store.kind == StoreKind::kChain && OfArgument(r, store);
  if (of_argument && !e.in_loop && !r.called_in_loop) return Dismissal::kDiesInTime;
  if (e.growth != Growth::kSlot && !e.in_loop && e.cleared == Cleared::kEachTurn)
    e.growth = Growth::kSlot;
  if (store.callee != sema::kNoFunction) {
    const StoreSummary& s = world_.result(store.callee).summary.stores[store.inner];
    if (s.reset_in_function) e.bound = Bound::kResetByCallee;
  }
  if (TurnedOff(r, store)) return Dismissal::kDiesInTime;  // never stored at all
  e.bounded = e.bound != Bound::kNone;
  e.need = Needed(r, store, loop, e.graph == Graph::kLive, e.in_eval || Evaluates(body.function));
  e.needed = e.need != Need::kNone;
  if (e.need == Need::kBackward) e.needed_at = BackwardOf(r, store.origin);
  if (e.need == Need::kHandedOn) e.needed_at = HandedOnAt(r, store.origin);
  e.read_elsewhere = attribute && ReadElsewhere(r, store);
  e.documented = attribute && IsDocumented(r, store.attribute);
  e.switched = attribute && BehindSwitch(r, store);
  e.cache = IsCache(r, store, e);
  if (store.stored != kNoValue && e.graph == Graph::kNone && e.over_data) {
    e.small = IsLabels(body, store.stored) || IsMeasure(body, store.stored);
    e.of_batch = OfBatch(r, store.stored);
    if (OnlyRearranges(r, store.stored)) e.over_data = false;
  }
  if (store.stored != kNoValue) e.bare_argument = r.values[Index(store.stored)].Has(kBareParam);
  if (store.slot != kNoSlot && body.slots[Index(store.slot)].depth > 0) {
    const sema::BindingId root = body.slots[Index(store.slot)].root;
    sema::ClassId cls = world_.SelfClass(root);
    if (cls == sema::kNoClass) cls = module()[root].class_id;  // Net.outputs, of all instances
    e.module_attribute = cls != sema::kNoClass && world_.IsModuleClass(cls);
  } else if (store.callee != sema::kNoFunction && attribute) {
    sema::ClassId cls = module()[store.callee].class_id;
    e.module_attribute = cls != sema::kNoClass && world_.IsModuleClass(cls);
  }
  NameKept(r, store, &e);
  KeptSteps(r, store, e.graph, &e);
  // The loop that outlives the value closes the path.
  if (loop != kNoLoop) {
    const Loop& l = body.loops[Index(loop)];
    e.flow.push_back({HeaderSpan(l.node), l.is_comprehension ? "kept until the comprehension ends"
                                                             : "outlives each turn of this loop"});
  }
  return Dismissal::kNone;
}

void EventBuilder::KeptSteps(const FunctionResult& r, const Store& store, Graph graph,
                             KeptEvent* e) const {
  // One maker is enough to understand the path: the strongest, latest one.
  const Origin* maker = nullptr;
  for (std::size_t i = 0; i < r.origins.size() && i < kOverflowOrigin; ++i) {
    const Origin& o = r.origins[i];
    if (!store.what.origins.test(i) || !o.makes_graph) continue;
    if (maker == nullptr || o.strength > maker->strength ||
        (o.strength == maker->strength && Index(o.value) > Index(maker->value))) {
      maker = &o;
    }
  }
  if (maker != nullptr) {
    std::string message = "the graph is made here";
    if (maker->kind == OriginKind::kHookArgument) message = "a live activation arrives here";
    if (maker->kind == OriginKind::kModuleCall)
      message = "the module's output carries its graph from here";
    if (maker->kind == OriginKind::kCallee) message = "the result comes back with its graph";
    if (maker->node != kNoNode) {
      text::Span span =
          maker->kind == OriginKind::kHookArgument ? HeaderSpan(maker->node) : Span(maker->node);
      e->flow.push_back({span, std::move(message)});
    }
  }
  if (graph == Graph::kFreed) {
    for (const Backward& b : r.backwards) {
      if ((b.origins & store.what.origins & r.graph_mask).any()) {
        e->flow.push_back(
            {Span(b.node), "backward() frees the activations, not the graph's nodes"});
        break;
      }
    }
  }
  // Through the helpers down to the line that keeps it.
  const char* last =
      store.kind == StoreKind::kChain ? "added to what came before it, here" : "stored here";
  const bool here = store.callee == sema::kNoFunction;
  e->flow.push_back({Span(store.node), here ? last : "handed on here"});
  if (here) return;
  const auto& trail = world_.result(store.callee).summary.stores[store.inner].trail;
  for (std::size_t i = 0; i < trail.size(); ++i)
    e->flow.push_back(StepAt(trail[i], i + 1 == trail.size() ? last : "handed on here"));
  // The callee may keep it in more than one way.
  for (const Store& other : r.stores) {
    if (other.value != store.value || other.callee != store.callee || other.inner == store.inner ||
        other.stored != store.stored || (other.sinks & store.sinks) == 0)
      continue;
    const auto& way = world_.result(other.callee).summary.stores[other.inner].trail;
    if (!way.empty()) e->flow.push_back(StepAt(way.back(), "or stored here"));
  }
}

}  // namespace torchleak::flow

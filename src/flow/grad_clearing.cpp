// A forward sweep per optimizer over the blocks, on tables instead of states; a handful of sweeps
// is enough since a table has 36 bits that only grow.
#include "flow/grad_clearing.h"

#include <algorithm>
#include <bit>
#include <set>

#include "flow/arguments.h"
#include "flow/world.h"

namespace torchleak::flow {
namespace {

GradTable Identity() {
  GradTable t{};
  for (unsigned s = 0; s < kGradStates; ++s) t[s] = static_cast<std::uint8_t>(1u << s);
  return t;
}

std::uint8_t Map(std::uint8_t states, const GradTable& table) {
  std::uint8_t out = 0;
  for (unsigned s = 0; s < kGradStates; ++s) {
    if (states >> s & 1) out |= table[s];
  }
  return out;
}

GradTable Then(const GradTable& first, const GradTable& second) {
  GradTable out{};
  for (unsigned s = 0; s < kGradStates; ++s) out[s] = Map(first[s], second);
  return out;
}

GradTable Single(std::array<unsigned, kGradStates> to) {
  GradTable t{};
  for (unsigned s = 0; s < kGradStates; ++s) t[s] = static_cast<std::uint8_t>(1u << to[s]);
  return t;
}

const GradTable kBackwardTable =
    Single({kEntryDirty, kDirty, kDirty, kStaleDirty, kStaleDirty, kEntryDirty});
const GradTable kStepTable = Single({kStale, kStale, kStale, kStale, kStale, kStale});
const GradTable kClearTable = Single({kFresh, kFresh, kFresh, kFresh, kFresh, kFresh});

bool Empty(const GradTable& t) {
  return std::all_of(t.begin(), t.end(), [](std::uint8_t b) { return b == 0; });
}

class Automaton {
 public:
  Automaton(const World& world, FunctionResult& result)
      : world_(world), r_(result), by_block_(result.body.blocks.size()) {
    for (const GradOp& op : r_.grad_ops)
      by_block_[r_.body.block_of[Index(op.value)]].push_back(&op);
  }

  void Run() {
    if (r_.grad_ops.empty()) return;
    Summary& s = r_.summary;
    std::vector<std::uint32_t> keys = Keys();
    s.has_grad_ops = true;
    s.steps = std::any_of(r_.grad_ops.begin(), r_.grad_ops.end(), [&](const GradOp& op) {
      return op.kind == GradOpKind::kStep ||
             (op.kind == GradOpKind::kCallee && world_.result(op.callee).summary.steps);
    });
    s.grad_default = Follow(kNoKey, nullptr);
    s.grad_effects = Effects(keys);
    for (const Switch& flag : Switches()) {
      for (const bool truth : {false, true}) {
        assumed_ = flag;
        assumed_truth_ = truth;
        GradVariant variant{
            flag.param, truth, flag.has_default && flag.by_default == truth, {}, {}};
        variant.other = Follow(kNoKey, nullptr);
        variant.effects = Effects(keys);
        s.grad_variants.push_back(std::move(variant));
      }
    }
  }

 private:
  // A parameter that is tested as it is: `if zero_grad:`.
  struct Switch {
    std::uint32_t param = 0;
    sema::BindingId binding = sema::kNoBinding;
    bool has_default = false, by_default = false;
  };

  std::vector<GradEffect> Effects(const std::vector<std::uint32_t>& keys) {
    std::vector<GradEffect> effects;
    for (const std::uint32_t key : keys) {
      GradEffect effect;
      effect.table = Follow(key, &effect);
      if (KeySink(key, &effect.sink)) effects.push_back(std::move(effect));
    }
    return effects;
  }

  // The binding that a condition tests, and how.
  sema::BindingId Tested(const Guard& guard, bool* negated) const {
    const syntax::Tree& tree = world_.module().tree();
    syntax::NodeId node = guard.condition;
    *negated = guard.negated;
    if (tree.kind(node) == syntax::Kind::kNotOperator) {
      *negated = !*negated;
      node = tree.Child(node, syntax::Field::kArgument);
    }
    return node == syntax::kNoNode ? sema::kNoBinding : world_.module().BindingOf(node);
  }

  std::vector<Switch> Switches() const {
    constexpr std::size_t kMaxSwitches = 2;
    const sema::Module& m = world_.module();
    const auto& params = m[r_.body.function].params;
    std::vector<Switch> flags;
    for (const GradOp& op : r_.grad_ops) {
      for (std::uint32_t g = r_.body.BlockOf(op.value).guard; g != kNoKey;
           g = r_.body.guards[g].parent) {
        bool negated = false;
        const sema::BindingId tested = Tested(r_.body.guards[g], &negated);
        if (tested == sema::kNoBinding || m[tested].assignments != 0) continue;
        const bool known = std::any_of(flags.begin(), flags.end(),
                                       [&](const Switch& f) { return f.binding == tested; });
        for (std::uint32_t i = 0; i < params.size() && !known && flags.size() < kMaxSwitches; ++i) {
          if (params[i].binding != tested) continue;
          Switch flag{i, tested};
          const auto kind = params[i].default_value == syntax::kNoNode
                                ? syntax::Kind::kIdentifier
                                : m.tree().kind(params[i].default_value);
          flag.by_default = kind == syntax::Kind::kTrue;
          flag.has_default =
              flag.by_default || kind == syntax::Kind::kFalse || kind == syntax::Kind::kNone;
          flags.push_back(flag);
        }
      }
    }
    return flags;
  }

  // Never run under what is assumed.
  bool Excluded(std::uint32_t guard) const {
    for (std::uint32_t g = guard; g != kNoKey && assumed_.binding != sema::kNoBinding;
         g = r_.body.guards[g].parent) {
      bool negated = false;
      if (Tested(r_.body.guards[g], &negated) == assumed_.binding && negated == assumed_truth_)
        return true;
    }
    return false;
  }

  // What the callee does, as far as its parameters are known at this call.
  const std::vector<GradEffect>& EffectsOf(const GradOp& op, const GradTable** other) const {
    const Summary& s = world_.result(op.callee).summary;
    *other = &s.grad_default;
    for (const GradVariant& variant : s.grad_variants) {
      bool given = false;
      const Value argument = ArgumentOf(op, variant.param, &given);
      const bool fits =
          given ? argument.Has(variant.truth ? kIsTrue : kIsFalse) : variant.by_default;
      if (!fits) continue;
      *other = &variant.other;
      return variant.effects;
    }
    return s.grad_effects;
  }

  // The argument that a call hands in for a parameter.
  Value ArgumentOf(const GradOp& op, std::uint32_t index, bool* given) const {
    const Body& body = r_.body;
    *given = true;  // as far as anyone can tell
    if (body[op.value].op != Op::kCall) return {};
    const Call& call = body.calls[body[op.value].aux];
    const World::Target t = world_.Resolve(body, call);
    const auto& params = world_.module()[op.callee].params;
    const bool bound = t.function == op.callee ? t.bound : call.receiver != kNoValue;
    std::uint32_t position = bound ? 1 : 0;
    for (const Argument& a : body.Arguments(call)) {
      if (a.stars != 0) return {};
      if (StandsFor(a, params, index, &position)) return r_.values[Index(a.value)];
    }
    *given = false;
    return {};
  }

  std::vector<std::uint32_t> Keys() const {
    std::vector<std::uint32_t> keys;
    auto add = [&](std::uint32_t k) {
      if (k != kNoKey && std::find(keys.begin(), keys.end(), k) == keys.end() && keys.size() < 16)
        keys.push_back(k);
    };
    for (const GradOp& op : r_.grad_ops) {
      add(op.key);
      if (op.kind == GradOpKind::kCallee) {
        for (const GradEffect& e : world_.result(op.callee).summary.grad_effects)
          add(CallerKey(op, e.sink));
      }
    }
    return keys;
  }

  // reset([opt_g, opt_d]): the callee clears what the list holds, whatever that is.
  bool ClearsElements(const GradOp& op) const {
    const GradTable* other = nullptr;
    const auto& effects = EffectsOf(op, &other);
    return std::any_of(effects.begin(), effects.end(), [&](const GradEffect& e) {
      bool given = false;
      return e.sink.root == Sink::Root::kParam && e.sink.depth == 0 &&
             e.table[kStaleDirty] == 1u << kFresh &&
             ArgumentOf(op, e.sink.index, &given).Is(Kind::kContainer);
    });
  }

  // The caller's name for an optimizer of the callee.
  std::uint32_t CallerKey(const GradOp& op, const Sink& sink) const {
    const Body& body = r_.body;
    const Instr& in = body[op.value];
    SlotId base = kNoSlot;
    Objects objects = 0;
    if (sink.root == Sink::Root::kBinding) {
      base = body.RootSlot(sema::BindingId{sink.index});
    } else if (in.op == Op::kCall) {
      const Call& call = body.calls[in.aux];
      World::Target t = world_.Resolve(body, call);
      std::uint32_t index = sink.index;
      const bool bound = t.function == op.callee ? t.bound : call.receiver != kNoValue;
      const auto& params = world_.module()[op.callee].params;
      if (bound && index == 0) {
        if (t.class_id != sema::kNoClass) return kNoKey;
        if (call.receiver == kNoValue) return kNoKey;
        objects = r_.values[Index(call.receiver)].objects;
        base = call.receiver_slot;
      } else {
        std::uint32_t position = bound ? 1 : 0;
        for (const Argument& a : body.Arguments(call)) {
          if (!StandsFor(a, params, index, &position)) continue;
          objects = r_.values[Index(a.value)].objects;
          if (body[a.value].op == Op::kLoad) base = SlotId{body[a.value].aux};
        }
      }
    }
    for (unsigned d = 0; d < sink.depth && base != kNoSlot; ++d) {
      std::uint32_t child = body.slots[Index(base)].first_child;
      while (child != kNoKey && body.slots[child].attribute != sink.path[d])
        child = body.slots[child].next_child;
      base = child == kNoKey ? kNoSlot : SlotId{child};
    }
    if (sink.depth > 0 && base != kNoSlot) {
      for (std::uint32_t i = 0; i < r_.objects.size(); ++i) {
        if (r_.objects[i].slot == base) return i;
      }
      return kSlotKey + Index(base);
    }
    if (objects != 0) return static_cast<std::uint32_t>(std::countr_zero(objects));
    // A variable that only the callee was seen to use as such: the key it has in this function's
    // own steps.
    for (const GradOp& own : r_.grad_ops) {
      if (base == kNoSlot || own.key == kNoKey || body[own.value].op != Op::kCall) continue;
      if (body.calls[body[own.value].aux].receiver_slot == base) return own.key;
    }
    return base == kNoSlot ? kNoKey : kSlotKey + Index(base);
  }

  bool KeySink(std::uint32_t key, Sink* sink) const {
    SlotId slot = kNoSlot;
    if (key >= kSlotKey) {
      slot = SlotId{key - kSlotKey};
    } else if (key < r_.objects.size()) {
      if (r_.objects[key].kind != ObjectKind::kEntry) return false;
      slot = r_.objects[key].slot;
    }
    if (slot == kNoSlot) return false;
    const Body& body = r_.body;
    const Slot& s = body.slots[Index(slot)];
    sink->depth = static_cast<std::uint8_t>(s.depth);
    SlotId at = slot;
    for (unsigned d = s.depth; d > 0; --d) {
      sink->path[d - 1] = body.slots[Index(at)].attribute;
      at = body.slots[Index(at)].parent;
    }
    const auto& params = world_.module()[body.function].params;
    for (std::uint32_t i = 0; i < params.size(); ++i) {
      if (params[i].binding == s.root) {
        sink->root = Sink::Root::kParam;
        sink->index = i;
        return true;
      }
    }
    if (body.slots[Index(at)].is_local) return false;
    sink->root = Sink::Root::kBinding;
    sink->index = Index(s.root);
    return true;
  }

  GradTable TableOf(const GradOp& op, std::uint32_t key, GradEffect* effect,
                    const GradTable& before) {
    switch (op.kind) {
      case GradOpKind::kBackward:
        return kBackwardTable;
      case GradOpKind::kStep:
        if (op.key != key) return Identity();
        if (effect != nullptr) Flag(op, before, nullptr, 1u << kStaleDirty, effect);
        return kStepTable;
      case GradOpKind::kClear:
      case GradOpKind::kMayClear:
        return op.key == key ? kClearTable : Identity();
      case GradOpKind::kClearAll:
      case GradOpKind::kMayClearAll:
        return kClearTable;
      case GradOpKind::kCallee: {
        const GradTable* other = nullptr;
        for (const GradEffect& e : EffectsOf(op, &other)) {
          if (key == kNoKey || CallerKey(op, e.sink) != key) continue;
          // Stale whoever calls: reported there.
          const bool own = (e.flagged_from >> kEntryState & 1) != 0;
          if (effect != nullptr && !own) Flag(op, before, &e, e.flagged_from, effect);
          return e.table;
        }
        if (key != kNoKey && ClearsElements(op)) return kClearTable;
        return Empty(*other) ? Identity() : *other;
      }
    }
    return Identity();
  }

  // A step, or a call whose callee steps as `inner` says, in a bad state.
  void Flag(const GradOp& op, const GradTable& before, const GradEffect* inner, std::uint8_t bad,
            GradEffect* effect) {
    if (!flagging_ || (inner != nullptr && inner->trail.empty())) return;
    StaleStep step;
    step.value = op.value;
    step.strength = inner == nullptr ? op.strength : inner->strength;
    step.optimizer =
        inner == nullptr ? StepText(world_.module(), r_.body, op.value) : inner->optimizer;
    if (inner != nullptr) step.trail = inner->trail;
    for (unsigned s = 0; s < kGradStates; ++s) {
      if ((before[s] & bad) == 0) continue;
      effect->flagged_from |= static_cast<std::uint8_t>(1u << s);
      effect->trail = TrailThrough(world_.module().tree().Span(r_.body[op.value].node), step.trail);
      effect->optimizer = step.optimizer;
      effect->strength = step.strength;
    }
    const bool here = (before[kEntryState] & bad) != 0;
    const bool again = (before[kStale] & bad) != 0;
    step.only_if_repeated = !here && again;
    // With a parameter assumed it is for callers to tell.
    if ((here || again) && assumed_.binding == sema::kNoBinding)
      r_.stale_steps.push_back(std::move(step));
  }

  // Table of the whole function for one optimizer; with `effect`, also flags its stale steps.
  GradTable Follow(std::uint32_t key, GradEffect* effect) {
    const Body& body = r_.body;
    MarkGuardedClears(key);
    steps_in_loop_.clear();
    for (const GradOp& op : r_.grad_ops) {
      if (op.kind != GradOpKind::kStep || op.key != key) continue;
      for (LoopId l = body.LoopOf(op.value); l != kNoLoop; l = body.loops[Index(l)].parent)
        steps_in_loop_.insert(Index(l));
    }
    const std::size_t n = body.blocks.size();
    std::vector<GradTable> in(n), back(n), out(n);
    std::vector<std::vector<std::uint32_t>> preds(n);
    for (BlockId b : body.order) {
      for (BlockId s : body.blocks[Index(b)].successors) preds[Index(s)].push_back(Index(b));
    }
    constexpr int kSweeps = 6;
    flagging_ = false;
    for (int i = 0; i < kSweeps; ++i) {
      flagging_ = effect != nullptr && i == kSweeps - 1;
      for (BlockId b : body.order) Sweep(Index(b), key, effect, preds, in, back, out);
    }
    GradTable exit{};
    for (BlockId b : body.order) {
      if (!body.blocks[Index(b)].successors.empty()) continue;
      for (unsigned s = 0; s < kGradStates; ++s) exit[s] |= out[Index(b)][s];
    }
    return Empty(exit) ? Identity() : exit;
  }

  void Sweep(std::uint32_t b, std::uint32_t key, GradEffect* effect,
             const std::vector<std::vector<std::uint32_t>>& preds, std::vector<GradTable>& in,
             std::vector<GradTable>& back, std::vector<GradTable>& out) {
    const Body& body = r_.body;
    const auto& block = body.blocks[b];
    GradTable merged{}, around{};
    if (b == 0) merged = Identity();
    bool cleared_arm = false;
    constexpr std::uint8_t kBad = 1u << kStale | 1u << kStaleDirty;
    for (std::uint32_t p : preds[b]) {
      const auto& from = body.blocks[p];
      const bool is_back =
          block.is_loop_head && block.loop != kNoLoop && body.Within(from.loop, block.loop);
      // What leaves a loop has gone around it.
      const bool leaves =
          from.is_loop_head && !body.Within(block.loop, from.loop) && GoesAround(p, preds);
      const GradTable& t = leaves ? back[p] : out[p];
      // Gradients from before a loop that steps by itself are strangers to its first step; not what
      // an earlier call of this function left over, as at the end of an accumulation window.
      const bool enters =
          block.is_loop_head && !is_back && steps_in_loop_.contains(Index(block.loop));
      const bool skips = is_back && from.guard != block.guard && from.guard != kNoKey &&
                         cleared_loops_.contains(Index(block.loop));
      for (unsigned s = 0; s < kGradStates; ++s) {
        constexpr std::uint8_t kDirtyBits = 1u << kDirty | 1u << kEntryDirty;
        const bool left_over = s == kDirty || s == kEntryDirty;
        const bool all_dirty = enters && !left_over && t[s] != 0 && (t[s] & ~kDirtyBits) == 0;
        if (skips && (t[s] & kBad) != 0) {  // if not update: continue; …; zero_grad()
          merged[s] |= static_cast<std::uint8_t>(t[s] & ~kBad);
          if (is_back) around[s] |= static_cast<std::uint8_t>(t[s] & ~kBad);
          continue;
        }
        merged[s] |= all_dirty ? static_cast<std::uint8_t>(1u << kStale) : t[s];
        if (is_back) around[s] |= t[s];
      }
      if (!block.is_loop_head && from.guard != block.guard && from.guard != kNoKey &&
          guarded_clear_[from.guard] && !Excluded(from.guard))
        cleared_arm = true;
    }
    if (cleared_arm) {
      for (unsigned s = 0; s < kGradStates; ++s) {
        if (merged[s] & ~kBad) merged[s] = static_cast<std::uint8_t>(merged[s] & ~kBad);
      }
    }
    in[b] = merged;
    back[b] = around;
    if (Excluded(block.guard)) {
      out[b] = GradTable{};
      return;
    }
    GradTable now = merged;
    for (const GradOp* op : by_block_[b]) now = Then(now, TableOf(*op, key, effect, now));
    out[b] = now;
  }

  // Some way leads from the loop's body back to its head.
  bool GoesAround(std::uint32_t head, const std::vector<std::vector<std::uint32_t>>& preds) const {
    const LoopId loop = r_.body.blocks[head].loop;
    return std::any_of(preds[head].begin(), preds[head].end(), [&](std::uint32_t p) {
      return r_.body.Within(r_.body.blocks[p].loop, loop) && p != head;
    });
  }

  void MarkGuardedClears(std::uint32_t key) {
    guarded_clear_.assign(r_.body.guards.size(), false);
    cleared_loops_.clear();
    for (const GradOp& op : r_.grad_ops) {
      const bool clears =
          op.kind == GradOpKind::kClearAll || op.kind == GradOpKind::kMayClearAll ||
          ((op.kind == GradOpKind::kClear || op.kind == GradOpKind::kMayClear) && op.key == key);
      if (!clears) continue;
      for (std::uint32_t g = r_.body.BlockOf(op.value).guard; g != kNoKey;
           g = r_.body.guards[g].parent)
        guarded_clear_[g] = true;
      for (LoopId l = r_.body.LoopOf(op.value); l != kNoLoop; l = r_.body.loops[Index(l)].parent)
        cleared_loops_.insert(Index(l));
    }
  }

  const World& world_;
  FunctionResult& r_;
  std::vector<std::vector<const GradOp*>> by_block_;
  std::vector<bool> guarded_clear_;
  std::set<std::uint32_t> cleared_loops_;
  std::set<std::uint32_t> steps_in_loop_;
  bool flagging_ = false;
  Switch assumed_;  // binding == kNoBinding: nothing
  bool assumed_truth_ = false;
};

}  // namespace

std::string StepText(const sema::Module& module, const Body& body, ValueId step) {
  if (body[step].op != Op::kCall) return {};
  const Call& call = body.calls[body[step].aux];
  if (call.argc > 0) {
    const Instr& argument = body[body.Arguments(call)[0].value];
    if (argument.op == Op::kLoad) return SlotText(module, body, SlotId{argument.aux});
  }
  return SlotText(module, body, call.receiver_slot);
}

void SummarizeGradEffects(const World& world, FunctionResult& result) {
  Automaton(world, result).Run();
}

}  // namespace torchleak::flow

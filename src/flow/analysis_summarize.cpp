// Summaries, written: what this function tells its own callers. `analysis_summary.cpp` reads them.
#include <algorithm>
#include <bit>

#include "flow/analysis.h"
#include "flow/grad_clearing.h"
#include "flow/known_code.h"
#include "flow/names.h"
#include "flow/varying_key.h"

namespace torchleak::flow {

namespace {

// Stores, modes and forwards that a summary hands on, each. Helpers of helpers add up otherwise;
// real summaries have up to 43.
constexpr std::size_t kMaxSummaryParts = 64;

}  // namespace

bool FunctionAnalysis::RunsUnknown() const {
  for (const CallEdge& edge : r_.calls) {
    const Summary& callee = world_.result(edge.callee).summary;
    if (!callee.ready || callee.runs_unknown) return true;
  }
  for (std::uint32_t i = 0; i < body_.instrs.size(); ++i) {
    if (RunsUnknownCode(world_, r_, ValueId{i})) return true;
  }
  return false;
}

Returned FunctionAnalysis::ToReturned(const Value& v) const {
  Returned out;
  out.value = v;
  out.value.origins.reset();
  out.value.objects = 0;
  out.graph = (v.origins & r_.graph_mask).any();
  out.params = ParamsOf(v.origins);
  const auto& params = world_.module()[body_.function].params;
  for (Objects left = v.objects; left != 0; left &= left - 1) {
    auto i = static_cast<std::size_t>(std::countr_zero(left));
    if (i >= r_.objects.size() || r_.objects[i].kind != ObjectKind::kEntry) continue;
    const SlotId slot = r_.objects[i].slot;
    if (slot == kNoSlot || body_.slots[Index(slot)].depth != 0) continue;
    for (std::size_t p = 0; p < params.size() && p < 64; ++p) {
      if (params[p].binding == body_.slots[Index(slot)].root) out.objects |= 1ull << p;
    }
  }
  return out;
}

bool FunctionAnalysis::ToSink(SlotId slot, Sink* out) const {
  if (slot == kNoSlot) return false;
  const Slot& s = body_.slots[Index(slot)];
  Sink sink;
  sink.depth = static_cast<std::uint8_t>(s.depth);
  SlotId at = slot;
  for (unsigned d = s.depth; d > 0; --d) {
    sink.path[d - 1] = body_.slots[Index(at)].attribute;
    at = body_.slots[Index(at)].parent;
  }
  const auto& params = world_.module()[body_.function].params;
  for (std::size_t i = 0; i < params.size(); ++i) {
    if (params[i].binding == s.root) {
      sink.root = Sink::Root::kParam;
      sink.index = static_cast<std::uint32_t>(i);
      *out = sink;
      return true;
    }
  }
  if (body_.slots[Index(at)].is_local) return false;
  sink.root = Sink::Root::kBinding;
  sink.index = Index(s.root);
  *out = sink;
  return true;
}

std::uint64_t FunctionAnalysis::ParamsOf(const Origins& origins) const {
  std::uint64_t mask = 0;
  for (std::size_t i = 0; i < r_.origins.size(); ++i) {
    const Origin& o = r_.origins[i];
    if (origins.test(i) && (o.kind == OriginKind::kParam || o.kind == OriginKind::kHookArgument) &&
        o.ref < 64)
      mask |= 1ull << o.ref;
  }
  return mask;
}

void FunctionAnalysis::SummarizeReturns() {
  Summary& s = r_.summary;
  if (body_.has_yield) {
    s.ret.value = Value::Unknown();
    return;
  }
  Value ret;
  std::vector<std::pair<std::uint32_t, Value>> fields;
  bool first = true, uniform = true;
  Origins all;
  for (std::uint32_t i = 0; i < body_.instrs.size(); ++i) {
    const Instr& in = body_.instrs[i];
    if (in.op != Op::kReturn || !in_[body_.block_of[i]].reached) continue;
    const Value& v = r_.values[i];
    all |= v.origins;
    ret = flow::Join(ret, v);
    std::vector<std::pair<std::uint32_t, Value>> mine;
    if (std::popcount(v.objects) == 1) {
      auto o = static_cast<std::size_t>(std::countr_zero(v.objects));
      if (o < r_.fields.size() && r_.objects[o].kind == ObjectKind::kAllocation)
        mine = r_.fields[o];
    }
    for (auto& [key, value] : mine) value = Deep(value);
    if (first) {
      fields = std::move(mine);
    } else {
      uniform &= mine.size() == fields.size();
      for (std::size_t k = 0; k < mine.size() && uniform; ++k) {
        uniform &= mine[k].first == fields[k].first;
        fields[k].second = flow::Join(fields[k].second, mine[k].second);
      }
    }
    first = false;
  }
  s.ret = ToReturned(ret.Reached() ? ret : Value::Of(Kind::kNone));
  if (uniform) {
    for (const auto& [key, value] : fields) s.ret_fields.emplace_back(key, ToReturned(value));
  }
  const Origins graphs = all & r_.graph_mask;
  bool all_freed = graphs.any();
  s.ret_mode = GradMode::kInherit;
  for (std::size_t i = 0; i < r_.origins.size(); ++i) {
    if (!graphs.test(i)) continue;
    const Origin& o = r_.origins[i];
    if (o.kind == OriginKind::kHookArgument) continue;
    s.ret_makes_graph = true;
    s.ret_strength = std::max(s.ret_strength, o.strength);
    s.ret_in_eval |= o.in_eval;
    all_freed &= o.freed_in_callee || r_.freed.test(i);
    if (o.mode == GradMode::kOn) s.ret_mode = GradMode::kOn;
    if (o.kind == OriginKind::kModuleCall && o.ref != kNoKey) {
      const auto& params = world_.module()[body_.function].params;
      for (std::size_t p = 0; p < params.size() && p < 64; ++p) {
        if (Index(params[p].binding) == o.ref) s.ret_modules |= 1ull << p;
      }
    }
  }
  s.ret_freed = all_freed && s.ret_makes_graph;
  s.ret_params = ParamsOf(all);
}

std::vector<Site> TrailThrough(const text::Span& call, const std::vector<Site>& inner) {
  constexpr std::size_t kMaxTrail = 8;
  std::vector<Site> trail{{call, nullptr}};
  trail.insert(trail.end(), inner.begin(), inner.end());
  if (trail.size() > kMaxTrail) trail.erase(trail.end() - 2);
  return trail;
}

Site FunctionAnalysis::SiteOf(ValueId id) const {
  return {world_.module().tree().Span(body_[id].node), nullptr};
}

std::vector<Site> FunctionAnalysis::TrailOf(const Store& store) const {
  const text::Span here = world_.module().tree().Span(store.node);
  if (store.callee == sema::kNoFunction) return {{here, nullptr}};
  return TrailThrough(here, world_.result(store.callee).summary.stores[store.inner].trail);
}

void FunctionAnalysis::SummarizeStores() {
  for (std::uint32_t i = 0; i < r_.stores.size(); ++i) {
    Store& store = r_.stores[i];
    StoreSummary out;
    if (store.kind == StoreKind::kKeyed && body_[store.value].op == Op::kSetItem) {
      const ValueId key = body_.Operand(body_[store.value], 1);
      out.key_varies = KeyVaries(world_.module(), body_, key, kNoLoop, &out.key_params);
      if (!out.key_varies && out.key_params == 0) store.kind = StoreKind::kSlot;
    }
    if (store.kind == StoreKind::kSlot) continue;
    out.params = ParamsOf(store.what.origins);
    if (store.stored != kNoValue && Of(store.stored).Has(kBareParam)) out.bare_params = out.params;
    if (out.params == 0) continue;
    // Reported here already: its own graph is kept, whatever the caller passes.
    bool own = false;
    for (std::size_t o = 0; o < r_.origins.size(); ++o) {
      own |= store.what.origins.test(o) && r_.origins[o].makes_graph &&
             r_.origins[o].kind != OriginKind::kHookArgument &&
             r_.origins[o].strength >= Strength::kMedium;
    }
    if (own) continue;
    out.kind = store.kind;
    out.trail = TrailOf(store);
    bool bounded = false;  // self.recent of maxlen
    for (Objects left = store.sinks; left != 0; left &= left - 1) {
      const auto o = static_cast<std::size_t>(std::countr_zero(left));
      bounded |= o < r_.objects.size() && r_.objects[o].bounded;
    }
    auto add = [&](SlotId slot, sema::BindingId binding, Objects place) {
      if (slot == kNoSlot && binding != sema::kNoBinding) {
        out.sink = Sink{Sink::Root::kBinding, Index(binding), 0, {}};
      } else if (!ToSink(slot, &out.sink)) {
        return;
      }
      out.reset_in_function = bounded;
      for (const Reset& reset : r_.resets) {
        const bool same = (slot != kNoSlot && reset.slot == slot) || (reset.objects & place) != 0;
        const auto& block = body_.BlockOf(reset.value);
        if (same && block.guard == kNoKey && reset.value != store.value)
          out.reset_in_function = true;
      }
      if (r_.summary.stores.size() < kMaxSummaryParts) r_.summary.stores.push_back(out);
    };
    if (store.sinks == 0 && store.slot != kNoSlot) continue;  // a local running value
    for (Objects left = store.sinks; left != 0; left &= left - 1) {
      auto o = static_cast<std::size_t>(std::countr_zero(left));
      if (o >= r_.objects.size() || r_.objects[o].kind != ObjectKind::kEntry) continue;
      add(r_.objects[o].slot, r_.objects[o].binding, left & ~(left - 1));
    }
  }
}

void FunctionAnalysis::BuildSummary() {
  Summary& s = r_.summary;
  SummarizeReturns();
  SummarizeStores();
  s.differentiated = ParamsOf(r_.differentiated);
  s.escaped = ParamsOf(r_.escaped);
  for (const Store& store : r_.stores) {  // module.mask = gate: used by whoever reads it
    if (store.kind == StoreKind::kSlot) s.escaped |= ParamsOf(store.what.origins);
  }
  s.freed = ParamsOf(r_.freed);
  for (const auto& [slot, eval] : r_.mode_ops) {
    Sink sink;
    if (!ToSink(slot, &sink)) continue;
    auto it = std::find_if(s.modes.begin(), s.modes.end(),
                           [&, &k = sink](const auto& m) { return m.first == k; });
    if (it == s.modes.end()) {
      if (s.modes.size() < kMaxSummaryParts) s.modes.emplace_back(sink, eval);
    } else {
      it->second = it->second && eval;
    }
  }
  const std::string_view name = NameText(world_.module()[body_.function].name);
  for (const Forward& f : r_.forwards) {
    Sink sink;
    // What comes back is the caller's concern; so is the mode of a module that it hands in.
    if (f.origin == kOverflowOrigin && !f.unused) continue;
    const bool tracked = f.origin != kOverflowOrigin;
    const bool comes_back =
        tracked && r_.returned.test(f.origin) && !r_.differentiated.test(f.origin);
    const bool unused =
        f.unused ||
        (tracked && !(r_.returned | r_.differentiated | r_.escaped | r_.kept).test(f.origin));
    // An evaluation by itself is reported here.
    const bool own = f.in_eval || (LooksLikeEvaluation(name) && body_.LoopOf(f.value) != kNoLoop);
    if (s.forwards.size() >= kMaxSummaryParts) break;
    if (!comes_back && !unused) continue;
    if (!own && f.mode == GradMode::kInherit && ToSink(f.module_slot, &sink))
      s.forwards.push_back({sink, f.direct ? SiteOf(f.value) : f.inner, unused});
  }
  for (const Reset& reset : r_.resets) {
    Sink sink;
    if (!reset.shrinks && body_.BlockOf(reset.value).guard == kNoKey && ToSink(reset.slot, &sink) &&
        s.resets.size() < 16) {
      s.resets.push_back(sink);
    }
  }
  for (std::uint32_t i = 0; i < body_.instrs.size() && !s.yields; ++i) {
    if (body_.instrs[i].op != Op::kYield) continue;
    s.yields = true;
    s.yield_mode = r_.modes[i];
  }
  s.differentiates = r_.differentiated.any();
  s.runs_unknown = RunsUnknown();
  s.leaves_graph = (r_.kept & r_.graph_mask).any();
  s.runs_backward = !r_.backwards.empty();
  SummarizeGradEffects(world_, r_);
  s.ready = true;
}

}  // namespace torchleak::flow

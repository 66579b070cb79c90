#include "patterns/sync_points.h"

#include <algorithm>
#include <array>

#include "flow/names.h"
#include "flow/world.h"
#include "patterns/words.h"

namespace torchleak::patterns {

using flow::Body;
using flow::FunctionResult;
using flow::LoopId;
using flow::Op;
using flow::ValueId;
using sema::Index;
using syntax::Kind;
using syntax::kNoNode;
using syntax::NodeId;
using What = SyncEvent::What;

namespace {

constexpr std::array<std::string_view, 3> kToHost{"item", "cpu", "tolist"};

bool OnDevice(const flow::Value& v) {
  return v.Is(flow::Kind::kTensor) && v.residency != flow::Residency::kHost &&
         !v.Has(flow::kMovedToHost) && v.strength >= flow::Strength::kMedium;
}

// The instruction that gives a loop its next element.
ValueId ElementOf(const Sight& sight, const FunctionResult& r, LoopId loop) {
  const NodeId target = sight.TargetOf(r.body, loop);
  for (std::uint32_t b = 0; target != kNoNode && b < r.body.blocks.size(); ++b) {
    if (!r.body.blocks[b].is_loop_head || r.body.blocks[b].loop != loop) continue;
    for (std::uint32_t i = r.body.blocks[b].first; i < r.body.blocks[b].last; ++i)
      if (r.body.instrs[i].op == Op::kIterate) return ValueId{i};
  }
  return flow::kNoValue;
}

// torch.linspace(0, rate, depth): made on the host, for a handful of settings.
bool MadeOnHost(const FunctionResult& r, ValueId value) {
  const flow::Instr& in = r.body[value];
  if (in.op != Op::kCall) return false;
  const flow::Call& call = r.body.calls[in.aux];
  return call.fact != nullptr && call.fact->residency == facts::Residency::kArgument;
}

// In a step: within a loop over steps, or in a function that one calls.
bool InStep(const Sight& sight, const FunctionResult& r, LoopId loop) {
  const LoopId outer = r.body.loops[Index(loop)].parent;
  if (outer != flow::kNoLoop) return sight.StepLoopAround(r, outer) != flow::kNoLoop;
  return sight.HowFunctionRuns(r.body.function).often == Often::kEachStep;
}

// Code of a data set works on what lies on the host.
bool OfDataset(const Sight& sight, const FunctionResult& r) {
  const sema::Module& module = sight.module();
  const auto names = [](std::string_view text) {
    return Has(text, "Dataset") || Has(text, "DataModule") || Has(text, "data.Sampler");
  };
  sema::FunctionId f = r.body.function;
  while (f != sema::kNoFunction && module[f].class_id == sema::kNoClass) f = module[f].parent;
  if (f == sema::kNoFunction) return false;
  const sema::Class& cls = module[module[f].class_id];
  return names(module.Text(cls.name)) || std::ranges::any_of(cls.external_bases, names);
}

// for start in range(0, len(tensor), size)
bool InStrides(const Sight& sight, const flow::Loop& loop) {
  const syntax::Tree& tree = sight.module().tree();
  if (loop.iterable == kNoNode || tree.kind(loop.iterable) != Kind::kCall) return false;
  const NodeId callee = tree.Child(loop.iterable, syntax::Field::kFunction);
  const NodeId arguments = tree.Child(loop.iterable, syntax::Field::kArguments);
  if (callee == kNoNode || arguments == kNoNode || sight.Text(callee) != "range") return false;
  int count = 0;
  for (const NodeId argument : tree.Children(arguments))
    count += tree.kind(argument) != Kind::kComment;
  return count >= 3;
}

// The model runs once for each element: beside that, a copy of one number is nothing.
bool RunsModel(const FunctionResult& r, LoopId loop) {
  return std::ranges::any_of(
      r.forwards, [&](const auto& f) { return r.body.Within(r.body.LoopOf(f.value), loop); });
}

bool OverFields(const Sight& sight, const flow::Loop& loop) {
  const std::string_view over = loop.iterable == kNoNode ? "" : sight.Text(loop.iterable);
  return Has(over, "items(") || Has(over, "values(") || Has(over, "keys(") || Has(over, "losses") ||
         Has(over, "metrics");
}

// The one value that a variable gets in this function.
ValueId SoleStore(const Body& body, std::uint32_t slot) {
  ValueId stored = flow::kNoValue;
  for (const flow::Instr& in : body.instrs) {
    if (in.op != Op::kStore || in.aux != slot) continue;
    if (stored != flow::kNoValue) return flow::kNoValue;
    stored = body.Operand(in, 0);
  }
  return stored;
}

// Outside of steps much code works on the host: is it on a device, or made of a model's output?
bool KnownOnDevice(const Sight& sight, const FunctionResult& r, LoopId loop) {
  const Body& body = r.body;
  const ValueId element = ElementOf(sight, r, loop);
  if (element == flow::kNoValue) return false;
  ValueId at = body.Operand(body[element], 0);
  if (r.values[Index(at)].residency == flow::Residency::kDevice) return true;
  for (int hops = 0; hops < 16 && at != flow::kNoValue; ++hops) {
    const flow::Instr& in = body[at];
    if (in.op == Op::kLoad) {
      at = body.slots[in.aux].depth == 0 ? SoleStore(body, in.aux) : flow::kNoValue;
    } else if (in.op == Op::kGetItem || in.op == Op::kGetAttr || in.op == Op::kUnpack) {
      at = body.Operand(in, 0);
    } else if (in.op == Op::kCall) {
      const flow::Call& call = body.calls[in.aux];
      if (std::ranges::any_of(r.forwards, [&](const auto& f) { return f.value == at; }) ||
          (call.fact == nullptr && flow::LooksLikeModule(LastName(CalledText(sight, call)))))
        return true;
      const auto arguments = body.Arguments(call);
      const bool method = call.receiver != flow::kNoValue;
      if (!method && (call.fact == nullptr || arguments.empty())) return false;
      at = method ? call.receiver : arguments[0].value;
    } else {
      return false;
    }
  }
  return false;
}

// `x` of `for x in tensor`; in a step also `tensor[i]` of `for i in range(n)`.
bool IsElement(const Sight& sight, const CallSite& site, LoopId loop) {
  const Body& body = site.r->body;
  if (site.call->receiver == flow::kNoValue) return false;
  const flow::Instr& receiver = body[site.call->receiver];
  const NodeId target = sight.TargetOf(body, loop);
  if (target == kNoNode) return false;
  if (receiver.op == Op::kLoad) {
    const std::string_view iterable = body.loops[Index(loop)].iterable == kNoNode
                                          ? ""
                                          : sight.Text(body.loops[Index(loop)].iterable);
    if (Has(iterable, ".items(") || Has(iterable, ".values(")) return false;  // of a dict
    const flow::Slot& slot = body.slots[receiver.aux];
    if (slot.depth != 0 || !sight.Refers(target, slot.root)) return false;
    const ValueId element = ElementOf(sight, *site.r, loop);
    if (element == flow::kNoValue) return false;
    const ValueId source = body.Operand(body[element], 0);
    const flow::Value& over = site.r->values[Index(source)];
    // Outside of steps, code that works on one element at a time may well work on the host.
    if (!body.loops[Index(loop)].is_comprehension && over.origins.none() &&
        !InStep(sight, *site.r, loop))
      return false;
    return OnDevice(over) && !MadeOnHost(*site.r, source) && over.size != flow::Size::kScalar;
  }
  if (receiver.op != Op::kGetItem || InStrides(sight, body.loops[Index(loop)])) return false;
  const flow::Value& over = site.r->values[Index(body.Operand(receiver, 0))];
  const flow::Instr& index = body[body.Operand(receiver, 1)];
  return OnDevice(over) && index.op == Op::kLoad && InStep(sight, *site.r, loop) &&
         sight.Refers(target, body.slots[index.aux].root);
}

// p.grad.norm() of `for p in model.parameters()`
bool OfParameter(const Sight& sight, const CallSite& site, LoopId loop) {
  const Body& body = site.r->body;
  const flow::Loop& at = body.loops[Index(loop)];
  if (at.iterable == kNoNode || !Has(sight.Text(at.iterable), "parameters(")) return false;
  if (site.call->receiver == flow::kNoValue) return false;
  const NodeId receiver = body[site.call->receiver].node;
  const NodeId target = sight.TargetOf(body, loop);
  if (receiver == kNoNode || target == kNoNode) return false;
  const auto end = Index(sight.module().tree().End(receiver));
  for (std::uint32_t n = Index(receiver); n < end; ++n)
    if (sight.Refers(target, sight.module().BindingOf(NodeId{n}))) return true;
  return false;
}

// A loop over positions or parameters that stands in a step, and is none itself.
bool WithinStep(const Sight& sight, const CallSite& site, LoopId loop) {
  const FunctionResult& r = *site.r;
  const flow::Loop& at = r.body.loops[Index(loop)];
  if (at.is_short || at.is_comprehension || at.iterable == kNoNode) return false;
  if (sight.IsStepLoop(r, loop) || sight.IsEpochLoop(r, loop)) return false;
  const std::string_view over = sight.Text(at.iterable);
  if (!Has(over, "range(") && !Has(over, "parameters(")) return false;
  if (sight.HowOften(r, site.value) == Often::kNowAndThen) return false;
  if (!InStep(sight, r, loop)) return false;
  const LoopId step = at.parent == flow::kNoLoop ? at.parent : sight.StepLoopAround(r, at.parent);
  return !sight.OnChangingCondition(r, site.value, step);
}

SyncEvent Make(const Sight& sight, const CallSite& site, What what, std::string call) {
  SyncEvent e;
  Place(sight, site, &e);
  e.what = what;
  e.call = std::move(call);
  e.flow.push_back({e.span, "waits for the device here"});
  const LoopId loop = what == What::kElements ? site.r->body.LoopOf(site.value)
                                              : sight.LoopAround(*site.r, site.value);
  if (loop != flow::kNoLoop) {
    e.flow.push_back(
        {sight.HeaderSpan(loop, site.r->body), "once more in every turn of this loop"});
  }
  return e;
}

// value = loss.item() in each step, and `value` is read on a condition that changes only.
bool UsedNowAndThen(const Sight& sight, const CallSite& site) {
  const FunctionResult& r = *site.r;
  const LoopId loop = sight.LoopAround(r, site.value);
  if (loop == flow::kNoLoop || sight.HowOften(r, site.value) != Often::kEachStep) return false;
  std::uint32_t slot = flow::kNoKey;
  for (const flow::Instr& in : r.body.instrs) {
    if (in.op == Op::kStore && r.body.Operand(in, 0) == site.value) slot = in.aux;
    if (in.op != Op::kStore && in.op != Op::kCall) {
      for (const ValueId operand : r.body.Operands(in))
        if (operand == site.value) return false;  // used at once as well
    }
  }
  if (slot == flow::kNoKey || r.body.slots[slot].depth != 0) return false;
  bool read = false;
  for (std::uint32_t i = 0; i < r.body.instrs.size(); ++i) {
    const flow::Instr& in = r.body.instrs[i];
    if (in.aux != slot || (in.op != Op::kLoad && in.op != Op::kStore)) continue;
    if (in.op == Op::kStore) {
      if (r.body.Operand(in, 0) != site.value) return false;
      continue;
    }
    if (!r.body.Within(r.body.LoopOf(ValueId{i}), loop)) return false;
    const bool rare = sight.OnCondition(
        r, ValueId{i}, [](std::string_view condition) { return Has(condition, "%"); });
    if (!rare) return false;
    read = true;
  }
  return read;
}

// log.debug(f"loss {loss.item()}")
bool InDebugText(const Sight& sight, const CallSite& site) {
  const syntax::Tree& tree = sight.module().tree();
  if (sight.Around(site.call->node, Kind::kInterpolation) == kNoNode) return false;
  for (NodeId call = sight.Around(site.call->node, Kind::kCall); call != kNoNode;
       call = sight.Around(call, Kind::kCall)) {
    const NodeId callee = tree.Child(call, syntax::Field::kFunction);
    if (callee != kNoNode && sight.Text(callee).ends_with(".debug")) return true;
  }
  return false;
}

void ToHost(const Sight& sight, const CallSite& site, std::string_view method,
            std::vector<SyncEvent>* out) {
  const FunctionResult& r = *site.r;
  if (site.call->receiver == flow::kNoValue || site.call->argc != 0) return;
  const flow::Value& value = r.values[Index(site.call->receiver)];
  const LoopId loop = r.body.LoopOf(site.value);
  if (loop == flow::kNoLoop) return;
  const std::string call = "." + std::string(method) + "()";
  const bool host = value.residency == flow::Residency::kHost || value.Has(flow::kMovedToHost);
  if (method == "item" && !r.body.loops[Index(loop)].is_short && IsElement(sight, site, loop)) {
    if (OfDataset(sight, r) || RunsModel(r, loop)) return;
    const bool in_step =
        InStep(sight, r, loop) || sight.world().role(r.body.function) == flow::Role::kForward;
    if (!in_step && !KnownOnDevice(sight, r, loop)) return;
    out->push_back(Make(sight, site, What::kElements, call));
    out->back().in_step = in_step;
  } else if (!host && (OnDevice(value) || OfParameter(sight, site, loop)) &&
             WithinStep(sight, site, loop) && !OverFields(sight, r.body.loops[Index(loop)])) {
    out->push_back(Make(sight, site, What::kInnerLoop, call));
  } else if (method == "item" && !host && value.Is(flow::Kind::kTensor) &&
             UsedNowAndThen(sight, site)) {
    out->push_back(Make(sight, site, What::kRarelyUsed, call));
  } else if (method == "item" && !host && InDebugText(sight, site) &&
             sight.HowOftenInAll(r, site.value).often == Often::kEachStep) {
    out->push_back(Make(sight, site, What::kDebugText, call));
  }
}

void Barrier(const Sight& sight, const CallSite& site, std::vector<SyncEvent>* out) {
  const FunctionResult& r = *site.r;
  const LoopId loop = sight.LoopAround(r, site.value);
  if (loop == flow::kNoLoop || sight.HowOften(r, site.value) != Often::kEachStep) return;
  const std::string_view code = sight.Text(sight.module()[r.body.function].node);
  for (const std::string_view word : {"time", "Event", "elapsed", "perf", "bench", "tream", "meter",
                                      "measure", "latenc", "speed", "non_blocking", "memory_"})
    if (Has(code, word)) return;
  const bool trains = std::ranges::any_of(
      r.backwards, [&](const auto& b) { return r.body.Within(r.body.LoopOf(b.value), loop); });
  if (trains) out->push_back(Make(sight, site, What::kBarrier, "synchronize()"));
}

}  // namespace

std::vector<SyncEvent> SyncPoints(const Sight& sight) {
  std::vector<SyncEvent> events;
  for (const std::string_view method : kToHost)
    for (const CallSite& site : sight.calls().OfMethod(method))
      ToHost(sight, site, method, &events);
  for (const CallSite& site : sight.calls().Of("torch.cuda.synchronize"))
    Barrier(sight, site, &events);
  std::ranges::sort(events, {}, [](const auto& e) { return e.span.begin; });
  return events;
}

}  // namespace torchleak::patterns

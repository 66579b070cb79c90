// A load is judged by what its parts are used for: `load_state_dict` proves weights, the name of a
// checkpoint suggests them. Whether it is kept is a question of the variable: does a training loop
// follow in the same function, before the variable is deleted or written again?
#include "patterns/checkpoints.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "flow/names.h"
#include "flow/world.h"
#include "patterns/uses.h"
#include "patterns/words.h"

namespace torchleak::patterns {

using flow::Body;
using flow::Call;
using flow::FunctionResult;
using flow::Instr;
using flow::LoopId;
using flow::Op;
using flow::Residency;
using flow::Strength;
using flow::ValueId;
using sema::Index;

namespace {

// States of a few numbers each, whatever they are loaded from.
bool IsSmallState(std::string_view text) {
  return HoldsAny(
      text, {"scaler", "sched", "rng", "random", "sampler", "metric", "tracker", "grad_state"});
}

bool IsCheckpointName(std::string_view text) {
  return HoldsAny(text, {"checkpoint", "ckpt", "state_dict", "weights", "pretrained", "statedict"});
}

bool LoadsIntoModel(std::string_view callee) {
  const std::string_view name = LastName(callee);
  if (name.find("load_state_dict") != name.npos || name.find("load_from_state") != name.npos)
    return true;
  return HoldsAny(name, {"load", "restore", "resume"}) &&
         HoldsAny(name, {"state", "weight", "ckpt", "checkpoint", "model", "pretrained", "objects",
                         "param"});
}

bool IsTrainingName(std::string_view callee) {
  std::string_view name = LastName(callee);
  if (name.starts_with('_')) name.remove_prefix(1);
  return name == "fit" || name == "run" || name == "learn" || name.starts_with("train");
}

class Loads {
 public:
  explicit Loads(const Sight& sight) : sight_(sight) {}

  std::vector<LoadedWeights> Find() {
    std::vector<LoadedWeights> events;
    // A script that converts files and never speaks of a device has none to fill.
    const bool devices = sight_.Mentions("cuda") || sight_.Mentions("device");
    for (const CallSite& site : sight_.calls().Of("torch.load")) {
      LoadedWeights e;
      if (!Mapped(site, &e.to)) continue;
      if (r_ != site.r) uses_.emplace(sight_.module(), *site.r);
      r_ = site.r;
      Place(sight_, site, &e);
      if (!OfWeights(site, &e)) continue;
      Keep(site, &e);
      if (!e.kept && (e.to == LoadedWeights::To::kDevice || !devices)) continue;
      events.push_back(std::move(e));
    }
    std::ranges::sort(events, {}, [](const auto& e) { return e.span.begin; });
    return events;
  }

 private:
  const Sight& sight_;
  const FunctionResult* r_ = nullptr;
  std::optional<Uses> uses_;

  // False when it goes to the host, or nobody knows where.
  bool Mapped(const CallSite& site, LoadedWeights::To* to) const {
    const Body& body = site.r->body;
    for (const flow::Argument& a : body.Arguments(*site.call))
      if (a.stars != 0) return false;
    const flow::Argument* map = sight_.ArgumentOf(site, "map_location", 1);
    const flow::Argument* mmap = sight_.ArgumentOf(site, "mmap");
    if (mmap != nullptr && body[mmap->value].op != Op::kFalse) return false;  // read from the file
    *to = LoadedWeights::To::kWhereSaved;
    if (map == nullptr || body[map->value].op == Op::kNone) return true;
    *to = LoadedWeights::To::kDevice;
    const std::string_view text = sight_.Text(body[map->value].node);
    if (HoldsAny(text, {"cpu", "meta", "storage", "loc:"})) return false;
    return HoldsAny(text, {"cuda", "gpu"}) || text == "device" || text.ends_with(".device");
  }

  bool OfWeights(const CallSite& site, LoadedWeights* e) const {
    const Body& body = site.r->body;
    bool taken = false, small = false;
    for (ValueId part : uses_->Parts(site.value)) {
      for (ValueId by : uses_->Of(part)) {
        const Instr& in = body[by];
        taken |= in.op == Op::kGetItem && body[body.Operand(in, 1)].op == Op::kString;
        if (in.op != Op::kCall) continue;
        const Call& call = body.calls[in.aux];
        if (call.receiver == part) taken |= TakesEntry(body, call);
        if (call.receiver == part || call.callee == part) continue;
        const std::string_view callee = CalleeText(sight_, call);
        if (!LoadsIntoModel(callee)) continue;
        if (IsSmallState(callee)) {
          small = true;
          continue;
        }
        e->strength = Strength::kStrong;
        e->flow.push_back({e->span, "loaded here"});
        e->flow.push_back({sight_.Span(call.node), "copied into the model here"});
        return true;
      }
    }
    if (small || !taken) return false;
    // Without a copy in sight: a checkpoint by its name, of which something is taken.
    e->strength = Strength::kMedium;
    e->flow.push_back({e->span, "loaded here"});
    const auto* path = sight_.ArgumentOf(site, "f", 0);
    const std::string_view from = path == nullptr ? "" : sight_.Text(body[path->value].node);
    return !IsSmallState(from) && (IsCheckpointName(from) || IsCheckpointName(Target(site)));
  }

  // checkpoint.get("epoch"), checkpoint.items()
  bool TakesEntry(const Body& body, const Call& call) const {
    const std::string_view method = sight_.module().Text(call.method);
    if (method == "items" || method == "keys") return true;
    return (method == "get" || method == "pop") && call.argc > 0 &&
           body[body.Arguments(call)[0].value].op == Op::kString;
  }

  // The variable or attribute that gets the loaded value.
  std::string Target(const CallSite& site) const {
    for (ValueId by : uses_->Of(site.value)) {
      if (site.r->body[by].op == Op::kStore)
        return flow::SlotText(sight_.module(), site.r->body, flow::SlotId{site.r->body[by].aux});
    }
    return {};
  }

  void Keep(const CallSite& site, LoadedWeights* e) const {
    const Body& body = site.r->body;
    for (ValueId by : uses_->Of(site.value)) {
      if (body[by].op != Op::kStore) continue;
      const flow::SlotId slot{body[by].aux};
      e->name = flow::SlotText(sight_.module(), body, slot);
      if (body.slots[Index(slot)].depth > 0) {
        e->kept = !Dropped(*site.r, by, slot, Index(flow::kNoValue));
        if (e->kept) e->flow.push_back({sight_.Span(body[by].node), "kept here"});
      } else {
        Trained(*site.r, by, slot, e);
      }
      return;
    }
  }

  // Deleted or written again after `from` and before `until`.
  bool Dropped(const FunctionResult& r, ValueId from, flow::SlotId slot,
               std::uint32_t until) const {
    for (std::uint32_t i = Index(from) + 1; i < r.body.instrs.size() && i < until; ++i) {
      const Instr& in = r.body.instrs[i];
      if ((in.op == Op::kDelete || in.op == Op::kStore) && flow::SlotId{in.aux} == slot)
        return true;
    }
    return false;
  }

  // A loop that trains, or a call that does, after the load.
  void Trained(const FunctionResult& r, ValueId store, flow::SlotId slot, LoadedWeights* e) const {
    const Body& body = r.body;
    const LoopId around = sight_.LoopAround(r, store);
    std::vector<std::int8_t> step_loop(body.loops.size(), -1);  // not asked yet
    for (std::uint32_t i = Index(store) + 1; i < body.instrs.size(); ++i) {
      const ValueId at{i};
      const LoopId loop = sight_.LoopAround(r, at);
      bool steps = false;
      if (loop != flow::kNoLoop && loop != around && body.Within(loop, around)) {
        std::int8_t& known = step_loop[Index(loop)];
        if (known < 0) known = sight_.IsStepLoop(r, loop) || sight_.IsEpochLoop(r, loop) ? 1 : 0;
        steps = known == 1;
      }
      const Instr& in = body.instrs[i];
      const bool trains =
          in.op == Op::kCall && IsTrainingName(CalleeText(sight_, body.calls[in.aux])) &&
          !(body.calls[in.aux].argc == 0 && body.calls[in.aux].receiver != flow::kNoValue &&
            sight_.module().Text(body.calls[in.aux].method) == "train") &&
          !body.calls[in.aux].of_torch;
      if (!steps && !trains) continue;
      if (Dropped(r, store, slot, i)) return;
      e->kept = true;
      e->flow.push_back({steps ? sight_.HeaderSpan(loop, body) : sight_.Span(in.node),
                         "still held by `" + e->name + "` here"});
      return;
    }
  }
};

// Is the model of this `state_dict()` on a device? It is known, moved somewhere in the function, or
// fed there with what is moved.
bool OnDevice(const Sight& sight, const CallSite& site, Strength* strength) {
  const Body& body = site.r->body;
  if (site.call->receiver == flow::kNoValue) return false;
  const flow::Value& model = site.r->values[Index(site.call->receiver)];
  *strength = Strength::kStrong;
  if (model.residency == Residency::kDevice) return true;
  if (model.residency == Residency::kHost) return false;
  *strength = Strength::kMedium;
  return std::ranges::any_of(body.calls, [&](const Call& call) {
    if (call.method == sema::kNoName) return false;
    const std::string_view method = sight.module().Text(call.method);
    if (method == "cuda") return true;
    if (method != "to" || call.argc == 0) return false;
    const std::string_view to = sight.Text(body[body.Arguments(call)[0].value].node);
    return HoldsAny(to, {"device", "cuda"});
  });
}

// The call, display or comprehension that copies what `state_dict()` gives, and stays on its
// device.
ValueId CopyOf(const Sight& sight, const Uses& uses, const CallSite& site) {
  const Body& body = site.r->body;
  for (ValueId part : uses.Parts(site.value)) {
    const Instr& in = body[part];
    if (in.op == Op::kList || in.op == Op::kDict || in.op == Op::kSet) {
      const std::string_view text = sight.Text(in.node);
      if (text.find(".clone(") != text.npos || text.find("deepcopy(") != text.npos)
        return text.find("cpu") == text.npos ? part : flow::kNoValue;
    }
    for (ValueId by : uses.Of(part)) {
      if (body[by].op != Op::kCall) continue;
      const facts::Fact* fact = body.calls[body[by].aux].fact;
      if (fact != nullptr && fact->name == "copy.deepcopy") return by;
    }
  }
  return flow::kNoValue;
}

}  // namespace

std::vector<LoadedWeights> LoadsOfWeights(const Sight& sight) { return Loads(sight).Find(); }

std::vector<CopiedWeights> CopiesOfWeights(const Sight& sight) {
  std::vector<CopiedWeights> events;
  const FunctionResult* r = nullptr;
  std::optional<Uses> uses;
  for (const CallSite& site : sight.calls().OfMethod("state_dict")) {
    if (r != site.r) uses.emplace(sight.module(), *site.r);
    r = site.r;
    const LoopId loop = sight.LoopAround(*r, site.value);
    if (loop == flow::kNoLoop || site.call->receiver == flow::kNoValue) continue;
    const flow::Value& model = r->values[Index(site.call->receiver)];
    const std::string_view name = sight.Text(r->body[site.call->receiver].node);
    if (model.Is(flow::Kind::kOptimizer) || flow::LooksLikeOptimizer(LastName(name)) ||
        IsSmallState(name))
      continue;
    CopiedWeights e;
    Strength strength = Strength::kNone;
    if (!OnDevice(sight, site, &strength)) continue;
    const ValueId copy = CopyOf(sight, *uses, site);
    if (copy == flow::kNoValue) continue;
    if (HoldsAny(sight.Text(r->body[copy].node), {"cpu"})) continue;
    bool kept = false;
    for (ValueId at : uses->Same(copy)) {
      for (ValueId by : uses->Of(at)) {
        const Instr& in = r->body[by];
        kept |= in.op == Op::kStore || in.op == Op::kSetAttr || in.op == Op::kSetItem;
        if (in.op != Op::kCall) continue;
        const Call& call = r->body.calls[in.aux];
        if (call.fact != nullptr && call.fact->name == "torch.save") continue;
        const std::string_view method = sight.module().Text(call.method);
        e.grows |= method == "append" || method == "add";
        kept |= e.grows;
      }
    }
    if (!kept) continue;
    Place(sight, site, &e);
    e.span = sight.Span(r->body[copy].node);
    e.strength = strength;
    e.model = sight.Short(r->body[site.call->receiver].node);
    e.flow.push_back({e.span, "copied here, where the weights lie"});
    e.flow.push_back({sight.HeaderSpan(loop, r->body), "and kept beyond this turn"});
    events.push_back(std::move(e));
  }
  std::ranges::sort(events, {}, [](const auto& e) { return e.span.begin; });
  return events;
}

}  // namespace torchleak::patterns

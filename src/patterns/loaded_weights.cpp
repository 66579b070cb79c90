// A load is judged by what its parts are used for: `load_state_dict` proves weights, the name of a
// checkpoint suggests them. Whether it is kept is a question of the variable: does a training loop
// follow in the same function, before the variable is deleted or written again?
#include "patterns/loaded_weights.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "flow/names.h"
#include "patterns/trains.h"
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
      parts_ = uses_->Parts(site.value);
      Place(sight_, site, &e);
      if (!OfWeights(site, &e)) continue;
      Keep(site, &e);
      if (!e.kept && (e.to == LoadedWeights::To::kDevice || !devices || Converts(*site.r)))
        continue;
      events.push_back(std::move(e));
    }
    std::ranges::sort(events, {}, [](const auto& e) { return e.span.begin; });
    return Gathered(std::move(events));
  }

 private:
  const Sight& sight_;
  const FunctionResult* r_ = nullptr;
  std::optional<Uses> uses_;
  std::vector<ValueId> parts_;  // of the load
  mutable std::optional<bool> trains_;  // anything in the file

  // Writes what it has read: such a script runs once, and no model is trained beside the copy.
  bool Converts(const FunctionResult& r) const {
    if (!trains_) trains_ = Trains(sight_.world());
    if (*trains_) return false;
    return std::ranges::any_of(r.body.calls, [&](const Call& call) {
      const std::string_view method = sight_.module().Text(call.method);
      return method == "save_pretrained" ||
             (call.fact != nullptr && call.fact->name == "torch.save");
    });
  }

  // Loads that stand together, one for each network, are one finding at the first.
  std::vector<LoadedWeights> Gathered(std::vector<LoadedWeights> events) const {
    std::vector<LoadedWeights> out;
    for (LoadedWeights& e : events) {
      LoadedWeights* last = out.empty() ? nullptr : &out.back();
      const bool same = last != nullptr && !e.kept && !last->kept && e.function == last->function &&
                        e.to == last->to && BlockOf(e) == BlockOf(*last);
      if (same) {
        last->flow.push_back({e.span, "and here"});
      } else {
        out.push_back(std::move(e));
      }
    }
    return out;
  }

  std::uint32_t BlockOf(const LoadedWeights& e) const {
    return sight_.world().result(e.function).body.block_of[e.record];
  }

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
    if (HoldsAny(text, {"cpu", "meta"})) return false;
    return HoldsAny(text, {"cuda", "gpu"}) || text == "device" || text.ends_with(".device");
  }

  bool OfWeights(const CallSite& site, LoadedWeights* e) const {
    const Body& body = site.r->body;
    bool taken = false, small = false;
    for (ValueId part : parts_) {
      for (ValueId by : uses_->Of(part)) {
        const Instr& in = body[by];
        taken |= in.op == Op::kGetItem && body[body.Operand(in, 1)].op == Op::kString;
        if (in.op != Op::kCall) continue;
        const Call& call = body.calls[in.aux];
        if (call.receiver == part) taken |= TakesEntry(body, call);
        if (call.receiver == part || call.callee == part) continue;
        const std::string_view callee = CalledText(sight_, call);
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
    taken |= IsReturned(site);
    if (small || !taken) return false;
    // Without a copy in sight: a checkpoint by its name, of which something is taken.
    e->strength = Strength::kMedium;
    e->flow.push_back({e->span, "loaded here"});
    const auto* path = sight_.ArgumentOf(site, "f", 0);
    const std::string_view from = path == nullptr ? "" : sight_.Text(body[path->value].node);
    const std::string_view function = sight_.module().Text(sight_.module()[body.function].name);
    return !IsSmallState(from) && (IsCheckpointName(from) || IsCheckpointName(Target(site)) ||
                                   (IsReturned(site) && IsCheckpointName(function)));
  }

  bool IsReturned(const CallSite& site) const {
    return std::ranges::any_of(uses_->Of(site.value),
                               [&](ValueId by) { return site.r->body[by].op == Op::kReturn; });
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

  // Deleted or written again after `from` and before `until`. The same tensors under other keys,
  // as in weights = {k[7:]: v for k, v in weights.items()}, are still there.
  bool Dropped(const FunctionResult& r, ValueId from, flow::SlotId slot,
               std::uint32_t until) const {
    for (std::uint32_t i = Index(from) + 1; i < r.body.instrs.size() && i < until; ++i) {
      const Instr& in = r.body.instrs[i];
      if ((in.op != Op::kDelete && in.op != Op::kStore) || flow::SlotId{in.aux} != slot) continue;
      if (in.op == Op::kDelete || !HoldsParts(r, r.body.Operand(in, 0))) return true;
    }
    return false;
  }

  // A dict that is filled with what was loaded.
  bool HoldsParts(const FunctionResult& r, ValueId value) const {
    if (value == flow::kNoValue || (r.body[value].op != Op::kDict && r.body[value].op != Op::kList))
      return false;
    return std::ranges::binary_search(parts_, value);
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
          in.op == Op::kCall && IsTrainingName(CalledText(sight_, body.calls[in.aux])) &&
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

}  // namespace

std::vector<LoadedWeights> LoadsOfWeights(const Sight& sight) { return Loads(sight).Find(); }

}  // namespace torchleak::patterns

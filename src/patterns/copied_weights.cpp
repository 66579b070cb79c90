// A copy is followed from `state_dict()` through comprehensions to what keeps it. That the model is
// on a device is rarely seen at the place itself; that the file moves something there must do.
#include "patterns/copied_weights.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "flow/names.h"
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

// Is this model on a device? It is known, or something of the file is moved to one.
bool OnDevice(const Sight& sight, const FunctionResult& r, ValueId model, Strength* strength) {
  const Residency residency = r.values[Index(model)].residency;
  *strength = Strength::kStrong;
  if (residency != Residency::kUnknown) return residency == Residency::kDevice;
  for (const Instr& in : r.body.instrs) {  // model = make().cpu()
    if (in.op == Op::kStore && r.body[model].op == Op::kLoad && in.aux == r.body[model].aux &&
        HoldsAny(sight.Text(in.node), {".cpu()", "\"cpu\"", "'cpu'"}))
      return false;
  }
  *strength = Strength::kMedium;
  if (!sight.calls().OfMethod("cuda").empty()) return true;
  return std::ranges::any_of(sight.calls().OfMethod("to"), [&](const CallSite& site) {
    if (site.call->argc == 0) return false;
    const ValueId to = site.r->body.Arguments(*site.call)[0].value;
    return HoldsAny(sight.Text(site.r->body[to].node), {"device", "cuda"});
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

class Copies {
 public:
  explicit Copies(const Sight& sight) : sight_(sight) {}

  std::vector<CopiedWeights> Find() {
    for (const CallSite& site : sight_.calls().OfMethod("state_dict")) {
      if (site.call->receiver == flow::kNoValue) continue;
      const Uses& uses = UsesOf(*site.r);
      const ValueId copy = CopyOf(sight_, uses, site);
      if (copy != flow::kNoValue) Judge(site, site.call->receiver, copy);
    }
    // best = copy.deepcopy(model)
    for (const CallSite& site : sight_.calls().Of("copy.deepcopy")) {
      if (site.call->argc == 0) continue;
      const ValueId model = site.r->body.Arguments(*site.call)[0].value;
      const std::string_view name = LastName(sight_.Text(site.r->body[model].node));
      const bool module = site.r->values[Index(model)].Is(flow::Kind::kModule) ||
                          (site.r->body[model].op == Op::kLoad && HoldsAny(name, {"model", "net"}));
      if (module && IsBest(*site.r, site.value)) Judge(site, model, site.value);
    }
    std::ranges::sort(events_, {}, [](const auto& e) { return e.span.begin; });
    return std::move(events_);
  }

 private:
  const Sight& sight_;
  std::vector<CopiedWeights> events_;
  const FunctionResult* r_ = nullptr;
  std::optional<Uses> uses_;

  const Uses& UsesOf(const FunctionResult& r) {
    if (r_ != &r) uses_.emplace(sight_.module(), r);
    r_ = &r;
    return *uses_;
  }

  // It goes into a variable named so.
  bool IsBest(const FunctionResult& r, ValueId copy) {
    return std::ranges::any_of(UsesOf(r).Of(copy), [&](ValueId by) {
      return r.body[by].op == Op::kStore &&
             HoldsAny(flow::SlotText(sight_.module(), r.body, flow::SlotId{r.body[by].aux}),
                      {"best", "snapshot"});
    });
  }

  void Judge(const CallSite& site, ValueId model, ValueId copy) {
    const FunctionResult& r = *site.r;
    const std::string_view name = sight_.Text(r.body[model].node);
    if (Averages(r)) return;
    if (r.values[Index(model)].Is(flow::Kind::kOptimizer) ||
        flow::LooksLikeOptimizer(LastName(name)) || IsSmallState(name))
      return;
    CopiedWeights e;
    if (!OnDevice(sight_, r, model, &e.strength)) return;
    if (HoldsAny(sight_.Text(r.body[copy].node), {"cpu"}) || !Kept(r, copy, &e)) return;
    const Strength strength = e.strength;
    Place(sight_, site, &e);
    e.span = sight_.Span(r.body[copy].node);
    e.strength = strength;
    e.model = sight_.Short(r.body[model].node);
    e.flow.push_back({e.span, "copied here, to where the weights lie"});
    const LoopId loop = sight_.LoopAround(r, copy);
    if (loop != flow::kNoLoop)
      e.flow.push_back({sight_.HeaderSpan(loop, r.body), "and kept beyond this turn"});
    events_.push_back(std::move(e));
  }

  // Averaged weights are where they are updated in each step.
  bool Averages(const FunctionResult& r) const {
    const sema::Module& module = sight_.module();
    const sema::ClassId cls = module[r.body.function].class_id;
    const std::string_view owner =
        cls == sema::kNoClass ? std::string_view{} : module.Text(module[cls].name);
    return owner.find("EMA") != owner.npos || HoldsAny(owner, {"average"});
  }

  // In an attribute after the object was made; in a container, or a variable that the next turn or
  // the code after the loop reads.
  bool Kept(const FunctionResult& r, ValueId copy, CopiedWeights* e) {
    const Uses& uses = UsesOf(r);
    const LoopId loop = sight_.LoopAround(r, copy);
    const bool init = sight_.module().Text(sight_.module()[r.body.function].name) == "__init__";
    for (ValueId at : uses.Same(copy)) {
      for (ValueId by : uses.Of(at)) {
        const Instr& in = r.body[by];
        if (in.op == Op::kStore && r.body.slots[in.aux].depth > 0 && !init) return true;
        if (loop == flow::kNoLoop) continue;
        if (in.op == Op::kSetAttr || in.op == Op::kSetItem) return true;
        if (in.op == Op::kStore && ReadBeyond(r, uses, by, loop)) return true;
        if (in.op != Op::kCall) continue;
        const std::string_view method = sight_.module().Text(r.body.calls[in.aux].method);
        e->grows |= method == "append" || method == "add";
        if (e->grows) return true;
      }
    }
    return false;
  }

  // Not only in the very turn, as in meta-learning, where the weights before are needed at once.
  bool ReadBeyond(const FunctionResult& r, const Uses& uses, ValueId store, LoopId loop) const {
    if (r.body.BlockOf(store).guard != flow::kNoKey &&
        r.body.guards[r.body.BlockOf(store).guard].loop == loop)
      return true;
    const auto reads = uses.ReadsAfter(store);
    return std::ranges::any_of(
        reads, [&](ValueId read) { return !r.body.Within(r.body.LoopOf(read), loop); });
  }
};

}  // namespace

std::vector<CopiedWeights> CopiesOfWeights(const Sight& sight) { return Copies(sight).Find(); }

}  // namespace torchleak::patterns

#include "patterns/collected.h"

#include <algorithm>
#include <array>
#include <utility>

#include "flow/names.h"
#include "flow/world.h"
#include "patterns/words.h"
#include "syntax/views.h"

namespace torchleak::patterns {

using flow::Body;
using flow::Call;
using flow::FunctionResult;
using flow::Instr;
using flow::LoopId;
using flow::Op;
using flow::SlotId;
using flow::Strength;
using flow::ValueId;
using sema::Index;

namespace {

constexpr auto kByPlace = [](const auto& e) { return e.span.begin; };

std::string QualifiedCallee(const Sight& sight, const Call& call) {
  const syntax::NodeId callee = syntax::CallView{sight.module().tree(), call.node}.function();
  return callee == syntax::kNoNode ? std::string{} : sight.module().QualifiedName(callee);
}

// The last name of a variable or attribute: the same place in all functions of a file, as far as
// names tell.
std::string_view NameOf(const Sight& sight, const Body& body, SlotId id) {
  if (id == flow::kNoSlot) return {};
  const flow::Slot& slot = body.slots[Index(id)];
  return sight.module().Text(slot.depth > 0 ? slot.attribute : sight.module()[slot.root].name);
}

// A method of this name is called on a place of that name: in this function, or in the whole file.
bool IsCalledOn(const Sight& sight, std::string_view method, std::string_view name,
                const FunctionResult* within) {
  return std::ranges::any_of(sight.calls().OfMethod(method), [&](const CallSite& site) {
    return (within == nullptr || site.r == within) &&
           NameOf(sight, site.r->body, site.call->receiver_slot) == name;
  });
}

// In the loop something waits, takes out or counts.
bool WaitsIn(const Sight& sight, const FunctionResult& r, LoopId loop) {
  for (std::uint32_t i = 0; i < r.body.instrs.size(); ++i) {
    const Instr& in = r.body.instrs[i];
    if (in.op != Op::kCall || !r.body.Within(r.body.LoopOf(ValueId{i}), loop)) continue;
    const std::string_view name = LastName(CalleeText(sight, r.body.calls[in.aux]));
    for (std::string_view waits : {"result", "popleft", "pop", "len", "wait", "acquire", "join",
                                   "as_completed", "qsize", "full", "get", "done", "synchronize"})
      if (name == waits) return true;
  }
  return false;
}

}  // namespace

std::vector<CycledLoader> CycledLoaders(const Sight& sight) {
  std::vector<CycledLoader> events;
  for (const CallSite& site : sight.calls().Of("itertools.cycle")) {
    if (site.call->argc == 0) continue;
    const Body& body = site.r->body;
    ValueId from = body.Arguments(*site.call)[0].value;
    if (body[from].op == Op::kCall) {  // cycle(iter(loader))
      const Call& inner = body.calls[body[from].aux];
      const std::string_view name = CalleeText(sight, inner);
      if ((name == "iter" || name == "enumerate" || name == "tqdm") && inner.argc > 0)
        from = body.Arguments(inner)[0].value;
    }
    const bool known = site.r->values[Index(from)].Is(flow::Kind::kLoader);
    const std::string text = sight.Short(body[from].node);
    // `batches` may be a list, which is in memory anyhow.
    const bool named = body[from].op == Op::kLoad && flow::LooksLikeLoader(LastName(text)) &&
                       !HoldsAny(text, {"batches"});
    if (!known && !named) continue;
    CycledLoader e;
    Place(sight, site, &e);
    e.strength = known ? Strength::kStrong : Strength::kMedium;
    e.loader = text;
    e.flow.push_back({e.span, "keeps each batch of the first pass, to give it out again"});
    events.push_back(std::move(e));
  }
  std::ranges::sort(events, {}, kByPlace);
  return events;
}

namespace {

// By class: states are lists of all predictions, unless `thresholds` bins them.
bool KeepsPredictions(const Sight& sight, const Call& made) {
  const std::string qualified = QualifiedCallee(sight, made);
  if (!qualified.starts_with("torchmetrics.") && !qualified.starts_with("torcheval.metrics."))
    return false;
  const std::string_view name = LastName(qualified);
  constexpr std::array<std::string_view, 16> kLists{
      "AUROC",      "AveragePrecision", "PrecisionRecallCurve", "ROC",
      "CatMetric",  "Spearman",         "KendallRank",          "CosineSimilarity",
      "Retrieval",  "InceptionScore",   "KernelInception",      "BERTScore",
      "ROUGEScore", "AtFixed",          "CalibrationError",     "Cat"};
  if (std::ranges::none_of(kLists, [&](auto part) { return name.find(part) != name.npos; }))
    return false;
  const std::string_view text = sight.Text(made.node);
  return text.find("thresholds") == text.npos || text.find("thresholds=None") != text.npos;
}

// The metric objects of a file by the name of their place.
struct MetricPlace {
  std::string_view name;
  const FunctionResult* r;
  ValueId store;
  bool attribute;
};

std::vector<MetricPlace> Metrics(const Sight& sight) {
  std::vector<MetricPlace> places;
  for (const FunctionResult& r : sight.world().results()) {
    if (!r.analyzed) continue;
    for (std::uint32_t i = 0; i < r.body.instrs.size(); ++i) {
      const Instr& in = r.body.instrs[i];
      if (in.op != Op::kStore || r.body.Operand(in, 0) == flow::kNoValue) continue;
      const Instr* made = &r.body[r.body.Operand(in, 0)];
      // BinaryAUROC().to(device)
      for (int n = 0; n < 3 && made->op == Op::kCall; ++n) {
        const Call& call = r.body.calls[made->aux];
        if (KeepsPredictions(sight, call)) {
          const SlotId slot{in.aux};
          places.push_back(
              {NameOf(sight, r.body, slot), &r, ValueId{i}, r.body.slots[Index(slot)].depth > 0});
          break;
        }
        if (call.receiver == flow::kNoValue) break;
        made = &r.body[call.receiver];
      }
    }
  }
  return places;
}

// More than one pass over data goes into it.
bool SeesEpochs(const Sight& sight, const CallSite& site, const MetricPlace& place) {
  const FunctionResult& r = *site.r;
  const LoopId inner = sight.LoopAround(r, site.value);
  if (inner == flow::kNoLoop) return false;
  if (place.attribute) {
    const sema::ClassId cls = sight.module()[r.body.function].class_id;
    if (cls != sema::kNoClass && sight.world().role(r.body.function) != flow::Role::kPlain)
      return false;
    return r.called_in_loop || r.body.loops[Index(inner)].parent != flow::kNoLoop;
  }
  if (place.r != &r) return false;
  const LoopId outer = r.body.loops[Index(inner)].parent;
  return outer != flow::kNoLoop && !r.body.Within(r.body.LoopOf(place.store), outer);
}

}  // namespace

std::vector<StaleMetric> StaleMetrics(const Sight& sight) {
  std::vector<StaleMetric> events;
  const std::vector<MetricPlace> places = Metrics(sight);
  if (places.empty()) return events;
  auto feed = [&](const CallSite& site, SlotId slot) {
    const std::string_view name = NameOf(sight, site.r->body, slot);
    for (const MetricPlace& place : places) {
      if (place.name != name || !SeesEpochs(sight, site, place)) continue;
      if (IsCalledOn(sight, "reset", name, place.attribute ? nullptr : site.r)) return;
      StaleMetric e;
      Place(sight, site, &e);
      e.metric = flow::SlotText(sight.module(), site.r->body, slot);
      e.flow.push_back({sight.Span(place.r->body[place.store].node), "made here, once"});
      e.flow.push_back({e.span, "gets the predictions of every epoch"});
      events.push_back(std::move(e));
      return;
    }
  };
  for (const CallSite& site : sight.calls().OfMethod("update"))
    feed(site, site.call->receiver_slot);
  for (const FunctionResult& r : sight.world().results()) {
    if (!r.analyzed) continue;
    for (std::uint32_t i = 0; i < r.body.instrs.size(); ++i) {
      const Instr& in = r.body.instrs[i];
      if (in.op != Op::kCall) continue;
      const Call& call = r.body.calls[in.aux];
      if (call.callee_slot != flow::kNoSlot && call.argc >= 1 && !call.qualified)
        feed(CallSite{&r, ValueId{i}, &call}, call.callee_slot);
    }
  }
  std::ranges::sort(events, {}, kByPlace);
  return events;
}

namespace {

// A tensor, or a batch by where it comes from.
bool CarriesTensors(const Sight& sight, const FunctionResult& r, ValueId value) {
  if (r.values[Index(value)].Is(flow::Kind::kTensor)) return true;
  const std::string_view text = sight.Text(r.body[value].node);
  const std::string_view name = LastName(text);
  if (name == "batch" || name == "tensor" || name == "torch.save" || name == "save") return true;
  if (r.body[value].op == Op::kCall) {  // batch.to(device): only tensors, and what holds them
    const Call& call = r.body.calls[r.body[value].aux];
    const std::string_view method = sight.module().Text(call.method);
    if (method == "to" || method == "cuda" || method == "cpu" || method == "detach" ||
        method == "pin_memory")
      return true;
  }
  for (std::size_t o = 0; o < r.objects.size() && o < r.contents.size(); ++o) {
    if ((r.values[Index(value)].objects >> o & 1) != 0 &&
        r.objects[o].kind == flow::ObjectKind::kAllocation &&
        r.body[r.objects[o].value].op != Op::kCall && r.contents[o].Is(flow::Kind::kTensor))
      return true;
  }
  const Instr& in = r.body[value];
  if (in.op != Op::kTuple && in.op != Op::kDict && in.op != Op::kList) return false;
  return std::ranges::any_of(r.body.Operands(in), [&](ValueId o) {
    return o != flow::kNoValue && r.values[Index(o)].Is(flow::Kind::kTensor);
  });
}

// Places of queues that were made without a limit, with where that was.
std::vector<std::pair<std::string_view, text::Span>> OpenQueues(const Sight& sight) {
  std::vector<std::pair<std::string_view, text::Span>> places;
  for (const FunctionResult& r : sight.world().results()) {
    if (!r.analyzed) continue;
    for (const Instr& in : r.body.instrs) {
      if (in.op != Op::kStore || r.body.Operand(in, 0) == flow::kNoValue) continue;
      const Instr& made = r.body[r.body.Operand(in, 0)];
      if (made.op != Op::kCall) continue;
      const Call& call = r.body.calls[made.aux];
      const std::string_view callee = LastName(CalleeText(sight, call));
      const bool simple = callee == "SimpleQueue";
      if (!simple && callee != "Queue" && callee != "LifoQueue" && callee != "JoinableQueue")
        continue;
      const std::string_view text = sight.Text(call.node);
      const bool limited = call.argc > 0 && !text.ends_with("(0)") &&
                           !text.ends_with("maxsize=0)") && !text.ends_with("(-1)");
      if (!limited || simple)
        places.emplace_back(NameOf(sight, r.body, SlotId{in.aux}), sight.Span(in.node));
    }
  }
  return places;
}

void Puts(const Sight& sight, std::vector<UnboundedJobs>* events) {
  const auto places = OpenQueues(sight);
  if (places.empty()) return;
  for (std::string_view method : {"put", "put_nowait"}) {
    for (const CallSite& site : sight.calls().OfMethod(method)) {
      const FunctionResult& r = *site.r;
      const LoopId loop = sight.LoopAround(r, site.value);
      if (loop == flow::kNoLoop || site.call->argc == 0) continue;
      const std::string_view name = NameOf(sight, r.body, site.call->receiver_slot);
      const auto made = std::ranges::find(places, name, [](const auto& p) { return p.first; });
      if (name.empty() || made == places.end()) continue;
      if (!CarriesTensors(sight, r, r.body.Arguments(*site.call)[0].value)) continue;
      if (WaitsIn(sight, r, loop)) continue;
      UnboundedJobs e;
      Place(sight, site, &e);
      e.queue = std::string(name);
      e.flow.push_back({made->second, "made without a limit"});
      e.flow.push_back({e.span, "filled here, as fast as the loop turns"});
      events->push_back(std::move(e));
    }
  }
}

}  // namespace

std::vector<UnboundedJobs> UnboundedQueues(const Sight& sight) {
  std::vector<UnboundedJobs> events;
  if (sight.Mentions("Queue(")) Puts(sight, &events);
  if (sight.Mentions("Executor")) {
    for (const CallSite& site : sight.calls().OfMethod("submit")) {
      const FunctionResult& r = *site.r;
      const LoopId loop = sight.LoopAround(r, site.value);
      if (loop == flow::kNoLoop || WaitsIn(sight, r, loop)) continue;
      const auto arguments = r.body.Arguments(*site.call);
      if (arguments.size() < 2 || r.body.loops[Index(loop)].is_short) continue;
      const bool tensors = std::ranges::any_of(
          arguments, [&](const auto& a) { return CarriesTensors(sight, r, a.value); });
      if (!tensors) continue;
      UnboundedJobs e;
      Place(sight, site, &e);
      e.queue = sight.Short(
          r.body[site.call->receiver == flow::kNoValue ? site.value : site.call->receiver].node);
      e.submitted = true;
      e.flow.push_back({e.span, "waits in the executor, with its arguments"});
      e.flow.push_back(
          {sight.HeaderSpan(loop, r.body), "one more in each turn; none is waited for"});
      events.push_back(std::move(e));
    }
  }
  std::ranges::sort(events, {}, kByPlace);
  return events;
}

namespace {

class Models {
 public:
  explicit Models(const Sight& sight) : sight_(sight) {}

  std::vector<KeptModel> Find() {
    std::vector<KeptModel> events;
    for (std::string_view method : {"append", "add", "insert"}) {
      for (const CallSite& site : sight_.calls().OfMethod(method)) {
        const FunctionResult& r = *site.r;
        const LoopId loop = sight_.LoopAround(r, site.value);
        if (loop == flow::kNoLoop || site.call->argc == 0) continue;
        KeptModel e;
        if (!Keeps(r, loop, r.body.Arguments(*site.call).back().value, site.value, &e)) continue;
        if (IsEnsemble(r, *site.call)) continue;
        Place(sight_, site, &e);
        e.strength = Strength::kMedium;
        e.where = sight_.Short(r.body[site.call->receiver].node);
        e.flow.push_back({e.span, "kept here, with its gradients"});
        e.flow.push_back({sight_.HeaderSpan(loop, r.body), "another one in each turn"});
        events.push_back(std::move(e));
      }
    }
    std::ranges::sort(events, {}, kByPlace);
    return events;
  }

 private:
  const Sight& sight_;
  bool wrapped_ = false;  // kept as one part of a record

  bool Keeps(const FunctionResult& r, LoopId loop, ValueId value, ValueId at, KeptModel* e) {
    const Instr& in = r.body[value];
    wrapped_ = in.op == Op::kTuple || in.op == Op::kDict || in.op == Op::kList;
    if (!wrapped_) return IsModelOf(r, loop, value, at, e);
    return std::ranges::any_of(r.body.Operands(in), [&](ValueId o) {
      return o != flow::kNoValue && IsModelOf(r, loop, o, at, e);
    });
  }

  // A variable that this turn of the loop gave a new model, which was then worked with.
  bool IsModelOf(const FunctionResult& r, LoopId loop, ValueId value, ValueId at,
                 KeptModel* e) const {
    const Instr& in = r.body[value];
    if (in.op != Op::kLoad || r.body.slots[in.aux].depth != 0) return false;
    const SlotId slot{in.aux};
    e->model = std::string(NameOf(sight_, r.body, slot));
    const bool module = r.values[Index(value)].Is(flow::Kind::kModule);
    if (!module && !HoldsAny(e->model, {"model", "net", "trainer", "learner"})) return false;
    bool made = false, used = false;
    for (std::uint32_t i = 0; i < r.body.instrs.size(); ++i) {
      const Instr& other = r.body.instrs[i];
      if (!r.body.Within(r.body.LoopOf(ValueId{i}), loop)) continue;
      if (other.op == Op::kStore && SlotId{other.aux} == slot) {
        const ValueId from = r.body.Operand(other, 0);
        made |= from != flow::kNoValue && r.body[from].op == Op::kCall;
        const std::string_view text = sight_.Text(other.node);
        if (HoldsAny(text, {".cpu()", "\"cpu\"", "'cpu'"})) return false;
      }
      if (other.op != Op::kCall || ValueId{i} == at) continue;
      used |= WorksWith(r, r.body.calls[other.aux], slot);
    }
    return made && used;
  }

  // fit(model, …), trainer.train(), Adam(model.parameters()).
  bool WorksWith(const FunctionResult& r, const Call& call, SlotId slot) const {
    auto is = [&](ValueId v) {
      return v != flow::kNoValue && r.body[v].op == Op::kLoad && SlotId{r.body[v].aux} == slot;
    };
    const std::string_view name = LastName(CalleeText(sight_, call));
    if (call.receiver != flow::kNoValue && is(call.receiver))
      return name == "parameters" ||
             (name == "train" && HoldsAny(NameOf(sight_, r.body, slot), {"trainer"})) ||
             name == "fit";
    const auto arguments = r.body.Arguments(call);
    const bool takes = std::ranges::any_of(arguments, [&](const auto& a) { return is(a.value); });
    return takes && (HoldsAny(name, {"train", "fit", "eval", "score", "run", "optimi", "valid"}));
  }

  // The list itself is the result: an ensemble.
  bool IsEnsemble(const FunctionResult& r, const Call& call) const {
    if (wrapped_) return false;
    const std::string_view name = NameOf(sight_, r.body, call.receiver_slot);
    if (name.empty()) return true;
    for (const Instr& in : r.body.instrs) {
      if (in.op != Op::kReturn || in.argc == 0 || r.body.Operand(in, 0) == flow::kNoValue) continue;
      if (HoldsWord(sight_.Text(r.body[r.body.Operand(in, 0)].node), name)) return true;
    }
    return HoldsAny(name, {"ensemble", "member", "layers", "blocks", "modules", "heads"});
  }
};

}  // namespace

std::vector<KeptModel> ModelsKeptInLoops(const Sight& sight) {
  if (!sight.world().torch_file) return {};
  return Models(sight).Find();
}

}  // namespace torchleak::patterns

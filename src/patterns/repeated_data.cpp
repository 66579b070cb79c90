#include "patterns/repeated_data.h"

#include <algorithm>
#include <array>
#include <utility>

#include "flow/names.h"
#include "flow/world.h"
#include "patterns/frameworks.h"
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

}  // namespace

std::vector<CycledLoader> CycledLoaders(const Sight& sight) {
  std::vector<CycledLoader> events;
  for (const CallSite& site : sight.calls().Of("itertools.cycle")) {
    if (site.call->argc == 0) continue;
    const Body& body = site.r->body;
    ValueId from = body.Arguments(*site.call)[0].value;
    if (body[from].op == Op::kCall) {  // cycle(iter(loader))
      const Call& inner = body.calls[body[from].aux];
      const std::string_view name = CalledText(sight, inner);
      if ((name == "iter" || name == "enumerate" || name == "tqdm") && inner.argc > 0)
        from = body.Arguments(inner)[0].value;
    }
    const bool known = site.r->values[Index(from)].Is(flow::Kind::kLoader);
    const std::string text = sight.Short(body[from].node);
    // `batches` may be a list, which is in memory anyhow.
    const std::string_view name = LastName(text);
    const bool named = (flow::LooksLikeLoader(name) || HoldsAny(name, {"loader"})) &&
                       !HoldsAny(text, {"batches", " for "});
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
  constexpr std::array<std::string_view, 17> kLists{"AUROC",
                                                    "AveragePrecision",
                                                    "PrecisionRecallCurve",
                                                    "ROC",
                                                    "CatMetric",
                                                    "Spearman",
                                                    "KendallRank",
                                                    "CosineSimilarity",
                                                    "Retrieval",
                                                    "InceptionScore",
                                                    "KernelInception",
                                                    "BERTScore",
                                                    "ROUGEScore",
                                                    "AtFixed",
                                                    "CalibrationError",
                                                    "Cat",
                                                    "MeanAveragePrecision"};
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
  sema::ClassId cls;  // of whose objects it is an attribute; kNoClass for others
};

// Is it reset? In this function, or by a method of its class or of nobody knows what object.
bool IsReset(const Sight& sight, const MetricPlace& place, const FunctionResult* within) {
  return std::ranges::any_of(sight.calls().OfMethod("reset"), [&](const CallSite& site) {
    const SlotId slot = site.call->receiver_slot;
    if (NameOf(sight, site.r->body, slot) != place.name) return false;
    if (!place.attribute) return site.r == within;
    const sema::ClassId cls = sight.world().SelfClass(site.r->body.slots[Index(slot)].root);
    return place.cls == sema::kNoClass || cls == sema::kNoClass ||
           IsKin(sight.module(), cls, place.cls);
  });
}

// self.log("auc", self.auc), log_dict({"auc": self.auc}): the framework resets what it is given.
bool IsHandedOn(const Sight& sight, const MetricPlace& place) {
  for (const FunctionResult& r : sight.world().results()) {
    if (!r.analyzed || sight.module()[r.body.function].class_id == sema::kNoClass) continue;
    std::vector<bool> used(r.body.instrs.size(), false);  // as an argument, or within a display
    for (const flow::Argument& a : r.body.arguments)
      if (a.value != flow::kNoValue) used[Index(a.value)] = true;
    for (const Instr& in : r.body.instrs) {
      const bool display = in.op == Op::kDict || in.op == Op::kList || in.op == Op::kTuple ||
                           in.op == Op::kAppend || in.op == Op::kReturn || in.op == Op::kStore ||
                           in.op == Op::kIterate;
      if (!display) continue;
      for (const ValueId o : r.body.Operands(in))
        if (o != flow::kNoValue) used[Index(o)] = true;
    }
    for (std::uint32_t i = 0; i < r.body.instrs.size(); ++i) {
      const Instr& in = r.body.instrs[i];
      if (used[i] && in.op == Op::kLoad && r.body.slots[in.aux].depth > 0 &&
          NameOf(sight, r.body, SlotId{in.aux}) == place.name)
        return true;
    }
  }
  return false;
}

// validation_step() feeds it, and on_validation_epoch_end() asks for its value by itself.
bool ReadByHand(const Sight& sight, const MetricPlace& place) {
  const auto computes = sight.calls().OfMethod("compute");
  const bool computed = std::ranges::any_of(computes, [&](const CallSite& site) {
    const sema::ClassId cls = sight.module()[site.r->body.function].class_id;
    return NameOf(sight, site.r->body, site.call->receiver_slot) == place.name &&
           cls != sema::kNoClass && cls == place.cls;
  });
  return computed && !IsHandedOn(sight, place);
}

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
          places.push_back({NameOf(sight, r.body, slot), &r, ValueId{i},
                            r.body.slots[Index(slot)].depth > 0,
                            sight.world().SelfClass(r.body.slots[Index(slot)].root)});
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
  const sema::ClassId cls = sight.module()[r.body.function].class_id;
  if (place.attribute && cls != sema::kNoClass && cls == place.cls &&
      sight.module().Text(sight.module()[r.body.function].name) == "validation_step" &&
      IsLightningModule(sight.module(), cls))
    return ReadByHand(sight, place);
  if (inner == flow::kNoLoop) return false;
  if (place.attribute) {
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
      const sema::ClassId cls = sight.world().SelfClass(site.r->body.slots[Index(slot)].root);
      if (cls != sema::kNoClass && place.cls != sema::kNoClass &&
          !IsKin(sight.module(), cls, place.cls))
        continue;  // another class's metric of that name
      if (IsReset(sight, place, site.r)) continue;
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

}  // namespace torchleak::patterns

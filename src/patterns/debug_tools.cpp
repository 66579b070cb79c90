#include "patterns/debug_tools.h"
#include "patterns/words.h"

#include <algorithm>
#include <array>

namespace torchleak::patterns {

using flow::FunctionResult;
using flow::LoopId;
using flow::Op;
using sema::Index;
using syntax::Kind;
using syntax::kNoNode;
using syntax::NodeId;

namespace {

// A function, or one around it, that says by its name what it is for.
bool NamedFor(const Sight& sight, sema::FunctionId function,
              std::initializer_list<std::string_view> purposes) {
  const sema::Module& module = sight.module();
  for (sema::FunctionId f = function; f != sema::kNoFunction; f = module[f].parent) {
    for (const std::string_view purpose : purposes)
      if (Has(module.Text(module[f].name), purpose)) return true;
  }
  return false;
}

// Some condition decides about it, other than `__name__ == "__main__"`.
bool Chosen(const Sight& sight, const CallSite& site) {
  if (sight.OnCondition(*site.r, site.value,
                        [](std::string_view condition) { return !Has(condition, "__name__"); }))
    return true;
  for (const Kind kind : {Kind::kConditionalExpression, Kind::kBooleanOperator})
    if (sight.Around(site.call->node, kind) != kNoNode) return true;
  return sight.HandlerAround(site.call->node) != kNoNode;
}

// The `with` statement whose context the call is; kNoNode when it stands elsewhere.
NodeId BlockOf(const Sight& sight, const CallSite& site) {
  const NodeId with = sight.Around(site.call->node, Kind::kWithStatement);
  if (with == kNoNode) return kNoNode;
  const NodeId body = sight.module().tree().Child(with, syntax::Field::kBody);
  const bool in_head = body != kNoNode && sight.Span(site.call->node).end <= sight.Span(body).begin;
  return in_head ? body : kNoNode;
}

constexpr sema::FunctionId kWholeFile{0};

// The function that no other function holds.
sema::FunctionId Outermost(const Sight& sight, sema::FunctionId function) {
  const sema::Module& module = sight.module();
  while (function != sema::kNoFunction && module[function].parent != sema::kNoFunction &&
         module[function].parent != kWholeFile)
    function = module[function].parent;
  return function;
}

bool SameClass(const Sight& sight, sema::FunctionId a, sema::FunctionId b) {
  const sema::ClassId cls = sight.module()[a].class_id;
  return cls != sema::kNoClass && cls == sight.module()[b].class_id;
}

// Lightning's Trainer(detect_anomaly=True)
void AddTrainers(const Sight& sight, std::vector<AnomalyEvent>* out) {
  if (!sight.Mentions("detect_anomaly=True")) return;
  for (const CallSite& site : sight.calls().OfName("Trainer")) {
    const flow::Argument* mode = sight.ArgumentOf(site, "detect_anomaly");
    if (mode == nullptr || !sight.IsConstant(*site.r, mode->value, Op::kTrue)) continue;
    const NodeId callee = sight.module().tree().Child(site.call->node, syntax::Field::kFunction);
    if (callee == kNoNode || !Has(sight.module().QualifiedName(callee), "lightning")) continue;
    if (Chosen(sight, site) ||
        NamedFor(sight, site.r->body.function, {"debug", "nan", "check", "anomal", "profile"}))
      continue;
    AnomalyEvent e;
    Place(sight, site, &e);
    e.flow.push_back({e.span, "turned on here"});
    out->push_back(std::move(e));
  }
}

}  // namespace

std::vector<AnomalyEvent> AnomalyDetection(const Sight& sight) {
  std::vector<AnomalyEvent> events;
  std::vector<sema::FunctionId> chosen;  // functions that set it by a variable, or off
  for (const std::string_view name :
       {"torch.autograd.set_detect_anomaly", "torch.autograd.detect_anomaly"}) {
    const bool by_mode = name.ends_with("set_detect_anomaly");
    for (const CallSite& site : sight.calls().Of(name)) {
      const flow::Argument* mode = by_mode ? sight.ArgumentOf(site, "mode", 0) : nullptr;
      if (by_mode && (mode == nullptr || !sight.IsConstant(*site.r, mode->value, Op::kTrue))) {
        chosen.push_back(Outermost(sight, site.r->body.function));
        continue;
      }
      if (Chosen(sight, site) ||
          NamedFor(sight, site.r->body.function, {"debug", "nan", "check", "anomal", "profile"}))
        continue;
      AnomalyEvent e;
      e.is_block = BlockOf(sight, site) != kNoNode;
      if (!by_mode && !e.is_block) continue;  // made, perhaps never entered
      Place(sight, site, &e);
      e.flow.push_back({e.span, "turned on here"});
      events.push_back(std::move(e));
    }
  }
  // Another function of the same file speaks for another program, the file itself for all.
  std::erase_if(events, [&](const AnomalyEvent& e) {
    if (e.is_block || chosen.empty()) return false;
    const sema::FunctionId own = Outermost(sight, e.function);
    return own == kWholeFile || std::ranges::any_of(chosen, [&](sema::FunctionId f) {
             return f == own || f == kWholeFile || SameClass(sight, f, own);
           });
  });
  AddTrainers(sight, &events);
  return events;
}

namespace {

constexpr std::array<std::string_view, 2> kProfilers{"torch.profiler.profile",
                                                     "torch.autograd.profiler.profile"};
constexpr std::array<std::string_view, 2> kSnapshots{"torch.cuda.memory._dump_snapshot",
                                                     "torch.cuda.memory.memory_snapshot"};

// A few turns, or left early: that is how one profiles.
bool FewTurns(const Sight& sight, const flow::Loop& loop) {
  if (loop.is_short) return true;
  const std::string_view over = loop.iterable == kNoNode ? "" : sight.Text(loop.iterable);
  if (Has(over, "islice") || Has(over, "take(")) return true;
  if (over.starts_with("range(") && over.find_first_not_of("0123456789_, ", 6) == over.size() - 1)
    return true;
  return Has(sight.Text(loop.node), "break");
}

// The loop over steps within the block that has no end in sight; kNoLoop when there is none.
LoopId LongLoopIn(const Sight& sight, const FunctionResult& r, NodeId block) {
  const text::Span span = sight.Span(block);
  for (std::uint32_t i = 0; i < r.body.loops.size(); ++i) {
    const LoopId loop{i};
    const text::Span at = sight.Span(r.body.loops[i].node);
    if (at.begin < span.begin || at.end > span.end) continue;
    if (FewTurns(sight, r.body.loops[i])) continue;
    if (sight.IsStepLoop(r, loop) || sight.IsEpochLoop(r, loop)) return loop;
  }
  return flow::kNoLoop;
}

// The loop over steps behind start(), which nothing stops within.
LoopId LongLoopAfter(const Sight& sight, const CallSite& start) {
  const flow::Body& body = start.r->body;
  const text::Span from = sight.Span(start.call->node);
  for (std::uint32_t i = 0; i < body.loops.size(); ++i) {
    const LoopId loop{i};
    const std::string_view text = sight.Text(body.loops[i].node);
    if (sight.Span(body.loops[i].node).begin < from.end || FewTurns(sight, body.loops[i])) continue;
    if (Has(text, ".stop()") || Has(text, "__exit__")) return flow::kNoLoop;
    if (sight.IsStepLoop(*start.r, loop) || sight.IsEpochLoop(*start.r, loop)) return loop;
  }
  return flow::kNoLoop;
}

bool Limited(const Sight& sight, const CallSite& site) {
  if (sight.ArgumentOf(site, "schedule", 2) != nullptr) return true;
  const flow::Argument* enabled = sight.ArgumentOf(site, "enabled");
  if (enabled != nullptr) return !sight.IsConstant(*site.r, enabled->value, Op::kTrue);
  const flow::Argument* first = sight.ArgumentOf(site, "", 0);
  return first != nullptr && first->keyword == sema::kNoName &&
         (site.r->body[first->value].op == Op::kLoad ||
          site.r->body[first->value].op == Op::kFalse);
}

void AddProfiler(const Sight& sight, const CallSite& site, std::vector<ProfilerEvent>* out) {
  const NodeId block = BlockOf(sight, site);
  if (block == kNoNode || Chosen(sight, site) || Limited(sight, site)) return;
  ProfilerEvent e;
  Place(sight, site, &e);
  e.flow.push_back({e.span, "recording begins here"});
  const LoopId loop = LongLoopIn(sight, *site.r, block);
  if (loop != flow::kNoLoop) {
    e.flow.push_back({sight.HeaderSpan(loop, site.r->body), "all steps of this loop are recorded"});
  } else {
    if (sight.HowOftenInAll(*site.r, site.value).often != Often::kEachStep) return;
    const LoopId around = sight.LoopAround(*site.r, site.value);
    if (around != flow::kNoLoop && FewTurns(sight, site.r->body.loops[Index(around)])) return;
    e.what = ProfilerEvent::What::kEachStep;
  }
  out->push_back(std::move(e));
}

// prof = profile(…); prof.start(); for batch in loader: …
void AddStarted(const Sight& sight, const CallSite& start, std::vector<ProfilerEvent>* out) {
  const FunctionResult& r = *start.r;
  if (start.call->argc != 0 || start.call->receiver_slot == flow::kNoSlot) return;
  if (Chosen(sight, start)) return;
  for (const std::string_view name : kProfilers) {
    for (const CallSite& made : sight.calls().Of(name)) {
      if (made.r != &r || made.value > start.value || Chosen(sight, made)) continue;
      if (Limited(sight, made)) continue;
      const bool kept = std::ranges::any_of(r.body.instrs, [&](const flow::Instr& in) {
        return in.op == Op::kStore && flow::SlotId{in.aux} == start.call->receiver_slot &&
               r.body.Operand(in, 0) == made.value;
      });
      if (!kept) continue;
      const LoopId loop = LongLoopAfter(sight, start);
      if (loop == flow::kNoLoop) continue;
      ProfilerEvent e;
      Place(sight, start, &e);
      e.flow.push_back({sight.Span(made.call->node), "made without a schedule"});
      e.flow.push_back({e.span, "recording begins here"});
      e.flow.push_back({sight.HeaderSpan(loop, r.body), "all steps of this loop are recorded"});
      out->push_back(std::move(e));
      return;
    }
  }
}

void AddSnapshot(const Sight& sight, const CallSite& site, std::vector<ProfilerEvent>* out) {
  if (sight.HowOftenInAll(*site.r, site.value).often != Often::kEachStep) return;
  if (Chosen(sight, site)) return;
  const LoopId loop = sight.LoopAround(*site.r, site.value);
  if (loop != flow::kNoLoop && FewTurns(sight, site.r->body.loops[Index(loop)])) return;
  ProfilerEvent e;
  Place(sight, site, &e);
  e.what = ProfilerEvent::What::kSnapshot;
  e.flow.push_back({e.span, "written here"});
  if (loop != flow::kNoLoop) {
    e.flow.push_back(
        {sight.HeaderSpan(loop, site.r->body), "once more in every turn of this loop"});
  }
  out->push_back(std::move(e));
}

}  // namespace

std::vector<ProfilerEvent> Profilers(const Sight& sight) {
  std::vector<ProfilerEvent> events;
  for (const std::string_view name : kProfilers)
    for (const CallSite& site : sight.calls().Of(name)) AddProfiler(sight, site, &events);
  for (const std::string_view method : {"start", "__enter__"})
    for (const CallSite& site : sight.calls().OfMethod(method)) AddStarted(sight, site, &events);
  for (const std::string_view name : kSnapshots)
    for (const CallSite& site : sight.calls().Of(name)) AddSnapshot(sight, site, &events);
  for (const CallSite& site : sight.calls().OfMethod("export_chrome_trace"))
    AddSnapshot(sight, site, &events);
  std::erase_if(events, [&](const ProfilerEvent& e) {
    return e.what != ProfilerEvent::What::kWholeLoop &&
           NamedFor(sight, e.function, {"profil", "bench", "trace", "measure", "snapshot"});
  });
  return events;
}

}  // namespace torchleak::patterns

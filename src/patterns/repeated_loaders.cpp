#include "patterns/repeated_loaders.h"

#include <algorithm>
#include <unordered_map>

#include "flow/world.h"

namespace torchleak::patterns {

using flow::FunctionResult;
using flow::Instr;
using flow::kNoValue;
using flow::LoopId;
using flow::Op;
using flow::ValueId;
using sema::Index;

namespace {

using Event = RepeatedLoaderEvent;

// Nobody writes more loaders into one function, or calls the function that makes one more often;
// for each of them the whole function is looked at.
constexpr std::size_t kMostInFunction = 32, kMostCallers = 64;

class Finder {
 public:
  explicit Finder(const Sight& sight) : sight_(sight), trace_(sight), loaders_(sight, trace_) {}

  std::vector<Event> Run() {
    std::unordered_map<const FunctionResult*, std::size_t> seen;
    for (const LoaderSite& loader : loaders_.all()) {
      if (loader.workers == Workers::kNone || loader.dataset == kNoValue) continue;
      if (++seen[loader.site.r] > kMostInFunction) continue;
      if (!InLoop(loader)) ByFunction(loader);
    }
    OneBatch();
    std::ranges::sort(events_, {}, [](const Event& e) { return e.span.begin; });
    return std::move(events_);
  }

 private:
  bool Repeats(Often often) const { return often != Often::kOnce && often != Often::kNowAndThen; }

  void Report(const CallSite& site, Workers workers, Event::Form form, const CallSite& repeated) {
    Event e;
    Place(sight_, site, &e);
    e.form = form;
    if (workers != Workers::kSome) e.strength = flow::Strength::kMedium;
    e.flow.push_back({e.span, form == Event::Form::kOneBatch ? "starts the workers" : "made here"});
    if (repeated.r != site.r || repeated.value != site.value)
      e.flow.push_back({sight_.Span(repeated.call->node), "called here"});
    const LoopId loop = sight_.LoopAround(*repeated.r, repeated.value);
    e.flow.push_back({sight_.HeaderSpan(loop, repeated.r->body), "once more in every turn"});
    events_.push_back(std::move(e));
  }

  // No method of the data changes it, and nothing is assigned to it, within the loop.
  bool LeavesDataAlone(const FunctionResult& r, ValueId dataset, LoopId loop) const {
    const Instr& data = r.body[dataset];
    if (data.op != Op::kLoad) return true;
    const flow::SlotId slot{data.aux};
    for (std::uint32_t i = 0; i < r.body.instrs.size(); ++i) {
      const Instr& in = r.body.instrs[i];
      if (!r.body.Within(r.body.LoopOf(ValueId{i}), loop)) continue;
      if (in.op == Op::kCall) {
        const flow::Call& call = r.body.calls[in.aux];
        if (call.receiver_slot == slot && call.method != sema::kNoName) return false;
      } else if (in.op == Op::kStore && r.body.slots[in.aux].parent == slot) {
        return false;
      }
    }
    return true;
  }

  bool SameLoader(const LoaderSite& loader, LoopId loop, Trace::Roots* roots) const {
    const FunctionResult& r = *loader.site.r;
    for (const flow::Argument& argument : r.body.Arguments(*loader.site.call)) {
      if (argument.stars == 1 || !trace_.SameEachTurn(r, argument.value, loop, roots)) return false;
    }
    return LeavesDataAlone(r, loader.dataset, loop);
  }

  // Is what `made` gives gone through once in the loop (kNoLoop: the function): by a loop within
  // it, by iter(), or by a function that has one loop over it?
  bool ReadOnce(const FunctionResult& r, ValueId made, LoopId loop) const {
    bool read = false;
    for (std::uint32_t i = 0; i < r.body.instrs.size(); ++i) {
      const Instr& in = r.body.instrs[i];
      const LoopId at = r.body.LoopOf(ValueId{i});
      if (in.op == Op::kIterate && at == flow::kNoLoop) continue;
      if (in.op == Op::kIterate && r.body.loops[Index(at)].parent == loop) {
        read |= trace_.Reaches(r, r.body.Operand(in, 0), made);
      } else if (in.op == Op::kCall && at == loop) {
        read |= ReadByCall(r, ValueId{i}, made);
      } else if (in.op == Op::kIterate && at != loop && r.body.Within(at, loop)) {
        if (trace_.Reaches(r, r.body.Operand(in, 0), made)) return false;  // pass after pass
      }
    }
    return read;
  }

  bool ReadByCall(const FunctionResult& r, ValueId at, ValueId made) const {
    const flow::Call& call = r.body.calls[r.body[at].aux];
    const auto arguments = r.body.Arguments(call);
    if (call.fact != nullptr && call.fact->name == "builtins.iter")
      return !arguments.empty() && trace_.Reaches(r, arguments[0].value, made);
    const auto target = sight_.world().Resolve(r.body, call);
    if (target.function == sema::kNoFunction || target.class_id != sema::kNoClass) return false;
    if (sight_.module().IsForeign(target.function)) return false;
    const sema::Function& f = sight_.module()[target.function];
    for (std::uint32_t i = 0; i < f.params.size(); ++i) {
      const ValueId given = trace_.Given({&r, at}, target.function, i);
      if (given != kNoValue && trace_.Made(r, given) == made)
        return LoopsOnceOver(sight_.world().result(target.function), f.params[i].binding);
    }
    return false;
  }

  bool LoopsOnceOver(const FunctionResult& r, sema::BindingId parameter) const {
    const flow::SlotId slot = r.body.RootSlot(parameter);
    bool once = false;
    for (std::uint32_t i = 0; slot != flow::kNoSlot && i < r.body.instrs.size(); ++i) {
      const Instr& in = r.body.instrs[i];
      if (in.op != Op::kLoad || in.aux != Index(slot)) continue;
      const LoopId at = r.body.LoopOf(ValueId{i});
      for (std::uint32_t l = 0; l < r.body.loops.size(); ++l) {
        const flow::Loop& loop = r.body.loops[l];
        if (loop.iterable == syntax::kNoNode || !Covers(loop.iterable, in.node)) continue;
        if (at != flow::kNoLoop) return false;
        once = true;
      }
    }
    return once;
  }

  bool Covers(syntax::NodeId outer, syntax::NodeId inner) const {
    const text::Span o = sight_.Span(outer), i = sight_.Span(inner);
    return i.begin >= o.begin && i.end <= o.end;
  }

  // DataLoader(…) in a loop. True when it stands in one, whatever comes of it.
  bool InLoop(const LoaderSite& loader) {
    const CallSite& site = loader.site;
    const LoopId loop = sight_.LoopAround(*site.r, site.value);
    if (loop == flow::kNoLoop) return false;
    if (loop != site.r->body.LoopOf(site.value)) return true;  // a list of loaders
    if (Repeats(sight_.HowOften(*site.r, site.value)) && SameLoader(loader, loop, nullptr) &&
        ReadOnce(*site.r, site.value, loop))
      Report(site, loader.workers, Event::Form::kMadeInLoop, site);
    return true;
  }

  // DataLoader(…) in a function that a loop calls with the same data.
  void ByFunction(const LoaderSite& loader) {
    const CallSite& site = loader.site;
    const sema::FunctionId function = site.r->body.function;
    const bool once = site.r->body.LoopOf(site.value) == flow::kNoLoop;
    if (Index(function) == 0 || !once || trace_.CallersOf(function).empty()) return;
    if (sight_.HandlerAround(site.call->node) != syntax::kNoNode) return;
    Trace::Roots roots;
    if (!SameLoader(loader, flow::kNoLoop, &roots)) return;
    roots.by_choice |= site.r->body.BlockOf(site.value).guard != flow::kNoKey;
    const bool read_here = ReadOnce(*site.r, site.value, flow::kNoLoop);
    if (!read_here && !loaders_.Returns(loader)) return;
    const auto callers = trace_.CallersOf(function);
    for (const Trace::Caller& caller : callers.first(std::min(callers.size(), kMostCallers))) {
      const LoopId loop = sight_.LoopAround(*caller.r, caller.call);
      if (loop == flow::kNoLoop || caller.r->body[caller.call].op != Op::kCall) continue;
      if (!Repeats(sight_.HowOften(*caller.r, caller.call))) continue;
      if (!SameForCall(caller, function, roots, loop)) continue;
      if (!read_here && !ReadOnce(*caller.r, caller.call, loop)) continue;
      const flow::Call& call = caller.r->body.calls[caller.r->body[caller.call].aux];
      Report(site, loader.workers, Event::Form::kMadeByFunction, {caller.r, caller.call, &call});
      return;
    }
  }

  bool SameForCall(const Trace::Caller& caller, sema::FunctionId function,
                   const Trace::Roots& roots, LoopId loop) const {
    const sema::Function& f = sight_.module()[function];
    const auto is_root = [&](sema::BindingId b) {
      return std::ranges::find(roots.bindings, b) != roots.bindings.end();
    };
    for (std::uint32_t i = 0; i < f.params.size(); ++i) {
      const ValueId given = trace_.Given(caller, function, i);
      if (given == kNoValue || !(roots.by_choice || is_root(f.params[i].binding))) continue;
      if (!trace_.SameEachTurn(*caller.r, given, loop, nullptr)) return false;
      if (!LeavesDataAlone(*caller.r, given, loop)) return false;
    }
    return std::ranges::all_of(
        roots.bindings, [&](sema::BindingId b) { return trace_.Untouched(*caller.r, b, loop); });
  }

  // next(iter(loader)) in each step.
  void OneBatch() {
    for (const CallSite& site : sight_.calls().Of("next")) {
      const auto arguments = site.r->body.Arguments(*site.call);
      if (arguments.empty()) continue;
      const ValueId made = trace_.Made(*site.r, arguments[0].value);
      const flow::Call* iter = trace_.CallBehind(*site.r, arguments[0].value);
      if (iter == nullptr || iter->fact == nullptr || iter->fact->name != "builtins.iter") continue;
      const auto of = site.r->body.Arguments(*iter);
      const LoopId loop = sight_.LoopAround(*site.r, site.value);
      if (of.empty() || loop == flow::kNoLoop || loop != site.r->body.LoopOf(made)) continue;
      const LoaderSite* loader = loaders_.Behind(*site.r, of[0].value);
      if (loader == nullptr || loader->workers == Workers::kNone) continue;
      if (loader->site.r == site.r && loader->site.r->body.LoopOf(loader->site.value) == loop)
        continue;  // one for each batch: reported there
      if (sight_.HowOften(*site.r, site.value) == Often::kEachStep)
        Report(site, loader->workers, Event::Form::kOneBatch, site);
    }
  }

  const Sight& sight_;
  const Trace trace_;
  const Loaders loaders_;
  std::vector<Event> events_;
};

}  // namespace

std::vector<RepeatedLoaderEvent> RepeatedLoaders(const Sight& sight) { return Finder(sight).Run(); }

}  // namespace torchleak::patterns

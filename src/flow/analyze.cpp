// The whole file: functions callees first, then what callers tell callees, then events.
#include <algorithm>
#include <map>

#include "flow/analysis.h"
#include "flow/events_internal.h"
#include "flow/names.h"

namespace torchleak::flow {
namespace {

// A call edge as seen from the callee.
struct Caller {
  const FunctionResult* result;
  const CallEdge* edge;
};

using Callers = std::vector<std::vector<Caller>>;

Callers CollectCallers(World& world) {
  Callers callers(world.results().size());
  for (FunctionResult& r : world.results()) {
    for (const CallEdge& e : r.calls) callers[Index(e.callee)].push_back({&r, &e});
    // A function that is used as a value may be called by anyone.
    for (std::uint32_t i = 0; i < r.body.instrs.size(); ++i) {
      const Instr& in = r.body.instrs[i];
      for (ValueId o : r.body.Operands(in)) {
        const Value& v = o == kNoValue || r.values.empty() ? Value{} : r.values[Index(o)];
        if (v.Is(Kind::kFunction) && in.op != Op::kStore && v.ref != kNoRef &&
            v.ref < world.results().size()) {
          world.results()[v.ref].has_unknown_callers = true;
        }
      }
      if (in.op == Op::kCall) {
        for (const Argument& a : r.body.Arguments(r.body.calls[in.aux])) {
          if (r.values.empty()) continue;
          const Value& v = r.values[Index(a.value)];
          if (v.Is(Kind::kFunction) && v.ref < world.results().size())
            world.results()[v.ref].has_unknown_callers = true;
        }
      }
    }
  }
  return callers;
}

// What callers know: whether grad is off around every call, whether a result is differentiated.
void Propagate(World& world) {
  Callers callers = CollectCallers(world);
  const auto& order = world.order();
  constexpr int kRounds = 3;  // chains of helpers; recursion settles or stays unknown
  for (int round = 0; round < kRounds; ++round) {
    for (auto it = order.rbegin(); it != order.rend(); ++it) {
      FunctionResult& r = world.result(*it);
      const auto& mine = callers[Index(*it)];
      bool all_off = !mine.empty() && !r.has_unknown_callers;
      r.has_callers = !mine.empty();
      sema::ClassId cls = world.module()[*it].class_id;
      r.within_forward = !mine.empty() && cls != sema::kNoClass && world.IsModuleClass(cls);
      r.within_init = !mine.empty() && cls != sema::kNoClass;
      for (const Caller& c : mine) {
        const sema::Function& caller = world.module()[c.result->body.function];
        r.within_init &= caller.class_id == cls &&
                         (c.result->within_init || world.module().Text(caller.name) == "__init__");
        r.within_forward &=
            c.result->within_forward || world.role(c.result->body.function) == Role::kForward;
      }
      for (const Caller& c : mine) {
        const GradMode mode =
            c.edge->mode == GradMode::kInherit ? c.result->entry_mode : c.edge->mode;
        all_off &= mode == GradMode::kOff || mode == GradMode::kUnknown;
        r.called_in_loop |=
            c.result->body.LoopOf(c.edge->value) != kNoLoop || c.result->called_in_loop;
        if (c.edge->origin == kOverflowOrigin) continue;
        const bool diff = c.result->differentiated.test(c.edge->origin);
        const bool escapes = c.result->escaped.test(c.edge->origin);
        const bool returned = c.result->returned.test(c.edge->origin);
        r.result_differentiated |= diff || (returned && c.result->result_differentiated);
        r.result_escapes |= escapes || c.result->kept.test(c.edge->origin) ||
                            (returned && (!c.result->has_callers || c.result->result_escapes));
        r.result_used = true;
      }
      GradMode decorated = world.DecoratedMode(*it);
      r.entry_mode = decorated != GradMode::kInherit ? decorated
                     : all_off                       ? GradMode::kOff
                                                     : GradMode::kInherit;
    }
  }
}

void CollectAttributes(World& world) {
  const auto names = world.module().name_count();
  for (FunctionResult& r : world.results()) {
    for (std::size_t i = 0; i < r.origins.size(); ++i) {
      const Origin& o = r.origins[i];
      if (o.kind != OriginKind::kEntry || o.ref >= r.body.slots.size()) continue;
      const Slot& s = r.body.slots[o.ref];
      if (s.depth == 0 || Index(s.attribute) >= names) continue;
      if (r.differentiated.test(i)) world.NoteAttribute(s.root, s.attribute, true);
      const bool to_strangers = !r.has_callers || r.result_escapes || r.result_differentiated;
      if (r.escaped.test(i) || (r.returned.test(i) && to_strangers))
        world.NoteAttribute(s.root, s.attribute, false);
      if (r.removed.test(i)) world.attr_removed[Index(s.attribute)] = true;
    }
  }
}

}  // namespace

FileEvents Analyze(const sema::Module& module, bool with_dismissed) {
  return Analyze(module, Links{}, with_dismissed);
}

FileEvents Analyze(const sema::Module& module, Links links, bool with_dismissed) {
  FileEvents out;
  out.dismissed.wanted = with_dismissed;
  out.module = &module;
  out.syntax_errors = module.tree().errors();
  auto world = std::make_shared<World>(module, std::move(links));
  if (!world->foreign_file) {
    for (sema::FunctionId f : world->order()) FunctionAnalysis(*world, f).Run();
    Propagate(*world);
    CollectAttributes(*world);
    EventBuilder events(*world, &out);
    events.Kept();
    events.Forwards();
    events.Retained();
    events.StaleSteps();
    events.Hooks();
  }
  out.world = std::move(world);
  return out;
}

}  // namespace torchleak::flow

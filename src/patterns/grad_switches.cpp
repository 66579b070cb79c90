#include "patterns/grad_switches.h"

#include <algorithm>
#include <array>
#include <set>

#include "flow/world.h"

namespace torchleak::patterns {

using flow::FunctionResult;
using flow::GradMode;
using flow::LoopId;
using flow::Op;
using flow::ValueId;
using sema::Index;
using syntax::Kind;
using syntax::NodeId;

namespace {

constexpr std::array<std::string_view, 4> kSwitches{"torch.no_grad", "torch.inference_mode",
                                                    "torch.enable_grad", "torch.autograd.no_grad"};

bool IsSwitch(const std::string& name) {
  return std::ranges::find(kSwitches, name) != kSwitches.end() ||
         name == "torch.autograd.grad_mode.no_grad";
}

bool IsStatement(const syntax::Tree& tree, NodeId node) {
  const NodeId parent = tree.Parent(node);
  return parent != syntax::kNoNode && tree.kind(parent) == Kind::kExpressionStatement;
}

}  // namespace

std::vector<BareGradEvent> BareGradSwitches(const Sight& sight) {
  std::vector<BareGradEvent> events;
  const syntax::Tree& tree = sight.module().tree();
  for (const FunctionResult& r : sight.world().results()) {
    if (!r.analyzed) continue;
    for (std::uint32_t i = 0; i < r.body.instrs.size(); ++i) {
      const flow::Instr& in = r.body.instrs[i];
      if (in.node == syntax::kNoNode) continue;
      BareGradEvent e;
      NodeId node = in.node;
      if (in.op == Op::kCall) {
        if (!IsStatement(tree, in.node)) continue;
        const NodeId function = tree.Child(in.node, syntax::Field::kFunction);
        if (function == syntax::kNoNode || !IsSwitch(sight.module().QualifiedName(function)))
          continue;
      } else if (in.op == Op::kEnterWith && in.argc > 0) {
        node = r.body[r.body.Operand(in, 0)].node;
        if (node == syntax::kNoNode || tree.kind(node) == Kind::kCall) continue;
        if (!IsSwitch(sight.module().QualifiedName(node))) continue;
        e.form = BareForm::kWithoutCall;
      } else if (tree.kind(in.node) == Kind::kAttribute && IsStatement(tree, in.node)) {
        if (!IsSwitch(sight.module().QualifiedName(in.node))) continue;
      } else {
        continue;
      }
      e.function = r.body.function;
      e.span = sight.Span(node);
      e.strength = flow::Strength::kStrong;
      e.in_test = sight.InTest(r.body.function);
      e.record = i;
      e.what = std::string(sight.Text(node));
      e.flow.push_back({e.span, e.form == BareForm::kStatement
                                    ? "made and thrown away"
                                    : "a class, and no context manager"});
      events.push_back(std::move(e));
    }
  }
  // `@torch.no_grad` without parentheses is a question of the version: patterns/old_defaults.h.
  std::ranges::sort(events, {}, [](const auto& e) { return e.span.begin; });
  return events;
}

namespace {

class LeftOffFinder {
 public:
  explicit LeftOffFinder(const Sight& sight) : sight_(sight) {}

  std::vector<GradLeftOffEvent> Find() {
    std::vector<GradLeftOffEvent> events;
    std::vector<CallSite> off;
    for (const CallSite& site : sight_.calls().Of("torch.set_grad_enabled")) {
      if (!IsStatement(sight_.module().tree(), site.call->node)) continue;
      const flow::Argument* mode = sight_.ArgumentOf(site, "mode", 0);
      if (mode != nullptr && sight_.IsConstant(*site.r, mode->value, Op::kFalse)) {
        off.push_back(site);
      } else {
        switches_on_.insert(Index(site.r->body.function));
      }
    }
    for (const CallSite& site : off) {
      GradLeftOffEvent e;
      Place(sight_, site, &e);
      e.strength = flow::Strength::kMedium;
      e.flow.push_back({e.span, "grad is off from here on, in all code that runs later"});
      if (switches_on_.contains(Index(site.r->body.function))) continue;
      if (BackwardHere(*site.r, site.value, &e) || TrainsLater(*site.r, site.value, &e) ||
          TrainingFollows(site.r->body.function, &e.flow))
        events.push_back(std::move(e));
    }
    return events;
  }

 private:
  // A backward() with grad off on every way to it, or in the next turn of the loop around.
  bool BackwardHere(const FunctionResult& r, ValueId off, GradLeftOffEvent* e) const {
    const LoopId loop = SwitchesOn(r) ? flow::kNoLoop : sight_.LoopAround(r, off);
    for (const flow::Backward& b : r.backwards) {
      const bool next_turn = loop != flow::kNoLoop && r.body.Within(r.body.LoopOf(b.value), loop);
      if (b.through_grad || !b.direct) continue;
      if (r.modes[Index(b.value)] != GradMode::kOff && !next_turn) continue;
      e->here = true;
      e->flow.push_back({sight_.Span(b.node), "still off here"});
      return true;
    }
    return false;
  }

  // A function that trains is called after it.
  bool TrainsLater(const FunctionResult& r, ValueId off, GradLeftOffEvent* e) const {
    if (SwitchesOn(r) || r.body.BlockOf(off).guard != flow::kNoKey) return false;
    for (const flow::CallEdge& edge : r.calls) {
      const flow::Summary& callee = sight_.world().result(edge.callee).summary;
      if (Index(edge.value) < Index(off) || !callee.runs_backward || !callee.steps) continue;
      if (r.body.BlockOf(edge.value).guard != flow::kNoKey) continue;
      e->flow.push_back({sight_.Span(r.body[edge.value].node), "trains, with grad still off"});
      return true;
    }
    return false;
  }

  // The function, or one that it calls itself, switches grad on.
  bool SwitchesOn(const FunctionResult& r) const {
    return switches_on_.contains(Index(r.body.function)) ||
           std::ranges::any_of(r.calls, [&](const flow::CallEdge& c) {
             return switches_on_.contains(Index(c.callee));
           });
  }

  // A function that trains calls it, directly or some levels up, and goes on after it.
  bool TrainingFollows(sema::FunctionId function, std::vector<flow::Step>* steps) const {
    constexpr std::size_t kMaxFunctions = 24;
    std::vector<sema::FunctionId> todo{function};
    std::set<std::uint32_t> seen;
    for (std::size_t i = 0; i < todo.size() && i < kMaxFunctions; ++i) {
      if (!seen.insert(Index(todo[i])).second) continue;
      for (const FunctionResult& caller : sight_.world().results()) {
        if (!caller.analyzed || SwitchesOn(caller)) continue;
        for (const flow::CallEdge& edge : caller.calls) {
          if (edge.callee != todo[i]) continue;
          todo.push_back(caller.body.function);
          if (!GoesOn(caller, edge)) continue;
          steps->push_back({sight_.Span(caller.body[edge.value].node),
                            "called here, where training goes on with grad off"});
          return true;
        }
      }
    }
    return false;
  }

  // The caller trains after this call, or in the next turn of a loop around it.
  bool GoesOn(const FunctionResult& caller, const flow::CallEdge& edge) const {
    const LoopId loop = sight_.LoopAround(caller, edge.value);
    auto follows = [&](ValueId value) {
      return Index(value) > Index(edge.value) ||
             (loop != flow::kNoLoop && caller.body.Within(caller.body.LoopOf(value), loop));
    };
    return std::ranges::any_of(
               caller.backwards,
               [&](const auto& b) { return !b.through_grad && follows(b.value); }) ||
           std::ranges::any_of(caller.calls, [&](const flow::CallEdge& other) {
             return other.value != edge.value && follows(other.value) &&
                    sight_.world().result(other.callee).summary.runs_backward;
           });
  }

  const Sight& sight_;
  std::set<std::uint32_t> switches_on_;  // functions with such a statement that is not False
};

}  // namespace

std::vector<GradLeftOffEvent> GradLeftOff(const Sight& sight) {
  if (sight.Mentions("enable_grad(")) return {};
  return LeftOffFinder(sight).Find();
}

namespace {

// The mode where the generator starts: a `with` of its own must have changed it.
bool ByWith(const Sight& sight, const FunctionResult& r, ValueId yield, NodeId* with) {
  const syntax::Tree& tree = sight.module().tree();
  for (NodeId n = tree.Parent(r.body[yield].node); n != syntax::kNoNode; n = tree.Parent(n)) {
    if (tree.kind(n) == Kind::kFunctionDefinition || tree.kind(n) == Kind::kLambda) return false;
    if (tree.kind(n) != Kind::kWithStatement) continue;
    const NodeId body = tree.Child(n, syntax::Field::kBody);
    for (const CallSite& site : sight.calls().Of("torch.no_grad")) {
      const text::Span s = sight.Span(site.call->node), w = sight.Span(n);
      if (s.begin >= w.begin && body != syntax::kNoNode && s.end <= sight.Span(body).begin) {
        *with = site.call->node;
        return true;
      }
    }
    for (const CallSite& site : sight.calls().Of("torch.inference_mode")) {
      const text::Span s = sight.Span(site.call->node), w = sight.Span(n);
      if (s.begin >= w.begin && body != syntax::kNoNode && s.end <= sight.Span(body).begin) {
        *with = site.call->node;
        return true;
      }
    }
  }
  return false;
}

// Loops of this file over what the generator gives.
void Consumers(const Sight& sight, sema::FunctionId generator, GradOffYieldEvent* e) {
  for (const FunctionResult& caller : sight.world().results()) {
    if (!caller.analyzed) continue;
    for (const flow::CallEdge& edge : caller.calls) {
      if (edge.callee != generator) continue;
      for (std::uint32_t l = 0; l < caller.body.loops.size(); ++l) {
        const flow::Loop& loop = caller.body.loops[l];
        if (loop.iterable == syntax::kNoNode) continue;
        const text::Span over = sight.Span(loop.iterable),
                         call = sight.Span(caller.body[edge.value].node);
        if (call.begin < over.begin || call.end > over.end) continue;
        e->consumed = true;
        for (const flow::Backward& b : caller.backwards) {
          if (e->trains || !caller.body.Within(caller.body.LoopOf(b.value), flow::LoopId{l}))
            continue;
          e->trains = true;
          e->flow.push_back({call, "looped over here"});
          e->flow.push_back({sight.Span(b.node), "grad is off here, in the loop's body"});
        }
      }
    }
  }
}

bool IsContextManager(const Sight& sight, const sema::Function& function) {
  return std::ranges::any_of(function.decorators, [&](NodeId d) {
    const std::string_view text = sight.Text(d);
    return text.find("contextmanager") != text.npos || text.find("fixture") != text.npos;
  });
}

}  // namespace

std::vector<GradOffYieldEvent> GradOffYields(const Sight& sight) {
  std::vector<GradOffYieldEvent> events;
  if (!sight.Mentions("yield")) return events;
  for (const FunctionResult& r : sight.world().results()) {
    if (!r.analyzed || !r.body.has_yield) continue;
    if (IsContextManager(sight, sight.module()[r.body.function])) continue;
    for (std::uint32_t i = 0; i < r.body.instrs.size(); ++i) {
      if (r.body.instrs[i].op != Op::kYield || r.body.instrs[i].node == syntax::kNoNode) continue;
      if (i < r.modes.size() && r.modes[i] != GradMode::kOff) continue;
      NodeId with = syntax::kNoNode;
      if (!ByWith(sight, r, ValueId{i}, &with)) continue;
      GradOffYieldEvent e;
      e.function = r.body.function;
      e.span = sight.Span(r.body.instrs[i].node);
      e.strength = flow::Strength::kMedium;
      e.in_test = sight.InTest(r.body.function);
      e.record = i;
      e.flow.push_back({sight.Span(with), "grad is off from here to the end of the block"});
      e.flow.push_back({e.span, "hands over to the caller's code in the middle of it"});
      Consumers(sight, r.body.function, &e);
      events.push_back(std::move(e));
      break;
    }
  }
  return events;
}

}  // namespace torchleak::patterns

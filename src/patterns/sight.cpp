#include "patterns/sight.h"

#include <algorithm>

#include "flow/events_internal.h"
#include "flow/world.h"

namespace torchleak::patterns {

using flow::Body;
using flow::FunctionResult;
using flow::Guard;
using flow::LoopId;
using flow::Op;
using flow::ValueId;
using sema::Index;
using syntax::Kind;
using syntax::kNoNode;
using syntax::NodeId;

Sight::Sight(const flow::FileEvents& events)
    : events_(events), source_(events.module->tree().Text(events.module->tree().root())) {}

const CallIndex& Sight::calls() const {
  if (calls_ == nullptr) calls_ = std::make_shared<const CallIndex>(events_);
  return *calls_;
}

std::string Sight::Short(NodeId node) const {
  return flow::EventBuilder(world(), nullptr).Short(node);
}

text::Span Sight::HeaderSpan(LoopId loop, const Body& body) const {
  return flow::EventBuilder(world(), nullptr).HeaderSpan(body.loops[Index(loop)].node);
}

bool Sight::InTest(sema::FunctionId function) const {
  return flow::EventBuilder(world(), nullptr).InTest(function);
}

LoopId Sight::LoopAround(const FunctionResult& r, ValueId at) const {
  LoopId loop = r.body.LoopOf(at);
  while (loop != flow::kNoLoop && r.body.loops[Index(loop)].is_comprehension)
    loop = r.body.loops[Index(loop)].parent;
  return loop;
}

// Something of a step happens in the loop itself, not in one within it.
bool Sight::Runs(const FunctionResult& r, LoopId loop) const {
  auto here = [&](ValueId value) { return LoopAround(r, value) == loop; };
  return std::ranges::any_of(r.backwards, [&](const auto& b) { return here(b.value); }) ||
         std::ranges::any_of(r.forwards, [&](const auto& f) { return here(f.value); }) ||
         std::ranges::any_of(r.grad_ops, [&](const flow::GradOp& op) {
           return here(op.value) && op.kind == flow::GradOpKind::kStep;
         });
}

bool Sight::IsStepLoop(const FunctionResult& r, LoopId loop) const {
  const flow::Loop& at = r.body.loops[Index(loop)];
  if (at.is_comprehension) return false;
  if (IsEpochLoop(r, loop)) return false;
  return Runs(r, loop) ||
         (!at.is_short && flow::EventBuilder(world(), nullptr).OverData(r, loop, true));
}

bool Sight::IsEpochLoop(const FunctionResult& r, LoopId loop) const {
  for (std::uint32_t i = 0; i < r.body.loops.size(); ++i) {
    const flow::Loop& inner = r.body.loops[i];
    if (LoopId{i} == loop || inner.is_comprehension || inner.is_short) continue;
    if (!r.body.Within(LoopId{i}, loop)) continue;
    if (Runs(r, LoopId{i}) || flow::EventBuilder(world(), nullptr).OverData(r, LoopId{i}, true))
      return true;
  }
  return false;
}

NodeId Sight::Around(NodeId node, Kind kind) const {
  const syntax::Tree& tree = module().tree();
  for (NodeId n = tree.Parent(node); n != kNoNode; n = tree.Parent(n)) {
    if (tree.kind(n) == kind) return n;
    if (tree.kind(n) == Kind::kFunctionDefinition || tree.kind(n) == Kind::kLambda) break;
  }
  return kNoNode;
}

NodeId Sight::HandlerAround(NodeId node) const { return Around(node, Kind::kExceptClause); }

// A name that the loop binds, a remainder, or what a call gives other than whether there is a
// device.
bool Sight::Changes(const FunctionResult& r, NodeId condition, LoopId loop) const {
  const std::string_view text = Text(condition);
  if (text.find('%') != text.npos) return true;
  const text::Span span = Span(condition);
  const Body& body = r.body;
  auto within = [&](NodeId node) {
    const text::Span s = Span(node);
    return s.begin >= span.begin && s.end <= span.end;
  };
  std::vector<flow::SlotId> written;
  for (std::uint32_t i = 0; i < body.instrs.size(); ++i) {
    if (body.instrs[i].op == Op::kStore && body.Within(body.LoopOf(ValueId{i}), loop))
      written.push_back(flow::SlotId{body.instrs[i].aux});
  }
  for (std::uint32_t i = 0; i < body.instrs.size(); ++i) {
    const flow::Instr& in = body.instrs[i];
    if (in.node == kNoNode || !within(in.node)) continue;
    if (in.op == Op::kCall) {
      const std::string_view callee = Text(in.node);
      if (callee.find("is_available(") == callee.npos && callee.find("hasattr(") == callee.npos &&
          callee.find("isinstance(") == callee.npos)
        return true;
    }
    if (in.op != Op::kLoad) continue;
    if (std::ranges::find(written, flow::SlotId{in.aux}) != written.end()) return true;
  }
  return false;
}

bool Sight::OnChangingCondition(const FunctionResult& r, ValueId at, LoopId loop) const {
  for (std::uint32_t g = r.body.BlockOf(at).guard; g != flow::kNoKey; g = r.body.guards[g].parent) {
    const Guard& guard = r.body.guards[g];
    if (!r.body.Within(guard.loop, loop)) break;
    if (Changes(r, guard.condition, loop)) return true;
  }
  return false;
}

Often Sight::HowOften(const FunctionResult& r, ValueId at) const {
  const LoopId loop = LoopAround(r, at);
  if (loop == flow::kNoLoop) return Often::kOnce;
  if (HandlerAround(r.body[at].node) != kNoNode || OnChangingCondition(r, at, loop))
    return Often::kNowAndThen;
  if (IsEpochLoop(r, loop)) return Often::kEachEpoch;
  return IsStepLoop(r, loop) ? Often::kEachStep : Often::kEachTurn;
}

const flow::Argument* Sight::ArgumentOf(const CallSite& site, std::string_view keyword,
                                        int position) const {
  int at = 0;
  for (const flow::Argument& argument : site.r->body.Arguments(*site.call)) {
    if (argument.stars != 0) continue;
    if (argument.keyword != sema::kNoName) {
      if (module().Text(argument.keyword) == keyword) return &argument;
    } else if (at++ == position) {
      return &argument;
    }
  }
  return nullptr;
}

void Place(const Sight& sight, const CallSite& site, flow::EventBase* event) {
  event->function = site.r->body.function;
  event->span = sight.Span(site.call->node);
  event->strength = flow::Strength::kStrong;
  event->in_test = sight.InTest(site.r->body.function);
  event->record = Index(site.value);
}

}  // namespace torchleak::patterns

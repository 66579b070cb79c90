#include "patterns/sight.h"

#include <algorithm>
#include <unordered_set>

#include "flow/events_internal.h"
#include "flow/world.h"

namespace torchleak::patterns {

using flow::Body;
using flow::FunctionResult;
using flow::LoopId;
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

const LoopTable& Sight::loops() const {
  if (loops_ == nullptr) loops_ = std::make_shared<const LoopTable>(world());
  return *loops_;
}

LoopId Sight::LoopAround(const FunctionResult& r, ValueId at) const {
  return LoopTable::LoopAround(r.body, at);
}

LoopId Sight::StepLoopAround(const FunctionResult& r, LoopId loop) const {
  while (loop != flow::kNoLoop && !IsStepLoop(r, loop)) loop = r.body.loops[Index(loop)].parent;
  return loop;
}

NodeId Sight::TargetOf(const Body& body, LoopId loop) const {
  const syntax::Tree& tree = module().tree();
  const flow::Loop& at = body.loops[Index(loop)];
  if (!at.is_comprehension) return tree.Child(at.node, syntax::Field::kLeft);
  const NodeId clause = at.iterable == kNoNode ? kNoNode : tree.Parent(at.iterable);
  return clause == kNoNode ? kNoNode : tree.Child(clause, syntax::Field::kLeft);
}

bool Sight::Refers(NodeId within, sema::BindingId variable) const {
  if (within == kNoNode || variable == sema::kNoBinding) return false;
  const auto end = Index(module().tree().End(within));
  for (std::uint32_t n = Index(within); n < end; ++n)
    if (module().BindingOf(NodeId{n}) == variable) return true;
  return false;
}

bool Sight::SameInEachTurn(const FunctionResult& r, NodeId node, LoopId loop) const {
  const Body& body = r.body;
  const syntax::Tree& tree = module().tree();
  std::unordered_set<std::uint32_t> read;
  const auto end = Index(tree.End(node));
  for (std::uint32_t n = Index(node); n < end; ++n) {
    const sema::BindingId binding = module().BindingOf(NodeId{n});
    if (binding != sema::kNoBinding) read.insert(Index(binding));
  }
  const std::string_view text = Text(node);
  for (std::uint32_t i = 0; i < body.instrs.size(); ++i) {
    const flow::Instr& in = body.instrs[i];
    if (in.op != flow::Op::kStore || !body.Within(body.LoopOf(ValueId{i}), loop)) continue;
    const flow::Slot& slot = body.slots[in.aux];
    if (!read.contains(Index(slot.root))) continue;
    if (slot.depth == 0) return false;
    if (text.find(flow::SlotText(module(), body, flow::SlotId{in.aux})) != text.npos) return false;
  }
  return true;
}

NodeId Sight::Around(NodeId node, Kind kind) const {
  const syntax::Tree& tree = module().tree();
  for (NodeId n = tree.Parent(node); n != kNoNode; n = tree.Parent(n)) {
    if (tree.kind(n) == kind) return n;
    if (tree.kind(n) == Kind::kFunctionDefinition || tree.kind(n) == Kind::kLambda) break;
  }
  return kNoNode;
}

bool Sight::OnCondition(const FunctionResult& r, ValueId at,
                        const std::function<bool(std::string_view)>& counts) const {
  return loops().UnderGuard(r, at, flow::kNoLoop, [&](std::uint32_t guard) {
    return !counts || counts(Text(r.body.guards[guard].condition));
  });
}

NodeId Sight::HandlerAround(NodeId node) const { return Around(node, Kind::kExceptClause); }

Often Sight::HowOften(const FunctionResult& r, ValueId at) const {
  return LoopAround(r, at) == flow::kNoLoop ? Often::kOnce : loops().HowOften(r, at);
}

Runs Sight::HowOftenInAll(const FunctionResult& r, ValueId at) const {
  const Often here = loops().HowOften(r, at);
  if (here == Often::kOnce) return loops().Of(r.body.function);
  // Over the layers, within a step.
  const bool in_step =
      here == Often::kEachTurn && loops().Of(r.body.function).often == Often::kEachStep;
  return in_step ? loops().Of(r.body.function) : Runs{.often = here};
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

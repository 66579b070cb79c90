#include "patterns/input_gradient.h"

#include <algorithm>

#include "flow/names.h"
#include "flow/world.h"

namespace torchleak::patterns {

using flow::Body;
using flow::FunctionResult;
using flow::Op;
using flow::SlotId;
using flow::ValueId;
using sema::Index;

namespace {

// One place that turns it on.
struct Switch {
  const FunctionResult* r;
  ValueId value;  // the call or the assignment
  syntax::NodeId node;
  SlotId slot;  // of the tensor
};

SlotId RootOf(const Body& body, SlotId slot) {
  while (body.slots[Index(slot)].parent != flow::kNoSlot) slot = body.slots[Index(slot)].parent;
  return slot;
}

// x = x.view(…).requires_grad_(): the variable that the result goes to at once.
SlotId StoredIn(const FunctionResult& r, ValueId value) {
  const std::uint32_t next = Index(value) + 1;
  if (next >= r.body.instrs.size() || r.body.instrs[next].op != Op::kStore) return flow::kNoSlot;
  const flow::Instr& in = r.body.instrs[next];
  return r.body.Operand(in, 0) == value ? SlotId{in.aux} : flow::kNoSlot;
}

class Judge {
 public:
  Judge(const Sight& sight, const Switch& at) : sight_(sight), at_(at), r_(*at.r), body_(r_.body) {}

  void Run(std::vector<InputGradientEvent>* out) const {
    if (TurnedOff() || !IsTensor()) return;
    const SlotId root = RootOf(body_, at_.slot);
    const sema::Function& function = sight_.module()[body_.function];
    InputGradientEvent e;
    for (std::uint32_t i = 0; i < function.params.size(); ++i) {
      if (function.params[i].binding != body_.slots[Index(root)].root) continue;
      const bool receiver = i == 0 && function.class_id != sema::kNoClass && !function.is_static;
      if (receiver || !OfCaller(root, i)) return;
      e.of_caller = true;
    }
    if (!e.of_caller && !UnreadBatch()) return;
    e.function = body_.function;
    e.span = sight_.Span(at_.node);
    e.strength = flow::Strength::kMedium;
    e.in_test = sight_.InTest(body_.function);
    e.record = Index(at_.value);
    e.what = flow::SlotText(sight_.module(), body_, at_.slot);
    e.flow.push_back({e.span, "every use of `" + e.what + "` builds a graph from here on"});
    out->push_back(std::move(e));
  }

 private:
  bool IsLoadOf(ValueId value, SlotId slot) const {
    return body_[value].op == Op::kLoad && SlotId{body_[value].aux} == slot;
  }

  // Handed to a module or to autograd.grad; not a module or a parameter itself.
  bool IsTensor() const {
    const std::uint16_t says = r_.evidence.of_slot[Index(at_.slot)];
    // Modules have a requires_grad_() as well, so that alone says nothing.
    if ((says & flow::kIsCalled) != 0 || (says & facts::kIsOptimizer) != 0) return false;
    const std::string name = flow::SlotText(sight_.module(), body_, at_.slot);
    if (flow::LooksLikeModule(std::string_view(name).substr(name.rfind('.') + 1))) return false;
    for (const flow::Origin& o : r_.origins) {
      if (!o.makes_graph || o.value == flow::kNoValue || body_[o.value].op != Op::kCall) continue;
      if (Takes(body_.calls[body_[o.value].aux])) return true;
    }
    return std::ranges::any_of(body_.calls, [&](const flow::Call& call) {
      return call.fact != nullptr && (call.fact->effects & facts::kGradOfInputs) && Takes(call);
    });
  }

  bool Takes(const flow::Call& call) const {
    return std::ranges::any_of(body_.Arguments(call), [&](const flow::Argument& a) {
      if (IsLoadOf(a.value, at_.slot)) return true;
      const Op op = body_[a.value].op;
      if (op != Op::kList && op != Op::kTuple) return false;
      return std::ranges::any_of(body_.Operands(body_[a.value]),
                                 [&](ValueId v) { return IsLoadOf(v, at_.slot); });
    });
  }

  // x.requires_grad_(False), x.requires_grad = …, anywhere in the function.
  bool TurnedOff() const {
    for (std::uint32_t i = 0; i < body_.instrs.size(); ++i) {
      const flow::Instr& in = body_.instrs[i];
      if (ValueId{i} == at_.value) continue;
      if (in.op == Op::kStore) {
        const flow::Slot& s = body_.slots[in.aux];
        if (s.parent == at_.slot && sight_.module().Text(s.attribute) == "requires_grad" &&
            body_[body_.Operand(in, 0)].op != Op::kTrue)
          return true;
      }
      if (in.op != Op::kCall) continue;
      const flow::Call& call = body_.calls[in.aux];
      if (call.receiver_slot == at_.slot && call.argc > 0 &&
          sight_.module().Text(call.method) == "requires_grad_" &&
          body_[body_.Arguments(call)[0].value].op != Op::kTrue)
        return true;
    }
    return false;
  }

  // A parameter as it came, which the caller keeps a name of and does not get back.
  bool OfCaller(SlotId root, std::uint32_t index) const {
    const sema::Module& m = sight_.module();
    const sema::Function& function = m[body_.function];
    if (m[body_.slots[Index(root)].root].assignments != 0) return false;
    const flow::Role role = sight_.world().role(body_.function);
    if (role != flow::Role::kPlain && role != flow::Role::kForward) return false;
    const std::string_view name = m.Text(function.name);
    if (name == "__init__" || name.find("hook") != name.npos || function.is_static) return false;
    for (const flow::Instr& in : body_.instrs) {
      if (in.op != Op::kReturn) continue;
      for (const ValueId v : body_.Operands(in)) {
        if (IsLoadOf(v, root) || IsLoadOf(v, at_.slot)) return false;
      }
    }
    return !OnlyTemporaries(index);
  }

  // Each call in sight hands in something made for it: f(x.detach()).
  bool OnlyTemporaries(std::uint32_t index) const {
    bool called = false;
    const sema::Function& function = sight_.module()[body_.function];
    for (const FunctionResult& other : sight_.world().results()) {
      if (!other.analyzed) continue;
      for (const flow::CallEdge& edge : other.calls) {
        if (edge.callee != body_.function || other.body[edge.value].op != Op::kCall) continue;
        const flow::Call& call = other.body.calls[other.body[edge.value].aux];
        std::uint32_t position = function.class_id != sema::kNoClass && !function.is_static ? 1 : 0;
        for (const flow::Argument& a : other.body.Arguments(call)) {
          const bool keyword = a.keyword != sema::kNoName;
          const bool it = keyword ? a.keyword == function.params[index].name : position++ == index;
          if (!it) continue;
          called = true;
          if (other.body[a.value].op != Op::kCall) return false;
        }
      }
    }
    return called;
  }

  // A batch of a training loop: modules run on it, the optimizer steps, nobody asks for its .grad.
  bool UnreadBatch() const {
    const flow::Slot& slot = body_.slots[Index(at_.slot)];
    const flow::LoopId loop = sight_.LoopAround(r_, at_.value);
    if (slot.depth != 0 || !slot.is_local || loop == flow::kNoLoop || !sight_.IsStepLoop(r_, loop))
      return false;
    const std::string_view text = sight_.Text(sight_.module()[body_.function].node);
    if (text.find("autograd.grad") != text.npos || text.find("retain_grad(") != text.npos)
      return false;
    if (sight_.Mentions("checkpoint(") || !Stored(loop)) return false;
    const bool steps = std::ranges::any_of(
        r_.grad_ops, [](const flow::GradOp& op) { return op.kind == flow::GradOpKind::kStep; });
    if (!steps) return false;
    for (std::uint32_t c = slot.first_child; c != flow::kNoKey; c = body_.slots[c].next_child) {
      if (sight_.module().Text(body_.slots[c].attribute) == "grad") return false;
    }
    for (std::uint32_t i = 0; i < body_.instrs.size(); ++i) {
      const flow::Instr& in = body_.instrs[i];
      if (in.op == Op::kCall && Takes(body_.calls[in.aux]) && !RunsModule(ValueId{i})) return false;
      if (in.op == Op::kGetAttr && sight_.module().Text(sema::NameId{in.aux}) == "grad" &&
          IsLoadOf(body_.Operand(in, 0), at_.slot))
        return false;
    }
    return true;
  }

  bool Stored(flow::LoopId loop) const {
    for (std::uint32_t i = 0; i < body_.instrs.size(); ++i) {
      const flow::Instr& in = body_.instrs[i];
      if (in.op == Op::kStore && SlotId{in.aux} == at_.slot &&
          body_.Within(body_.LoopOf(ValueId{i}), loop))
        return true;
    }
    return false;
  }

  bool RunsModule(ValueId value) const {
    return std::ranges::any_of(r_.forwards, [&](const auto& f) { return f.value == value; });
  }

  const Sight& sight_;
  const Switch& at_;
  const FunctionResult& r_;
  const Body& body_;
};

}  // namespace

std::vector<InputGradientEvent> InputGradients(const Sight& sight) {
  std::vector<InputGradientEvent> events;
  if (!sight.Mentions("requires_grad")) return events;
  std::vector<Switch> switches;
  for (const CallSite& site : sight.calls().OfMethod("requires_grad_")) {
    const flow::Argument* flag = sight.ArgumentOf(site, "requires_grad", 0);
    if (flag != nullptr && !sight.IsConstant(*site.r, flag->value, Op::kTrue)) continue;
    SlotId slot = site.call->receiver_slot;
    if (slot == flow::kNoSlot) slot = StoredIn(*site.r, site.value);
    if (slot != flow::kNoSlot) switches.push_back({site.r, site.value, site.call->node, slot});
  }
  for (const char* maker : {"torch.autograd.Variable", "torch.tensor"}) {
    for (const CallSite& site : sight.calls().Of(maker)) {
      const flow::Argument* flag = sight.ArgumentOf(site, "requires_grad");
      if (flag == nullptr || !sight.IsConstant(*site.r, flag->value, Op::kTrue)) continue;
      const SlotId slot = StoredIn(*site.r, site.value);
      if (slot != flow::kNoSlot) switches.push_back({site.r, site.value, site.call->node, slot});
    }
  }
  for (const FunctionResult& r : sight.world().results()) {
    if (!r.analyzed) continue;
    for (std::uint32_t i = 0; i < r.body.instrs.size(); ++i) {
      const flow::Instr& in = r.body.instrs[i];
      if (in.op != Op::kStore || in.aux >= r.body.slots.size()) continue;
      const flow::Slot& slot = r.body.slots[in.aux];
      if (slot.depth == 0 || sight.module().Text(slot.attribute) != "requires_grad") continue;
      if (r.body[r.body.Operand(in, 0)].op != Op::kTrue) continue;
      switches.push_back({&r, ValueId{i}, in.node, slot.parent});
    }
  }
  for (const Switch& at : switches) Judge(sight, at).Run(&events);
  std::ranges::sort(events, {}, [](const auto& e) { return e.span.begin; });
  return events;
}

}  // namespace torchleak::patterns

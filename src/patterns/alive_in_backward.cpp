#include "patterns/alive_in_backward.h"

#include <algorithm>
#include <optional>

#include "flow/world.h"
#include "patterns/words.h"

namespace torchleak::patterns {
namespace {

using flow::Body;
using flow::FunctionResult;
using flow::Instr;
using flow::Op;
using flow::SlotId;
using flow::ValueId;
using sema::Index;

// By instruction, the calls and the loads that matter; made once for each function with a
// candidate.
class Uses {
 public:
  explicit Uses(const FunctionResult& r) : of_(r.body.instrs.size()), loads_(r.body.slots.size()) {
    for (std::uint32_t i = 0; i < r.body.instrs.size(); ++i) {
      const Instr& in = r.body.instrs[i];
      if (in.op == Op::kLoad) loads_[in.aux].push_back(i);
      if (in.op == Op::kStore || in.op == Op::kDelete) writes_.push_back({in.aux, i});
      if (in.op == Op::kCall) {
        const flow::Call& call = r.body.calls[in.aux];
        for (const flow::Argument& a : r.body.Arguments(call)) of_[Index(a.value)].push_back(i);
        if (call.receiver != flow::kNoValue) of_[Index(call.receiver)].push_back(i);
      } else {
        for (const ValueId v : r.body.Operands(in)) of_[Index(v)].push_back(i);
      }
    }
    std::ranges::sort(writes_);
  }
  const std::vector<std::uint32_t>& Of(std::uint32_t value) const { return of_[value]; }
  const std::vector<std::uint32_t>& LoadsOf(std::uint32_t slot) const { return loads_[slot]; }
  // The first instruction after `at` that rebinds or deletes the slot, or `last`.
  std::uint32_t EndOf(std::uint32_t slot, std::uint32_t at, std::uint32_t last) const {
    const auto next = std::ranges::upper_bound(writes_, std::pair{slot, at});
    return next != writes_.end() && next->first == slot ? next->second : last;
  }

 private:
  std::vector<std::vector<std::uint32_t>> of_, loads_;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> writes_;  // slot, instruction
};

enum class Use { kLoss, kNamedLoss, kDropsGraph, kOther };

Use UseIn(const Sight& sight, const FunctionResult& r, std::uint32_t user, std::uint32_t value) {
  const Instr& in = r.body.instrs[user];
  if (in.op == Op::kFormat || in.op == Op::kCompare) return Use::kDropsGraph;
  if (in.op != Op::kCall) return Use::kOther;
  const flow::Call& call = r.body.calls[in.aux];
  const flow::Value& result = r.values[user];
  if (call.receiver == ValueId{value} || result.Is(flow::Kind::kNumber))
    return (result.origins & r.graph_mask).none() ? Use::kDropsGraph : Use::kOther;
  const std::string_view text = sight.Text(call.node);
  const std::string_view callee = text.substr(0, text.find('('));
  std::string_view fact = call.fact == nullptr ? std::string_view{} : call.fact->name;
  if (call.callee != flow::kNoValue) {
    const flow::Value& module = r.values[Index(call.callee)];
    if (module.Is(flow::Kind::kModule) && module.ref != flow::kNoRef &&
        module.ref >= flow::kFactRef)
      fact = facts::All()[module.ref - flow::kFactRef].name;
  }
  if (fact.ends_with(".cross_entropy") || fact.ends_with(".CrossEntropyLoss") ||
      fact.ends_with(".log_softmax"))
    return Use::kLoss;
  if (!fact.empty()) return Use::kOther;
  return Has(callee, "loss") || Has(callee, "criterion") ? Use::kNamedLoss : Use::kOther;
}

// x.transpose(1, 2), x.view(-1, n): what a loss over classes wants of a sequence, and hardly
// another one.
bool BringsClassesForward(const Sight& sight, const FunctionResult& r, ValueId stored) {
  const Instr& in = r.body[stored];
  if (in.op != Op::kCall) return false;
  const std::string_view method = sight.module().Text(r.body.calls[in.aux].method);
  return method == "transpose" || method == "permute" || method == "view" || method == "reshape" ||
         method == "flatten";
}

// All uses of the name up to `end`: does none but the loss need it for backward()?
struct Judgement {
  bool to_loss = false, other = false, read_later = false;
};

Judgement Judge(const Sight& sight, const FunctionResult& r, const Uses& uses, std::uint32_t store,
                std::uint32_t backward, std::uint32_t end, bool of_classes) {
  Judgement j;
  for (const std::uint32_t load : uses.LoadsOf(r.body.instrs[store].aux)) {
    if (load <= store || load >= end) continue;
    if (load > backward) j.read_later = true;
    for (const std::uint32_t user : uses.Of(load)) {
      const Use use = UseIn(sight, r, user, load);
      if (use == Use::kLoss || (use == Use::kNamedLoss && of_classes)) j.to_loss = true;
      if ((use == Use::kOther || (use == Use::kNamedLoss && !of_classes)) && user < backward)
        j.other = true;
    }
  }
  return j;
}

std::optional<AliveInBackwardEvent> Find(const Sight& sight, const FunctionResult& r,
                                         const Uses& uses, std::uint32_t store,
                                         const flow::Backward& b) {
  const Body& body = r.body;
  const Instr& in = body.instrs[store];
  const flow::Slot& slot = body.slots[in.aux];
  const std::uint32_t at = Index(b.value);
  const auto last = static_cast<std::uint32_t>(body.instrs.size());
  const std::uint32_t end = uses.EndOf(in.aux, store, last);
  if (end < at) return std::nullopt;  // gone before the backward
  const std::string_view name = sight.module().Text(sight.module()[slot.root].name);
  const Judgement j =
      Judge(sight, r, uses, store, at, end, BringsClassesForward(sight, r, body.Operand(in, 0)));
  if (j.other || !j.to_loss) return std::nullopt;
  AliveInBackwardEvent e;
  e.function = body.function;
  e.span = sight.Span(in.node);
  e.strength = flow::Strength::kMedium;
  e.in_test = sight.InTest(body.function);
  e.record = store;
  e.name = name;
  e.backward = sight.Span(b.node);
  e.read_later = j.read_later;
  e.flow = {{e.span, "made here"}, {e.backward, "still held by its name while this runs"}};
  return e;
}

// Variables with a graph that no other code reads, and the backward() of the same loop that walks
// it.
void InFunction(const Sight& sight, const FunctionResult& r,
                std::vector<AliveInBackwardEvent>* events) {
  std::optional<Uses> uses;
  for (const flow::Backward& b : r.backwards) {
    if (!b.direct || b.through_grad) continue;
    for (std::uint32_t i = 0; i < Index(b.value); ++i) {
      const Instr& in = r.body.instrs[i];
      if (in.op != Op::kStore || !flow::IsPrivate(sight.module(), r.body.slots[in.aux])) continue;
      const flow::Value& v = r.values[Index(r.body.Operand(in, 0))];
      if (!v.Is(flow::Kind::kTensor) || v.size == flow::Size::kScalar) continue;
      if ((v.origins & b.origins & r.graph_mask).none()) continue;
      if (r.body.LoopOf(ValueId{i}) != r.body.LoopOf(b.value)) continue;
      if (!uses) uses.emplace(r);
      if (auto e = Find(sight, r, *uses, i, b)) events->push_back(std::move(*e));
    }
  }
}

}  // namespace

std::vector<AliveInBackwardEvent> AliveInBackward(const Sight& sight) {
  std::vector<AliveInBackwardEvent> events;
  for (const FunctionResult& r : sight.world().results())
    if (r.analyzed && !r.backwards.empty()) InFunction(sight, r, &events);
  std::ranges::sort(events, {}, [](const auto& e) { return e.span.begin; });
  const auto [first, last] =
      std::ranges::unique(events, {}, [](const auto& e) { return e.span.begin; });
  events.erase(first, last);
  return events;
}

}  // namespace torchleak::patterns

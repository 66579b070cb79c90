#include "patterns/trial_models.h"

#include <algorithm>
#include <utility>

#include "flow/world.h"
#include "patterns/words.h"

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
using syntax::NodeId;

namespace {

class Models {
 public:
  explicit Models(const Sight& sight) : sight_(sight) {}

  std::vector<KeptModel> Find() {
    std::vector<KeptModel> events;
    for (const FunctionResult& r : sight_.world().results())
      if (r.analyzed) ByKey(r, &events);
    for (std::string_view method : {"append", "add", "insert"}) {
      for (const CallSite& site : sight_.calls().OfMethod(method)) {
        const FunctionResult& r = *site.r;
        const LoopId loop = sight_.LoopAround(r, site.value);
        if (loop == flow::kNoLoop || site.call->argc == 0) continue;
        KeptModel e;
        if (!Keeps(r, loop, r.body.Arguments(*site.call).back().value, site.value, &e)) continue;
        if (IsEnsemble(r, site.call->receiver_slot)) continue;
        Place(sight_, site, &e);
        // `results.append(model)` where `results` is imported is a function's call, not a method's.
        const ValueId into = site.call->receiver;
        Tell(r, loop, into == flow::kNoValue ? site.value : into, &e);
        events.push_back(std::move(e));
      }
    }
    std::ranges::sort(events, {}, [](const auto& e) { return e.span.begin; });
    return events;
  }

 private:
  const Sight& sight_;
  bool wrapped_ = false;  // kept as one part of a record

  // results[config] = model
  void ByKey(const FunctionResult& r, std::vector<KeptModel>* events) {
    for (std::uint32_t i = 0; i < r.body.instrs.size(); ++i) {
      const Instr& in = r.body.instrs[i];
      if (in.op != Op::kSetItem || in.argc != 3) continue;
      const LoopId loop = sight_.LoopAround(r, ValueId{i});
      const ValueId into = r.body.Operand(in, 0), value = r.body.Operand(in, 2);
      if (loop == flow::kNoLoop || value == flow::kNoValue || r.body[into].op != Op::kLoad)
        continue;
      // models[name] = wrap(model) for those that are in there
      const NodeId over = r.body.loops[Index(loop)].iterable;
      const NodeId kept = r.body[into].node;
      if (over != syntax::kNoNode && kept != syntax::kNoNode &&
          sight_.Text(over).find(sight_.Text(kept)) != std::string_view::npos)
        continue;
      KeptModel e;
      const SlotId slot{r.body[into].aux};
      if (!Keeps(r, loop, value, ValueId{i}, &e) || IsEnsemble(r, slot)) continue;
      e.function = r.body.function;
      e.span = sight_.Span(in.node);
      e.in_test = sight_.InTest(r.body.function);
      e.record = i;
      Tell(r, loop, into, &e);
      events->push_back(std::move(e));
    }
  }

  void Tell(const FunctionResult& r, LoopId loop, ValueId into, KeptModel* e) const {
    e->strength = Strength::kMedium;
    e->where = sight_.Short(r.body[into].node);
    e->flow.push_back({e->span, "kept here, with its gradients"});
    e->flow.push_back({sight_.HeaderSpan(loop, r.body), "another one in each turn"});
  }

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
    const std::string_view name = LastName(CalledText(sight_, call));
    if (call.receiver != flow::kNoValue && is(call.receiver))
      return name == "parameters" ||
             (name == "train" && HoldsAny(NameOf(sight_, r.body, slot), {"trainer"})) ||
             name == "fit";
    const auto arguments = r.body.Arguments(call);
    const bool takes = std::ranges::any_of(arguments, [&](const auto& a) { return is(a.value); });
    return takes && (HoldsAny(name, {"train", "fit", "eval", "score", "run", "optimi", "valid"}));
  }

  // The list itself is the result: an ensemble.
  bool IsEnsemble(const FunctionResult& r, SlotId list) const {
    if (wrapped_) return false;
    const std::string_view name = NameOf(sight_, r.body, list);
    if (name.empty()) return true;
    for (const Instr& in : r.body.instrs) {
      if (in.op != Op::kReturn || in.argc == 0 || r.body.Operand(in, 0) == flow::kNoValue) continue;
      const Instr& given = r.body[r.body.Operand(in, 0)];
      if (sight_.Text(given.node) == name) return true;
      if (given.op != Op::kTuple) continue;
      for (ValueId o : r.body.Operands(given))
        if (o != flow::kNoValue && sight_.Text(r.body[o].node) == name) return true;
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

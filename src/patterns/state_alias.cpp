// From each state_dict() through shallow copies and dict displays to the variable, attribute or
// list that keeps it; then to what is done with that.
#include "patterns/state_alias.h"

#include <algorithm>
#include <set>

#include "flow/names.h"
#include "flow/world.h"
#include "patterns/state_copies.h"

namespace torchleak::patterns {

using flow::Body;
using flow::FunctionResult;
using flow::LoopId;
using flow::Op;
using flow::SlotId;
using flow::ValueId;
using sema::Index;

namespace {

class Tracker {
 public:
  Tracker(const Sight& sight, const CallSite& site)
      : sight_(sight),
        site_(site),
        r_(*site.r),
        body_(r_.body),
        module_(site.call->receiver_slot) {}

  bool Find(StateAliasEvent* e) {
    if (!OfModule()) return false;
    e->module = flow::SlotText(sight_.module(), body_, module_);
    aliases_ = StateCopies(sight_, site_, &e->shallow).Find();
    return Kept(e);
  }

 private:
  // Of a module, as far as anybody can tell.
  bool OfModule() const {
    if (module_ == flow::kNoSlot) return false;
    const flow::Value& v = r_.values[Index(site_.call->receiver)];
    if (v.Is(flow::Kind::kOptimizer) || v.Is(flow::Kind::kScheduler) || v.Is(flow::Kind::kScaler) ||
        v.Is(flow::Kind::kEngine))
      return false;
    const std::string text = flow::SlotText(sight_.module(), body_, module_);
    return !flow::LooksLikeOptimizer(text) && !flow::LooksLikeScheduler(text) && text != "self" &&
           !text.starts_with("super");
  }

  bool IsAlias(ValueId v) const { return aliases_.contains(Index(v)); }

  bool Kept(StateAliasEvent* e) {
    for (std::uint32_t i = Index(site_.value) + 1; i < body_.instrs.size(); ++i) {
      const flow::Instr& in = body_.instrs[i];
      const ValueId at{i};
      if (in.op == Op::kStore && IsAlias(body_.Operand(in, 0))) {
        const SlotId slot{in.aux};
        e->place = flow::SlotText(sight_.module(), body_, slot);
        if (ReadAfterTraining(slot, at, e)) return true;
        if (Touched(slot)) return false;
        if (LoadedBack(slot, at, e)) return true;
        if (OutlivesTraining(slot, at, e)) return true;
        if (body_.slots[in.aux].depth > 0 && LoadedElsewhere(slot, at, e)) return true;
      }
      if (in.op == Op::kSetItem && LoadedFromEntry(at, e)) return true;
      if (in.op == Op::kCall && Collected(at, body_.calls[in.aux], e)) return true;
    }
    return false;
  }

  // Something else is done with the dict than to keep it, load it or save it; or not all that is
  // stored there is a state of this module.
  bool Touched(SlotId slot) const {
    const Body& body = body_;
    std::set<std::uint32_t> loads;
    for (std::uint32_t i = 0; i < body.instrs.size(); ++i) {
      const flow::Instr& in = body.instrs[i];
      if (in.op == Op::kLoad && SlotId{in.aux} == slot) loads.insert(i);
      if (in.op == Op::kStore && SlotId{in.aux} == slot && !StoresState(body.Operand(in, 0)))
        return true;
    }
    for (std::uint32_t i = 0; i < body.instrs.size(); ++i) {
      const flow::Instr& in = body.instrs[i];
      if (in.op == Op::kCall) {
        const flow::Call& call = body.calls[in.aux];
        if (call.receiver != flow::kNoValue && loads.contains(Index(call.receiver))) return true;
        for (const flow::Argument& a : body.Arguments(call)) {
          if (loads.contains(Index(a.value)) && !Reads(call)) return true;
        }
      } else if (in.op == Op::kSetItem || in.op == Op::kDelItem || in.op == Op::kIterate ||
                 in.op == Op::kSetAttr || in.op == Op::kAugment) {
        if (in.argc > 0 && loads.contains(Index(body.Operand(in, 0)))) return true;
      }
    }
    return false;
  }

  bool StoresState(ValueId v) const {
    if (IsAlias(v)) return true;
    const Op op = body_[v].op;
    if (op == Op::kNone || op == Op::kNumber || op == Op::kDict) return true;
    if (op != Op::kCall) return false;
    const flow::Call& call = body_.calls[body_[v].aux];
    return sight_.module().Text(call.method) == "state_dict" && call.receiver_slot == module_;
  }

  bool Reads(const flow::Call& call) const {
    const std::string_view method = sight_.module().Text(call.method);
    return method == "load_state_dict" || method == "save" || method == "print" ||
           (call.fact != nullptr && call.fact->name == "torch.save");
  }

  bool IsLoad(ValueId v, SlotId slot) const {
    const flow::Instr& in = body_[v];
    if (in.op == Op::kGetItem) return IsLoadPlain(body_.Operand(in, 0), slot);
    return IsLoadPlain(v, slot);
  }
  bool IsLoadPlain(ValueId v, SlotId slot) const {
    return body_[v].op == Op::kLoad && SlotId{body_[v].aux} == slot;
  }

  // before = model.state_dict(); train(model); … before[name] …
  bool ReadAfterTraining(SlotId slot, ValueId from, StateAliasEvent* e) const {
    if (body_.slots[Index(slot)].depth != 0) return false;
    bool trained = false;
    for (std::uint32_t i = Index(from) + 1; i < body_.instrs.size(); ++i) {
      const flow::Instr& in = body_.instrs[i];
      if (in.op == Op::kStore && SlotId{in.aux} == slot) return false;  // another one now
      if (in.op == Op::kStore && SlotId{in.aux} == module_) return false;
      if (in.op == Op::kCall) trained |= SaysTraining(ValueId{i});
      if (in.op != Op::kGetItem || !IsLoadPlain(body_.Operand(in, 0), slot)) continue;
      if (!trained) return false;
      Steps(from, e);
      e->flow.push_back({sight_.Span(in.node), "holds the weights of now, not those of then"});
      return true;
    }
    return false;
  }

  // inner_train(model, task), update(model): not an evaluation, which changes nothing.
  bool SaysTraining(ValueId value) const {
    const flow::Call& call = body_.calls[body_[value].aux];
    const std::string_view text = sight_.Text(body_[value].node);
    const std::string_view name = text.substr(0, text.find('('));
    const bool says = name.find("train") != name.npos || name.find("update") != name.npos ||
                      name.find("fit") != name.npos || name.find("step") != name.npos;
    return says && name.find(".train") == name.npos && UsesModule(value, call);
  }

  // model.load_state_dict(place), after something ran or trained the model.
  bool LoadedBack(SlotId slot, ValueId from, StateAliasEvent* e) const {
    bool used = sight_.LoopAround(r_, from) != flow::kNoLoop && Trains(sight_.LoopAround(r_, from));
    for (std::uint32_t i = Index(from) + 1; i < body_.instrs.size(); ++i) {
      const flow::Instr& in = body_.instrs[i];
      if (in.op != Op::kCall) continue;
      const flow::Call& call = body_.calls[in.aux];
      const bool loads = sight_.module().Text(call.method) == "load_state_dict";
      if (!loads) {
        used |= UsesModule(ValueId{i}, call);
        continue;
      }
      if (!used || call.receiver_slot != module_ || call.argc == 0) continue;
      if (!IsLoad(body_.Arguments(call)[0].value, slot)) continue;
      e->loads_back = true;
      Steps(from, e);
      e->flow.push_back({sight_.Span(call.node), "copies the weights onto themselves"});
      return true;
    }
    return false;
  }

  bool UsesModule(ValueId value, const flow::Call& call) const {
    if (call.callee_slot == module_) return true;
    const bool steps = std::ranges::any_of(r_.grad_ops, [&](const flow::GradOp& op) {
      return op.value == value && op.kind == flow::GradOpKind::kStep;
    });
    if (steps) return true;
    if (call.fact != nullptr && (call.fact->effects & facts::kHarmless)) return false;
    return std::ranges::any_of(body_.Arguments(call), [&](const flow::Argument& a) {
      return IsLoadPlain(a.value, module_);
    });
  }

  // Does the model change in the turns of this loop?
  bool Trains(LoopId loop) const {
    bool trains = false;
    for (const flow::GradOp& op : r_.grad_ops) {
      if (op.kind == flow::GradOpKind::kMayClear || op.kind == flow::GradOpKind::kMayClearAll)
        continue;
      trains |= body_.Within(body_.LoopOf(op.value), loop);
    }
    for (std::uint32_t i = 0; i < body_.instrs.size(); ++i) {
      const flow::Instr& in = body_.instrs[i];
      if (!body_.Within(body_.LoopOf(ValueId{i}), loop)) continue;
      if (in.op == Op::kStore && SlotId{in.aux} == module_) return false;  // a new one in each turn
      if (in.op != Op::kCall) continue;
      const flow::Call& call = body_.calls[in.aux];
      const std::string_view text = sight_.Text(in.node);
      const std::string_view name = text.substr(0, text.find('('));
      const bool says = name.find("train") != name.npos || name.find("update") != name.npos ||
                        name.find("fit") != name.npos || name.find("epoch") != name.npos;
      trains |= says && UsesModule(ValueId{i}, call);
    }
    return trains;
  }

  // Kept in one turn of a training loop, read after the last one.
  bool OutlivesTraining(SlotId slot, ValueId from, StateAliasEvent* e) const {
    LoopId loop = sight_.LoopAround(r_, from);
    for (; loop != flow::kNoLoop; loop = body_.loops[Index(loop)].parent) {
      if (!Trains(loop)) continue;
      const text::Span span = sight_.Span(body_.loops[Index(loop)].node);
      for (std::uint32_t i = Index(from) + 1; i < body_.instrs.size(); ++i) {
        if (!IsLoadPlain(ValueId{i}, slot)) continue;
        const text::Span at = sight_.Span(body_.instrs[i].node);
        if (at.begin < span.end || body_.Within(body_.LoopOf(ValueId{i}), loop)) continue;
        if (SameTurn(slot, loop)) break;
        Steps(from, e);
        e->flow.push_back(
            {sight_.HeaderSpan(loop, body_), "the later turns of this loop change it"});
        e->flow.push_back({at, "holds the last weights here"});
        return true;
      }
    }
    return false;
  }

  // Read in the turn itself as well: saved at once, most likely.
  bool SameTurn(SlotId slot, LoopId loop) const {
    for (std::uint32_t i = 0; i < body_.instrs.size(); ++i) {
      if (body_.Within(body_.LoopOf(ValueId{i}), loop) && IsLoadPlain(ValueId{i}, slot))
        return true;
    }
    return false;
  }

  // self.best = model.state_dict() here, load_state_dict(self.best) in another method.
  bool LoadedElsewhere(SlotId slot, ValueId from, StateAliasEvent* e) const {
    const sema::NameId name = body_.slots[Index(slot)].attribute;
    for (const CallSite& load : sight_.calls().OfMethod("load_state_dict")) {
      if (load.r == &r_ || load.call->argc == 0) continue;
      const flow::Instr& in = load.r->body[load.r->body.Arguments(*load.call)[0].value];
      const bool it = in.op == Op::kLoad && load.r->body.slots[in.aux].attribute == name;
      const bool best = sight_.module().Text(name).find("best") != std::string_view::npos;
      if (!it || !(best || SameModule(load))) continue;
      Steps(from, e);
      e->loads_back = true;
      e->flow.push_back({sight_.Span(load.call->node), "copies the weights onto themselves"});
      return true;
    }
    return false;
  }

  // best["weights"] = model.state_dict() in a training loop, load_state_dict(best["weights"]).
  bool LoadedFromEntry(ValueId at, StateAliasEvent* e) const {
    const flow::Instr& in = body_[at];
    if (in.argc < 3 || !IsAlias(body_.Operand(in, 2))) return false;
    const flow::Instr& dict = body_[body_.Operand(in, 0)];
    const LoopId loop = sight_.LoopAround(r_, at);
    if (dict.op != Op::kLoad || body_[body_.Operand(in, 1)].op != Op::kString) return false;
    if (loop == flow::kNoLoop || !Trains(loop)) return false;
    const std::string_view key = sight_.Text(body_[body_.Operand(in, 1)].node);
    for (std::uint32_t i = Index(at) + 1; i < body_.instrs.size(); ++i) {
      if (body_.instrs[i].op != Op::kCall) continue;
      const flow::Call& call = body_.calls[body_.instrs[i].aux];
      if (call.receiver_slot != module_ || call.argc == 0) continue;
      if (sight_.module().Text(call.method) != "load_state_dict") continue;
      const flow::Instr& entry = body_[body_.Arguments(call)[0].value];
      if (entry.op != Op::kGetItem) continue;
      if (!IsLoadPlain(body_.Operand(entry, 0), SlotId{dict.aux}) ||
          sight_.Text(body_[body_.Operand(entry, 1)].node) != key)
        continue;
      e->place = flow::SlotText(sight_.module(), body_, SlotId{dict.aux});
      e->loads_back = true;
      Steps(at, e);
      e->flow.push_back({sight_.Span(call.node), "copies the weights onto themselves"});
      return true;
    }
    return false;
  }

  bool SameModule(const CallSite& load) const {
    const std::string there =
        flow::SlotText(sight_.module(), load.r->body, load.call->receiver_slot);
    return there == flow::SlotText(sight_.module(), body_, module_);
  }

  // states.append(model.state_dict()) in a training loop.
  bool Collected(ValueId at, const flow::Call& call, StateAliasEvent* e) const {
    if (sight_.module().Text(call.method) != "append" || call.argc != 1) return false;
    if (!IsAlias(body_.Arguments(call)[0].value)) return false;
    const LoopId loop = sight_.LoopAround(r_, at);
    if (loop == flow::kNoLoop || !Trains(loop) || call.receiver_slot == flow::kNoSlot) return false;
    for (std::uint32_t i = 0; i < body_.instrs.size(); ++i) {
      const flow::Instr& in = body_.instrs[i];
      if (in.op == Op::kStore && SlotId{in.aux} == call.receiver_slot &&
          body_.Within(body_.LoopOf(ValueId{i}), loop))
        return false;
    }
    e->place = flow::SlotText(sight_.module(), body_, call.receiver_slot);
    Steps(at, e);
    e->flow.push_back(
        {sight_.HeaderSpan(loop, body_), "every turn of this loop changes all of them"});
    return true;
  }

  void Steps(ValueId at, StateAliasEvent* e) const {
    e->flow.push_back({sight_.Span(site_.call->node), "these are the live weights"});
    e->flow.push_back({sight_.Span(body_[at].node), "kept here, not copied"});
  }

  const Sight& sight_;
  const CallSite& site_;
  const FunctionResult& r_;
  const Body& body_;
  SlotId module_;
  std::set<std::uint32_t> aliases_;  // instructions
};

}  // namespace

std::vector<StateAliasEvent> StateAliases(const Sight& sight) {
  std::vector<StateAliasEvent> events;
  if (!sight.Mentions("state_dict") || sight.Mentions("FullStateDict")) return events;
  for (const CallSite& site : sight.calls().OfMethod("state_dict")) {
    if (site.call->qualified) continue;
    StateAliasEvent e;
    if (!Tracker(sight, site).Find(&e)) continue;
    std::vector<flow::Step> flow = std::move(e.flow);
    Place(sight, site, &e);
    e.flow = std::move(flow);
    e.strength = flow::Strength::kMedium;
    events.push_back(std::move(e));
  }
  std::ranges::sort(events, {}, [](const auto& e) { return e.span.begin; });
  return events;
}

}  // namespace torchleak::patterns

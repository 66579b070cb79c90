// The kept expression is walked down to the parts that carry the graph: elements of a tuple or
// dict, the new summand of a sum, the loss in `loss * n`. Each becomes its number, or a copy.
#include <algorithm>
#include <array>

#include "flow/names.h"
#include "flow/world.h"
#include "repair/followed_uses.h"
#include "repair/repair.h"
#include "repair/source_edits.h"

namespace torchleak::repair {
namespace {

using flow::FunctionResult;
using flow::Instr;
using flow::KeptEvent;
using flow::Op;
using flow::Store;
using flow::ValueId;
using sema::Index;
using syntax::Field;
using syntax::kNoNode;
using syntax::NodeId;

class Keeper {
 public:
  Keeper(const flow::FileEvents& events, const KeptEvent& kept)
      : events_(events),
        module_(*events.module),
        tree_(module_.tree()),
        kept_(kept),
        r_(events.world->result(kept.function)),
        store_(r_.stores[kept.record]),
        edits_(module_) {}

  std::optional<findings::Fix> Make() {
    if (UsedHere()) return AsVariable();
    if (store_.stored == flow::kNoValue || !Parts() || parts_.empty()) return std::nullopt;
    const bool proven = Proven();
    for (const Part& part : parts_) Write(part);
    findings::Fix fix;
    fix.message = Message();
    fix.applicability = proven ? findings::Applicability::kSafe : findings::Applicability::kUnsafe;
    fix.edits = edits_.Take();
    return fix;
  }

 private:
  struct Part {
    ValueId value;
    bool number = false;
  };

  std::size_t Numbers() const {
    return static_cast<std::size_t>(
        std::count_if(parts_.begin(), parts_.end(), [](const Part& p) { return p.number; }));
  }

  std::string Message() const {
    if (Numbers() == parts_.size()) return "keep the number, not the tensor";
    if (Numbers() != 0) return "keep the numbers, and copies without graph";
    if (kept_.graph == flow::Graph::kNone) return "keep it on the host";
    return GoesToHost() ? "keep a copy on the host, without graph" : "keep it without its graph";
  }

  const flow::Value& Of(ValueId id) const { return r_.values[Index(id)]; }

  bool IsOld(ValueId id) const {  // what was there before: `total` of total + loss
    const Instr& in = r_.body[id];
    return in.op == Op::kLoad && store_.slot != flow::kNoSlot &&
           flow::SlotId{in.aux} == store_.slot;
  }

  bool HoldsOld(ValueId id) const {
    std::vector<ValueId> work{id};
    for (int steps = 0; !work.empty() && steps < 64; ++steps) {
      const ValueId at = work.back();
      work.pop_back();
      if (IsOld(at)) return true;
      const std::vector<ValueId> inner = Inner(at);
      work.insert(work.end(), inner.begin(), inner.end());
    }
    return false;
  }

  // The parts of the expression that a value is made of.
  std::vector<ValueId> Inner(ValueId id) const {
    const Instr& in = r_.body[id];
    const auto operands = r_.body.Operands(in);
    if (in.op != Op::kCall) return {operands.begin(), operands.end()};
    const flow::Call& call = r_.body.calls[in.aux];
    std::vector<ValueId> inner;
    for (const flow::Argument& a : r_.body.Arguments(call)) inner.push_back(a.value);
    if (call.receiver != flow::kNoValue && !call.qualified) inner.push_back(call.receiver);
    return inner;
  }

  bool Matters(ValueId id) const {
    if (kept_.graph == flow::Graph::kNone) return Of(id).Is(flow::Kind::kTensor);
    return (Of(id).origins & store_.what.origins).any();
  }

  // False when something with a graph has a form that no suffix mends.
  bool Parts() {
    const bool chain = store_.kind == flow::StoreKind::kChain && store_.callee == sema::kNoFunction;
    std::vector<ValueId> work{store_.stored};
    if (chain && r_.body[store_.value].op == Op::kStore) AddFirstOnes(&work);
    for (int steps = 0; !work.empty(); ++steps) {
      const ValueId at = work.back();
      work.pop_back();
      if (steps > 64) return false;
      if (IsOld(at)) continue;
      const Instr& in = r_.body[at];
      if (in.op == Op::kAugment) {  // a statement: `total += loss`
        work.push_back(r_.body.Operand(in, 1));
        continue;
      }
      // Of `x, self.y = f(z)` the expression is the tuple, not its part.
      if (in.op == Op::kUnpack || in.op == Op::kIterate || in.op == Op::kEnterWith) return false;
      const bool display =
          in.op == Op::kTuple || in.op == Op::kList || in.op == Op::kDict || in.op == Op::kSet;
      if (display || (chain && HoldsOld(at))) {
        const std::vector<ValueId> inner = Inner(at);
        work.insert(work.end(), inner.begin(), inner.end());
        continue;
      }
      if (!Matters(at)) continue;
      if (!Add(Factor(at))) return false;
    }
    return true;
  }

  // if mean is None: mean = loss
  void AddFirstOnes(std::vector<ValueId>* work) const {
    for (std::uint32_t i = 0; i < r_.body.instrs.size(); ++i) {
      const Instr& in = r_.body.instrs[i];
      if (in.op != Op::kStore || flow::SlotId{in.aux} != store_.slot) continue;
      const ValueId source = r_.body.Operand(in, 0);
      if (source != store_.stored && Matters(source) && !HoldsOld(source)) work->push_back(source);
    }
  }

  // What is not known to be a tensor may be a dict of them, which takes no suffix.
  bool Add(ValueId id) {
    const flow::Value& v = Of(id);
    if (r_.body[id].node == kNoNode) return false;
    const bool tensor = v.Is(flow::Kind::kTensor);
    if (IsContainer(id)) return false;
    if (!tensor && (!v.Is(flow::Kind::kUnknown) || store_.callee != sema::kNoFunction))
      return false;
    // A loss is one number, but nothing here may prove it.
    const std::string_view text = tree_.Text(r_.body[id].node);
    const bool loss = v.size == flow::Size::kUnknown && text.find("loss") != text.npos &&
                      text.find('(') == text.npos;
    unsure_ |= !tensor || loss;
    parts_.push_back({id, v.size == flow::Size::kScalar || loss});
    return true;
  }

  // for name, part in losses.items(): …
  bool IsContainer(ValueId id) const {
    const Instr& in = r_.body[id];
    if (in.op != Op::kLoad) return false;
    return std::any_of(r_.body.calls.begin(), r_.body.calls.end(), [&](const flow::Call& call) {
      const std::string_view method = module_.Text(call.method);
      return call.receiver_slot == flow::SlotId{in.aux} &&
             (method == "items" || method == "values" || method == "keys" || method == "append");
    });
  }

  // Of `loss * n` the loss: what it is multiplied with stays as it is.
  ValueId Factor(ValueId id) const {
    for (int depth = 0; depth < 8; ++depth) {
      const Instr& in = r_.body[id];
      if (in.op != Op::kBinary) return id;
      const ValueId a = r_.body.Operand(in, 0), b = r_.body.Operand(in, 1);
      const auto plain = [&](ValueId v) { return !Matters(v) && !Of(v).Is(flow::Kind::kTensor); };
      if (Matters(a) && plain(b)) {
        id = a;
      } else if (Matters(b) && plain(a)) {
        id = b;
      } else {
        return id;
      }
    }
    return id;
  }

  // `x` of x.cpu(): where a suffix goes that must come before it.
  NodeId Receiver(NodeId node, std::string_view method) const {
    if (tree_.kind(node) != syntax::Kind::kCall) return kNoNode;
    const NodeId function = tree_.Child(node, Field::kFunction);
    if (function == kNoNode || tree_.kind(function) != syntax::Kind::kAttribute) return kNoNode;
    const NodeId name = tree_.Child(function, Field::kAttribute);
    if (name == kNoNode || tree_.Text(name) != method) return kNoNode;
    return tree_.Child(function, Field::kObject);
  }

  // A sum stays as large as it is, and a slot holds one. A helper may want it where it was.
  bool ToHost(const Part& part) const {
    if (part.number || Receiver(r_.body[part.value].node, "cpu") != kNoNode) return false;
    if (kept_.graph == flow::Graph::kNone) return true;
    const flow::Residency at = Of(part.value).residency;
    return kept_.growth == flow::Growth::kGrows && at != flow::Residency::kHost &&
           (store_.callee == sema::kNoFunction || at == flow::Residency::kDevice);
  }
  bool GoesToHost() const {
    return std::any_of(parts_.begin(), parts_.end(), [&](const Part& p) { return ToHost(p); });
  }

  void Write(const Part& part) {
    const NodeId node = r_.body[part.value].node;
    if (part.number) {
      const NodeId bare = WithoutCopies(node);  // x.detach().cpu() -> x.item()
      if (bare == node) return edits_.Suffix(node, ".item()");
      return edits_.Replace({tree_[bare].end, tree_[node].end}, ".item()");
    }
    if (const NodeId of = Receiver(node, "cpu"); of != kNoNode)
      return edits_.Suffix(of, ".detach()");
    const std::string cut = kept_.graph == flow::Graph::kNone ? "" : ".detach()";
    edits_.Suffix(node, cut + (ToHost(part) ? ".cpu()" : ""));
  }

  NodeId WithoutCopies(NodeId node) const {
    for (int depth = 0; depth < 4; ++depth) {
      NodeId of = kNoNode;
      for (const std::string_view method : {"cpu", "clone", "detach"}) {
        if (of == kNoNode) of = Receiver(node, method);
      }
      if (of == kNoNode) return node;
      node = of;
    }
    return node;
  }

  // self.mid = f(x); return g(self.mid): what is stored is used as well, with its graph. A variable
  // does for that.
  bool UsedHere() const {
    if (kept_.growth != flow::Growth::kSlot || store_.slot == flow::kNoSlot) return false;
    return std::any_of(r_.body.instrs.begin(), r_.body.instrs.end(), [&](const Instr& in) {
      return in.op == Op::kLoad && flow::SlotId{in.aux} == store_.slot;
    });
  }

  std::optional<findings::Fix> AsVariable() {
    const flow::Slot& slot = r_.body.slots[Index(store_.slot)];
    if (slot.depth != 1 || kept_.read_elsewhere || kept_.documented) return std::nullopt;
    const std::string path = flow::SlotText(module_, r_.body, store_.slot);
    const std::string name(module_.Text(slot.attribute));
    const sema::Scope& scope = module_[module_[kept_.function].scope];
    for (const sema::Binding& b : module_.bindings()) {
      if (module_.Text(b.name) == name &&
          (b.scope == sema::ScopeId{0} || &module_[b.scope] == &scope))
        return std::nullopt;  // the name is taken
    }
    const NodeId body = module_[kept_.function].node;
    for (std::uint32_t i = syntax::Index(body); i < syntax::Index(tree_.End(body)); ++i) {
      const NodeId node{i};
      if (tree_.kind(node) == syntax::Kind::kAttribute && tree_.Text(node) == path)
        edits_.Replace(tree_.Span(node), name);
    }
    findings::Fix fix;
    fix.applicability = findings::Applicability::kUnsafe;
    fix.message = "use a variable, which is gone with the call";
    fix.edits = edits_.Take();
    return fix;
  }

  // Something else that is not plain goes into the same place: `rows.append((loss, accuracy))`.
  bool HoldsOthers() const {
    const auto plain_or_part = [&](ValueId id) {
      const flow::Value& v = Of(id);
      const Instr& in = r_.body[id];
      const bool display = in.op == Op::kTuple || in.op == Op::kList || in.op == Op::kDict;
      const bool part =
          std::any_of(parts_.begin(), parts_.end(), [&](const Part& p) { return p.value == id; });
      return part || display || flow::IsPlain(v);
    };
    for (std::uint32_t i = 0; i < r_.body.instrs.size(); ++i) {
      const Instr& in = r_.body.instrs[i];
      std::vector<ValueId> put;
      if (in.op == Op::kSetItem && BaseSlot(r_.body.Operand(in, 0)) == store_.slot) {
        put = {r_.body.Operand(in, 2)};
      } else if (in.op == Op::kCall) {
        const flow::Call& call = r_.body.calls[in.aux];
        if (call.receiver == flow::kNoValue || BaseSlot(call.receiver) != store_.slot) continue;
        for (const flow::Argument& a : r_.body.Arguments(call)) put.push_back(a.value);
      }
      while (!put.empty()) {
        const ValueId at = put.back();
        put.pop_back();
        if (at != store_.stored && !plain_or_part(at)) return true;
        const Instr& made = r_.body[at];
        if (made.op != Op::kTuple && made.op != Op::kList && made.op != Op::kDict) {
          if (at == store_.stored && !plain_or_part(at) && parts_.size() != 1) return true;
          continue;
        }
        const auto inner = r_.body.Operands(made);
        put.insert(put.end(), inner.begin(), inner.end());
      }
    }
    return false;
  }

  // `history` of history["train"][-1].
  flow::SlotId BaseSlot(ValueId id) const {
    while (r_.body[id].op == Op::kGetItem) id = r_.body.Operand(r_.body[id], 0);
    return r_.body[id].op == Op::kLoad ? flow::SlotId{r_.body[id].aux} : flow::kNoSlot;
  }

  // Was the place a tensor before, so that it stays one?
  bool StaysTensor() const {
    return std::any_of(r_.body.instrs.begin(), r_.body.instrs.end(), [&](const Instr& in) {
      if (in.op != Op::kStore || flow::SlotId{in.aux} != store_.slot) return false;
      const ValueId source = r_.body.Operand(in, 0);
      return !Matters(source) && Of(source).Is(flow::Kind::kTensor);
    });
  }

  bool Proven() {
    const bool local =
        kept_.place == flow::Place::kLocalContainer || kept_.place == flow::Place::kLocalVariable;
    if (!local && JoinedElsewhere()) {
      for (Part& part : parts_) part.number = false;
    }
    if (!local || store_.callee != sema::kNoFunction || store_.slot == flow::kNoSlot) return false;
    const bool sure = !unsure_ && !kept_.in_hook && !kept_.in_forward &&
                      kept_.strength == flow::Strength::kStrong && kept_.need == flow::Need::kNone;
    const bool chain = kept_.growth == flow::Growth::kChain;
    const std::size_t numbers = Numbers();
    if (!flow::IsPrivate(module_, r_.body.slots[Index(store_.slot)])) return false;
    if (numbers == 0 && !GoesToHost()) return sure;  // a tensor as before, without its graph
    if (chain && numbers == parts_.size() && StaysTensor()) return sure;
    if (numbers != 0 && numbers != parts_.size()) return false;
    FollowedUses uses(events_, numbers != 0 ? Less::kNumber : Less::kHost);
    uses.FollowSlot(r_, store_.slot);
    if (chain && uses.wants_tensor()) {  // the sum is a new tensor: nothing hangs on the loss's own
      for (Part& part : parts_) part.number = false;
      return sure;
    }
    if (HoldsOthers()) return false;  // which of what is read there is a number now?
    for (const auto& [at, edit] : uses.edits()) edits_.Replace(edit.location.span, edit.content);
    std::vector<ValueId> changed{store_.stored};
    for (const Part& part : parts_) changed.push_back(part.value);
    return sure && uses.all_known(r_, changed);
  }

  // torch.stack(self.losses) in whatever method: it takes tensors, no numbers.
  bool JoinedElsewhere() const {
    if (store_.attribute == sema::kNoName && store_.slot == flow::kNoSlot) return false;
    const sema::NameId name = store_.attribute != sema::kNoName
                                  ? store_.attribute
                                  : r_.body.slots[Index(store_.slot)].attribute;
    if (name == sema::kNoName) return false;
    for (const flow::FunctionResult& r : events_.world->results()) {
      for (const flow::Call& call : r.body.calls) {
        if (call.fact == nullptr || call.argc == 0) continue;
        const std::string_view fact = call.fact->name;
        if (fact != "torch.stack" && fact != "torch.cat" && fact != "torch.hstack") continue;
        const Instr& in = r.body[r.body.Arguments(call)[0].value];
        const bool read = (in.op == Op::kGetAttr && sema::NameId{in.aux} == name) ||
                          (in.op == Op::kLoad && r.body.slots[in.aux].attribute == name);
        if (read) return true;
      }
    }
    return false;
  }

  const flow::FileEvents& events_;
  const sema::Module& module_;
  const syntax::Tree& tree_;
  const KeptEvent& kept_;
  const FunctionResult& r_;
  const Store& store_;
  SourceEdits edits_;
  std::vector<Part> parts_;
  bool unsure_ = false;
};

}  // namespace

std::optional<findings::Fix> KeepLess(const flow::FileEvents& events, const KeptEvent& kept) {
  if (kept.record == flow::kNoKey || events.world == nullptr) return std::nullopt;
  return Keeper(events, kept).Make();
}

}  // namespace torchleak::repair

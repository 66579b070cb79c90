// The name that a handler binds is followed like any value: into displays, variables, attributes,
// containers and records.
#include "patterns/kept_exceptions.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "flow/world.h"
#include "patterns/handlers.h"
#include "patterns/uses.h"
#include "patterns/words.h"

namespace torchleak::patterns {

using flow::Body;
using flow::Call;
using flow::FunctionResult;
using flow::Instr;
using flow::Op;
using flow::SlotId;
using flow::Strength;
using flow::ValueId;
using sema::Index;
using syntax::Field;
using syntax::Kind;
using syntax::kNoNode;
using syntax::NodeId;

namespace {

class Kept {
 public:
  explicit Kept(const Sight& sight) : sight_(sight) {}

  std::vector<KeptException> Find() {
    for (const FunctionResult& r : sight_.world().results()) {
      if (!r.analyzed) continue;
      std::optional<Uses> uses;
      for (std::uint32_t i = 0; i < r.body.instrs.size(); ++i) {
        const NodeId clause = CaughtAt(r, ValueId{i});
        if (clause == kNoNode) continue;
        if (!uses) uses.emplace(sight_.module(), r);
        Follow(r, *uses, ValueId{i}, clause);
      }
    }
    std::ranges::sort(events_, {}, [](const auto& e) { return e.span.begin; });
    return std::move(events_);
  }

 private:
  const Sight& sight_;
  std::vector<KeptException> events_;
  std::optional<std::vector<std::string_view>> raises_;

  // The clause whose exception this value is: what `as` binds, or sys.exc_info().
  NodeId CaughtAt(const FunctionResult& r, ValueId value) const {
    const Instr& in = r.body[value];
    if (in.node == kNoNode) return kNoNode;
    const syntax::Tree& tree = sight_.module().tree();
    NodeId clause = kNoNode;
    if (in.op == Op::kUnknown) {
      clause = tree.Parent(in.node);
      if (clause != kNoNode && tree.kind(clause) == Kind::kAsPatternTarget)
        clause = tree.Parent(tree.Parent(clause));
      if (clause == kNoNode || tree.kind(clause) != Kind::kExceptClause) return kNoNode;
      if (tree.kind(in.node) == Kind::kBlock) return kNoNode;
    } else if (in.op == Op::kCall && CalledText(sight_, r.body.calls[in.aux]) == "sys.exc_info") {
      clause = sight_.HandlerAround(in.node);
    }
    if (clause == kNoNode || !MayHoldTensors(Caught(sight_, clause)) || !Computes(r, clause))
      return kNoNode;
    const std::string_view text = sight_.Text(clause);
    for (std::string_view strips :
         {"with_traceback(None)", "__traceback__ = None", "clear_frames("})
      if (text.find(strips) != text.npos) return kNoNode;
    return clause;
  }

  // Something is called in the guarded block: no mere import.
  bool Computes(const FunctionResult& r, NodeId clause) const {
    const text::Span whole = sight_.Span(sight_.module().tree().Parent(clause));
    const text::Span handler = sight_.Span(clause);
    return std::ranges::any_of(r.body.calls, [&](const Call& call) {
      const text::Span at = sight_.Span(call.node);
      return at.begin >= whole.begin && at.end <= handler.begin;
    });
  }

  // The exception wherever it goes, also inside of records made of it, and its traceback.
  std::vector<ValueId> Reach(const FunctionResult& r, const Uses& uses, ValueId caught) const {
    const bool triple = r.body[caught].op == Op::kCall;  // sys.exc_info()
    std::vector<ValueId> all = triple ? uses.Parts(caught) : uses.Same(caught);
    for (std::uint32_t i = Index(caught); !triple && i < r.body.instrs.size(); ++i) {
      if (!IsTraceback(r.body, caught, ValueId{i})) continue;
      for (ValueId more : uses.Same(ValueId{i})) all.push_back(more);
    }
    for (std::size_t i = 0; i < all.size() && all.size() < Uses::kMaxFollowed; ++i) {
      for (ValueId by : uses.Of(all[i])) {
        if (!IsRecord(r.body, by, all[i]) || std::ranges::find(all, by) != all.end()) continue;
        for (ValueId more : uses.Same(by))
          if (std::ranges::find(all, more) == all.end()) all.push_back(more);
      }
    }
    return all;
  }

  // e.__traceback__, as a path on the name that the handler binds.
  bool IsTraceback(const Body& body, ValueId caught, ValueId value) const {
    const Instr& in = body[value];
    if (in.op != Op::kLoad || body.slots[in.aux].depth != 1) return false;
    const flow::Slot& slot = body.slots[in.aux];
    const std::string_view alias = sight_.Text(body[caught].node);
    return sight_.module().Text(slot.attribute) == "__traceback__" &&
           sight_.module().Text(sight_.module()[slot.root].name) == alias;
  }

  // Failure(config, e)
  bool IsRecord(const Body& body, ValueId by, ValueId of) const {
    const Instr& in = body[by];
    if (in.op != Op::kCall) return false;
    const Call& call = body.calls[in.aux];
    const std::string_view name = LastName(CalledText(sight_, call));
    return call.receiver != of && call.callee != of && !name.empty() && name[0] >= 'A' &&
           name[0] <= 'Z';
  }

  void Follow(const FunctionResult& r, const Uses& uses, ValueId caught, NodeId clause) {
    for (ValueId at : Reach(r, uses, caught)) {
      for (ValueId by : uses.Of(at)) {
        KeptException e;
        if (!Keeps(r, at, by, &e) || Raised(e.where)) continue;
        const CallSite site{&r, by, nullptr};
        e.function = r.body.function;
        e.span = Statement(r.body[by].node);
        e.strength = Strength::kStrong;
        e.in_test = sight_.InTest(r.body.function);
        e.record = Index(site.value);
        e.what = r.body[caught].op == Op::kCall ? "sys.exc_info()"
                                                : std::string(sight_.Text(r.body[caught].node));
        e.flow.push_back({HandlerHeader(sight_, clause), "caught here"});
        e.flow.push_back({e.span, "kept in `" + e.where + "` beyond the handler"});
        const bool known = std::ranges::any_of(
            events_, [&](const auto& o) { return o.span.begin == e.span.begin; });
        if (!known) events_.push_back(std::move(e));
      }
    }
  }

  // The call or assignment that an instruction stands for.
  text::Span Statement(NodeId node) const {
    const syntax::Tree& tree = sight_.module().tree();
    const NodeId parent = tree.Parent(node);
    const bool left = parent != kNoNode && tree.kind(parent) == Kind::kAssignment;
    return sight_.Span(left ? parent : node);
  }

  // Does `by` store the exception `at` where it outlives the handler?
  bool Keeps(const FunctionResult& r, ValueId at, ValueId by, KeptException* e) const {
    const Body& body = r.body;
    const Instr& in = body[by];
    ValueId into = flow::kNoValue;
    if (in.op == Op::kStore) {
      const flow::Slot& slot = body.slots[in.aux];
      if (slot.depth > 0 && sight_.module().Text(slot.attribute) == "__cause__")
        return false;  // as `raise … from e` does
      e->where = flow::SlotText(sight_.module(), body, SlotId{in.aux});
      if (slot.depth > 0 || !slot.is_local) return body.function != sema::FunctionId{0};
      // A variable that the next turn still has, while it tries again.
      return body[at].op != Op::kUnknown && body[body.Operand(in, 0)].op == Op::kLoad &&
             sight_.LoopAround(r, by) != flow::kNoLoop;
    }
    if (in.op == Op::kSetAttr && in.argc == 2 && body.Operand(in, 1) == at) {
      e->where = sight_.Short(body[body.Operand(in, 0)].node);
      return body[body.Operand(in, 0)].op == Op::kLoad;
    }
    if (in.op == Op::kSetItem && in.argc == 3 && body.Operand(in, 2) == at)
      into = body.Operand(in, 0);
    if (in.op == Op::kCall) {
      const Call& call = body.calls[in.aux];
      constexpr std::array<std::string_view, 4> kGrowers{"append", "add", "appendleft", "insert"};
      if (call.receiver == flow::kNoValue || call.receiver == at || call.method == sema::kNoName)
        return false;
      const std::string_view method = sight_.module().Text(call.method);
      if (std::ranges::find(kGrowers, method) == kGrowers.end()) return false;
      into = call.receiver;
    }
    if (into == flow::kNoValue) return false;
    e->grows = true;
    e->where = sight_.Short(body[into].node);
    return Outlives(r, into, by);
  }

  // A container of somebody else, or one that gathers over the turns of a loop.
  bool Outlives(const FunctionResult& r, ValueId container, ValueId by) const {
    const Body& body = r.body;
    const Instr* in = &body[container];
    for (int i = 0; i < 4 && (in->op == Op::kGetItem || in->op == Op::kGetAttr); ++i)
      in = &body[body.Operand(*in, 0)];
    if (in->op != Op::kLoad) return false;
    const flow::Slot& slot = body.slots[in->aux];
    if (slot.depth > 0 || !slot.is_local) return true;
    return sight_.LoopAround(r, by) != flow::kNoLoop;
  }

  // Some `raise` of the file speaks of that place: it is parked for somebody who is waiting.
  bool Raised(std::string_view where) {
    if (!raises_) {
      raises_.emplace();
      for (const FunctionResult& r : sight_.world().results()) {
        for (const Instr& in : r.body.instrs)
          if (in.op == Op::kRaise) raises_->push_back(sight_.Text(in.node));
      }
    }
    const std::string_view name = LastName(where.substr(0, where.find('[')));
    return std::ranges::any_of(*raises_, [&](auto text) { return HoldsWord(text, name); });
  }
};

}  // namespace

std::vector<KeptException> KeptExceptions(const Sight& sight) {
  if (!sight.Mentions("except")) return {};
  return Kept(sight).Find();
}

}  // namespace torchleak::patterns

// The name that a handler binds is followed like any value: into displays, variables, attributes,
// containers. What it caught is read off the types it names; a bare RuntimeError is an
// out-of-memory error when the handler says so.
#include "patterns/handlers.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "flow/names.h"
#include "flow/world.h"
#include "patterns/uses.h"
#include "patterns/words.h"
#include "syntax/views.h"

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

// The types after `except`, without the block: "(RuntimeError, ValueError) as e"; empty when bare.
std::string_view Caught(const Sight& sight, NodeId clause) {
  const syntax::Tree& tree = sight.module().tree();
  std::uint32_t end = tree[clause].end;
  for (NodeId part : tree.Children(clause)) {
    if (tree.kind(part) == Kind::kBlock) end = tree[part].begin;
  }
  const std::string_view text = sight.Text(clause).substr(0, end - tree[clause].begin);
  return text.substr(std::min(text.find_first_not_of(" *", 6), text.size()));
}

// Any error of a computation may be caught there, with its frames.
bool MayHoldTensors(std::string_view caught) {
  if (caught.empty() || caught.front() == ':') return true;
  for (std::string_view type : {"Exception", "BaseException", "RuntimeError", "OutOfMemoryError",
                                "CudaError", "AcceleratorError"}) {
    if (HoldsWord(caught, type)) return true;
  }
  return false;
}

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
    } else if (in.op == Op::kCall && CalleeText(sight_, r.body.calls[in.aux]) == "sys.exc_info") {
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

  void Follow(const FunctionResult& r, const Uses& uses, ValueId caught, NodeId clause) {
    for (ValueId at : uses.Same(caught)) {
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
        e.flow.push_back({Header(clause), "caught here"});
        e.flow.push_back({e.span, "kept in `" + e.where + "` beyond the handler"});
        const bool known = std::ranges::any_of(
            events_, [&](const auto& o) { return o.span.begin == e.span.begin; });
        if (!known) events_.push_back(std::move(e));
      }
    }
  }

  text::Span Header(NodeId clause) const {
    text::Span span = sight_.Span(clause);
    const std::string_view text = sight_.Text(clause);
    span.end = span.begin + static_cast<std::uint32_t>(std::min(text.find(':'), text.size()));
    return span;
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
      e->where = flow::SlotText(sight_.module(), body, SlotId{in.aux});
      return slot.depth > 0 || (!slot.is_local && body.function != sema::FunctionId{0});
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

class Retries {
 public:
  explicit Retries(const Sight& sight) : sight_(sight) {}

  std::vector<RetryInHandler> Find() {
    for (const FunctionResult& r : sight_.world().results()) {
      if (!r.analyzed) continue;
      NodeId last = kNoNode;  // the handler that has its finding, or is none of interest
      for (std::uint32_t i = 0; i < r.body.instrs.size(); ++i) {
        const Instr& in = r.body.instrs[i];
        if (in.op != Op::kCall || in.node == kNoNode) continue;
        const NodeId clause = Outermost(in.node);
        if (clause == kNoNode || clause == last) continue;
        if (!OfMemory(clause)) {
          last = clause;
          continue;
        }
        if (Retry(r, ValueId{i}, clause)) last = clause;
      }
    }
    std::ranges::sort(events_, {}, [](const auto& e) { return e.span.begin; });
    return std::move(events_);
  }

 private:
  const Sight& sight_;
  std::vector<RetryInHandler> events_;

  // Of handlers within handlers the nearest that catches an out-of-memory error.
  NodeId Outermost(NodeId node) const {
    NodeId found = sight_.HandlerAround(node);
    for (NodeId outer = found; outer != kNoNode; outer = sight_.HandlerAround(outer)) {
      if (OfMemory(outer)) return outer;
    }
    return found;
  }

  bool OfMemory(NodeId clause) const {
    const std::string_view text = sight_.Text(clause);
    const std::string_view caught = Caught(sight_, clause);
    if (HoldsAny(caught, {"outofmemory"})) return true;
    if (!MayHoldTensors(caught)) return false;
    return HoldsAny(text, {"out of memory", "oom", "should_reduce_batch_size", "outofmemory"}) ||
           (HoldsWord(caught, "RuntimeError") && text.find("empty_cache(") != text.npos);
  }

  bool Retry(const FunctionResult& r, ValueId at, NodeId clause) {
    const Call& call = r.body.calls[r.body[at].aux];
    const std::string_view text = sight_.Text(clause);
    if (HoldsAny(text, {".cpu()", "\"cpu\"", "'cpu'"})) return false;  // it makes room by itself
    const flow::World::Target target = sight_.world().Resolve(r.body, call);
    RetryInHandler e;
    e.recursive = target.class_id == sema::kNoClass && target.function == r.body.function;
    const NodeId whole = sight_.module().tree().Parent(clause);
    const NodeId first = e.recursive ? kNoNode : FirstAttempt(r, call, target, whole);
    if (!e.recursive && first == kNoNode) return false;
    Place(sight_, CallSite{&r, at, &call}, &e);
    e.callee = std::string(CalleeText(sight_, call));
    if (first != kNoNode) e.flow.push_back({sight_.Span(first), "this may run out of memory"});
    text::Span header = sight_.Span(clause);
    header.end = header.begin + static_cast<std::uint32_t>(std::min(text.find(':'), text.size()));
    e.flow.push_back({header, "here its frames are alive, with all that they hold"});
    e.flow.push_back({e.span, "and are still alive while it is tried again"});
    events_.push_back(std::move(e));
    return true;
  }

  // The call of the guarded block that this one repeats.
  NodeId FirstAttempt(const FunctionResult& r, const Call& again, const flow::World::Target& target,
                      NodeId whole) const {
    const syntax::Tree& tree = sight_.module().tree();
    const NodeId block = tree.Child(whole, Field::kBody);
    if (block == kNoNode) return kNoNode;
    const text::Span span = sight_.Span(block);
    const std::string_view name = CalleeText(sight_, again);
    for (const Call& call : r.body.calls) {
      const text::Span at = sight_.Span(call.node);
      if (at.begin < span.begin || at.end > span.end) continue;
      const std::string_view tried = CalleeText(sight_, call);
      if (tried == name ? RunsModel(r, call) : Contains(target, tried, r, call)) return call.node;
    }
    return kNoNode;
  }

  // Work on the device, by what is called or by its name.
  bool RunsModel(const FunctionResult& r, const Call& call) const {
    const std::string_view callee = CalleeText(sight_, call);
    const std::string_view name = LastName(callee);
    if (call.callee != flow::kNoValue && r.values[Index(call.callee)].Is(flow::Kind::kModule))
      return true;
    const flow::World::Target target = sight_.world().Resolve(r.body, call);
    if (target.function != sema::kNoFunction && !sight_.module().IsForeign(target.function)) {
      const FunctionResult& inner = sight_.world().result(target.function);
      if (!inner.forwards.empty() || inner.summary.runs_backward) return true;
    }
    return flow::LooksLikeModule(name) ||
           HoldsAny(name, {"train", "forward", "generate", "predict", "infer", "fit", "sample",
                           "encode", "decode", "backward", "evaluate", "func", "fn", "run_", "step",
                           "process_batch", "model", "render"}) ||
           name == "run" || name == "f";
  }

  // A helper of this file that does what was tried.
  bool Contains(const flow::World::Target& target, std::string_view tried, const FunctionResult& r,
                const Call& call) const {
    if (target.function == sema::kNoFunction || target.class_id != sema::kNoClass ||
        sight_.module().IsForeign(target.function))
      return false;
    if (!RunsModel(r, call)) return false;
    const Body& body = sight_.world().result(target.function).body;
    return std::ranges::any_of(body.calls,
                               [&](const Call& c) { return CalleeText(sight_, c) == tried; });
  }
};

}  // namespace

std::vector<KeptException> KeptExceptions(const Sight& sight) {
  if (!sight.Mentions("except")) return {};
  return Kept(sight).Find();
}

std::vector<RetryInHandler> RetriesInHandlers(const Sight& sight) {
  if (!sight.Mentions("except")) return {};
  return Retries(sight).Find();
}

}  // namespace torchleak::patterns

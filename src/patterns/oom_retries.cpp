// A bare RuntimeError is an out-of-memory error when its handler says so. A call is a retry when
// the guarded block makes the same, or when both compute.
#include "patterns/oom_retries.h"

#include <algorithm>
#include <utility>

#include "flow/names.h"
#include "flow/world.h"
#include "patterns/handlers.h"
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
    return HoldsAny(text, {"out of memory", "should_reduce_batch_size", "outofmemory"}) ||
           SpeaksOfOom(text) ||
           (HoldsWord(caught, "RuntimeError") && text.find("empty_cache(") != text.npos);
  }

  // is_oom_error(e), has_oom; not `room`.
  static bool SpeaksOfOom(std::string_view text) {
    for (std::string_view word : {"oom", "OOM"}) {
      for (std::size_t at = text.find(word); at != text.npos; at = text.find(word, at + 1)) {
        const char before = at == 0 ? ' ' : text[at - 1];
        if (!((before >= 'a' && before <= 'z') || (before >= 'A' && before <= 'Z'))) return true;
      }
    }
    return false;
  }

  bool Retry(const FunctionResult& r, ValueId at, NodeId clause) {
    const Call& call = r.body.calls[r.body[at].aux];
    const std::string_view text = sight_.Text(clause);
    if (HoldsAny(text, {".cpu()", "\"cpu\"", "'cpu'"})) return false;  // it makes room by itself
    const flow::World::Target target = sight_.world().Resolve(r.body, call);
    RetryInHandler e;
    e.recursive = target.class_id == sema::kNoClass && target.function == r.body.function;
    const NodeId whole = sight_.module().tree().Parent(clause);
    const NodeId first = e.recursive ? kNoNode : FirstAttempt(r, at, target, whole);
    if (!e.recursive && first == kNoNode) return false;
    Place(sight_, CallSite{&r, at, &call}, &e);
    e.callee = std::string(CalledText(sight_, call));
    if (first != kNoNode) e.flow.push_back({sight_.Span(first), "this may run out of memory"});
    e.flow.push_back(
        {HandlerHeader(sight_, clause), "here its frames are alive, with all that they hold"});
    e.flow.push_back({e.span, "and are still alive while it is tried again"});
    events_.push_back(std::move(e));
    return true;
  }

  // The call of the guarded block that this one repeats.
  NodeId FirstAttempt(const FunctionResult& r, ValueId at, const flow::World::Target& target,
                      NodeId whole) const {
    const Call& again = r.body.calls[r.body[at].aux];
    const syntax::Tree& tree = sight_.module().tree();
    const NodeId block = tree.Child(whole, Field::kBody);
    if (block == kNoNode) return kNoNode;
    const text::Span span = sight_.Span(block);
    const std::string_view name = CalledText(sight_, again);
    const bool computes = Computes(r, at, target);
    for (const Call& call : r.body.calls) {
      const text::Span place = sight_.Span(call.node);
      if (place.begin < span.begin || place.end > span.end || !RunsModel(r, call)) continue;
      const std::string_view tried = CalledText(sight_, call);
      if (tried == name || computes || Contains(target, tried)) return call.node;
    }
    return kNoNode;
  }

  // A forward or a backward, here or in a helper of this file.
  bool Computes(const FunctionResult& r, ValueId at, const flow::World::Target& target) const {
    if (std::ranges::any_of(r.forwards, [&](const auto& f) { return f.value == at; }) ||
        std::ranges::any_of(r.backwards, [&](const auto& b) { return b.value == at; }))
      return true;
    if (target.function == sema::kNoFunction || target.class_id != sema::kNoClass ||
        sight_.module().IsForeign(target.function))
      return false;
    const FunctionResult& inner = sight_.world().result(target.function);
    return !inner.forwards.empty() || inner.summary.runs_backward;
  }

  // Work on the device, by what is called or by its name.
  bool RunsModel(const FunctionResult& r, const Call& call) const {
    const std::string_view callee = CalledText(sight_, call);
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

  // A helper of this file that makes the call that was tried.
  bool Contains(const flow::World::Target& target, std::string_view tried) const {
    if (target.function == sema::kNoFunction || target.class_id != sema::kNoClass ||
        sight_.module().IsForeign(target.function))
      return false;
    const Body& body = sight_.world().result(target.function).body;
    return std::ranges::any_of(body.calls,
                               [&](const Call& c) { return CalledText(sight_, c) == tried; });
  }
};

}  // namespace

std::vector<RetryInHandler> RetriesInHandlers(const Sight& sight) {
  if (!sight.Mentions("except")) return {};
  return Retries(sight).Find();
}

}  // namespace torchleak::patterns

// retain_graph that nobody needs, and steps on gradients that were never cleared.
#include <algorithm>

#include "flow/events_internal.h"

namespace torchleak::flow {
namespace {

// Position of each block in reverse postorder: what comes later on a path has a higher one.
std::vector<std::uint32_t> Positions(const Body& body) {
  std::vector<std::uint32_t> at(body.blocks.size(), 0);
  for (std::uint32_t i = 0; i < body.order.size(); ++i) at[Index(body.order[i])] = i;
  return at;
}

}  // namespace

void EventBuilder::Retained() {
  for (const FunctionResult& r : world_.results()) {
    if (!r.analyzed) continue;
    std::vector<std::uint32_t> at;
    for (const Backward& b : r.backwards) {
      if (!b.retain_written || b.through_grad) continue;
      if (at.empty()) at = Positions(r.body);
      const Origins graphs = b.origins & r.graph_mask;
      RetainedEvent e;
      e.function = r.body.function;
      e.in_test = InTest(r.body.function);
      e.span = Span(b.node);
      e.record = static_cast<std::uint32_t>(&b - r.backwards.data());
      e.what = Short(b.node);
      e.strength = Strength::kStrong;
      // A graph that came from outside may be walked again by whoever made it.
      bool foreign = graphs.none();
      for (std::size_t i = 0; i < r.origins.size(); ++i) {
        const Origin& o = r.origins[i];
        if (!b.origins.test(i)) continue;
        if (i == kOverflowOrigin) foreign = true;
        if (o.kind == OriginKind::kEntry) foreign = true;
        if (o.makes_graph) e.strength = std::min(e.strength, o.strength);
        // Made before the loop that the backward stands in: the next turn walks it again.
        if (o.makes_graph && o.value != kNoValue) {
          LoopId loop = r.body.LoopOf(b.value);
          if (loop != kNoLoop && !r.body.Within(r.body.LoopOf(o.value), loop)) e.used_again = true;
        }
      }
      if (foreign) {
        e.dismissal = Dismissal::kForeignGraph;
        if (out_->dismissed.wanted) out_->dismissed.retained.push_back(std::move(e));
        continue;
      }
      if (e.used_again) e.need = Need::kBackward, e.needed_at = e.span;
      for (const Backward& other : r.backwards) {
        if (other.value == b.value || (other.origins & graphs).none()) continue;
        const std::uint32_t x = r.body.block_of[Index(b.value)],
                            y = r.body.block_of[Index(other.value)];
        const bool later = x == y ? Index(other.value) > Index(b.value) : at[y] > at[x];
        if (!later) continue;
        e.used_again = true;
        e.need = Need::kBackward;
        e.needed_at = Span(other.node);
      }
      // Returned or handed on: callers may walk the graph again.
      if (r.body.LoopOf(b.value) == kNoLoop && (r.returned & graphs).any() && r.result_leaves()) {
        e.used_again = true;
        e.need = Need::kReturned;
      }
      if ((r.escaped & graphs).any()) {
        e.used_again = true;
        e.need = Need::kHandedOn;
      }
      for (const Store& s : r.stores) {
        if (s.kind != StoreKind::kSlot && (s.what.origins & graphs).any()) e.kept = true;
      }
      for (std::size_t i = 0; i < r.origins.size(); ++i) {
        if (graphs.test(i) && r.origins[i].makes_graph) {
          e.flow.push_back({Span(r.origins[i].node), "the graph is made here"});
          break;
        }
      }
      e.flow.push_back({e.span, "kept whole after this backward, and nothing walks it again"});
      if (!e.used_again) {
        out_->retained.push_back(std::move(e));
      } else if (out_->dismissed.wanted) {
        e.dismissal = Dismissal::kWalkedAgain;
        out_->dismissed.retained.push_back(std::move(e));
      }
    }
  }
}

void EventBuilder::StaleSteps() {
  const std::string_view text = module().tree().Text(module().tree().root());
  const bool clears_nowhere =
      text.find("zero_grad") == text.npos && text.find("grad = None") == text.npos &&
      text.find("grad.zero_") == text.npos && text.find("zero_gradients") == text.npos;
  for (const FunctionResult& r : world_.results()) {
    if (!r.analyzed) continue;
    for (const StaleStep& s : r.stale_steps) {
      bool report = !s.only_if_repeated;
      if (s.only_if_repeated && !r.has_callers && clears_nowhere) {
        // A step method with no caller in sight, in a file that clears nothing.
        sema::ClassId cls = module()[r.body.function].class_id;
        report = cls != sema::kNoClass && module()[cls].external_bases.empty() &&
                 module()[cls].bases.empty() && s.strength == Strength::kStrong && s.trail.empty();
      }
      // Two steps in a row without a loop are somebody's experiment.
      if (!report || (r.body.LoopOf(s.value) == kNoLoop && !s.only_if_repeated)) continue;
      StaleStepEvent e;
      e.function = r.body.function;
      e.in_test = InTest(r.body.function);
      syntax::NodeId node = r.body[s.value].node;
      e.span = Span(node);
      e.record = Index(s.value);
      e.strength = s.strength;
      e.optimizer = s.optimizer;
      const Backward* nearest = nullptr;  // the last one before the step
      for (const Backward& b : r.backwards) {
        const LoopId here = r.body.LoopOf(s.value), there = r.body.LoopOf(b.value);
        if (b.through_grad || !(r.body.Within(there, here) || r.body.Within(here, there))) continue;
        if (nearest != nullptr && Index(b.value) > Index(s.value)) continue;
        nearest = &b;
      }
      if (nearest != nullptr)
        e.flow.push_back({Span(nearest->node), "gradients are added here in every turn"});
      e.flow.push_back(
          {e.span, s.trail.empty()
                       ? "the optimizer steps, and nothing clears them before the next backward()"
                       : "this call steps the optimizer"});
      for (std::size_t i = 0; i < s.trail.size(); ++i) {
        e.flow.push_back(
            StepAt(s.trail[i], i + 1 == s.trail.size() ? "the step is here" : "handed on here"));
      }
      LoopId loop = r.body.LoopOf(s.value);
      if (loop != kNoLoop)
        e.flow.push_back(
            {HeaderSpan(r.body.loops[Index(loop)].node), "in every turn of this loop"});
      out_->stale_steps.push_back(std::move(e));
    }
  }
}

}  // namespace torchleak::flow

// Sight: questions about one place in the code, for the themes of this layer.
//
//   const Sight sight(events);
//   for (const CallSite& site : sight.calls().Of("torch.cuda.empty_cache"))
//     if (sight.HowOften(*site.r, site.value) == Often::kEachStep) …
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "patterns/call_index.h"
#include "patterns/loop_table.h"

namespace torchleak::patterns {

class Sight {
 public:
  explicit Sight(const flow::FileEvents& events);

  const sema::Module& module() const { return *events_.module; }
  const flow::World& world() const { return *events_.world; }
  const flow::FileEvents& events() const { return events_; }
  const CallIndex& calls() const;

  // Does the file hold these bytes anywhere? The cheap question before the dear ones.
  bool Mentions(std::string_view bytes) const { return source_.find(bytes) != source_.npos; }
  std::string_view Text(syntax::NodeId node) const { return module().tree().Text(node); }
  text::Span Span(syntax::NodeId node) const { return module().tree().Span(node); }
  std::string Short(syntax::NodeId node) const;  // one line, at most 48 characters
  text::Span HeaderSpan(flow::LoopId loop, const flow::Body& body) const;  // `for x in y`
  bool InTest(sema::FunctionId function) const;

  // In its own function.
  Often HowOften(const flow::FunctionResult& r, flow::ValueId at) const;
  // … and where that runs it but once, by who calls the function: `runs.caller` then says where.
  Runs HowOftenInAll(const flow::FunctionResult& r, flow::ValueId at) const;
  const Runs& HowFunctionRuns(sema::FunctionId function) const { return loops().Of(function); }
  // Innermost loop around it that is not a comprehension; kNoLoop when none is.
  flow::LoopId LoopAround(const flow::FunctionResult& r, flow::ValueId at) const;
  // In each turn a batch is taken, or a model, an optimizer or a backward() runs.
  bool IsStepLoop(const flow::FunctionResult& r, flow::LoopId loop) const {
    return loops().IsStep(r, loop);
  }
  bool IsEpochLoop(const flow::FunctionResult& r, flow::LoopId loop) const {
    return loops().IsEpoch(r, loop);
  }
  // What the loop binds, `i, x` of `for i, x in …`; kNoNode for `while`.
  syntax::NodeId TargetOf(const flow::Body& body, flow::LoopId loop) const;
  // Does the code in `within` use that variable?
  bool Refers(syntax::NodeId within, sema::BindingId variable) const;
  // Nothing that the code in `node` reads is assigned within the loop.
  bool SameInEachTurn(const flow::FunctionResult& r, syntax::NodeId node, flow::LoopId loop) const;
  // The nearest loop around it that goes over steps, itself a loop of such a loop or not.
  flow::LoopId StepLoopAround(const flow::FunctionResult& r, flow::LoopId loop) const;
  // Under a condition that may differ from turn to turn of `loop`. What no turn changes, as
  // `torch.cuda.is_available()` or `args.verbose`, is none.
  bool OnChangingCondition(const flow::FunctionResult& r, flow::ValueId at,
                           flow::LoopId loop) const {
    return loops().OnChangingCondition(r, at, loop);
  }
  // Is there any condition around it in its function, for which `counts` holds?
  bool OnCondition(const flow::FunctionResult& r, flow::ValueId at,
                   const std::function<bool(std::string_view)>& counts = {}) const;
  // The nearest `except` clause around it within its function; kNoNode when none is.
  syntax::NodeId HandlerAround(syntax::NodeId node) const;
  // The nearest ancestor of that kind within the same function; kNoNode when none is.
  syntax::NodeId Around(syntax::NodeId node, syntax::Kind kind) const;

  // Of a call: its argument by keyword or, when `position` is given, by place; nullptr when absent.
  const flow::Argument* ArgumentOf(const CallSite& site, std::string_view keyword,
                                   int position = -1) const;
  bool IsConstant(const flow::FunctionResult& r, flow::ValueId value, flow::Op constant) const {
    return r.body[value].op == constant;
  }

 private:
  const LoopTable& loops() const;

  const flow::FileEvents& events_;
  std::string_view source_;
  mutable std::shared_ptr<const CallIndex> calls_;  // made when first asked for
  mutable std::shared_ptr<const LoopTable> loops_;
};

// Fills what every event has: function, place, strength, whether it stands in a unit test.
void Place(const Sight& sight, const CallSite& site, flow::EventBase* event);

}  // namespace torchleak::patterns

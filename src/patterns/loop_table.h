// LoopTable: what each loop of a file goes over, and how often each function runs.
//
// Made once for a file, callees before callers, in time linear in its instructions; Sight asks it.
#pragma once

#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "flow/events.h"
#include "flow/result.h"
#include "flow/world.h"

namespace torchleak::patterns {

// How often a place runs, beside the training or evaluation steps of its function.
enum class Often : std::uint8_t {
  kOnce,        // in no loop
  kNowAndThen,  // in a loop, on a condition that changes from turn to turn, or in a handler
  kEachTurn,    // in a loop that is neither of those below: over layers, files, trials
  kEachEpoch,   // in a loop that holds the loop over steps
  kEachStep,    // in a loop over batches, or one that runs a model or an optimizer in each turn
};

// How often a function runs, and the call that says so: kNoFunction when a framework does.
struct Runs {
  Often often = Often::kOnce;
  sema::FunctionId caller = sema::kNoFunction;
  flow::ValueId at = flow::kNoValue;
};

class LoopTable {
 public:
  explicit LoopTable(const flow::World& world);

  bool IsStep(const flow::FunctionResult& r, flow::LoopId loop) const { return At(r, loop) == 1; }
  bool IsEpoch(const flow::FunctionResult& r, flow::LoopId loop) const { return At(r, loop) == 2; }

  // Under a condition, or behind a `continue` or `return` under one, that may differ from turn to
  // turn of `loop`; with kNoLoop, from call to call of the function.
  bool OnChangingCondition(const flow::FunctionResult& r, flow::ValueId at,
                           flow::LoopId loop) const;
  // Does `holds` of one of the conditions that decide about it within `loop`?
  bool UnderGuard(const flow::FunctionResult& r, flow::ValueId at, flow::LoopId loop,
                  const std::function<bool(std::uint32_t)>& holds) const;
  // In the function itself: callers are not asked.
  Often HowOften(const flow::FunctionResult& r, flow::ValueId at) const;
  // Callers in this file and frameworks; of callers in other files only that they call in a loop.
  const Runs& Of(sema::FunctionId function) const { return runs_[sema::Index(function)]; }
  // The loop around it that is no comprehension.
  static flow::LoopId LoopAround(const flow::Body& body, flow::ValueId at);

 private:
  // What conditions need to know of one function, made when first asked for.
  struct Conditions {
    std::vector<std::pair<std::uint32_t, std::uint32_t>> by_begin;  // of its code; instruction
    std::vector<std::pair<std::uint32_t, flow::LoopId>> stores;     // slot, loop; sorted
    std::vector<std::uint32_t> returns;                             // those under a condition
    std::vector<std::uint32_t> entered_under;                       // by loop: guard at its entry
  };

  std::uint8_t At(const flow::FunctionResult& r, flow::LoopId loop) const {
    return kinds_[sema::Index(r.body.function)][sema::Index(loop)];
  }
  void Classify(const flow::FunctionResult& r);
  void NoteCallees(const flow::FunctionResult& r, std::vector<std::uint8_t>* runs,
                   std::vector<std::uint8_t>* holds) const;
  void Spread();
  bool OverElements(const flow::FunctionResult& r, const flow::Forward& forward) const;
  bool IsChoice(sema::BindingId binding) const;
  bool Changes(const flow::FunctionResult& r, syntax::NodeId condition, flow::LoopId loop) const;
  bool GuardChanges(const flow::FunctionResult& r, std::uint32_t guard, flow::LoopId loop) const;
  bool PassedBy(const flow::FunctionResult& r, flow::ValueId at, flow::LoopId loop) const;
  bool InHandler(syntax::NodeId node) const;
  const Conditions& ConditionsOf(const flow::FunctionResult& r) const;

  const flow::World& world_;
  std::vector<std::vector<std::uint8_t>> kinds_;  // by function and loop: 1 steps, 2 epochs
  std::vector<bool> holds_steps_;                 // by function
  std::vector<Runs> runs_;                        // by function
  mutable std::vector<Conditions> conditions_;    // by function
};

}  // namespace torchleak::patterns

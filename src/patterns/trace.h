// Trace: where the values of a function come from, by the names they went through.
//
//   const Trace trace(sight);
//   const flow::ValueId made = trace.Made(r, argument->value);   // the call behind `loader`
//   if (trace.SameEachTurn(r, value, loop, nullptr)) …            // the loop does not change it
//
// Answers are "as far as one can see": a name that is assigned twice leads nowhere.
#pragma once

#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "patterns/sight.h"

namespace torchleak::patterns {

class Trace {
 public:
  explicit Trace(const Sight& sight) : sight_(sight) {}

  // All assignments of a slot in the function, in order; not those that bind a parameter.
  std::span<const flow::ValueId> StoresTo(const flow::FunctionResult& r, flow::SlotId slot) const;
  // What the value was made as, through variables that are assigned once and `with … as`.
  flow::ValueId Made(const flow::FunctionResult& r, flow::ValueId value) const;
  // The call that made it, when a call did; nullptr otherwise.
  const flow::Call* CallBehind(const flow::FunctionResult& r, flow::ValueId value) const;
  // The number or string that is written for it: here, at module level, or as the default of a
  // parameter. Empty when none is.
  std::string_view Literal(const flow::FunctionResult& r, flow::ValueId value) const;
  // May `from` be `target`, or what a call or container made of it? Through all assignments.
  bool Reaches(const flow::FunctionResult& r, flow::ValueId from, flow::ValueId target) const;

  // What an answer of SameEachTurn rests on, for callers to judge.
  struct Roots {
    std::vector<sema::BindingId> bindings;  // parameters and variables of other functions
    std::vector<sema::NameId> attributes;   // of these, as `data` in `self.data`
    bool by_choice = false;                 // `a if c else b`: the condition counts, too
  };
  // Is the value the same in each turn of the loop (kNoLoop: in each run of the function, given
  // `roots`)? What a call gives is another one, unless it is a number or a sampler.
  bool SameEachTurn(const flow::FunctionResult& r, flow::ValueId value, flow::LoopId loop,
                    Roots* roots) const;
  // Nothing assigns that variable, or an attribute of it, within the loop.
  bool Untouched(const flow::FunctionResult& r, sema::BindingId binding, flow::LoopId loop) const;

  // Some function besides __init__ assigns an attribute of this name.
  bool AssignedLater(sema::NameId attribute) const;

  // A value of some function.
  struct Place {
    const flow::FunctionResult* r = nullptr;
    flow::ValueId value = flow::kNoValue;
  };
  // What a variable that the function itself does not assign may be: what callers give for a
  // parameter, what an enclosing function assigns once, what is assigned to an attribute once.
  std::vector<Place> Beyond(const Place& place) const;
  // What is assigned to attributes of this name, anywhere in the file.
  std::span<const Place> StoresOfAttribute(sema::NameId name) const;

  // Calls of a function of this file.
  struct Caller {
    const flow::FunctionResult* r = nullptr;
    flow::ValueId call = flow::kNoValue;
  };
  std::span<const Caller> CallersOf(sema::FunctionId function) const;
  // What a call hands to a parameter; kNoValue when nothing, or nobody can tell.
  flow::ValueId Given(const Caller& caller, sema::FunctionId callee, std::uint32_t param) const;

 private:
  using Stores = std::vector<std::vector<flow::ValueId>>;  // by slot
  const Stores& StoresOf(const flow::FunctionResult& r) const;
  bool SameLoad(const flow::FunctionResult& r, flow::ValueId at, flow::LoopId loop, Roots* roots,
                std::vector<flow::ValueId>* work) const;
  bool SameCall(const flow::FunctionResult& r, const flow::Instr& in,
                std::vector<flow::ValueId>* work) const;

  const Sight& sight_;
  mutable std::unordered_map<const flow::FunctionResult*, Stores> stores_;
  mutable std::vector<std::vector<Caller>> callers_;    // by function, made when first asked for
  mutable std::vector<std::vector<Place>> attributes_;  // by name, likewise
  mutable std::vector<bool> assigned_later_;            // by name, likewise
};

}  // namespace torchleak::patterns

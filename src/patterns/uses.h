// Uses: where the values of one function go. Made once for a function, in one pass over its body.
//
//   const Uses uses(r);
//   for (ValueId part : uses.Parts(load))        // checkpoint, checkpoint["model"], v of its items
//     for (ValueId by : uses.Of(part)) …         // who takes it as operand, receiver or argument
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "flow/result.h"

namespace torchleak::patterns {

class Uses {
 public:
  explicit Uses(const sema::Module& module, const flow::FunctionResult& r);

  // Instructions that have the value as operand; of a call: as callee, receiver or argument.
  std::span<const flow::ValueId> Of(flow::ValueId value) const;
  // Reads of the variable or path that a kStore writes, up to the next write that surely hides it.
  std::vector<flow::ValueId> ReadsAfter(flow::ValueId store) const;
  // The value itself wherever it goes in this function: through variables, displays that hold it
  // and conditional expressions. In ascending order; kMaxFollowed at most.
  std::vector<flow::ValueId> Same(flow::ValueId value) const { return Follow(value, false); }
  // … and what is taken out of it: subscripts, attributes, elements, `get` and `items`, copies of
  // these, and the comprehensions and dicts that are filled with them.
  std::vector<flow::ValueId> Parts(flow::ValueId value) const { return Follow(value, true); }
  static constexpr std::size_t kMaxFollowed = 400;

 private:
  std::vector<flow::ValueId> Follow(flow::ValueId value, bool parts) const;
  bool IsHidden(flow::ValueId store, flow::ValueId next) const;
  // What `by` makes of an operand: the values that are or hold the followed one.
  void Through(flow::ValueId by, flow::ValueId value, bool parts,
               std::vector<flow::ValueId>* out) const;

  const sema::Module& module_;
  const flow::FunctionResult& r_;
  std::vector<std::uint32_t> first_;  // by value, into users_
  std::vector<flow::ValueId> users_;
  std::vector<std::pair<std::uint32_t, flow::ValueId>> loads_, stores_;  // by slot, then place
};

}  // namespace torchleak::patterns

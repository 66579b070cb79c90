// Which argument of a call stands for a parameter of its callee.
#pragma once

#include <cstdint>
#include <vector>

#include "flow/ir.h"
#include "flow/value.h"
#include "sema/module.h"

namespace torchleak::flow {

// Asked of a call's arguments in their order; `position` counts the positional ones and starts at
// the first parameter that the call itself fills: 1 where the callee is bound, else 0.
inline bool StandsFor(const Argument& argument, const std::vector<sema::Param>& params,
                      std::uint32_t index, std::uint32_t* position) {
  if (argument.keyword == sema::kNoName) return (*position)++ == index;
  return index < params.size() && params[index].name == argument.keyword;
}

// Of a loss or metric, which usually is one number: with reduction="none" or average=None it is one
// for each element or class; unknown when that is decided elsewhere.
Size SizeOfLoss(const sema::Module& module, const Body& body, const Call& call);

// The call stands in a loop over a loader, and is handed a variable or a part of one.
bool FedByLoader(const sema::Module& module, const Body& body, ValueId call);

// Of deque(…): maxlen is given, and is no None that stands there.
inline bool HasMaxLength(const sema::Module& module, const Body& body, const Call& call) {
  std::uint32_t position = 0;
  for (const Argument& a : body.Arguments(call)) {
    const bool named = a.keyword != sema::kNoName && module.Text(a.keyword) == "maxlen";
    const bool placed = a.keyword == sema::kNoName && position++ == 1;
    if (named || placed) return body[a.value].op != Op::kNone;
  }
  return false;
}

}  // namespace torchleak::flow

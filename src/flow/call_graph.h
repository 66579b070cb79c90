// CallGraph: who calls whom, and what callers know that their callees do not: is grad off around
// every call, does anyone differentiate the result, is it run in a loop.
//
// One file's graph has a node for each function id of its module: its own functions first, then
// those of other files, by declaration. JoinedCalls (joined_calls.h) puts the graphs of all files
// together.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "flow/result.h"

namespace torchleak::flow {

class World;

struct CallNode : CallerFacts {
  GradMode decorated = GradMode::kInherit;
  bool is_forward = false, is_init = false;
  bool in_class = false, in_module_class = false;
};

struct CallArc {
  std::uint32_t caller = 0, callee = 0;
  std::uint32_t row = 0;               // of the call, from 1
  GradMode mode = GradMode::kInherit;  // at the call
  bool in_loop = false;
  bool same_class = false;
  bool evaluates = false;
  // What becomes of the result, where it is followed.
  bool tracked = false, differentiated = false, escapes = false, kept = false, returned = false;
};

struct CallGraph {
  std::vector<CallNode> nodes;
  std::vector<CallArc> arcs;
};

// Of an analysed file; rows are filled in when its source is there.
CallGraph CallsOf(const World& world, const text::Source* source = nullptr);

// Fills the CallerFacts of all nodes. `order` has callers before callees, as far as there is such
// an order; chains of helpers settle within the rounds, recursion settles or stays unknown.
void Propagate(CallGraph* graph, std::span<const std::uint32_t> order);

}  // namespace torchleak::flow

// CallGraph: who calls whom, and what callers know that their callees do not: is grad off around
// every call, does anyone differentiate the result, is it run in a loop.
//
// One file's graph has a node for each function id of its module: its own functions first, then
// those of other files, by declaration. JoinedCalls (joined_calls.h) puts the graphs of all files
// together.
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "flow/result.h"

namespace torchleak::flow {

class World;

struct CallNode : CallerFacts {
  GradMode decorated = GradMode::kInherit;
  bool is_forward = false, is_init = false;
  bool in_class = false, in_module_class = false;
  bool trained_by_framework = false;  // which calls it with grad on, and differentiates its result
  bool operator==(const CallNode&) const = default;
};

struct CallArc {
  std::uint32_t caller = 0, callee = 0;
  std::uint32_t row = 0;               // of the call, from 1
  GradMode mode = GradMode::kInherit;  // at the call
  bool in_loop = false;
  bool same_class = false;
  bool of_method = false;  // the caller is one
  bool evaluates = false;
  // What becomes of the result, where it is followed.
  bool tracked = false, differentiated = false, escapes = false, kept = false, returned = false;
  bool operator==(const CallArc&) const = default;
};

// x.infer(y) on a receiver that nobody knows: it may be any method of that name.
struct LooseCall {
  std::uint64_t method = 0;    // hash of its name
  std::uint64_t of_class = 0;  // of it and the receiver's: `waveglow` may be a WaveGlow
  std::uint32_t caller = 0;
  GradMode mode = GradMode::kInherit;
  bool operator==(const LooseCall&) const = default;
};

struct CallGraph {
  std::vector<CallNode> nodes;
  std::vector<CallArc> arcs;
  std::vector<LooseCall> loose;
  bool operator==(const CallGraph&) const = default;
};

// By method name: are all loose calls of it made with grad off?
using LooseModes = std::unordered_map<std::uint64_t, bool>;
void AddLoose(std::span<const LooseCall> calls, std::span<const CallNode> callers, LooseModes* out);
// Methods that are called by name only, and always with grad off, run with grad off.
void TakeLoose(const World& world, const LooseModes& modes, std::vector<CallerFacts>* facts);

// Of an analysed file; rows are filled in when its source is there.
CallGraph CallsOf(const World& world, const text::Source* source = nullptr);

// Fills the CallerFacts of all nodes. `order` has callers before callees, as far as there is such
// an order; chains of helpers settle within the rounds, recursion settles or stays unknown.
void Propagate(CallGraph* graph, std::span<const std::uint32_t> order);

}  // namespace torchleak::flow

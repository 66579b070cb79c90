// StateCopies: the values that still are, or hold, the tensors of a state_dict().
//
//   state, state.copy(), dict(state), {"model": state}, {k: v for k, v in state.items()}
#pragma once

#include <set>

#include "patterns/sight.h"

namespace torchleak::patterns {

class StateCopies {
 public:
  // `shallow` becomes true when some copy is a new dict of the same tensors.
  StateCopies(const Sight& sight, const CallSite& site, bool* shallow)
      : sight_(sight), site_(site), body_(site.r->body), shallow_(shallow) {}
  std::set<std::uint32_t> Find();  // instructions

 private:
  void FollowItems(flow::ValueId at, const flow::Instr& in);
  bool InComprehension(flow::ValueId at) const;

  const Sight& sight_;
  const CallSite& site_;
  const flow::Body& body_;
  bool* shallow_;
  std::set<std::uint32_t> aliases_;         // instructions
  std::set<std::uint32_t> loop_variables_;  // slots that comprehensions bind to parts of it
};

}  // namespace torchleak::patterns

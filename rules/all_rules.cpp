// Every rule, by hand and in the order of the codes: self-registration is dropped by linkers.
#include "rules/all_rules.h"

#include <array>

namespace torchleak::engine {

std::span<const Rule* const> AllRules() {
  static const std::array kRules{
      &rules::SyntaxError(),         // syntax-error
      &rules::UnusedSuppression(),   // unused-suppression
      &rules::InvalidSuppression(),  // invalid-suppression
      &rules::AccumulatedTensor(),   // accumulated-tensor
      &rules::GpuAccumulation(),     // gpu-accumulation
      &rules::TensorOnModule(),      // tensor-on-module
      &rules::HookNotRemoved(),      // hook-not-removed
      &rules::HookKeepsOutput(),     // hook-keeps-output
      &rules::RetainedGraph(),       // retained-graph
      &rules::MissingZeroGrad(),     // missing-zero-grad
      &rules::EvalWithGrad(),        // eval-with-grad
  };
  return kRules;
}

}  // namespace torchleak::engine

#include "patterns/trains.h"

#include <algorithm>

namespace torchleak::patterns {

bool Trains(const flow::World& world) {
  return std::ranges::any_of(world.results(), [](const flow::FunctionResult& r) {
    return !r.backwards.empty() || std::ranges::any_of(r.grad_ops, [](const flow::GradOp& op) {
      return op.kind == flow::GradOpKind::kStep;
    });
  });
}

}  // namespace torchleak::patterns

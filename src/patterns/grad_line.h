// GradLine: what one function does to gradients, in the order of the code.
//
//   d_opt.zero_grad()      kClear     of "d_opt"
//   d_loss.backward()      kBackward
//   gen.zero_grad()        kClear     of "gen", a module
//   d_opt.step()           kStep      of "d_opt"
//   self.update()          kCallee    its summary says the rest
#pragma once

#include <string>
#include <vector>

#include "patterns/sight.h"

namespace torchleak::patterns {

struct GradAct {
  flow::GradOpKind kind = flow::GradOpKind::kBackward;
  flow::ValueId value = flow::kNoValue;
  std::uint32_t key = flow::kNoKey;  // as flow::GradOp::key
  std::string of;                    // source text of the optimizer or module; empty: unknown
  bool of_module = false;            // model.zero_grad(), which clears that module's parameters
  bool keeps_tensors = false;        // zero_grad(set_to_none=False), p.grad.zero_()
  const flow::Summary* callee = nullptr;

  bool Clears() const {
    return kind == flow::GradOpKind::kClear || kind == flow::GradOpKind::kClearAll || MayClear();
  }
  bool MayClear() const {
    return kind == flow::GradOpKind::kMayClear || kind == flow::GradOpKind::kMayClearAll;
  }
};

std::vector<GradAct> GradLine(const Sight& sight, const flow::FunctionResult& r);

}  // namespace torchleak::patterns

// CtxAttribute: a tensor that the forward of a torch.autograd.Function puts on `ctx` as an
// attribute.
//
// What is saved with save_for_backward() is released when backward() has run, and never makes a
// cycle; an attribute is a plain reference. An output on `ctx` refers to its grad_fn, which is
// `ctx`.
#pragma once

#include <string>
#include <vector>

#include "patterns/sight.h"

namespace torchleak::patterns {

struct CtxAttributeEvent : flow::EventBase {
  std::string where, what;  // source text: "ctx.y", "x.exp()"
  bool output = false;      // what forward returns, and differentiably
};

// Only what is surely a tensor: backward() returns a gradient for it, torch made it, or a tensor's
// method did. A size, a flag or a graph of another library may stand on `ctx`.
std::vector<CtxAttributeEvent> CtxAttributes(const Sight& sight);

}  // namespace torchleak::patterns

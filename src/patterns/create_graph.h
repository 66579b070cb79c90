// CreateGraph: `create_graph=True` where it ties up memory or work for nothing.
#pragma once

#include <string>
#include <vector>

#include "patterns/sight.h"

namespace torchleak::patterns {

// loss.backward(create_graph=True): each `.grad` gets a graph that refers to its parameter, a cycle
// that lives until `.grad` is set to None.
struct CreateGraphEvent : flow::EventBase {
  bool reset = false;     // to None, by this function or those that call it
  bool zeroed = false;    // only with zeros: zero_grad(set_to_none=False)
  bool stepped = false;   // an optimizer steps on it here
  bool repeated = false;  // in a loop here
};
std::vector<CreateGraphEvent> CreateGraphBackwards(const Sight& sight);

// autograd.grad(…, create_graph=True), which only a second derivative needs, in code that runs for
// evaluation.
struct InferenceGraphEvent : flow::EventBase {
  bool in_forward = false;  // of a module that this file runs for evaluation as well
};
std::vector<InferenceGraphEvent> InferenceGraphs(const Sight& sight);

}  // namespace torchleak::patterns

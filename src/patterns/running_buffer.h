// RunningBuffer: a module's statistic that forward renews from its own old value and the batch, as
// hand-written normalisation layers do.
//
//   self.running_mean = 0.9 * self.running_mean + 0.1 * x.mean(0)
//
// Each value refers to the one before, and through it to the graph of every earlier batch.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "patterns/sight.h"

namespace torchleak::patterns {

struct RunningBufferEvent : flow::EventBase {
  std::string where;        // "self.running_mean"
  bool registered = false;  // register_buffer() made it, not an assignment of torch.zeros(…)
};

// The buffers of a file's modules: registered ones, and tensors that __init__ makes under the name
// of a statistic. One pass over the file when it is made.
class RunningBuffers {
 public:
  explicit RunningBuffers(const Sight& sight);
  std::vector<RunningBufferEvent> Updates() const;
  bool Has(const flow::KeptEvent& event) const;

 private:
  bool IsBuffer(const flow::FunctionResult& r, const flow::Store& store, bool* registered) const;
  bool CutAfter(const flow::FunctionResult& r, const flow::Store& store) const;

  const Sight& sight_;
  std::set<std::pair<std::uint32_t, std::string_view>> registered_, made_;  // class, attribute
};

// Is it one of them that this event speaks of? Then accumulated-tensor and tensor-on-module leave
// it to buffer-update-with-grad. The file is looked through only for a chain on a module's
// attribute.
inline bool IsRunningBuffer(const flow::FileEvents& events, const flow::KeptEvent& event) {
  if (event.growth != flow::Growth::kChain || !event.module_attribute) return false;
  const Sight sight(events);
  return RunningBuffers(sight).Has(event);
}

}  // namespace torchleak::patterns

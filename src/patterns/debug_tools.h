// What helps to find a mistake and costs much until it is turned off again: anomaly detection,
// profilers, snapshots of the allocator.
#pragma once

#include <vector>

#include "patterns/sight.h"

namespace torchleak::patterns {

struct AnomalyEvent : flow::EventBase {
  bool is_block = false;  // `with detect_anomaly():`, not for the rest of the run
};

// Anomaly detection that is on whatever anybody chose: no condition around it, no variable as its
// mode, never turned off in this file, not in a handler nor in code that hunts for such a mistake.
std::vector<AnomalyEvent> AnomalyDetection(const Sight& sight);

struct ProfilerEvent : flow::EventBase {
  enum class What : std::uint8_t {
    kWholeLoop,  // it records all steps of a loop, of which nobody knows the end
    kEachStep,   // it is started anew in each step
    kSnapshot,   // a snapshot or a trace is written in each step
  } what = What::kWholeLoop;
};

// Not under a condition, with a schedule, with `enabled=` given, nor in functions for profiling.
std::vector<ProfilerEvent> Profilers(const Sight& sight);

}  // namespace torchleak::patterns

// LoggedEntry: a dictionary for the log, returned beside a loss or with it, of which an entry still
// carries the loss's graph.
//
//   stats = {"acc": acc.item(), "kl": kl.detach(), "ratio": ratio}     # `ratio` was forgotten
//   return loss, stats
//
// Whoever collects such dictionaries until the next line of the log, or until the epoch ends, keeps
// a graph for each step.
#pragma once

#include <string>
#include <vector>

#include "patterns/sight.h"

namespace torchleak::patterns {

enum class Collected : std::uint8_t {
  kAtEpochEnd,    // training_step returns it, and training_epoch_end gets all of them
  kByFramework,   // a criterion's logging_output
  kOthersAreCut,  // its other entries are detached, for whoever keeps them
};

struct LoggedEntryEvent : flow::EventBase {
  std::string what;  // "ratio"
  Collected how = Collected::kOthersAreCut;
};

// One for each dictionary, at its first such entry.
std::vector<LoggedEntryEvent> LoggedEntries(const Sight& sight);

}  // namespace torchleak::patterns

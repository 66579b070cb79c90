// Progress: how far a run is, for whoever wants to show it. Three atomics that the loops of a run
// write and a thread of the command line reads now and then; what is read may be a moment old, and
// nothing depends on it.
//
//   Progress progress;                        // owned by who shows it, outlives the run
//   CheckOptions options{…, .progress = &progress};
//   … on another thread: progress.done() of progress.total()
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace torchleak::driver {

class Progress {
 public:
  enum class Phase : std::uint8_t { kFinding, kReading, kAnalyzing, kJoining };

  void Begin(Phase phase, std::size_t total) {
    done_.store(0, std::memory_order_relaxed);
    total_.store(total, std::memory_order_relaxed);
    phase_.store(phase, std::memory_order_relaxed);
  }
  void Step() { done_.fetch_add(1, std::memory_order_relaxed); }

  Phase phase() const { return phase_.load(std::memory_order_relaxed); }
  std::size_t done() const { return done_.load(std::memory_order_relaxed); }
  std::size_t total() const { return total_.load(std::memory_order_relaxed); }

 private:
  std::atomic<Phase> phase_{Phase::kFinding};
  std::atomic<std::size_t> done_{0}, total_{0};
};

// Runs that nobody watches have none.
inline void Begin(Progress* progress, Progress::Phase phase, std::size_t total) {
  if (progress != nullptr) progress->Begin(phase, total);
}
inline void Step(Progress* progress) {
  if (progress != nullptr) progress->Step();
}

}  // namespace torchleak::driver

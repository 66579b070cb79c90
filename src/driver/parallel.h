// ParallelFor: runs `work(i)` for every i below `count` on up to `jobs` threads.
//
// One atomic index hands out the items in order, so the caller decides what starts first (the
// driver: the biggest file, or the last thread would sit on it alone). The calling thread works
// too; when the system refuses a thread, those that there are do the work. `work` must not throw.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <system_error>
#include <thread>
#include <vector>

namespace torchleak::driver {

// 0 means one for each processor that this process may use.
inline unsigned EffectiveJobs(unsigned jobs) {
  constexpr unsigned kMost = 256;
  if (jobs == 0) jobs = std::max(1u, std::thread::hardware_concurrency());
  return std::min(jobs, kMost);
}

template <typename Work>
void ParallelFor(std::size_t count, unsigned jobs, const Work& work) {
  std::atomic<std::size_t> next{0};
  auto run = [&] {
    for (std::size_t i = next++; i < count; i = next++) work(i);
  };
  std::vector<std::jthread> threads;
  std::size_t wanted = std::min<std::size_t>(EffectiveJobs(jobs), count);
  try {
    while (threads.size() + 1 < wanted) threads.emplace_back(run);
  } catch (const std::system_error&) {
    // No more threads to be had: go on with these.
  }
  run();
}

}  // namespace torchleak::driver

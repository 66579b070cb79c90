// ParallelFor: runs `work(i)` for every i below `count` on up to `jobs` threads.
//
// One atomic index hands out the items in order, so the caller decides what starts first (the
// driver: the biggest file, or the last thread would sit on it alone). The calling thread works
// too; when the system refuses a thread, those that there are do the work. `work` must not throw.
#pragma once

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <queue>
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

// Joined at the end of their scope. Not std::jthread: macOS's C++ library came to it late.
struct JoinedThreads {
  std::vector<std::thread> threads;
  JoinedThreads() = default;
  JoinedThreads(const JoinedThreads&) = delete;
  JoinedThreads& operator=(const JoinedThreads&) = delete;
  ~JoinedThreads() {
    for (std::thread& thread : threads) thread.join();
  }
};

template <typename Work>
void ParallelFor(std::size_t count, unsigned jobs, const Work& work) {
  std::atomic<std::size_t> next{0};
  auto run = [&] {
    for (std::size_t i = next++; i < count; i = next++) work(i);
  };
  JoinedThreads joined;
  std::size_t wanted = std::min<std::size_t>(EffectiveJobs(jobs), count);
  try {
    while (joined.threads.size() + 1 < wanted) joined.threads.emplace_back(run);
  } catch (const std::system_error&) {
    // No more threads to be had: go on with these.
  }
  run();
}

// The same where item i must not start before all of `needs(i)`, which are smaller than i, are
// done. Whatever an item leaves behind is visible to those that need it.
template <typename Needs, typename Work>
void ParallelInOrder(std::size_t count, unsigned jobs, const Needs& needs, const Work& work) {
  std::vector<std::size_t> open(count);
  std::vector<std::vector<std::size_t>> waiting(count);
  std::priority_queue<std::size_t, std::vector<std::size_t>, std::greater<>> ready;
  for (std::size_t i = 0; i < count; ++i) {
    for (const std::uint32_t need : needs(i)) waiting[need].push_back(i);
    open[i] = needs(i).size();
    if (open[i] == 0) ready.push(i);
  }
  std::mutex mutex;
  std::condition_variable changed;
  std::size_t done = 0;
  ParallelFor(std::min<std::size_t>(EffectiveJobs(jobs), count), jobs, [&](std::size_t) {
    std::unique_lock lock(mutex);
    while (done < count) {
      if (ready.empty()) {
        changed.wait(lock);
        continue;
      }
      const std::size_t i = ready.top();
      ready.pop();
      lock.unlock();
      work(i);
      lock.lock();
      ++done;
      for (const std::size_t next : waiting[i]) {
        if (--open[next] == 0) ready.push(next);
      }
      changed.notify_all();
    }
  });
}

}  // namespace torchleak::driver

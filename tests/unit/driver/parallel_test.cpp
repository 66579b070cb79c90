#include "driver/parallel.h"

#include <doctest/doctest.h>

#include <atomic>
#include <cstdint>
#include <span>
#include <vector>

namespace torchleak::driver {
namespace {

using Needs = std::vector<std::vector<std::uint32_t>>;

// Runs all items, and counts those that started before one of their needs was done.
struct Result {
  std::size_t runs = 0, too_early = 0;
};
Result RunInOrder(const Needs& needs, unsigned jobs) {
  std::vector<std::atomic<int>> done(needs.size());
  std::atomic<std::size_t> runs{0}, too_early{0};
  ParallelInOrder(
      needs.size(), jobs, [&](std::size_t i) { return std::span(needs[i]); },
      [&](std::size_t i) {
        for (const std::uint32_t need : needs[i]) too_early += done[need] != 1;
        ++runs;
        ++done[i];
      });
  for (const std::atomic<int>& d : done) CHECK(d == 1);
  return {runs, too_early};
}

TEST_CASE("items run once, each after all that it needs, for any number of threads") {
  constexpr std::uint32_t kItems = 500;
  Needs chain(kItems), fan(kItems), diamonds(kItems), none(kItems);
  for (std::uint32_t i = 1; i < kItems; ++i) {
    chain[i] = {i - 1};
    fan[i] = {0};
    diamonds[i] = i < 3 ? std::vector<std::uint32_t>{0}
                        : std::vector<std::uint32_t>{i / 2, i / 3, i - 1 - i % 2};
  }
  Needs funnel(kItems);
  for (std::uint32_t i = 0; i + 1 < kItems; ++i) funnel.back().push_back(i);
  for (const Needs& needs : {chain, fan, diamonds, none, funnel}) {
    for (const unsigned jobs : {1u, 2u, 4u, 32u}) {
      const Result result = RunInOrder(needs, jobs);
      CHECK(result.runs == kItems);
      CHECK(result.too_early == 0);
    }
  }
}

TEST_CASE("with one thread the order is that of the numbers, as far as needs allow") {
  const Needs needs{{}, {}, {0}, {1}, {}};
  std::vector<std::size_t> order;
  ParallelInOrder(
      needs.size(), 1, [&](std::size_t i) { return std::span(needs[i]); },
      [&](std::size_t i) { order.push_back(i); });
  CHECK(order == std::vector<std::size_t>{0, 1, 2, 3, 4});
}

TEST_CASE("nothing to do, and more threads than items") {
  RunInOrder({}, 4);
  CHECK(RunInOrder({{}}, 64).runs == 1);
}

}  // namespace
}  // namespace torchleak::driver

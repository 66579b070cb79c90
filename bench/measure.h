// Measuring a whole check of a directory, its layers, and the bare parse that it is compared with.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "driver/check.h"
#include "text/source.h"

namespace torchleak::bench {

double Median(std::vector<double> values);

// Wall time is what a user waits; CPU time is what single-threaded work costs, also on a machine
// that others use at the same time.
struct Time {
  double wall = 0, cpu = 0;  // seconds
};
template <typename Function>
Time Measure(const Function& function);

// Discovery, reading, scanning, analysis and the `full` report, as `torchleak check` does it.
Time WholeCheck(const driver::CheckOptions& options);

// Peak of a process that does nothing but one whole check; 0 where /proc does not tell.
std::uint64_t PeakMemory(const driver::CheckOptions& options);

// The files that have to be parsed, read and decoded; what they are out of.
struct Corpus {
  std::vector<text::Source> parsed;
  std::size_t files = 0;
  std::uint64_t bytes = 0, lines = 0, parsed_bytes = 0;
};
Corpus Load(const driver::CheckOptions& options);

// tree-sitter alone over the files that have to be parsed.
Time BareParse(const Corpus& corpus);

struct Layers {  // CPU seconds
  double discovery = 0, read = 0, prefilter = 0, decode = 0, parse = 0, table = 0, sema = 0,
         flow_and_rules = 0, report = 0;
};
struct SlowFile {
  std::string path;
  double seconds;  // of engine::Analyze
};
// One serial pass; `slowest` gets the files by falling time.
Layers MeasureLayers(const driver::CheckOptions& options, std::vector<SlowFile>* slowest);

}  // namespace torchleak::bench

#include <chrono>
#include <ctime>

template <typename Function>
torchleak::bench::Time torchleak::bench::Measure(const Function& function) {
  auto cpu = [] {
    timespec now{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
  };
  auto start = std::chrono::steady_clock::now();
  double cpu_start = cpu();
  function();
  double cpu_spent = cpu() - cpu_start;
  return {std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(),
          cpu_spent};
}

// Memory is measured in a forked child, because a peak never goes down again and the parent holds
// the corpus; the fork happens before anything is loaded. Layers that cannot be called alone are
// differences: the table is Parse() minus ParseOnly(), flow and rules are Analyze() minus Parse()
// and sema.
#include "bench/measure.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <utility>

#include "driver/discovery.h"
#include "engine/analyze.h"
#include "report/report.h"
#include "sema/module.h"
#include "syntax/tree.h"
#include "text/read.h"

namespace torchleak::bench {
namespace {

std::string FullReport(const driver::CheckOptions& options, const driver::FindingSet& set) {
  report::ReportInput input;
  input.findings = set.findings;
  input.source_of = [&set](std::string_view path) { return set.SourceOf(path); };
  input.root = options.root;
  input.rules = options.rules;
  input.files_checked = set.counts.checked;
  input.files_parsed = set.counts.parsed;
  return report::Render(report::Format::kFull, input);
}

// "VmHWM:     12345 kB" of this process, in bytes.
std::uint64_t HighWaterMark() {
  constexpr std::uint64_t kKibi = 1024;
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("VmHWM:")) return std::strtoull(line.c_str() + 6, nullptr, 10) * kKibi;
  }
  return 0;
}

template <typename Function>
double Cpu(const Function& function) {
  return Measure(function).cpu;
}

// Keeps a result from being optimised away.
volatile std::size_t sink;

}  // namespace

double Median(std::vector<double> values) {
  if (values.empty()) return 0;
  auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

Time WholeCheck(const driver::CheckOptions& options) {
  return Measure([&] {
    auto set = driver::Check(options);
    if (set) sink = FullReport(options, *set).size();
  });
}

std::uint64_t PeakMemory(const driver::CheckOptions& options) {
  int ends[2];
  if (pipe(ends) != 0) return 0;
  pid_t child = fork();
  if (child == 0) {
    WholeCheck(options);
    std::uint64_t peak = HighWaterMark();
    bool sent = write(ends[1], &peak, sizeof peak) == sizeof peak;
    _exit(sent ? 0 : 1);
  }
  close(ends[1]);
  std::uint64_t peak = 0;
  if (child < 0 || read(ends[0], &peak, sizeof peak) != sizeof peak) peak = 0;
  close(ends[0]);
  if (child > 0) waitpid(child, nullptr, 0);
  return peak;
}

Corpus Load(const driver::CheckOptions& options) {
  Corpus corpus;
  for (const auto& file : driver::Discover(driver::DiscoveryPart(options)).files) {
    std::string bytes;
    text::ReadError error;
    if (!text::ReadInto(file.path, text::Source::kMaxBytes, &bytes, &error)) continue;
    ++corpus.files;
    corpus.bytes += bytes.size();
    corpus.lines += static_cast<std::uint64_t>(std::count(bytes.begin(), bytes.end(), '\n'));
    if (!engine::MayMatter(bytes, options.rules)) continue;
    auto source = text::Source::FromBytes(file.path, std::move(bytes));
    if (!source) continue;
    corpus.parsed_bytes += source->bytes().size();
    corpus.parsed.push_back(*std::move(source));
  }
  return corpus;
}

Time BareParse(const Corpus& corpus) {
  return Measure([&] {
    for (const text::Source& source : corpus.parsed) syntax::ParseOnly(source);
  });
}

Layers MeasureLayers(const driver::CheckOptions& options, std::vector<SlowFile>* slowest) {
  Layers layers;
  driver::Discovery discovery;
  layers.discovery = Cpu([&] { discovery = driver::Discover(driver::DiscoveryPart(options)); });
  std::string bytes;
  slowest->clear();
  for (const driver::DiscoveredFile& file : discovery.files) {
    text::ReadError error;
    bool usable = false;
    layers.read +=
        Cpu([&] { usable = text::ReadInto(file.path, text::Source::kMaxBytes, &bytes, &error); });
    layers.prefilter += Cpu([&] { usable = usable && engine::MayMatter(bytes, options.rules); });
    if (!usable) continue;
    text::Result<text::Source> source = text::Error{};
    layers.decode += Cpu([&] { source = text::Source::FromBytes(file.path, bytes); });
    if (!source) continue;
    double bare = Cpu([&] { syntax::ParseOnly(*source); });
    syntax::Tree tree;
    double parse = Cpu([&] { tree = syntax::Parse(*source); });
    double sema = Cpu([&] { sink = sema::Analyze(tree).functions().size(); });
    double all = Cpu([&] { sink = engine::Analyze(*source, options.rules).findings.size(); });
    layers.parse += bare;
    layers.table += parse - bare;
    layers.sema += sema;
    layers.flow_and_rules += all - parse - sema;
    slowest->push_back({file.path, all});
  }
  std::sort(slowest->begin(), slowest->end(),
            [](const SlowFile& a, const SlowFile& b) { return a.seconds > b.seconds; });
  if (auto set = driver::Check(options)) {
    layers.report = Cpu([&] { sink = FullReport(options, *set).size(); });
  }
  return layers;
}

}  // namespace torchleak::bench

// torchleak-bench DIR [--runs N]: how long a whole check of DIR takes, what it is made of, and how
// it compares with a bare tree-sitter parse of the files that had to be parsed. Whole check and
// bare parse alternate, so that a machine that slows down slows both.
#include <fmt/format.h>

#include <charconv>
#include <cstdio>
#include <filesystem>
#include <string_view>
#include <thread>

#include "bench/measure.h"
#include "config/options.h"
#include "driver/parallel.h"

namespace torchleak::bench {
namespace {

constexpr double kMega = 1e6;

struct Arguments {
  std::string directory;
  unsigned runs = 5;
};

bool Parse(int argc, char** argv, Arguments* arguments) {
  for (int i = 1; i < argc; ++i) {
    std::string_view word = argv[i];
    if (word == "--runs" && i + 1 < argc) {
      std::string_view number = argv[++i];
      auto [end, error] =
          std::from_chars(number.data(), number.data() + number.size(), arguments->runs);
      if (error != std::errc() || *end != '\0' || arguments->runs == 0) return false;
    } else if (arguments->directory.empty() && !word.starts_with("-")) {
      arguments->directory = word;
    } else {
      return false;
    }
  }
  return !arguments->directory.empty();
}

void PrintRun(std::string_view label, double seconds, std::uint64_t peak, const Corpus& corpus) {
  fmt::print("{:<14} {:8.3f} s {:8.1f} MB/s {:12.0f} lines/s   peak {:6.1f} MB\n", label, seconds,
             static_cast<double>(corpus.bytes) / kMega / seconds,
             static_cast<double>(corpus.lines) / seconds, static_cast<double>(peak) / kMega);
}

void PrintLayers(const std::vector<Layers>& runs) {
  struct Row {
    const char* name;
    double Layers::*value;
  };
  static constexpr Row kRows[] = {
      {"discovery", &Layers::discovery}, {"read", &Layers::read},
      {"prefilter", &Layers::prefilter}, {"decode", &Layers::decode},
      {"parse", &Layers::parse},         {"table", &Layers::table},
      {"sema", &Layers::sema},           {"flow + rules", &Layers::flow_and_rules},
      {"report", &Layers::report}};
  std::vector<double> medians;
  double total = 0;
  for (const Row& row : kRows) {
    std::vector<double> values;
    values.reserve(runs.size());
    for (const Layers& layers : runs) values.push_back(layers.*row.value);
    medians.push_back(Median(std::move(values)));
    total += medians.back();
  }
  fmt::print("\nlayer, one thread  CPU seconds   share\n");
  for (std::size_t i = 0; i < medians.size(); ++i) {
    fmt::print("  {:<18} {:8.4f}  {:5.1f} %\n", kRows[i].name, medians[i],
               100 * medians[i] / total);
  }
}

int Run(const Arguments& arguments) {
  std::error_code error;
  std::string root =
      std::filesystem::absolute(arguments.directory, error).lexically_normal().string();
  while (root.size() > 1 && root.ends_with('/')) root.pop_back();
  if (!std::filesystem::is_directory(root, error)) {
    fmt::print(stderr, "torchleak-bench: {} is not a directory\n", arguments.directory);
    return 2;
  }
  driver::CheckOptions one;
  one.root = root;
  one.paths = {root};
  auto defaults = config::DefaultExcludes();
  one.excludes.assign(defaults.begin(), defaults.end());
  auto rules = engine::AllRules();
  one.rules.assign(rules.begin(), rules.end());
  driver::CheckOptions many = one;
  one.jobs = 1;
  many.jobs = driver::EffectiveJobs(0);

  // Before anything is loaded: the children inherit what the parent has.
  std::uint64_t peak_one = PeakMemory(one), peak_many = PeakMemory(many);
  Corpus corpus = Load(one);
  fmt::print("{}: {} files, {:.1f} MB, {} lines; {} files ({:.1f} MB) have to be parsed\n\n", root,
             corpus.files, static_cast<double>(corpus.bytes) / kMega, corpus.lines,
             corpus.parsed.size(), static_cast<double>(corpus.parsed_bytes) / kMega);
  if (corpus.parsed.empty()) return 0;

  std::vector<double> one_wall, many_wall, bare_wall, ratio, wall_ratio;
  for (unsigned i = 0; i < arguments.runs; ++i) {
    Time whole = WholeCheck(one), bare = BareParse(corpus);
    one_wall.push_back(whole.wall);
    bare_wall.push_back(bare.wall);
    ratio.push_back(whole.cpu / bare.cpu);
    wall_ratio.push_back(whole.wall / bare.wall);
    many_wall.push_back(WholeCheck(many).wall);
  }
  PrintRun("check -j1", Median(one_wall), peak_one, corpus);
  PrintRun(fmt::format("check -j{}", many.jobs), Median(many_wall), peak_many, corpus);
  fmt::print("{:<14} {:8.3f} s\n", "bare parse", Median(bare_wall));
  fmt::print(
      "check -j1 costs {:.2f} x the bare parse of the parsed files in CPU time, {:.2f} x in wall "
      "time\n(median of {} alternating runs)\n",
      Median(ratio), Median(wall_ratio), arguments.runs);

  std::vector<Layers> layers;
  std::vector<SlowFile> slowest;
  for (unsigned i = 0; i < std::min(arguments.runs, 3u); ++i) {
    layers.push_back(MeasureLayers(one, &slowest));
  }
  PrintLayers(layers);
  fmt::print("\nslowest files\n");
  for (std::size_t i = 0; i < std::min<std::size_t>(slowest.size(), 5); ++i) {
    fmt::print("  {:8.1f} ms  {}\n", slowest[i].seconds * 1e3, slowest[i].path);
  }
  return 0;
}

}  // namespace
}  // namespace torchleak::bench

int main(int argc, char** argv) {
  torchleak::bench::Arguments arguments;
  if (!torchleak::bench::Parse(argc, argv, &arguments)) {
    fmt::print(stderr, "usage: torchleak-bench DIR [--runs N]\n");
    return 2;
  }
  return torchleak::bench::Run(arguments);
}

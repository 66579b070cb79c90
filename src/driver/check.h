// Check: paths in, findings out. Everything between the command line and the engine.
//
//   discovery -> read -> byte scan (engine::MayMatter) -> ProjectRun -> fingerprints -> sorted
//
// Results are put together by file, which makes the outcome the same for any number of jobs and any
// order of the paths. A file is decoded and parsed only when the byte scan
// says that a selected rule can fire in it; its Source is dropped unless a report will need it
// (measured: a tree of 3,500 files holds findings in a few per cent of them).
//
//   CheckOptions options{.paths = {"src"}, .root = "/repo", .rules = …};
//   auto found = Check(options);
//   for (const findings::Finding& f : found->findings) …
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "config/index.h"
#include "driver/discovery.h"
#include "driver/progress.h"
#include "engine/rule.h"
#include "findings/finding.h"
#include "findings/suppressed.h"
#include "text/result.h"
#include "text/source.h"

namespace torchleak::driver {

// A file whose bytes the caller has: standard input, later an editor's buffer.
struct Buffer {
  std::string path;
  std::string bytes;
};

struct CheckOptions {
  std::vector<std::string> paths;
  std::vector<Buffer> buffers;
  std::string root;  // absolute: what paths are relative to, in reports and fingerprints
  // What holds for each file. Null: `rules`, `min_confidence` and `excludes` hold for all; else
  // these three are not looked at.
  std::shared_ptr<const config::SettingsIndex> settings;
  std::vector<const engine::Rule*> rules;
  findings::Confidence min_confidence = findings::Confidence::kMedium;
  unsigned jobs = 0;         // 0: one for each processor
  bool ignore_noqa = false;  // report what comments suppress, too
  bool single_file = false;  // look at each file alone, without what it imports and who calls it
  bool respect_gitignore = true;
  bool force_exclude = false;
  std::vector<std::string> excludes;
  Progress* progress = nullptr;  // told how far the run is; may be null
  bool use_cache = false;        // see cached_check.h
  std::string cache_dir;         // absolute
};

struct Counts {
  std::size_t discovered = 0;  // files that discovery lists, buffers included
  std::size_t checked = 0;     // of those, read in full
  std::size_t parsed = 0;      // of those, parsed because a rule could fire
  std::size_t imported = 0;    // besides these, parsed because they import it
  std::uint64_t bytes = 0;     // of the checked ones
  std::uint64_t parsed_bytes = 0;
  bool operator==(const Counts&) const = default;
};

struct FindingSet {
  std::vector<findings::Finding> findings;       // in findings::Before order, fingerprints set
  std::vector<findings::Finding> known;          // left out by a baseline; in the same order
  std::vector<findings::Suppressed> suppressed;  // by comments; in the same order
  // Of files that hold a finding, a suppressed one or a step, by the path that findings carry
  // (relative to the root when below it, else absolute).
  std::map<std::string, text::Source, std::less<>> sources;
  std::vector<Notification> notifications;  // by path
  std::vector<const engine::Rule*> rules;   // that are selected for one of the files at least
  std::vector<std::string> checked;         // files read in full, as findings spell them; sorted
  Counts counts;
  std::string cache;  // what the cache did, in words; empty when none was asked for

  const text::Source* SourceOf(std::string_view path) const {
    auto it = sources.find(path);
    return it == sources.end() ? nullptr : &it->second;
  }
};

// Problems with single paths become notifications. Fails only when `root` is not an absolute path
// or when the configuration of a file cannot be read.
text::Result<FindingSet> Check(const CheckOptions& options);

// The discovery part of the options, for --show-files and the benchmark.
DiscoveryOptions DiscoveryPart(const CheckOptions& options);

}  // namespace torchleak::driver

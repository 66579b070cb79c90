// Settings: what holds for a file, after all layers were put together. Plain data, constant once
// made, shared by all files for which the same holds.
//
//   if (settings->Reports(finding, "/repo/tests/a.py")) …
//   if (settings->MayFix(finding.code)) …
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "config/patterns.h"
#include "config/selection.h"
#include "config/value.h"
#include "engine/torch_version.h"
#include "findings/finding.h"
#include "text/result.h"

namespace torchleak::config {

struct PerFileIgnore {
  PathPatterns pattern;
  bool negated = false;  // the files that do not match
  Rules rules;
};

using engine::TorchVersion;

// One option as people see it.
struct Shown {
  std::string_view key;
  std::string toml;    // empty: not set
  std::string origin;  // "torchleak.toml:3:1", "--select"; "default"
};

struct Settings {
  // The configuration file and what it extends, in that order, absolute; empty when there is none.
  std::vector<std::string> files;
  // What lies beside it and holds settings as well, but is not read.
  std::vector<std::string> shadowed;

  // Of each file (Scope::kFile).
  Rules rules;
  Rules fixable;
  std::vector<PerFileIgnore> per_file_ignores;
  std::vector<std::pair<std::string_view, findings::Severity>> severities;  // by code
  findings::Confidence min_confidence = findings::Confidence::kMedium;
  std::optional<TorchVersion> target_version;
  PathPatterns excludes;

  // Of the run (Scope::kRun): read from SettingsIndex::run() only.
  bool respect_gitignore = true;
  bool force_exclude = false;
  bool single_file = false;
  bool fix = false, fix_only = false, show_fixes = false;
  std::optional<bool> unsafe_fixes;  // false: do not even mention them
  std::string output_format;         // as written, one of the choices
  findings::Severity fail_on = findings::Severity::kWarning;
  std::string baseline, cache_dir;  // absolute; empty: not set

  std::vector<Shown> shown;  // every option, in the order of the table

  // Is the rule used in that file? The path is absolute.
  bool Selects(std::string_view code, std::string_view path) const;
  // The same, and the finding is sure enough.
  bool Reports(const findings::Finding& finding, std::string_view path) const;
  // Gives the finding the severity that was asked for, if any.
  void Adjust(findings::Finding* finding) const;
  bool MayFix(std::string_view code) const { return Contains(fixable, code); }
  // Do the excludes leave the path out? Folders above it are not asked.
  bool Excludes(std::string_view path, bool is_directory) const {
    return excludes.Matches(path, is_directory);
  }
  // The same for a path given by hand, with the folders above it.
  bool ExcludesTree(std::string_view path, bool is_directory) const {
    return excludes.MatchesTree(path, is_directory);
  }
  // All that decides what is found in a file and how it is shown: part of the key of a cache.
  std::string AnalysisKey() const;
};

// The layers from the vaguest (a file that is extended) to the strongest (the command line). Their
// words have been checked by the reader or by CheckLayer(). Flags are on the command line what keys
// are in a file. `root`, the working directory, is what the default excludes are relative to.
Settings Resolve(std::span<const Layer> layers, std::string_view root);

// A layer that was made by hand, for the flags: unknown words, contradictions. Empty when good,
// else a message that begins with the flag.
std::string CheckLayer(const Layer& layer);

}  // namespace torchleak::config

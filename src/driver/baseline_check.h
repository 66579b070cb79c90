// What is new since a baseline: a file of accepted findings, or a commit of the repository.
//
//   auto set = Check(options);
//   auto baseline = baseline::Read(file);
//   Against result = ApplyBaseline(options, *baseline, file, &*set);
//   set->findings;     // the new ones
//   set->known;        // the others
//   result.gone;       // entries that this run should have found again, and did not
//   baseline::Write(file, result.left);   // the file without them
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "baseline/baseline.h"
#include "driver/check.h"
#include "text/result.h"

namespace torchleak::driver {

struct Against {
  std::vector<baseline::Entry> gone;
  baseline::Baseline left;  // without them, the others as they are now
};

// Moves the findings that the baseline knows from set->findings to set->known. An entry is gone
// only when the run would have seen it: its rule was selected, its file was checked without
// complaint or has been deleted from below a given path, and no less confidence counted than in the
// baseline.
Against ApplyBaseline(const CheckOptions& options, const baseline::Baseline& baseline,
                      const std::string& file, FindingSet* set);

// The baseline as `torchleak baseline` writes it: what the run found, and of the old one what the
// run did not look at.
baseline::Baseline UpdatedBaseline(const CheckOptions& options, const baseline::Baseline& old,
                                   const std::string& file, const FindingSet& set);

// The settings as they would be if `root` were the working directory. `move` gives the place of an
// absolute path there, if it has one.
using MovePath = std::function<std::optional<std::string>(const std::string& path)>;
using SettingsFor = std::function<text::Result<std::shared_ptr<const config::SettingsIndex>>(
    const std::string& root, const MovePath& move)>;

// The same against the files of a commit, checked with the same options; their settings come from
// `settings_for`, which may be empty when the options have none. What git saw renamed since then
// keeps its findings. The error is empty on success.
std::optional<text::Error> ApplyRevision(const CheckOptions& options, const std::string& revision,
                                         const SettingsFor& settings_for, FindingSet* set);

}  // namespace torchleak::driver

// Baseline: the findings that are accepted for now, as a file that people commit.
//
//   {
//     "version": 1,
//     "comment": "…",
//     "confidence": "medium",
//     "findings": [
//       {"path": "train.py", "rule": "TLK101", "function": "fit", "line": "…", …, "occurrence": 0},
//       …
//     ]
//   }
//
// Sorted, one entry a line, so that two branches merge without conflict in most cases. Reading is
// strict: what is not understood is an error with its place, never dropped.
//
//   auto baseline = Read("torchleak-baseline.json");
//   if (!baseline) return Fail(baseline.error().message);  // "…json:7:5: the same entry as …"
//   baseline->entries.push_back(…);
//   Write("torchleak-baseline.json", *baseline);
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "baseline/entry.h"
#include "text/result.h"

namespace torchleak::baseline {

inline constexpr std::string_view kDefaultFile = "torchleak-baseline.json";
inline constexpr unsigned kVersion = 1;

struct Baseline {
  std::string comment =
      "Findings that are accepted for now; `torchleak baseline` updates this file";
  // What the run that wrote it looked at: a run that looks at less must not call the rest gone.
  findings::Confidence confidence = findings::Confidence::kMedium;
  std::vector<Entry> entries;  // sorted
};

// `file` is for messages. Fails on anything but a baseline of kVersion without duplicates.
text::Result<Baseline> Parse(std::string_view json, std::string_view file);
// A missing file is an error, which says how to make one.
text::Result<Baseline> Read(const std::string& file);

std::string Render(const Baseline& baseline);
// Sorts; writes a temporary file beside it and renames, so that the file is either old or new.
// Nothing is written when the file holds these bytes already. The error is empty on success.
std::optional<text::Error> Write(const std::string& file, const Baseline& baseline);

}  // namespace torchleak::baseline

// FixRun: findings in, changed files out, and only changes that hold.
//
//   round:  fixes that go together  ->  new texts  ->  parse  ->  check again
//
// A round counts when its files parse as well as before, its findings are gone, and no other
// finding has appeared in any file. When it does not, the fixes to blame are found by taking parts
// of the round; these are refused, with the reason, and the others kept. Rounds follow until none
// changes anything: what overlapped in one is made in the next. All of this happens in memory
// (CheckOptions::buffers); WriteFixes() then brings it to the disk.
//
//   auto plan = PlanFixes(options, {.unsafe = true}, Check);
//   for (const FixedFile& file : plan->files) …            // --diff
//   WriteFixes(options, Check, &*plan);                    // --fix
//   plan->remaining;                                       // what to report
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "driver/check.h"
#include "fix/document.h"
#include "text/result.h"

namespace torchleak::driver {

using CheckFunction = std::function<text::Result<FindingSet>(const CheckOptions&)>;

struct FixPolicy {
  bool unsafe = false;                                   // unsafe fixes, too
  std::function<bool(const findings::Finding&)> wanted;  // --fixable, --unfixable; none: all
};

struct FixCount {
  std::string_view name;
  std::size_t count = 0;
};

struct FixedFile {
  std::string path;  // as findings have it
  std::string absolute;
  bool is_buffer = false;  // the caller's (standard input): never written
  fix::Document before, after;
  std::map<std::string_view, FixCount> fixed;  // by code: findings of this file
  std::size_t group = 0;                       // files with one group are written together
};

struct RefusedFix {
  std::string path;
  std::uint32_t row = 0;  // in the text with the fixes
  std::string_view code;
  std::string reason;
};

struct FixPlan {
  FindingSet remaining;
  std::vector<FixedFile> files;           // by path; only those that differ
  std::vector<RefusedFix> refused;        // of findings that remain
  std::vector<Notification> not_written;  // by path; see WriteFixes()
  std::size_t fixed = 0;                  // findings
  bool unfinished = false;                // kMostFixRounds were not enough
  std::size_t rounds = 0;                 // that changed something

  const FixedFile* FileAt(std::string_view path) const;
};

inline constexpr std::size_t kMostFixRounds = 20;

// Fails when the check does.
text::Result<FixPlan> PlanFixes(const CheckOptions& options, const FixPolicy& policy,
                                const CheckFunction& check);

// Writes the files, and removes what killed runs left in the folders that are checked. A file that
// cannot be written goes from `files` to `not_written`, with those of its group; then `remaining`
// is found anew, and the answer is false.
text::Result<bool> WriteFixes(const CheckOptions& options, const CheckFunction& check,
                              FixPlan* plan);

}  // namespace torchleak::driver

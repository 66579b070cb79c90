// `check` with --fix, --fix-only or --diff: the part that is not a plain check.
//
//   FixCommand fixes(plan.fixes, plan.options, driver::Check);
//   if (auto error = fixes.Run()) …             // files are written now, unless --diff
//   fixes.TakeRemaining();                      // what to report
//   fixes.Tell(…);                              // the diff, or what was done
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "cli/fix_output.h"
#include "cli/terminal.h"
#include "driver/fix_run.h"
#include "text/result.h"

namespace torchleak::cli {

class FixCommand {
 public:
  // The options must outlive it.
  FixCommand(FixSettings settings, const driver::CheckOptions& options, driver::CheckFunction check)
      : settings_(std::move(settings)), options_(options), check_(std::move(check)) {}

  std::optional<text::Error> Run();

  driver::FindingSet TakeRemaining();
  // Files that could not be written.
  const std::vector<driver::Notification>& errors() const { return plan_.not_written; }
  // --fix-only and --diff are not about what remains.
  bool Reports() const { return !settings_.only; }
  // What the run's fixes make of the exit status; none: what remains decides.
  std::optional<int> Status() const;

  struct Voice {
    ColorChoice color = ColorChoice::kAuto;
    bool quiet = false, silent = false, verbose = false;
    bool reads_stdin = false;       // then the fixed code goes to standard output
    bool below_the_report = false;  // else what was done is told on standard error
  };
  // Prints the diff or the code of standard input, then what was done. False: could not be written.
  bool Tell(const Voice& voice) const;

 private:
  FixSettings settings_;
  const driver::CheckOptions& options_;
  driver::CheckFunction check_;
  driver::FixPlan plan_;
  std::size_t remaining_ = 0;
};

}  // namespace torchleak::cli

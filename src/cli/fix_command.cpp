#include "cli/fix_command.h"

#include <unistd.h>

#include <string>
#include <utility>

#include "cli/status.h"

namespace torchleak::cli {

std::optional<text::Error> FixCommand::Run() {
  auto plan = driver::PlanFixes(options_, {settings_.unsafe, settings_.wanted}, check_);
  if (!plan) return plan.error();
  plan_ = std::move(*plan);
  if (settings_.apply && !settings_.diff) {
    auto written = driver::WriteFixes(options_, check_, &plan_);
    if (!written) return written.error();
  }
  remaining_ = plan_.remaining.findings.size();
  return std::nullopt;
}

driver::FindingSet FixCommand::TakeRemaining() { return std::move(plan_.remaining); }

std::optional<int> FixCommand::Status() const {
  if (!plan_.not_written.empty()) return kExitError;
  const bool counts = settings_.diff || settings_.exit_non_zero;
  if (counts && !plan_.files.empty()) return kExitFindings;
  if (settings_.only) return kExitClean;
  return std::nullopt;
}

bool FixCommand::Tell(const Voice& voice) const {
  std::string out;
  if (settings_.diff) {
    if (!voice.silent) out = DiffText(plan_, UseColor(voice.color, STDOUT_FILENO));
  } else if (voice.reads_stdin) {  // the code is no message: printed even with --silent
    out = options_.buffers.front().bytes;
    for (const driver::FixedFile& file : plan_.files) {
      if (file.is_buffer) out = file.after.raw();
    }
  }
  if (PrintAndReturn(out, kExitClean) != kExitClean) return false;
  if (voice.verbose) WriteAll(STDERR_FILENO, RefusedFixes(plan_));
  if (voice.quiet || voice.silent) return true;
  std::string told;
  if (settings_.show) told = ShownFixes(plan_, settings_.diff);
  told += FixSummary(plan_, settings_.diff, remaining_);
  const bool to_stdout = voice.below_the_report && !settings_.diff && !voice.reads_stdin;
  if (to_stdout) return PrintAndReturn(told, kExitClean) == kExitClean;
  WriteAll(STDERR_FILENO, told);
  return true;
}

}  // namespace torchleak::cli

#include "cli/add_noqa.h"

#include <fmt/format.h>

#include "cli/baseline_step.h"
#include "cli/status.h"
#include "cli/terminal.h"
#include "driver/noqa_run.h"

namespace torchleak::cli {
namespace {

std::string Counted(std::size_t count, std::string_view what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

}  // namespace

int RunAddNoqa(const CheckArguments& arguments, const CheckPlan& plan) {
  BaselineStep baseline(false);
  if (!baseline.Load(plan)) return kExitError;
  auto set = driver::Check(plan.options);
  if (!set) {
    PrintError(set.error().message, plan.color);
    return kExitError;
  }
  baseline.SetKnownApart(plan, &*set);  // what is accepted there needs no comment
  const driver::NoqaTotals totals = driver::AddNoqa(plan.options, *set);
  bool failed = false;
  const auto tell = [&](const std::vector<driver::Notification>& notifications) {
    for (const driver::Notification& n : notifications) {
      const bool is_error = n.level == driver::Notification::Level::kError;
      failed |= is_error;
      if (arguments.silent || (arguments.quiet && !is_error)) continue;
      PrintAbout(n.path, n.message, is_error, plan.color);
    }
  };
  tell(set->notifications);
  tell(totals.errors);
  if (arguments.silent || arguments.quiet) return failed ? kExitError : kExitClean;
  std::string text = fmt::format("Added {} in {}.\n", Counted(totals.directives, "noqa directive"),
                                 Counted(totals.files, "file"));
  if (totals.skipped > 0) {
    text += fmt::format(
        "{} left: what does not parse, and what is wrong with comments, is not suppressed by "
        "one.\n",
        Counted(totals.skipped, "finding"));
  }
  return PrintAndReturn(text, failed ? kExitError : kExitClean);
}

}  // namespace torchleak::cli

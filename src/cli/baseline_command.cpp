// torchleak baseline [PATH…]
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <filesystem>
#include <memory>
#include <system_error>

#include "baseline/baseline.h"
#include "cli/check_plan.h"
#include "cli/commands.h"
#include "cli/status.h"
#include "cli/terminal.h"
#include "driver/baseline_check.h"

namespace torchleak::cli {
namespace {

std::string Counted(std::size_t count) {
  return count == 1 ? "1 finding" : fmt::format("{} findings", count);
}

int RunBaseline(const CheckArguments& arguments, std::string file) {
  auto plan = Interpret(arguments, WorkingDirectory());
  if (!plan) return UsageError("baseline", plan.error().message);
  if (plan->reads_stdin) return UsageError("baseline", "standard input has no baseline");
  if (const auto failed = Configure(arguments, &*plan)) {
    PrintError(failed->message);
    return kExitError;
  }
  if (file.empty()) file = plan->baseline;
  if (file.empty()) file = baseline::kDefaultFile;
  baseline::Baseline old;
  std::error_code error;
  if (std::filesystem::exists(file, error)) {
    auto read = baseline::Read(file);
    if (!read) {
      PrintError(read.error().message);
      return kExitError;
    }
    old = *std::move(read);
  }
  const auto set = driver::Check(plan->options);
  if (!set) {
    PrintError(set.error().message);
    return kExitError;
  }
  int status = kExitClean;
  for (const driver::Notification& n : set->notifications) {
    const bool is_error = n.level == driver::Notification::Level::kError;
    PrintAbout(n.path, n.message, is_error);
    if (is_error) status = kExitError;
  }
  const baseline::Baseline updated = driver::UpdatedBaseline(plan->options, old, file, *set);
  const baseline::Comparison changes = baseline::Compare(updated.entries, old.entries);
  if (const auto failed = baseline::Write(file, updated)) {
    PrintError(failed->message);
    return kExitError;
  }
  return PrintAndReturn(
      fmt::format("{}: {} ({} added, {} dropped)\n", file, Counted(updated.entries.size()),
                  changes.fresh.size(), changes.gone.size()),
      status);
}

}  // namespace

void AddBaselineCommand(CLI::App& app, Run* run) {
  auto* command = app.add_subcommand(
      "baseline", "Accept the findings of now: `check --baseline` reports what comes after");
  auto arguments = std::make_shared<CheckArguments>();
  auto file = std::make_shared<std::string>();
  command
      ->add_option(
          "--output", *file,
          fmt::format(
              "The baseline to write or update (default: that of the configuration, else {})",
              baseline::kDefaultFile))
      ->option_text("FILE");
  DeclareSelectionOptions(*command, arguments.get());
  command->add_option("-j,--jobs", arguments->jobs, "Threads (default: one for each processor)")
      ->option_text("N")
      ->group("Run");
  command->footer(
      "Entries name rule, file, function and a hash of the line, never its number. Those of files\n"
      "and rules that this run did not look at stay. Commit the file, then use\n"
      "`torchleak check --baseline FILE`.");
  command->callback([run, arguments, file] {
    *run = [arguments, file] { return RunBaseline(*arguments, *file); };
  });
}

}  // namespace torchleak::cli

// torchleak check [PATH…]
#include <fmt/format.h>
#include <unistd.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <fstream>
#include <map>
#include <memory>
#include <optional>
#include <system_error>

#include "cli/add_noqa.h"
#include "cli/baseline_step.h"
#include "cli/check_plan.h"
#include "cli/check_report.h"
#include "cli/commands.h"
#include "cli/fix_command.h"
#include "cli/progress.h"
#include "cli/status.h"
#include "cli/terminal.h"
#include "cli/watch.h"
#include "config/explain.h"
#include "driver/check.h"
#include "report/report.h"
#include "text/read.h"

namespace torchleak::cli {
namespace {

using driver::FindingSet;
using driver::Notification;

class CheckRun {
 public:
  CheckRun(const CheckArguments& arguments, CheckPlan plan)
      : arguments_(arguments), plan_(std::move(plan)) {}

  int Execute() {
    if (arguments_.show_files) return ShowFiles();
    if (arguments_.show_settings) return ShowSettings();
    if (plan_.reads_stdin && !ReadStandardInput()) return kExitError;
    BaselineStep baseline(!Quiet());
    if (!baseline.Load(plan_)) return kExitError;
    auto started = std::chrono::steady_clock::now();
    driver::Progress progress;
    plan_.options.progress = &progress;
    ProgressLine line(&progress, WantedProgress(arguments_.progress, Quiet()));
    const std::string failed = CheckOrFix(baseline);
    line.Stop();
    if (!failed.empty()) return Fail(failed);
    if (!baseline.Apply(plan_, &set_)) return kExitError;
    MindWhatWasGiven();
    std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - started;
    int status = Verdict();
    Tell(set_.notifications);
    if (fixes_) Tell(fixes_->errors());
    if (arguments_.verbose) TellCounts(elapsed.count());
    if (set_.counts.discovered == 0 && set_.notifications.empty() && !Quiet() && !SaysSo()) {
      PrintWarning("no Python files found under the given paths", plan_.color);
    }
    if (set_.counts.discovered > 0 && set_.rules.empty() && !Quiet()) {
      PrintWarning("no rule is selected for any of the files", plan_.color);
    }
    if (!Report() || !TellFixes()) return kExitError;
    return status;
  }

 private:
  // Fills set_; returns why not.
  std::string CheckOrFix(const BaselineStep& baseline) {
    if (plan_.fixes.Active()) {
      // What is known is left alone, and is no news.
      const auto check = [&](const driver::CheckOptions& options) {
        auto set = driver::Check(options);
        if (set) baseline.SetKnownApart(plan_, &*set);
        return set;
      };
      fixes_.emplace(plan_.fixes, plan_.options, check);
      if (const auto error = fixes_->Run()) return error->message;
      set_ = fixes_->TakeRemaining();
      BaselineStep::PutBack(&set_);
      return {};
    }
    auto set = driver::Check(plan_.options);
    if (!set) return set.error().message;
    set_ = *std::move(set);
    return {};
  }

  // A file that is no text or no notebook is passed over where a folder is searched. Whoever names
  // it wants it checked.
  void MindWhatWasGiven() {
    const std::string& root = plan_.options.root;
    std::vector<std::string> given = plan_.options.paths;
    if (plan_.reads_stdin) given.push_back(plan_.stdin_path);
    for (std::string& path : given)
      path = driver::DisplayPath(driver::AbsolutePath(path, root), root);
    for (Notification& n : set_.notifications) {
      if (std::find(given.begin(), given.end(), n.path) != given.end())
        n.level = Notification::Level::kError;
    }
  }

  // Standard output belongs to the fixed code then.
  int ReportDescriptor() const {
    return fixes_ && plan_.reads_stdin ? STDERR_FILENO : STDOUT_FILENO;
  }

  bool TellFixes() const {
    return !fixes_ || fixes_->Tell({plan_.color, arguments_.quiet, arguments_.silent,
                                    arguments_.verbose, plan_.reads_stdin, SaysSo()});
  }

  bool Quiet() const { return arguments_.quiet || arguments_.silent; }

  // The reports for people end with a summary that tells when nothing was checked.
  bool SaysSo() const {
    return std::any_of(plan_.outputs.begin(), plan_.outputs.end(), [](const Output& output) {
      const report::FormatInfo& info = report::Info(output.format);
      return output.file.empty() && info.is_text && info.writes_summary;
    });
  }

  int Fail(std::string_view message) const {
    PrintError(message, plan_.color);
    return kExitError;
  }

  bool ReadStandardInput() {
    driver::Buffer buffer{plan_.stdin_path, {}};
    text::ReadError error;
    if (!text::ReadDescriptor(STDIN_FILENO, text::Source::MaxBytes(plan_.stdin_path), &buffer.bytes,
                              &error)) {
      Fail("standard input cannot be read: " + error.message);
      return false;
    }
    plan_.options.buffers.push_back(std::move(buffer));
    return true;
  }

  int ShowFiles() const {
    driver::Discovery discovery = driver::Discover(driver::DiscoveryPart(plan_.options));
    if (discovery.error) return Fail(discovery.error->message);
    std::string list;
    for (const driver::DiscoveredFile& file : discovery.files) list += file.path + '\n';
    Tell(discovery.notifications);
    return PrintAndReturn(list, HasErrors(discovery.notifications) ? kExitError : kExitClean);
  }

  // Once for all files for which the same holds, under the name of the first.
  int ShowSettings() const {
    driver::Discovery discovery = driver::Discover(driver::DiscoveryPart(plan_.options));
    if (discovery.error) return Fail(discovery.error->message);
    std::vector<std::string> paths;
    const std::string& root = plan_.options.root;
    if (plan_.reads_stdin) paths.push_back(driver::AbsolutePath(plan_.stdin_path, root));
    for (const driver::DiscoveredFile& file : discovery.files) paths.push_back(file.path);
    std::vector<std::pair<config::SettingsPtr, std::string>> distinct;
    std::map<const config::Settings*, std::size_t> files;
    for (const std::string& path : paths) {
      auto settings = plan_.options.settings->ForFile(path);
      if (!settings) return Fail(settings.error().message);
      if (files[settings->get()]++ == 0) distinct.emplace_back(*settings, path);
    }
    std::string text;
    for (const auto& [settings, path] : distinct) {
      std::string what = driver::DisplayPath(path, root);
      const std::size_t more = files[settings.get()] - 1;
      if (more > 0) what += fmt::format(" and {} more", more);
      text += (text.empty() ? "" : "\n") +
              config::Listing(*settings, plan_.options.settings->run(), what, root);
    }
    Tell(discovery.notifications);
    return PrintAndReturn(text, HasErrors(discovery.notifications) ? kExitError : kExitClean);
  }

  static bool HasErrors(const std::vector<Notification>& notifications) {
    return std::any_of(notifications.begin(), notifications.end(), [](const Notification& n) {
      return n.level == Notification::Level::kError;
    });
  }

  // Errors are told even with --quiet; --silent leaves them to the exit status.
  void Tell(const std::vector<Notification>& notifications) const {
    for (const Notification& n : notifications) {
      bool is_error = n.level == Notification::Level::kError;
      if (arguments_.silent || (arguments_.quiet && !is_error)) continue;
      PrintAbout(n.path, n.message, is_error, plan_.color);
    }
  }

  void TellCounts(double seconds) const {
    const driver::Counts& c = set_.counts;
    constexpr double kMega = 1e6;
    WriteAll(STDERR_FILENO,
             fmt::format("checked {} of {} files ({:.2f} MB) with {} rules in {:.3f} s; "
                         "{} files ({:.2f} MB) had to be parsed, and {} that they import\n",
                         c.checked, c.discovered, static_cast<double>(c.bytes) / kMega,
                         set_.rules.size(), seconds, c.parsed,
                         static_cast<double>(c.parsed_bytes) / kMega, c.imported));
    if (!set_.known.empty()) {
      WriteAll(STDERR_FILENO,
               fmt::format("baseline: {} known findings left out\n", set_.known.size()));
    }
    if (!set_.cache.empty()) WriteAll(STDERR_FILENO, fmt::format("cache: {}\n", set_.cache));
  }

  int Verdict() const {
    if (HasErrors(set_.notifications)) return kExitError;
    if (fixes_) {
      const std::optional<int> status = fixes_->Status();
      if (status) return arguments_.exit_zero && *status == kExitFindings ? kExitClean : *status;
    }
    bool fails = std::any_of(set_.findings.begin(), set_.findings.end(),
                             [this](const auto& f) { return f.severity >= plan_.fail_on; });
    return fails && !arguments_.exit_zero ? kExitFindings : kExitClean;
  }

  bool Report() const {
    bool written = true;
    if (fixes_ && !fixes_->Reports()) return written;
    const CheckReport report(arguments_, plan_, set_);
    for (const Output& output : plan_.outputs) {
      if (output.file.empty()) {
        if (arguments_.silent) continue;
        const std::string text = report.Text(output, ReportDescriptor());
        if (ReportDescriptor() == STDERR_FILENO) {
          WriteAll(STDERR_FILENO, text);
        } else {
          written &= PrintAndReturn(text, 0) == 0;
        }
      } else {
        written &= WriteFile(output.file, report.Text(output, -1));
      }
    }
    return written;
  }

  bool WriteFile(const std::string& path, const std::string& text) const {
    const std::string& root = plan_.options.root;
    const std::string shown = driver::DisplayPath(driver::AbsolutePath(path, root), root);
    if (std::binary_search(set_.checked.begin(), set_.checked.end(), shown)) {
      Fail(fmt::format("{} is one of the files that were checked; the report would replace it",
                       path));
      return false;
    }
    errno = 0;
    std::ofstream file(path, std::ios::binary | std::ios::trunc);
    file.write(text.data(), static_cast<std::streamsize>(text.size()));
    file.close();
    if (file) return true;
    Fail(fmt::format("cannot write {}: {}", path, std::generic_category().message(errno)));
    return false;
  }

  const CheckArguments& arguments_;
  CheckPlan plan_;
  FindingSet set_;
  std::optional<FixCommand> fixes_;
};

int RunCheck(const CheckArguments& arguments) {
  auto plan = Interpret(arguments, WorkingDirectoryFor(arguments.paths));
  if (!plan) return UsageError("check", plan.error().message);
  if (auto error = Configure(arguments, &*plan)) {
    PrintError(error->message, plan->color);
    return kExitError;
  }
  if (arguments.add_noqa) return RunAddNoqa(arguments, *plan);
  return CheckRun(arguments, *std::move(plan)).Execute();
}

}  // namespace

void AddCheckCommand(CLI::App& app, Run* run) {
  auto* command = app.add_subcommand("check", "Check Python files (the usual command)");
  auto arguments = std::make_shared<CheckArguments>();
  DeclareCheckOptions(*command, arguments.get());
  command->footer(
      "Exit status: 0 clean, 1 findings at or above --fail-on, 2 usage error or unreadable input.\n"
      "An argument @FILE stands for the lines of FILE, one argument a line.");
  command->callback([run, arguments] {
    *run = [arguments] {
      auto check = [arguments] { return RunCheck(*arguments); };
      return arguments->watch ? WatchAndCheck(*arguments, check) : check();
    };
  });
}

}  // namespace torchleak::cli

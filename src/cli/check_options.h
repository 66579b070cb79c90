// What was typed after `torchleak check`, as typed; Interpret() makes sense of it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/fix_output.h"
#include "cli/terminal.h"
#include "driver/check.h"
#include "driver/selection.h"
#include "findings/finding.h"
#include "report/report.h"
#include "text/result.h"

namespace CLI {
class App;
}

namespace torchleak::cli {

struct CheckArguments {
  std::vector<std::string> paths;
  driver::RuleSelection rules;
  std::vector<std::string> formats;  // "json", "sarif:out.sarif"
  std::string output_file, stdin_filename;
  std::string fail_on = "warning", min_confidence = "medium", color = "auto", jobs = "0";
  bool exit_zero = false, isolated = false, no_cache = false;
  bool respect_gitignore = true, force_exclude = false, single_file = false;
  std::optional<std::vector<std::string>> excludes;
  std::vector<std::string> extend_excludes;
  bool show_files = false, statistics = false;
  bool quiet = false, silent = false, verbose = false;
  bool fix = false, fix_only = false, diff = false, unsafe_fixes = false;
  bool show_fixes = false, exit_non_zero_on_fix = false;
  std::vector<std::string> fixable, unfixable;
};

// Declares the options of `check`; the values arrive in `arguments`, which must outlive the
// parsing.
void DeclareCheckOptions(CLI::App& command, CheckArguments* arguments);

struct Output {
  report::Format format = report::Format::kFull;
  std::string file;  // empty: standard output
};

// The same, checked and understood. Standard input is not read yet.
struct CheckPlan {
  driver::CheckOptions options;
  std::vector<Output> outputs;
  bool reads_stdin = false;
  std::string stdin_path;
  findings::Severity fail_on = findings::Severity::kWarning;
  ColorChoice color = ColorChoice::kAuto;
  FixSettings fixes;
};

text::Result<CheckPlan> Interpret(const CheckArguments& arguments, const std::string& root);

}  // namespace torchleak::cli

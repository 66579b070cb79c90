// What a run of `check` does: the arguments and the configuration, checked and understood.
//
//   auto plan = Interpret(arguments, root);          // what is wrong here is a usage error
//   if (auto error = Configure(arguments, &*plan))   // what is wrong here is in a file
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/check_options.h"
#include "cli/fix_output.h"
#include "cli/terminal.h"
#include "config/index.h"
#include "driver/check.h"
#include "findings/finding.h"
#include "report/report.h"
#include "text/result.h"

namespace torchleak::cli {

struct Output {
  report::Format format = report::Format::kFull;
  std::string file;  // empty: standard output
};

// Standard input is not read yet.
struct CheckPlan {
  driver::CheckOptions options;
  config::IndexOptions config;
  std::vector<Output> outputs;
  bool reads_stdin = false;
  std::string stdin_path;
  ColorChoice color = ColorChoice::kAuto;

  // From the configuration of the working directory and the flags; set by Configure().
  findings::Severity fail_on = findings::Severity::kWarning;
  FixSettings fixes;
  bool mention_unsafe = true;  // say that there are unsafe fixes
  std::string baseline;        // as shown to people; empty: none
  std::string baseline_commit;
};

text::Result<CheckPlan> Interpret(const CheckArguments& arguments, const std::string& root);

// Reads the configuration of the working directory. That of other folders is read when the run gets
// there.
std::optional<text::Error> Configure(const CheckArguments& arguments, CheckPlan* plan);

// Sorts --config PATH and --config 'key=value' into the options of an index.
text::Result<config::IndexOptions> TakeConfig(const std::vector<std::string>& config, bool isolated,
                                              const std::string& root);

// The reports that were asked for, or a message. `preset`: the format when none was given.
text::Result<std::vector<Output>> TakeOutputs(const CheckArguments& arguments,
                                              const std::string& preset);

}  // namespace torchleak::cli

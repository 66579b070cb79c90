// What was typed after `torchleak check`, as typed; check_plan.h makes sense of it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "config/value.h"

namespace CLI {
class App;
}

namespace torchleak::cli {

struct CheckArguments {
  std::vector<std::string> paths;
  config::Layer flags;              // options that configuration files have as well
  std::vector<std::string> config;  // a path, or key=value; repeatable
  bool isolated = false;

  std::vector<std::string> formats;  // "json", "sarif:out.sarif"
  std::string output_file, stdin_filename;
  std::string color = "auto", jobs = "0";
  bool sarif_full = false;
  bool show_files = false, show_settings = false, statistics = false;
  bool quiet = false, silent = false, verbose = false;
  std::optional<bool> progress;

  bool diff = false, add_noqa = false, ignore_noqa = false;
  std::string baseline_commit;
  bool exit_zero = false, exit_non_zero_on_fix = false;
  bool no_cache = false, watch = false;
};

// Declares the options of `check`; the values arrive in `arguments`, which must outlive the
// parsing.
void DeclareCheckOptions(CLI::App& command, CheckArguments* arguments);

// Those that say which files and rules a run looks at, paths included; `baseline` has them, too.
void DeclareSelectionOptions(CLI::App& command, CheckArguments* arguments);

// --config and --isolated, which `torchleak config` has as well.
void DeclareConfigOptions(CLI::App& command, std::vector<std::string>* config, bool* isolated,
                          const std::string& group);

}  // namespace torchleak::cli

#include <CLI/CLI.hpp>

#include "cli/commands.h"
#include "cli/status.h"
#include "cli/terminal.h"
#include "report/version.h"

namespace torchleak::cli {

void AddVersionCommand(CLI::App& app, Run* run) {
  app.add_subcommand("version", "Print the version")->callback([run] {
    *run = [] {
      return PrintAndReturn("torchleak " + std::string(report::Version()) + "\n", kExitClean);
    };
  });
}

}  // namespace torchleak::cli

// torchleak generate-man
#include <CLI/CLI.hpp>

#include "cli/commands.h"
#include "cli/man_page.h"
#include "cli/status.h"
#include "cli/terminal.h"

namespace torchleak::cli {

void AddManualCommand(CLI::App& app, Run* run) {
  auto* command = app.add_subcommand("generate-man", "Print the manual page, torchleak(1)");
  command->group("");
  command->callback([&app, run] {
    *run = [&app] { return PrintAndReturn(ManualPage(Declared(app)), kExitClean); };
  });
}

}  // namespace torchleak::cli

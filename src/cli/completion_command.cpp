// torchleak generate-shell-completion SHELL
#include <CLI/CLI.hpp>

#include <array>
#include <memory>

#include "cli/choices.h"
#include "cli/commands.h"
#include "cli/completion.h"
#include "cli/status.h"
#include "cli/terminal.h"

namespace torchleak::cli {
namespace {

struct Shell {
  std::string_view name;
  std::string (*write)(const std::vector<Command>&);
};

constexpr std::array<Shell, 4> kShells = {{{"bash", BashCompletion},
                                           {"zsh", ZshCompletion},
                                           {"fish", FishCompletion},
                                           {"powershell", PowershellCompletion}}};

constexpr std::array<std::string_view, 4> kShellNames = {kShells[0].name, kShells[1].name,
                                                         kShells[2].name, kShells[3].name};

int RunCompletion(const CLI::App& app, const std::string& given) {
  if (given.empty()) {
    return UsageError("generate-shell-completion",
                      "for which shell? Give bash, zsh, fish or powershell");
  }
  for (const Shell& shell : kShells) {
    if (shell.name == given) return PrintAndReturn(shell.write(Declared(app)), kExitClean);
  }
  return UsageError("generate-shell-completion", UnknownValue("shell", given, kShellNames));
}

}  // namespace

void AddCompletionCommand(CLI::App& app, Run* run) {
  auto* command =
      app.add_subcommand("generate-shell-completion", "Print a completion script for a shell");
  auto shell = std::make_shared<std::string>();
  Choices(command->add_option("shell", *shell, "bash, zsh, fish or powershell"), kShellNames)
      ->option_text("SHELL");
  command->footer(
      "bash:        eval \"$(torchleak generate-shell-completion bash)\"    (in ~/.bashrc)\n"
      "zsh:         eval \"$(torchleak generate-shell-completion zsh)\"     (in ~/.zshrc, after "
      "compinit)\n"
      "fish:        torchleak generate-shell-completion fish | source     (in config.fish)\n"
      "PowerShell:  torchleak generate-shell-completion powershell | Out-String | "
      "Invoke-Expression\n"
      "                                                                   (in $PROFILE)");
  command->callback(
      [&app, run, shell] { *run = [&app, shell] { return RunCompletion(app, *shell); }; });
}

}  // namespace torchleak::cli

// torchleak server
#include <unistd.h>
#include <CLI/CLI.hpp>

#include "cli/commands.h"
#include "cli/terminal.h"
#include "lsp/operations/operations.h"
#include "lsp/server.h"
#include "lsp/transport.h"
#include "report/version.h"

namespace torchleak::cli {
namespace {

int RunServer() {
  if (isatty(STDIN_FILENO) != 0 || isatty(STDOUT_FILENO) != 0) {
    PrintNote(
        "this is a language server: editors start it, and talk to it over standard input and "
        "output; to check files: `torchleak check`");
  }
  lsp::FdTransport transport(STDIN_FILENO, STDOUT_FILENO);
  lsp::Server server(transport);
  server.SetVersion(report::Version());
  lsp::Analysis analysis(server);
  lsp::AddAll(analysis);
  return server.Run();
}

}  // namespace

void AddServerCommand(CLI::App& app, Run* run) {
  auto* command = app.add_subcommand("server", "Run the language server, for editors");
  command->footer(
      "Speaks the Language Server Protocol over standard input and output.\n"
      "Exit status: 0 after `shutdown` and `exit`, 1 when the editor goes away without.");
  command->callback([run] { *run = [] { return RunServer(); }; });
}

}  // namespace torchleak::cli

// torchleak clean [FOLDER…]
#include <CLI/CLI.hpp>

#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "cache/store.h"
#include "cli/commands.h"
#include "cli/status.h"
#include "cli/terminal.h"
#include "driver/discovery.h"

namespace torchleak::cli {
namespace {

int RunClean(std::vector<std::string> folders) {
  const char* elsewhere = std::getenv("TORCHLEAK_CACHE_DIR");
  if (folders.empty()) {
    folders.emplace_back(".");
    if (elsewhere != nullptr && cache::IsCache(elsewhere)) folders.emplace_back(elsewhere);
  }
  const std::string root = WorkingDirectory();
  std::string removed;
  int status = kExitClean;
  for (const std::string& folder : folders) {
    const cache::Cleaned cleaned = cache::Clean(driver::AbsolutePath(folder, root));
    for (const std::string& path : cleaned.removed) {
      removed += "removed " + driver::DisplayPath(path, root) + '\n';
    }
    for (const std::string& problem : cleaned.problems) {
      PrintError(problem);
      status = kExitError;
    }
  }
  if (removed.empty() && status == kExitClean) removed = "no cache found\n";
  return PrintAndReturn(removed, status);
}

}  // namespace

void AddCleanCommand(CLI::App& app, Run* run) {
  auto* command = app.add_subcommand("clean", "Remove the caches of earlier runs");
  auto folders = std::make_shared<std::vector<std::string>>();
  command
      ->add_option("folders", *folders,
                   "Where to look, at any depth (default: . and TORCHLEAK_CACHE_DIR)")
      ->option_text("[FOLDER]...");
  command->footer("Removes only folders that hold torchleak's own CACHEDIR.TAG.");
  command->callback([run, folders] { *run = [folders] { return RunClean(*folders); }; });
}

}  // namespace torchleak::cli

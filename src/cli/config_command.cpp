// torchleak config [KEY | schema]
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <filesystem>
#include <memory>

#include "cli/check_plan.h"
#include "cli/choices.h"
#include "cli/commands.h"
#include "cli/status.h"
#include "cli/terminal.h"
#include "config/explain.h"
#include "config/options.h"
#include "config/schema.h"
#include "driver/discovery.h"

namespace torchleak::cli {
namespace {

struct ConfigArguments {
  std::string word, file;
  std::vector<std::string> config;
  bool isolated = false;
};

int Fail(const text::Error& error) {
  PrintError(error.message);
  return kExitError;
}

int RunConfig(const ConfigArguments& arguments) {
  if (arguments.word == "schema") return PrintAndReturn(config::JsonSchema(), kExitClean);
  const config::Option* option = config::FindOption(arguments.word);
  if (option == nullptr && !arguments.word.empty()) {
    std::string_view nearest = config::NearestOption(arguments.word);
    return UsageError("config",
                      fmt::format("unknown option '{}'{}", arguments.word,
                                  nearest.empty() ? "; `torchleak config` lists those there are"
                                                  : fmt::format("; did you mean '{}'?", nearest)));
  }
  const std::string root = WorkingDirectory();
  auto options = TakeConfig(arguments.config, arguments.isolated, root);
  if (!options) return Fail(options.error());
  auto index = config::SettingsIndex::Create(*std::move(options));
  if (!index) return Fail(index.error());
  const std::string path =
      arguments.file.empty() ? root : driver::AbsolutePath(arguments.file, root);
  std::error_code error;
  const bool is_folder = std::filesystem::is_directory(path, error);
  auto settings = is_folder ? (*index)->ForFolder(path) : (*index)->ForFile(path);
  if (!settings) return Fail(settings.error());
  const std::string what = arguments.file.empty() ? "this folder" : arguments.file;
  return PrintAndReturn(option != nullptr
                            ? config::Explanation(*option, **settings, (*index)->run())
                            : config::Listing(**settings, (*index)->run(), what, root),
                        kExitClean);
}

}  // namespace

void AddConfigCommand(CLI::App& app, Run* run) {
  auto* command = app.add_subcommand(
      "config", "Show the settings and where they come from, one of them, or their JSON schema");
  auto arguments = std::make_shared<ConfigArguments>();
  std::vector<std::string_view> words = {"schema"};
  for (const config::Option& option : config::Options()) words.push_back(option.key);
  Choices(
      command->add_option("option", arguments->word,
                          "An option such as per-file-ignores, or `schema` for the JSON schema"),
      words)
      ->option_text("[OPTION]");
  command
      ->add_option("--file", arguments->file,
                   "The settings of this file or folder (default: this folder)")
      ->option_text("PATH")
      ->group("Settings");
  DeclareConfigOptions(*command, &arguments->config, &arguments->isolated, "Settings");
  command->callback([run, arguments] { *run = [arguments] { return RunConfig(*arguments); }; });
}

}  // namespace torchleak::cli

// CLI11 splits the words; its exceptions end in Main(), turned into messages that say what was
// meant.
#include "cli/app.h"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <csignal>
#include <exception>
#include <filesystem>
#include <stdexcept>
#include <vector>

#include "cli/argfile.h"
#include "cli/commands.h"
#include "cli/help.h"
#include "cli/status.h"
#include "cli/terminal.h"
#include "findings/nearest.h"
#include "report/version.h"

namespace torchleak::cli {
namespace {

void Declare(CLI::App& app, Run* run) {
  app.name("torchleak");
  app.description("Finds memory leaks and silent gradient bugs in PyTorch training code.");
  app.set_help_flag("-h,--help", "Show this help");
  app.set_version_flag("-V,--version", "torchleak " + std::string(report::Version()),
                       "Show the version");
  app.require_subcommand(1);
  AddCheckCommand(app, run);
  AddRuleCommand(app, run);
  AddWhyCommand(app, run);
  AddConfigCommand(app, run);
  AddBaselineCommand(app, run);
  AddServerCommand(app, run);
  AddCleanCommand(app, run);
  AddVersionCommand(app, run);
  AddCompletionCommand(app, run);
  AddManualCommand(app, run);
  app.footer(
      "`torchleak check` checks the current directory; `torchleak COMMAND --help` tells more.");
}

// Every command that asks for the working directory ends when there is none; one exception inside
// of this layer keeps each of them from having to say so.
struct NoWorkingDirectory : std::runtime_error {
  NoWorkingDirectory()
      : std::runtime_error(
            "the working directory does not exist any more; go to one that does and run it again") {
  }
};

const CLI::App* GivenCommand(const CLI::App& app) {
  auto given = app.get_subcommands();
  return given.empty() ? nullptr : given.front();
}

std::string CommandName(const CLI::App& app) {
  const CLI::App* given = GivenCommand(app);
  return given == nullptr ? std::string() : given->get_name();
}

// A word that the parser did not expect: an option, a command, or one argument too many.
std::string Unexpected(const CLI::App& app, const std::string& word) {
  const CLI::App* command = GivenCommand(app);
  std::vector<std::string> names;
  std::string what = "argument";
  if (word.starts_with('-')) {
    what = "option";
    for (const CLI::Option* option : (command != nullptr ? command : &app)->get_options()) {
      for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
    }
  } else if (command == nullptr) {
    what = "command";
    for (const CLI::App* known : app.get_subcommands({})) names.push_back(known->get_name());
  } else {
    return fmt::format("unexpected argument '{}'", word);
  }
  std::string name = word.substr(0, word.find('='));
  std::vector<std::string_view> views(names.begin(), names.end());
  std::string_view nearest = findings::Nearest(name, views);
  std::string message = fmt::format("unknown {} '{}'", what, name);
  std::error_code error;
  if (!nearest.empty()) return message + fmt::format("; did you mean '{}'?", nearest);
  if (what == "command" && std::filesystem::exists(word, error)) {
    return message + fmt::format("; to check it: `torchleak check {}`", word);
  }
  return message;
}

int Explain(const CLI::App& app, const CLI::ParseError& error) {
  if (dynamic_cast<const CLI::CallForHelp*>(&error) != nullptr) {
    const CLI::App* command = GivenCommand(app);
    return PrintAndReturn(HelpText(command != nullptr ? *command : app), kExitClean);
  }
  if (dynamic_cast<const CLI::CallForVersion*>(&error) != nullptr) {
    return PrintAndReturn(std::string(error.what()) + "\n", kExitClean);
  }
  std::vector<std::string> remaining = app.remaining(true);
  std::string message = error.what();
  if (!remaining.empty()) {
    message = Unexpected(app, remaining.front());
  } else if (GivenCommand(app) == nullptr) {
    message = "no command given";
  } else if (dynamic_cast<const CLI::ArgumentMismatch*>(&error) != nullptr) {
    // CLI11 says "--jobs: 1 required TEXT missing".
    message = message.substr(0, message.find(':')) + " needs a value";
  }
  return UsageError(CommandName(app), message);
}

}  // namespace

int UsageError(std::string_view command, std::string_view message) {
  PrintError(message);
  WriteAll(
      2, fmt::format("`torchleak{}{} --help` tells more.\n", command.empty() ? "" : " ", command));
  return kExitError;
}

std::string UnknownValue(std::string_view what, std::string_view given,
                         std::span<const std::string_view> known) {
  std::string_view nearest = findings::Nearest(given, known);
  if (!nearest.empty()) {
    return fmt::format("unknown {} '{}'; did you mean '{}'?", what, given, nearest);
  }
  return fmt::format("unknown {} '{}' (known: {})", what, given, fmt::join(known, ", "));
}

std::string WorkingDirectory() {
  std::error_code error;
  std::filesystem::path path = std::filesystem::current_path(error);
  if (error) throw NoWorkingDirectory();
  return path.string();
}

std::string WorkingDirectoryFor(std::span<const std::string> paths) {
  std::error_code error;
  static_cast<void>(std::filesystem::current_path(error));
  const bool needed =
      paths.empty() || std::any_of(paths.begin(), paths.end(),
                                   [](const auto& path) { return !path.starts_with('/'); });
  return error && !needed ? "/" : WorkingDirectory();
}

int Main(int argc, const char* const* argv) {
  std::signal(SIGPIPE, SIG_IGN);  // a closed pipe becomes EPIPE, see PrintAndReturn()
  auto arguments = ExpandArgfiles(WithPathsFirst({argv + std::min(argc, 1), argv + argc}));
  if (!arguments) {
    PrintError(arguments.error().message);
    return kExitError;
  }
  CLI::App app;
  Run run;
  try {
    Declare(app, &run);
    if (arguments->empty()) {
      WriteAll(2, HelpText(app));
      return kExitError;
    }
    std::reverse(arguments->begin(), arguments->end());  // the order that CLI11 wants
    app.parse(*std::move(arguments));
    return run();
  } catch (const CLI::ParseError& error) {
    return Explain(app, error);
  } catch (const NoWorkingDirectory& error) {
    PrintError(error.what());
    return kExitError;
  } catch (const std::exception& error) {
    PrintError(fmt::format("internal error: {}", error.what()));
    return kExitError;
  }
}

}  // namespace torchleak::cli

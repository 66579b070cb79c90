// One function for each command: it declares the command's options on the parser and, when that
// command was given, leaves what to do in `run`.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>

namespace CLI {
class App;
}

namespace torchleak::cli {

using Run = std::function<int()>;

void AddCheckCommand(CLI::App& app, Run* run);
void AddRuleCommand(CLI::App& app, Run* run);
void AddWhyCommand(CLI::App& app, Run* run);
void AddConfigCommand(CLI::App& app, Run* run);
void AddCompletionCommand(CLI::App& app, Run* run);
void AddManualCommand(CLI::App& app, Run* run);  // hidden: packagers want it, users do not
void AddBaselineCommand(CLI::App& app, Run* run);
void AddServerCommand(CLI::App& app, Run* run);
void AddCleanCommand(CLI::App& app, Run* run);
void AddVersionCommand(CLI::App& app, Run* run);

// Usage error: prints `message` and a line that points to the command's help; returns the exit
// status.
int UsageError(std::string_view command, std::string_view message);

// "unknown format 'jsn'; did you mean 'json'?" or, when none is near, the list of those there are.
std::string UnknownValue(std::string_view what, std::string_view given,
                         std::span<const std::string_view> known);

// Working directory, absolute. When it has been deleted the command ends here with a message (see
// Main()): taking another for it would check, or change, what nobody asked for.
std::string WorkingDirectory();
// The same for a command that was given these paths (none: the working directory is meant). "/"
// when it has been deleted and all of them are absolute.
std::string WorkingDirectoryFor(std::span<const std::string> paths);

}  // namespace torchleak::cli

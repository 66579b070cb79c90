// The text of --help: usage, commands or arguments, then the options by group.
#pragma once

#include <string>

namespace CLI {
class App;
}

namespace torchleak::cli {

std::string HelpText(const CLI::App& app);

}  // namespace torchleak::cli

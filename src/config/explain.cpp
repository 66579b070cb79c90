#include "config/explain.h"

#include <fmt/format.h>

#include <algorithm>

#include "config/file.h"

namespace torchleak::config {
namespace {

// Values longer than this stand alone, with the origin behind them.
constexpr std::size_t kColumn = 44;

std::string FilesOf(const Settings& settings, std::string_view root) {
  if (settings.files.empty()) return "no configuration file";
  std::string text = DisplayName(settings.files.front(), root);
  for (std::size_t i = 1; i < settings.files.size(); ++i) {
    text += fmt::format("{}{}", i == 1 ? ", which extends " : ", then ",
                        DisplayName(settings.files[i], root));
  }
  return text;
}

std::string RulesOf(const Settings& settings) {
  if (settings.rules.empty()) return "none";
  std::string text;
  for (const engine::Rule* rule : settings.rules) {
    text += (text.empty() ? "" : " ") + std::string(rule->info().code);
  }
  return text;
}

// A file below the working directory may hold options of the run, for runs that start there.
bool IsWithoutEffect(const Option& option, const Shown& here, const Shown& effective) {
  return option.scope == Scope::kRun && here.origin != "default" && here.origin != effective.origin;
}

const Shown& ShownOf(const Settings& settings, std::string_view key) {
  return *std::find_if(settings.shown.begin(), settings.shown.end(),
                       [key](const Shown& shown) { return shown.key == key; });
}

std::string_view Whose(Scope scope) {
  return scope == Scope::kRun ? "the file closest to the working directory decides"
                              : "the file closest to each checked file decides";
}

}  // namespace

std::string Listing(const Settings& settings, const Settings& run, std::string_view of_what,
                    std::string_view root) {
  std::string text = fmt::format("# Settings of {}, from {}\n", of_what, FilesOf(settings, root));
  std::string notes;
  for (const Option& option : Options()) {
    const Shown& here = ShownOf(settings, option.key);
    const Shown& shown = option.scope == Scope::kRun ? ShownOf(run, option.key) : here;
    // What is not set has no value in TOML.
    if (shown.toml.empty()) {
      text += fmt::format("# {} is not set\n", option.key);
    } else {
      const std::string line = fmt::format("{} = {}", option.key, shown.toml);
      text += fmt::format("{:<{}}  # {}\n", line, kColumn, shown.origin);
    }
    if (IsWithoutEffect(option, here, shown)) {
      notes +=
          fmt::format("# {} of {} counts only in runs that start there\n", option.key, here.origin);
    }
  }
  for (const std::string& path : settings.shadowed) {
    notes += fmt::format("# Not read: {}, because {} lies beside it\n", DisplayName(path, root),
                         DisplayName(settings.files.front(), root));
  }
  return text + notes + fmt::format("# Rules: {}\n", RulesOf(settings));
}

std::string Explanation(const Option& option, const Settings& settings, const Settings& run) {
  const Shown& here = ShownOf(settings, option.key);
  const Shown& shown = option.scope == Scope::kRun ? ShownOf(run, option.key) : here;
  const std::string preset = ToToml(option, DefaultOf(option));
  auto line = [](std::string_view name, std::string_view value) {
    return fmt::format("  {:<9}{}\n", name, value);
  };
  std::string text = fmt::format("{}\n{}.\n\n", option.key, option.description);
  text += line("value", shown.toml.empty() ? "not set" : shown.toml);
  text += line("from", shown.origin);
  if (IsWithoutEffect(option, here, shown)) {
    text += line(
        "", fmt::format("({} in {} counts only in runs that start there)", here.toml, here.origin));
  }
  text += line("default", preset.empty() || option.key == "select" ? "not set" : preset);
  text += line("takes", Expected(option));
  text += line("example", fmt::format("{} = {}", option.key, option.example));
  if (!option.flag.empty()) text += line("flag", option.flag);
  text += line("scope", Whose(option.scope));
  return text;
}

}  // namespace torchleak::config

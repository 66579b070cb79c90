#include "options.h"

#include <fmt/format.h>

#include "config/options.h"

namespace torchleak::tests {

namespace {

using config::Option;
using config::Type;

constexpr std::string_view kBegin = "<!-- Options: written by docs/update. -->\n";
constexpr std::string_view kEnd = "<!-- End of the options. -->\n";

std::string_view Kind(const Option& option) {
  switch (option.type) {
    case Type::kFlag:
      return "`true` or `false`";
    case Type::kChoice:
      return "one of some words";
    case Type::kPath:
      return "path";
    case Type::kVersion:
      return "version";
    case Type::kPatterns:
      return "list of patterns";
    case Type::kSelectors:
      return "list of rules";
    case Type::kPerFile:
      return "table: pattern = list of rules";
    case Type::kPerRule:
      return "table: rule = severity";
  }
  return {};
}

// As in `torchleak config KEY`: no selection means the rules that are on by default.
std::string Preset(const Option& option) {
  return option.key == "select" ? std::string() : ToToml(option, DefaultOf(option));
}

std::string Default(const Option& option) {
  constexpr std::size_t kFitsTable = 20;
  const std::string preset = Preset(option);
  if (preset.empty()) return "not set";
  return preset.size() > kFitsTable ? "below" : fmt::format("`{}`", preset);
}

std::string FlagOf(const Option& option) {
  if (option.flag.empty()) return "none";
  const bool negatable = option.type == Type::kFlag;
  return negatable ? fmt::format("`{}`, `--no-{}`", option.flag, option.flag.substr(2))
                   : fmt::format("`{}`", option.flag);
}

std::string Row(const Option& option) {
  return fmt::format("| [{0}](#{0}) | {1} | {2} | {3} | {4} |\n", option.key, Kind(option),
                     Default(option), FlagOf(option),
                     option.scope == config::Scope::kRun ? "run" : "file");
}

std::string Section(const Option& option) {
  std::string text = fmt::format("\n### {}\n{}.", option.key, option.description);
  for (std::size_t i = 0; i < option.choices.size(); ++i) {
    text += fmt::format("{}`{}`", i == 0 ? " One of " : ", ", option.choices[i]);
  }
  text += option.choices.empty() ? "\n" : ".\n";
  if (const std::string preset = Preset(option); !preset.empty() && Default(option) == "below") {
    text += "Default:\n\n```toml\n" + fmt::format("{} = {}", option.key, preset) +
            "\n```\n\nExample:\n";
  }
  return text + fmt::format("\n```toml\n{} = {}\n```\n", option.key, option.example);
}

}  // namespace

std::string OptionsPart() {
  std::string text = "\n| option | type | default | flag | decides for |\n|---|---|---|---|---|\n";
  for (const Option& option : config::Options()) text += Row(option);
  for (const Option& option : config::Options()) text += Section(option);
  return text + '\n';
}

std::string WithOptions(std::string_view page, std::string_view part) {
  const std::size_t begin = page.find(kBegin), end = page.find(kEnd);
  if (begin == std::string_view::npos || end == std::string_view::npos || end < begin) {
    return std::string(page);
  }
  const std::size_t after_mark = begin + kBegin.size();
  return std::string(page.substr(0, after_mark)) + std::string(part) +
         std::string(page.substr(end));
}

}  // namespace torchleak::tests

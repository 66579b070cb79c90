#include "cli/declared.h"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <array>
#include <deque>
#include <string_view>

#include "cli/choices.h"
#include "engine/rule.h"

namespace torchleak::cli {
namespace {

struct Placeholder {
  std::string_view text;
  Takes takes;
};

constexpr std::array<Placeholder, 9> kPlaceholders = {{
    {"FILE", Takes::kFile},
    {"PATH", Takes::kFile},
    {"FILE:LINE", Takes::kFile},
    {"CONFIG", Takes::kFile},
    {"DIR", Takes::kFolder},
    {"FOLDER", Takes::kFolder},
    {"RULE", Takes::kRules},
    {"RULES", Takes::kRules},
    {"PATTERN:RULES", Takes::kFile},
}};

// "[PATH]..." -> "PATH"; of "FILE|KEY=VALUE" the first
std::string_view Bare(std::string_view placeholder) {
  placeholder = placeholder.substr(0, placeholder.find('|'));
  while (placeholder.starts_with('[')) placeholder.remove_prefix(1);
  while (placeholder.ends_with('.') || placeholder.ends_with(']')) placeholder.remove_suffix(1);
  return placeholder;
}

Takes TakesOf(const Option& option) {
  if (option.value.empty()) return Takes::kNothing;
  if (!option.words.empty()) {
    return option.value.find(":FILE") == std::string::npos ? Takes::kWords : Takes::kReport;
  }
  std::string_view bare = Bare(option.value);
  for (const Placeholder& known : kPlaceholders) {
    if (known.text == bare) return known.takes;
  }
  return Takes::kText;
}

Option Read(const CLI::Option& declared) {
  Option option;
  for (const std::string& name : declared.get_snames()) option.names.push_back("-" + name);
  for (const std::string& name : declared.get_lnames()) option.names.push_back("--" + name);
  option.value = declared.get_option_text();
  option.description = declared.get_description();
  option.group = declared.get_group();
  option.is_list = declared.get_delimiter() == ',';
  for (std::string& word : ChoicesOf(declared)) option.words.push_back({std::move(word), {}});
  option.takes = TakesOf(option);
  return option;
}

bool IsHidden(const CLI::App& app) { return app.get_group().empty(); }

// Options of one group together, in the order in which the groups begin. CLI11 declares --help
// first, in the group "Options"; a reader wants it last.
void SortByGroup(std::vector<Option>* options) {
  std::vector<std::string> groups;
  for (const Option& option : *options) {
    if (std::find(groups.begin(), groups.end(), option.group) == groups.end()) {
      groups.push_back(option.group);
    }
  }
  if (!groups.empty()) std::rotate(groups.begin(), groups.begin() + 1, groups.end());
  auto place = [&](const Option& option) {
    return std::find(groups.begin(), groups.end(), option.group) - groups.begin();
  };
  std::stable_sort(options->begin(), options->end(),
                   [&](const Option& a, const Option& b) { return place(a) < place(b); });
}

}  // namespace

Command DeclaredCommand(const CLI::App& app) {
  Command command;
  for (const CLI::App* a = &app; a->get_parent() != nullptr; a = a->get_parent()) {
    command.path.insert(command.path.begin(), a->get_name());
  }
  command.description = app.get_description();
  command.footer = app.get_footer();
  for (const CLI::Option* declared : app.get_options()) {
    Option option = Read(*declared);
    if (option.group.empty()) continue;
    (option.names.empty() ? command.arguments : command.options).push_back(std::move(option));
  }
  SortByGroup(&command.options);
  for (const CLI::App* below : app.get_subcommands({})) {
    if (!IsHidden(*below)) {
      command.commands.push_back({below->get_name(), below->get_description()});
    }
  }
  return command;
}

std::vector<Command> Declared(const CLI::App& app) {
  std::vector<Command> commands;
  std::deque<const CLI::App*> open = {&app};
  while (!open.empty()) {
    const CLI::App* next = open.front();
    open.pop_front();
    for (const CLI::App* below : next->get_subcommands({})) {
      if (!IsHidden(*below)) open.push_back(below);
    }
    commands.push_back(DeclaredCommand(*next));
  }
  return commands;
}

std::string PathOf(const Command& command) {
  return fmt::format("{}", fmt::join(command.path, " "));
}

const std::vector<Word>& RuleWords() {
  static const std::vector<Word> words = [] {
    std::vector<Word> all;
    for (const engine::Rule* rule : engine::AllRules()) {
      all.push_back({std::string(rule->info().code), std::string(rule->info().summary)});
    }
    for (const engine::Rule* rule : engine::AllRules()) {
      all.push_back({std::string(rule->info().name), std::string(rule->info().summary)});
    }
    all.push_back({"ALL", "Every rule"});
    return all;
  }();
  return words;
}

std::string JoinedNames(const Option& option) {
  std::string joined;
  for (const std::string& name : option.names) {
    std::string shown = name;
    if (name.starts_with("--no-")) {
      std::string positive = "--" + name.substr(5);
      if (std::find(option.names.begin(), option.names.end(), positive) != option.names.end()) {
        continue;
      }
    } else if (name.starts_with("--")) {
      std::string negative = "--no-" + name.substr(2);
      if (std::find(option.names.begin(), option.names.end(), negative) != option.names.end()) {
        shown = "--[no-]" + name.substr(2);
      }
    }
    joined += (joined.empty() ? "" : ", ") + shown;
  }
  return joined;
}

}  // namespace torchleak::cli

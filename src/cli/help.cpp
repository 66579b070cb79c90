// Written by hand over CLI11's lists: its own formatter shows types, negated flags and counts that
// say nothing to a reader.
#include "cli/help.h"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <vector>

namespace torchleak::cli {
namespace {

struct Row {
  std::string left, right;
};

std::string Section(const std::string& title, const std::vector<Row>& rows) {
  constexpr std::size_t kColumn = 32;
  if (rows.empty()) return {};
  std::string text = "\n" + title + ":\n";
  for (const Row& row : rows) {
    // A long name puts its description on the next line.
    bool fits = row.left.size() + 2 <= kColumn;
    text += fmt::format("  {:<{}}", row.left, kColumn);
    if (!fits) text += fmt::format("\n  {:<{}}", "", kColumn);
    text += row.right + "\n";
  }
  return text;
}

bool IsAmong(const std::string& name, const std::vector<std::string>& names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

std::string NamesOf(const CLI::Option& option) {
  std::string names;
  for (const std::string& name : option.get_snames()) names += "-" + name + ", ";
  if (names.empty()) names = "    ";
  bool first = true;
  const std::vector<std::string>& longs = option.get_lnames();
  for (const std::string& name : longs) {
    // A switch has two names: `--fix` and `--no-fix` are shown as one.
    if (name.starts_with("no-") && IsAmong(name.substr(3), longs)) continue;
    const bool is_switch = IsAmong("no-" + name, longs);
    names += (first ? "--" : ", --") + std::string(is_switch ? "[no-]" : "") + name;
    first = false;
  }
  const std::string& value = option.get_option_text();
  return value.empty() ? names : names + " " + value;
}

std::string Usage(const CLI::App& app) {
  std::string path;
  for (const CLI::App* a = &app; a != nullptr; a = a->get_parent()) {
    path.insert(0, path.empty() ? a->get_name() : a->get_name() + " ");
  }
  if (!app.get_subcommands({}).empty()) return path + " COMMAND [OPTIONS]";
  std::string usage = path + " [OPTIONS]";
  for (const CLI::Option* option : app.get_options()) {
    if (option->get_positional()) usage += " " + option->get_option_text();
  }
  return usage;
}

}  // namespace

std::string HelpText(const CLI::App& app) {
  std::string text = fmt::format("{}\n\nUsage: {}\n", app.get_description(), Usage(app));
  std::vector<Row> commands, arguments;
  for (const CLI::App* command : app.get_subcommands({})) {
    commands.push_back({command->get_name(), command->get_description()});
  }
  std::vector<std::string> groups;
  std::vector<std::vector<Row>> rows;
  for (const CLI::Option* option : app.get_options()) {
    if (option->get_positional()) {
      arguments.push_back({option->get_option_text(), option->get_description()});
      continue;
    }
    std::size_t at = 0;
    while (at < groups.size() && groups[at] != option->get_group()) ++at;
    if (at == groups.size()) {
      groups.push_back(option->get_group());
      rows.emplace_back();
    }
    rows[at].push_back({NamesOf(*option), option->get_description()});
  }
  text += Section("Commands", commands) + Section("Arguments", arguments);
  // CLI11 declares --help first, in the group "Options"; a reader wants it last.
  for (std::size_t i = 1; i < groups.size(); ++i) text += Section(groups[i], rows[i]);
  if (!groups.empty()) text += Section(groups.size() > 1 ? "Help" : groups[0], rows[0]);
  if (!app.get_footer().empty()) text += "\n" + app.get_footer() + "\n";
  return text;
}

}  // namespace torchleak::cli

// Written by hand over what was declared: CLI11's own formatter shows types, negated flags and
// counts that say nothing to a reader.
#include "cli/help.h"

#include <fmt/format.h>

#include <vector>

#include "cli/declared.h"

namespace torchleak::cli {
namespace {

constexpr std::size_t kColumn = 34;  // where descriptions begin
constexpr std::size_t kWidth = 100;

struct Row {
  std::string left, right;
};

// Breaks `text` at blanks, so that it fits between kColumn and kWidth.
std::string Wrapped(std::string_view text) {
  constexpr std::size_t kRoom = kWidth - kColumn;
  std::string wrapped;
  while (text.size() > kRoom) {
    std::size_t blank = text.rfind(' ', kRoom);
    if (blank == std::string_view::npos) break;
    wrapped += fmt::format("{}\n{:<{}}", text.substr(0, blank), "", kColumn);
    text.remove_prefix(blank + 1);
  }
  return wrapped + std::string(text);
}

std::string Section(const std::string& title, const std::vector<Row>& rows) {
  if (rows.empty()) return {};
  std::string text = "\n" + title + ":\n";
  for (const Row& row : rows) {
    std::string left = "  " + row.left;
    // A long name puts its description on the next line.
    if (left.size() + 2 > kColumn) {
      text += left + '\n';
      left.clear();
    }
    text += fmt::format("{:<{}}{}\n", left, kColumn, Wrapped(row.right));
  }
  return text;
}

// "-q, --quiet", "    --select RULES"
std::string NamesOf(const Option& option) {
  std::string names = JoinedNames(option);
  if (!names.starts_with("--")) return names + (option.value.empty() ? "" : " ") + option.value;
  return "    " + names + (option.value.empty() ? "" : " ") + option.value;
}

std::string Usage(const Command& command) {
  std::string usage = "torchleak";
  for (const std::string& word : command.path) usage += " " + word;
  if (!command.commands.empty()) return usage + " COMMAND [OPTIONS]";
  usage += " [OPTIONS]";
  for (const Option& argument : command.arguments) usage += " " + argument.value;
  return usage;
}

}  // namespace

std::string HelpText(const CLI::App& app) {
  const Command command = DeclaredCommand(app);
  std::string text = fmt::format("{}\n\nUsage: {}\n", command.description, Usage(command));
  std::vector<Row> rows;
  for (const Word& below : command.commands) rows.push_back({below.word, below.description});
  text += Section("Commands", rows);
  rows.clear();
  for (const Option& argument : command.arguments) {
    rows.push_back({argument.value, argument.description});
  }
  text += Section("Arguments", rows);
  std::string group;
  rows.clear();
  for (const Option& option : command.options) {
    if (option.group != group) {
      text += Section(group, rows);
      rows.clear();
      group = option.group;
    }
    rows.push_back({NamesOf(option), option.description});
  }
  const bool only_help = group == "Options" && rows.size() < command.options.size();
  text += Section(only_help ? "Help" : group, rows);
  if (!command.footer.empty()) text += "\n" + command.footer + "\n";
  return text;
}

}  // namespace torchleak::cli

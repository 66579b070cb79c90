// What was declared on the parser, as plain data: commands, their options and what these take.
// The completions and the manual page are written from it, so that an option is listed once, where
// it is declared.
//
//   std::vector<Command> commands = Declared(app);   // front(): torchleak itself
//   for (const Option& option : commands.front().options) …
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace torchleak::cli {

// What follows an option, or stands in a place of its own. It is read from the placeholder that
// the help shows, and from Choices().
enum class Takes {
  kNothing,
  kText,    // N, PATTERNS, REF …: nothing to offer
  kFile,    // FILE, PATH, FILE:LINE
  kFolder,  // DIR
  kRules,   // RULES, RULE: codes and names
  kWords,   // one of `words`
  kReport,  // one of `words`, or WORD:FILE
};

struct Word {
  std::string word, description;
};

struct Option {
  std::vector<std::string> names;  // "-o", "--output-file"; of an argument in place: none
  std::string value;               // "FILE"; as --help shows it, empty for flags
  std::string description, group;
  Takes takes = Takes::kNothing;
  bool is_list = false;  // takes a comma list
  std::vector<Word> words;
};

struct Command {
  std::vector<std::string> path;  // {} for torchleak itself, {"check"}, {"config", "schema"}
  std::string description, footer;
  std::vector<Option> options;    // groups in order of declaration, that of --help last
  std::vector<Option> arguments;  // in place
  std::vector<Word> commands;     // below this one
};

// torchleak itself first, then every command before those below it. Hidden commands and options
// (with an empty group) are left out.
std::vector<Command> Declared(const CLI::App& app);
// That one alone.
Command DeclaredCommand(const CLI::App& app);

// "check", "config schema"; empty for torchleak itself.
std::string PathOf(const Command& command);
// Every rule that there is: codes with the summaries, then names, then ALL.
const std::vector<Word>& RuleWords();
// "-q, --quiet", with "--[no-]name" for a flag that has both.
std::string JoinedNames(const Option& option);

}  // namespace torchleak::cli

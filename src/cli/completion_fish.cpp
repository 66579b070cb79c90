// One `complete` line for each option, on the condition that its command is on the line.
#include <fmt/format.h>

#include "cli/completion.h"

namespace torchleak::cli {
namespace {

constexpr std::string_view kHelpers = R"__(
function __torchleak_at -d 'Is this the command on the line?'
    set -l words (commandline -opc)
    set -l command ''
    for word in $words[2..-1]
        set -l next (string trim -- "$command $word")
        if contains -- $next $__torchleak_commands
            set command $next
        end
    end
    test "$command" = "$argv"
end

# What stands before the word that is being typed: `--option=` is not part of it, a comma list is.
function __torchleak_typed
    string replace -r -- '^--[^=]*=' '' (commandline -ct)
end

function __torchleak_list -d 'A comma list of the words given'
    set -l before (string match -r -- '^.*,' (__torchleak_typed))
    for word in $argv
        printf '%s%s\n' "$before" $word
    end
end

function __torchleak_report -d 'A comma list of the words given, each with or without :FILE'
    set -l typed (__torchleak_typed)
    set -l before (string match -r -- '^(?:.*,)?[^,:]*:' "$typed")
    if test -z "$before"
        __torchleak_list $argv
        return
    end
    set -l file (string sub -s (math 1 + (string length -- "$before")) -- "$typed")
    for path in $file*
        test -d $path; and set path $path/
        printf '%s%s\n' $before $path
    end
end
)__";

std::string Quoted(std::string_view text) {
  std::string result = "'";
  for (char c : text) {
    if (c == '\'' || c == '\\') result += '\\';
    result += c;
  }
  return result + "'";
}

std::string Joined(const std::vector<Word>& words) {
  std::string text;
  for (const Word& word : words) text += (text.empty() ? "" : " ") + word.word;
  return text;
}

// The part of a `complete` line that says what a value may be.
std::string Value(const Option& option) {
  switch (option.takes) {
    case Takes::kNothing:
      return {};
    case Takes::kText:
      return " -x";
    case Takes::kFile:
      return " -r -F";
    case Takes::kFolder:
      return " -x -a '(__fish_complete_directories)'";
    case Takes::kRules:
      return option.is_list ? " -x -a '(__torchleak_list $__torchleak_rules)'"
                            : " -x -a '(string join \\n -- $__torchleak_rules)'";
    case Takes::kWords:
      return option.is_list ? fmt::format(" -x -a '(__torchleak_list {})'", Joined(option.words))
                            : fmt::format(" -x -a '{}'", Joined(option.words));
    case Takes::kReport:
      return fmt::format(" -x -a '(__torchleak_report {})'", Joined(option.words));
  }
  return {};
}

std::string Complete(const Command& command) {
  return fmt::format("complete -c torchleak -n '__torchleak_at {}'", PathOf(command));
}

std::string Lines(const Command& command) {
  std::string text = "\n";
  for (const Word& below : command.commands) {
    text +=
        fmt::format("{} -a {} -d {}\n", Complete(command), below.word, Quoted(below.description));
  }
  for (const Option& option : command.options) {
    std::string names;
    for (const std::string& name : option.names) {
      names += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
    }
    text += fmt::format("{}{}{} -d {}\n", Complete(command), names, Value(option),
                        Quoted(option.description));
  }
  for (const Option& argument : command.arguments) {
    std::string value = Value(argument);
    // In place there is no option to require a value of.
    if (value == " -x") continue;
    if (argument.takes == Takes::kFile) value = " -F";
    if (value.starts_with(" -x")) value.erase(0, 3);
    text += fmt::format("{}{}\n", Complete(command), value);
  }
  return text;
}

}  // namespace

std::string FishCompletion(const std::vector<Command>& commands) {
  std::string paths, rules, lines;
  for (const Command& command : commands) {
    if (!command.path.empty()) paths += " " + Quoted(PathOf(command));
    lines += Lines(command);
  }
  for (const Word& rule : RuleWords()) {
    rules += fmt::format(" \\\n    {}\\t{}", rule.word, Quoted(rule.description));
  }
  return fmt::format(
             "# fish completion for torchleak, written by `torchleak generate-shell-completion "
             "fish`\n\nset -g __torchleak_commands{}\nset -g __torchleak_rules{}\n",
             paths, rules) +
         std::string(kHelpers) + "\ncomplete -c torchleak -f\n" + lines;
}

}  // namespace torchleak::cli

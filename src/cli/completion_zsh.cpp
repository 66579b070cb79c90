// One function for each command, which hands its options to zsh's own `_arguments`; what is below a
// command is the rest of the line, seen by the function of that command.
#include <fmt/format.h>

#include "cli/completion.h"

namespace torchleak::cli {
namespace {

constexpr std::string_view kHelpers = R"__(
_torchleak_words() {  # a comma list of the words given
  local -a words=("$@")
  compset -P '*,'
  _describe -t words word words -q -S ,
}

_torchleak_report() {  # a comma list of the words given, each with or without :FILE
  local -a words=("$@")
  compset -P '*,'
  if compset -P '*:'; then
    _files
  else
    _describe -t formats format words -q -S ,
  fi
}
)__";

std::string Escaped(std::string_view text, std::string_view escaped) {
  std::string result;
  for (char c : text) {
    if (escaped.find(c) != std::string_view::npos) result += '\\';
    result += c;
  }
  return result;
}

std::string Quoted(std::string_view text) {
  std::string result = "'";
  for (char c : text) result += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return result + "'";
}

std::string Described(const std::vector<Word>& words, std::string_view indent) {
  std::string text;
  for (const Word& word : words) {
    std::string entry = Escaped(word.word, ":\\");
    if (!word.description.empty()) entry += ":" + Escaped(word.description, "\\");
    text += fmt::format("{}{}\n", indent, Quoted(entry));
  }
  return text;
}

std::string Action(const Option& option) {
  std::string words;
  for (const Word& word : option.words) words += (words.empty() ? "" : " ") + word.word;
  switch (option.takes) {
    case Takes::kNothing:
    case Takes::kText:
      return " ";
    case Takes::kFile:
      return "_files";
    case Takes::kFolder:
      return "_files -/";
    case Takes::kRules:
      return option.is_list ? " _torchleak_rules -q -S ," : " _torchleak_rules";
    case Takes::kWords:
      return option.is_list ? " _torchleak_words " + words : "(" + words + ")";
    case Takes::kReport:
      return " _torchleak_report " + words;
  }
  return {};
}

std::string Value(const Option& option) {
  return fmt::format(":{}:{}", Escaped(option.value, ":\\"), Action(option));
}

// '(-o --output-file)--output-file=[Write the report there]:FILE:_files'
std::string Specs(const Option& option) {
  const bool takes = option.takes != Takes::kNothing;
  std::string specs;
  for (const std::string& name : option.names) {
    std::string excluded = option.is_list ? "*" : fmt::format("({})", fmt::join(option.names, " "));
    std::string sign = !takes ? "" : name.starts_with("--") ? "=" : "+";
    std::string spec =
        fmt::format("{}{}{}[{}]{}", excluded, name, sign, Escaped(option.description, "[]:\\"),
                    takes ? Value(option) : "");
    specs += "    " + Quoted(spec) + " \\\n";
  }
  return specs;
}

std::string NameOf(const std::vector<std::string>& path) {
  return path.empty() ? "_torchleak" : fmt::format("_torchleak_{}", fmt::join(path, "_"));
}

std::string Function(const Command& command) {
  const std::string name = NameOf(command.path);
  std::string text = fmt::format("\n{}() {{\n", name);
  std::string specs;
  for (const Option& option : command.options) specs += Specs(option);
  if (command.commands.empty()) {
    for (const Option& argument : command.arguments) {
      const bool repeats = argument.value.ends_with("...");
      specs += "    " + Quoted((repeats ? "*" : "") + Value(argument)) + " \\\n";
    }
    specs.resize(specs.size() - 3);  // the last " \\\n"
    return text + "  _arguments -s -S \\\n" + specs + "\n}\n";
  }
  text +=
      "  local context state state_descr line curcontext=$curcontext ret=1\n"
      "  local -A opt_args\n"
      "  local -a commands=(\n" +
      Described(command.commands, "    ") + "  )\n  _arguments -s -S -C \\\n" + specs +
      "    '1:command:->command' '*::argument:->rest' && ret=0\n"
      "  case $state in\n"
      "    command) _describe -t commands command commands && ret=0 ;;\n"
      "    rest)\n"
      "      curcontext=${curcontext%:*}-$line[1]:\n"
      "      case $line[1] in\n";
  for (const Word& below : command.commands) {
    text += fmt::format("        {}) {}_{} && ret=0 ;;\n", below.word, name, below.word);
  }
  return text + "      esac\n      ;;\n  esac\n  return ret\n}\n";
}

}  // namespace

std::string ZshCompletion(const std::vector<Command>& commands) {
  std::string text =
      "#compdef torchleak\n"
      "# zsh completion for torchleak, written by `torchleak generate-shell-completion zsh`\n" +
      std::string(kHelpers) + "\n_torchleak_rules() {\n  local -a rules=(\n" +
      Described(RuleWords(), "    ") +
      "  )\n  (( $# )) && compset -P '*,'\n  _describe -t rules rule rules \"$@\"\n}\n";
  for (const Command& command : commands) text += Function(command);
  // Found by its name in $fpath, or read with `source` or `eval`.
  return text +
         "\nif [[ $funcstack[1] == _torchleak ]]; then\n  _torchleak \"$@\"\nelse\n"
         "  compdef _torchleak torchleak\nfi\n";
}

}  // namespace torchleak::cli

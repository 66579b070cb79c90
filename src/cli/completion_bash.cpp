// One function walks the words before the cursor (which command, which option waits for its value)
// and two case statements, written from the declarations, say what there is. bash splits words at
// '=' and ':' (COMP_WORDBREAKS), so `sarif:out` is put together again first and what stands before
// the last break is taken off the answers. Files are left to readline, which knows quotes and `~`.
#include <fmt/format.h>

#include "cli/completion.h"

namespace torchleak::cli {
namespace {

constexpr std::string_view kWalk = R"__(
_torchleak() {
  local line=${COMP_LINE:0:COMP_POINT} words=() n=-1 i part
  for ((i = 0; i <= COMP_CWORD; ++i)); do
    part=${COMP_WORDS[i]}
    if ((n < 0)) || [[ $line == [[:space:]]* ]]; then
      words[++n]=
    fi
    line=${line#"${line%%[![:space:]]*}"}
    ((i == COMP_CWORD)) && part=$line
    words[n]+=$part
    line=${line#"$part"}
  done

  local current=${words[n]} command= option= kind= list= offered= commands word
  for ((i = 1; i < n; ++i)); do
    word=${words[i]}
    if [[ $option ]]; then
      option=
      continue
    fi
    case $word in
      --) option=-- && break ;;
      -*=*) ;;
      -*) _torchleak_value_of "$command $word" && option=$word ;;
      *)
        _torchleak_commands_of "$command"
        [[ " $commands " == *" $word "* ]] && command+=${command:+ }$word
        ;;
    esac
  done

  COMPREPLY=()
  local before= value=$current
  if [[ $option && $option != -- ]]; then
    _torchleak_value_of "$command $option"
  elif [[ ! $option && $current == --*=* ]]; then
    before=${current%%=*}= value=${current#*=}
    _torchleak_value_of "$command ${current%%=*}" || kind=text
  elif [[ ! $option && $current == -* ]]; then
    kind=words list=
    _torchleak_options_of "$command"
  else
    _torchleak_commands_of "$command"
    if [[ $commands && ! $option ]]; then
      kind=words list= offered=$commands
    else
      _torchleak_argument_of "$command"
    fi
  fi

  if [[ $list ]]; then
    before+=${value%"${value##*,}"} value=${value##*,}
    compopt -o nospace 2>/dev/null
  fi
  [[ $kind == report && $value == *:* ]] && kind=file
  case $kind in
    file) compopt +o nospace 2>/dev/null; return ;;
    folder) compopt +o default +o bashdefault -o dirnames 2>/dev/null && return ;;
    rules) offered=$_torchleak_rules ;;
  esac
  compopt +o default +o bashdefault 2>/dev/null
  COMPREPLY=($(compgen -P "$before" -W "$offered" -- "$value"))
  local cut
  for cut in = :; do
    if [[ $COMP_WORDBREAKS == *$cut* && $current == *$cut* ]]; then
      before=${current%"${current##*$cut}"}
      COMPREPLY=("${COMPREPLY[@]#"$before"}")
      current=${current##*$cut}
    fi
  done
}
complete -o bashdefault -o default -F _torchleak torchleak
)__";

std::string Joined(const std::vector<Word>& words) {
  std::string text;
  for (const Word& word : words) text += (text.empty() ? "" : " ") + word.word;
  return text;
}

std::string Settings(const Option& option) {
  const std::string list = option.is_list ? "1" : "";
  switch (option.takes) {
    case Takes::kNothing:
    case Takes::kText:
      return "kind=text list=";
    case Takes::kFile:
      return "kind=file list=";
    case Takes::kFolder:
      return "kind=folder list=";
    case Takes::kRules:
      return "kind=rules list=" + list;
    case Takes::kWords:
      return fmt::format("kind=words list={} offered='{}'", list, Joined(option.words));
    case Takes::kReport:
      return fmt::format("kind=report list={} offered='{}'", list, Joined(option.words));
  }
  return {};
}

std::string Case(const std::string& name, const std::string& rows, std::string_view otherwise) {
  return fmt::format("\n{}() {{\n  case $1 in\n{}    *) {} ;;\n  esac\n}}\n", name, rows,
                     otherwise);
}

}  // namespace

std::string BashCompletion(const std::vector<Command>& commands) {
  std::string below, options, values, arguments;
  for (const Command& command : commands) {
    const std::string path = PathOf(command);
    if (!command.commands.empty()) {
      below += fmt::format("    '{}') commands='{}' ;;\n", path, Joined(command.commands));
    }
    std::string names;
    for (const Option& option : command.options) {
      std::string pattern;
      for (const std::string& name : option.names) {
        names += (names.empty() ? "" : " ") + name;
        pattern += fmt::format("{}'{} {}'", pattern.empty() ? "" : " | ", path, name);
      }
      if (option.takes == Takes::kNothing) continue;
      values += fmt::format("    {}) {} ;;\n", pattern, Settings(option));
    }
    options += fmt::format("    '{}') offered='{}' ;;\n", path, names);
    if (!command.arguments.empty()) {
      arguments += fmt::format("    '{}') {} ;;\n", path, Settings(command.arguments.front()));
    }
  }
  return "# bash completion for torchleak, written by `torchleak generate-shell-completion "
         "bash`\n" +
         fmt::format("\n_torchleak_rules='{}'\n", Joined(RuleWords())) +
         Case("_torchleak_commands_of", below, "commands=") +
         Case("_torchleak_options_of", options, "offered=") +
         Case("_torchleak_value_of", values, "return 1") +
         Case("_torchleak_argument_of", arguments, "kind=text list=") + std::string(kWalk);
}

}  // namespace torchleak::cli

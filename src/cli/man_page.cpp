// Everything is one text of requests and lines, broken at the end to the 80 columns that the
// checkers of manual pages ask for. Text that comes from declarations may hold what groff takes for
// its own: '\', '-' (which it would turn into a hyphen that cannot be searched or copied), and '.'
// or ''' at the start of a line.
#include "cli/man_page.h"

#include <fmt/format.h>

#include <algorithm>

#include "report/version.h"

namespace torchleak::cli {
namespace {

constexpr std::string_view kDate = "2026-11-29";  // of the texts below

std::string Escaped(std::string_view text) {
  std::string result;
  bool at_start = true, in_code = false;
  for (char c : text) {
    if (at_start && (c == '.' || c == '\'')) result += "\\&";
    at_start = c == '\n';
    if (c == '\\') {
      result += "\\e";
    } else if (c == '-') {
      result += "\\-";
    } else if (c == '`') {  // code, as in the messages
      in_code = !in_code;
      result += in_code ? "\\fB" : "\\fR";
    } else if (c == '\'') {
      result += "\\(aq";
    } else if (c == '~') {
      result += "\\(ti";
    } else if (c == '^') {
      result += "\\(ha";
    } else {
      result += c;
    }
  }
  return result;
}

// "\-\-select \fIRULES\fR"
std::string Term(const Option& option) {
  std::string names = JoinedNames(option);
  std::string term = names.empty() ? "" : fmt::format("\\fB{}\\fR", Escaped(names));
  if (!option.value.empty()) {
    term += fmt::format("{}\\fI{}\\fR", term.empty() ? "" : " ", Escaped(option.value));
  }
  return term;
}

std::string Items(const std::vector<Option>& options) {
  std::string text;
  for (const Option& option : options) {
    std::string_view end = option.description.ends_with('.') ? "" : ".";
    text += fmt::format(".TP\n{}\n{}{}\n", Term(option), Escaped(option.description), end);
  }
  return text;
}

std::string ByGroup(const Command& command) {
  std::string text = Items(command.arguments), group;
  for (const Option& option : command.options) {
    if (option.group != group) {
      group = option.group;
      text += fmt::format(".SS {}\n", Escaped(group == "Options" ? "Help" : group));
    }
    text += Items({option});
  }
  return text;
}

std::string Synopsis(const std::vector<Command>& commands) {
  std::string text;
  for (const Command& command : commands) {
    if (!command.commands.empty() && command.path.empty()) continue;
    std::string line = fmt::format("\\fBtorchleak {}\\fR", Escaped(PathOf(command)));
    if (!command.options.empty()) line += " [\\fIOPTIONS\\fR]";
    for (const Option& argument : command.arguments) {
      line += fmt::format(" \\fI{}\\fR", Escaped(argument.value));
    }
    text += (text.empty() ? "" : ".br\n") + line + "\n";
  }
  return text;
}

std::string OtherCommands(const std::vector<Command>& commands) {
  std::string text;
  for (const Command& command : commands) {
    if (command.path.empty()) continue;
    text += fmt::format(".SS {}\n{}.\n", Escaped("torchleak " + PathOf(command)),
                        Escaped(command.description));
    if (PathOf(command) == "check") {
      text += "Its options are listed under\n.BR OPTIONS .\n";
      continue;
    }
    std::vector<Option> own;
    for (const Option& option : command.options) {
      if (option.names.back() != "--help") own.push_back(option);
    }
    text += Items(command.arguments) + Items(own);
    if (!command.footer.empty()) {
      text += fmt::format(".PP\n.nf\n{}\n.fi\n", Escaped(command.footer));
    }
  }
  return text;
}

// Breaks long lines of text at blanks; requests and what stands between .nf and .fi stay.
std::string Broken(std::string_view page) {
  constexpr std::size_t kWidth = 79;
  std::string broken;
  bool fills = true;
  while (!page.empty()) {
    std::string_view line = page.substr(0, page.find('\n'));
    page.remove_prefix(std::min(line.size() + 1, page.size()));
    if (line == ".nf" || line == ".fi") fills = line == ".fi";
    while (fills && !line.starts_with('.') && line.size() > kWidth) {
      std::size_t blank = line.rfind(' ', kWidth);
      // The rest must not begin with what groff takes for a request.
      while (blank != std::string_view::npos && blank > 0 &&
             (line[blank + 1] == '.' || line[blank + 1] == '\'')) {
        blank = line.rfind(' ', blank - 1);
      }
      if (blank == std::string_view::npos || blank == 0) break;
      broken.append(line.substr(0, blank)) += '\n';
      line.remove_prefix(blank + 1);
    }
    broken.append(line) += '\n';
  }
  return broken;
}

constexpr std::string_view kDescription = R"(.SH DESCRIPTION
.B torchleak
reads Python code that trains with PyTorch, and runs none of it. It reports what keeps memory alive
longer than meant and what silently changes the gradients: values that carry an autograd graph and
outlive their iteration, tensors that pile up on the device, hooks that are never removed, optimizers
that step on old gradients, evaluation with gradients enabled. A finding comes with the way that the
value takes through the code, across functions and files.
.PP
.B torchleak check
checks the current directory. Files that .gitignore and its kin name are left out, and so are the usual
folders of environments, caches and build products; a path given by hand is always checked.
)";

constexpr std::string_view kAfter = R"(.SH EXIT STATUS
.TP
.B 0
Nothing was found, or nothing at or above
.BR \-\-fail\-on .
.TP
.B 1
There are findings at or above
.BR \-\-fail\-on .
.TP
.B 2
The command line or the configuration is wrong, an input could not be read or an output could not be
written.
.PP
.B check \-\-watch
ends, when it is interrupted, with the status of the last check.
.SH FILES
.TP
.IR .torchleak.toml ", " torchleak.toml ", " pyproject.toml
Configuration; in the last one, the table
.BR [tool.torchleak] .
The closest folder that has one wins.
.TP
.I $XDG_CONFIG_HOME/git/ignore
Patterns that git ignores everywhere; they count here as well.
.TP
.IR .gitignore ", " .ignore ", " .git/info/exclude
What is not checked.
.SH ENVIRONMENT
.TP
.B NO_COLOR
When it is not empty: no colour, unless
.B \-\-color
asks for it.
.TP
.BR CLICOLOR_FORCE ", " FORCE_COLOR
When one is not empty and not 0: colour also where no terminal is. NO_COLOR is stronger.
.TP
.B CLICOLOR
When it is 0: no colour, unless one of the two above asks for it.
.TP
.B FORCE_HYPERLINK
1: link the codes of rules to their pages, 0: never. Otherwise only on terminals known to show links.
.TP
.B COLUMNS
The width of reports where the terminal does not tell.
.TP
.B TERM
.B dumb
means neither colour nor a progress line.
.TP
.B CI
When it is not empty: no progress line.
.TP
.B TORCHLEAK_CACHE_DIR
The folder of the cache; weaker than
.BR \-\-cache\-dir .
.TP
.B TORCHLEAK_WATCH_POLL
When it is not empty and not 0:
.B \-\-watch
looks for changes twice a second instead of being told by the system. For file systems on a network.
.TP
.B XDG_CONFIG_HOME
Where the global ignore file of git lies;
.I \(ti/.config
when unset.
.SH EXAMPLES
.TP
.B torchleak check
Check the current directory.
.TP
.B torchleak check \-\-watch src
Check
.IR src ,
and again whenever a file changes.
.TP
.B torchleak check \-\-output\-format full,sarif:torchleak.sarif
Show the findings and write them for code scanning as well.
.TP
.B torchleak rule accumulated\-tensor
Read what a rule is about.
.TP
.B torchleak why train.py:42
Ask what was believed at a line.
.SH SEE ALSO
.BR git (1),
.BR gitignore (5),
.BR python (1)
)";

}  // namespace

std::string ManualPage(const std::vector<Command>& commands) {
  std::string page = fmt::format(
      ".\\\" Written by `torchleak generate-man`.\n"
      ".TH TORCHLEAK 1 {} \"torchleak {}\" \"User Commands\"\n"
      ".SH NAME\ntorchleak \\- find memory leaks and silent gradient bugs in PyTorch code\n"
      ".SH SYNOPSIS\n",
      kDate, Escaped(report::Version()));
  page +=
      Synopsis(commands) + std::string(kDescription) + ".SH COMMANDS\n" + OtherCommands(commands);
  page += ".SH OPTIONS\nThese are the options of\n.BR \"torchleak check\" .\n";
  for (const Command& command : commands) {
    if (PathOf(command) != "check") continue;
    page += ByGroup(command) +
            ".PP\nAn argument\n.BI @ FILE\nstands for the lines of\n.IR FILE ,\n" +
            "one argument a line.\n";
  }
  return Broken(page + std::string(kAfter));
}

}  // namespace torchleak::cli

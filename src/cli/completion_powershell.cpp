// A script block that reads a table of commands and options. PowerShell takes a comma list
// for an array and hands over its last part only, so answers are cut to what it will replace.
#include <fmt/format.h>

#include "cli/completion.h"

namespace torchleak::cli {
namespace {

constexpr std::string_view kWalk = R"__(
Register-ArgumentCompleter -Native -CommandName 'torchleak' -ScriptBlock {
    param($wordToComplete, $commandAst, $cursorPosition)

    $torchleakRules = @(
@RULES@    )
    $torchleakCommands = @{
@COMMANDS@    }

    # What stands before the cursor, word by word; $current is the word that the cursor is at.
    $current = ''
    $words = @()
    foreach ($element in $commandAst.CommandElements) {
        $extent = $element.Extent
        if ($extent.EndOffset -lt $cursorPosition) {
            $words += $extent.Text
        } elseif ($extent.StartOffset -lt $cursorPosition) {
            $current = $extent.Text.Substring(0, $cursorPosition - $extent.StartOffset)
        }
    }

    $path = ''
    $option = ''
    foreach ($word in ($words | Select-Object -Skip 1)) {
        if ($option -eq '--') { break }
        if ($option) { $option = ''; continue }
        $command = $torchleakCommands[$path]
        if ($word -eq '--') {
            $option = '--'
        } elseif ($word.StartsWith('-')) {
            $known = $command.Options | Where-Object { $_.Names -ccontains $word }
            if ($known -and $known.Takes -ne 'nothing') { $option = $word }
        } else {
            $next = "$path $word".Trim()
            if ($torchleakCommands.ContainsKey($next)) { $path = $next }
        }
    }

    $command = $torchleakCommands[$path]
    $before = ''
    $value = $current
    $takes = $null
    $offered = @()
    if ($option -and $option -ne '--') {
        $takes = $command.Options | Where-Object { $_.Names -ccontains $option }
    } elseif (-not $option -and $current -match '^--[^=]*=') {
        $before = $Matches[0]
        $value = $current.Substring($before.Length)
        $takes = $command.Options | Where-Object { $_.Names -ccontains $before.TrimEnd('=') }
    } elseif (-not $option -and $current.StartsWith('-')) {
        foreach ($known in $command.Options) {
            foreach ($name in $known.Names) { $offered += @{ Word = $name; Description = $known.Description } }
        }
    } elseif (-not $option -and $command.Commands.Count) {
        $offered = $command.Commands
    } else {
        $takes = $command.Argument
    }

    if ($takes) {
        if ($takes.List -and $value.Contains(',')) {
            $comma = $value.LastIndexOf(',') + 1
            $before += $value.Substring(0, $comma)
            $value = $value.Substring($comma)
        }
        switch ($takes.Takes) {
            'rules' { $offered = $torchleakRules }
            'words' { $offered = $takes.Words }
            'report' { if (-not $value.Contains(':')) { $offered = $takes.Words } }
        }
    }

    # PowerShell replaces $wordToComplete, which may be the last part of $current only. Without an
    # answer it offers files.
    $kept = $current
    if ($wordToComplete -and $current.EndsWith($wordToComplete)) {
        $kept = $current.Substring(0, $current.Length - $wordToComplete.Length)
    }
    foreach ($offer in $offered) {
        $word = $offer.Word
        $description = $offer.Description
        if (-not $word.StartsWith($value, [System.StringComparison]::OrdinalIgnoreCase)) { continue }
        $text = $before + $word
        if ($text.StartsWith($kept)) { $text = $text.Substring($kept.Length) }
        if (-not $description) { $description = $word }
        [System.Management.Automation.CompletionResult]::new(
            $text, $word, 'ParameterValue', $description)
    }
}
)__";

std::string Quoted(std::string_view text) {
  std::string result = "'";
  for (char c : text) result += c == '\'' ? std::string("''") : std::string(1, c);
  return result + "'";
}

// A line inside @( … ) each; hash tables, since PowerShell takes an array of one array for that
// array.
std::string Table(const std::vector<Word>& words, std::string_view indent) {
  std::string rows;
  for (const Word& word : words) {
    rows += fmt::format("{}@{{ Word = {}; Description = {} }}\n", indent, Quoted(word.word),
                        Quoted(word.description));
  }
  return rows;
}

std::string_view Name(Takes takes) {
  switch (takes) {
    case Takes::kNothing:
      return "nothing";
    case Takes::kText:
      return "text";
    case Takes::kFile:
      return "file";
    case Takes::kFolder:
      return "folder";
    case Takes::kRules:
      return "rules";
    case Takes::kWords:
      return "words";
    case Takes::kReport:
      return "report";
  }
  return {};
}

std::string Entry(const Option& option) {
  std::string names, words;
  for (const std::string& name : option.names) names += (names.empty() ? "" : ", ") + Quoted(name);
  for (const Word& word : option.words) {
    words += fmt::format("{}@{{ Word = {} }}", words.empty() ? "" : ", ", Quoted(word.word));
  }
  return fmt::format(
      "@{{ Names = @({}); Takes = '{}'; List = ${}; Words = @({}); Description = {} }}\n", names,
      Name(option.takes), option.is_list ? "true" : "false", words, Quoted(option.description));
}

std::string Entry(const Command& command) {
  std::string text =
      fmt::format("    {} = @{{\n      Commands = @(\n{}      )\n      Options = @(\n",
                  Quoted(PathOf(command)), Table(command.commands, "        "));
  for (const Option& option : command.options) text += "        " + Entry(option);
  text += "      )\n";
  if (!command.arguments.empty()) {
    text += "      Argument = " + Entry(command.arguments.front());
  }
  return text + "    }\n";
}

}  // namespace

std::string PowershellCompletion(const std::vector<Command>& commands) {
  std::string text =
      "# PowerShell completion for torchleak, written by\n"
      "# `torchleak generate-shell-completion powershell`\n" +
      std::string(kWalk);
  std::string table;
  for (const Command& command : commands) table += Entry(command);
  auto put = [&text](std::string_view mark, const std::string& rows) {
    text.replace(text.find(mark), mark.size(), rows);
  };
  put("@COMMANDS@", table);
  put("@RULES@", Table(RuleWords(), "        "));
  return text;
}

}  // namespace torchleak::cli

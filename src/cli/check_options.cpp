// CLI11 only splits the words; every value is checked in Interpret(), where the message can name
// what was meant. Options that configuration files have as well take their description from the
// table of options, and their values go into a layer like those of a file.
#include "cli/check_options.h"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "cli/choices.h"
#include "config/options.h"
#include "report/report.h"

namespace torchleak::cli {
namespace {

using config::FindOption;
using config::Value;

class Declaration {
 public:
  Declaration(CLI::App& command, CheckArguments* arguments) : command_(command), a_(arguments) {}

  void Group(std::string group) { group_ = std::move(group); }

  // An option of the table. `names` may add a short one or a negation.
  void Word(std::string_view key, const std::string& placeholder) {
    const config::Option& option = *FindOption(key);
    auto* declared = command_.add_option_function<std::string>(
        std::string(option.flag),
        [this_a = a_, &option](const std::string& text) { Set(this_a, option).text = text; },
        Description(option));
    if (!option.choices.empty()) Choices(declared, option.choices);
    declared->option_text(placeholder)->group(group_);
  }

  void List(std::string_view key, const std::string& placeholder) {
    const config::Option& option = *FindOption(key);
    auto* declared = command_.add_option_function<std::vector<std::string>>(
        std::string(option.flag),
        [this_a = a_, &option](const std::vector<std::string>& words) {
          Set(this_a, option).words = words;
        },
        Description(option));
    AsList(declared, placeholder);
  }

  // --key and --no-key; the last one counts.
  void Switch(std::string_view key) {
    const config::Option& option = *FindOption(key);
    const std::string name(option.flag);
    command_
        .add_flag_function(
            name + ",!--no-" + name.substr(2),
            [this_a = a_, &option](std::int64_t count) { Set(this_a, option).flag = count > 0; },
            Description(option))
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeLast)
        ->group(group_);
  }

  // PATTERN:CODE, repeatable; an item of a comma list without a colon is one more code for the
  // pattern before it.
  void PerFileIgnores() {
    const config::Option& option = *FindOption("per-file-ignores");
    auto* declared = command_.add_option_function<std::vector<std::string>>(
        "--per-file-ignores",
        [this_a = a_, &option](const std::vector<std::string>& items) {
          Value& value = Set(this_a, option);
          for (const std::string& item : items) AddIgnore(item, &value);
        },
        "Rules to leave out in the files that match");
    AsList(declared, "PATTERN:RULES");
  }

  void Flag(const std::string& name, bool* value, const std::string& description) {
    command_.add_flag(name, *value, description)->group(group_);
  }
  CLI::Option* Text(const std::string& name, std::string* value, const std::string& description,
                    const std::string& placeholder) {
    auto* declared = command_.add_option(name, *value, description);
    return declared->option_text(placeholder)->group(group_);
  }
  CLI::Option* Words(const std::string& name, std::vector<std::string>* values,
                     const std::string& description, const std::string& placeholder) {
    return AsList(command_.add_option(name, *values, description), placeholder);
  }

 private:
  static Value& Set(CheckArguments* a, const config::Option& option) {
    Value& value = a->flags.values[std::string(option.key)];
    value.origin = option.flag;
    return value;
  }

  static void AddIgnore(const std::string& item, Value* value) {
    const std::size_t colon = item.rfind(':');
    if (colon == std::string::npos && !value->entries.empty()) {
      value->entries.back().words.push_back(item);
    } else {
      // Without a colon there is no rule, which Interpret() tells.
      config::Entry& entry = value->entries.emplace_back();
      entry.key = item.substr(0, colon);
      if (colon != std::string::npos) entry.words.push_back(item.substr(colon + 1));
    }
  }

  static std::string Description(const config::Option& option) {
    std::string text(option.description);
    if (!option.choices.empty()) {
      text += ": ";
      for (std::size_t i = 0; i < option.choices.size(); ++i) {
        text += (i == 0 ? "" : ", ") + std::string(option.choices[i]);
      }
    }
    if (!option.default_text.empty() && option.type != config::Type::kFlag) {
      text += " (default: " + std::string(option.default_text) + ")";
    }
    return text;
  }

  // May be repeated and takes a comma list, but never swallows the path that follows.
  CLI::Option* AsList(CLI::Option* option, const std::string& placeholder) {
    return option->delimiter(',')->allow_extra_args(false)->option_text(placeholder)->group(group_);
  }

  CLI::App& command_;
  CheckArguments* a_;
  std::string group_;
};

void DeclareRuleOptions(Declaration* d) {
  d->Group("Rules (comma lists of codes, beginnings like TLK1, names, or ALL)");
  d->List("select", "RULES");
  d->List("extend-select", "RULES");
  d->List("ignore", "RULES");
  d->PerFileIgnores();
  d->Word("min-confidence", "LEVEL");
}

void DeclareKnownOptions(Declaration* d, CheckArguments* a) {
  d->Group("What is accepted");
  d->Flag("--ignore-noqa", &a->ignore_noqa, "Report also what comments suppress");
  d->Flag("--add-noqa", &a->add_noqa, "Write a comment to each finding that suppresses it");
  d->Word("baseline", "FILE");
  d->Text("--baseline-commit", &a->baseline_commit,
          "Report only what is new since that revision of git", "REF")
      ->check([](const std::string& given) {
        return given.empty() ? std::string("names no revision; leave it out to see everything")
                             : std::string();
      });
}

void DeclareFixOptions(Declaration* d, CheckArguments* a) {
  d->Group("Fixes");
  d->Switch("fix");
  d->Switch("unsafe-fixes");
  d->Switch("fix-only");
  d->Flag("--diff", &a->diff, "Show what the fixes would change; change nothing");
  d->Switch("show-fixes");
  d->List("fixable", "RULES");
  d->List("unfixable", "RULES");
}

void DeclareFileOptions(CLI::App& command, Declaration* d, CheckArguments* a) {
  d->Group("Files");
  d->List("exclude", "PATTERNS");
  d->List("extend-exclude", "PATTERNS");
  d->Switch("force-exclude");
  const std::string paths_first =
      "Take what is the name of a file for a file, though it begin with - or @";
  command.add_flag("--paths-first", paths_first)->group("Files");
  d->Switch("respect-gitignore");
  d->Switch("single-file");
  DeclareConfigOptions(command, &a->config, &a->isolated, "Files");
}

void DeclareInputOptions(Declaration* d, CheckArguments* a) {
  d->Group("Files");
  d->Text("--stdin-filename", &a->stdin_filename,
          "Name of the code on standard input; reads it as `-` does", "FILE");
  d->Flag("--show-files", &a->show_files, "List the files that would be checked");
  d->Flag("--show-settings", &a->show_settings,
          "Show what holds for the files, and where it is said");
}

// "full (default), concise, …", from the table that lists them.
std::string FormatHelp() {
  std::string names;
  for (const report::FormatInfo& info : report::Formats()) {
    names += fmt::format("{}{}{}", names.empty() ? "" : ", ", info.name,
                         info.format == report::Format::kFull ? " (default)" : "");
  }
  return names + "; repeatable";
}

void DeclareOutputOptions(CLI::App& command, Declaration* d, CheckArguments* a) {
  d->Group("Output");
  Choices(d->Words("--output-format", &a->formats, FormatHelp(), "F[:FILE]"),
          report::FormatNames());
  d->Text("-o,--output-file", &a->output_file, "Write the report there", "FILE");
  d->Flag("--sarif-full", &a->sarif_full, "SARIF with what is suppressed and known as well");
  d->Flag("--statistics", &a->statistics, "Count findings by rule instead of showing them");
  Choices(d->Text("--color", &a->color, "auto (default), always or never", "WHEN"), kColorNames);
  command
      .add_flag_function(
          "--progress,!--no-progress", [a](std::int64_t count) { a->progress = count > 0; },
          "Show how far the run is (default: on a terminal, after a second)")
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeLast)
      ->group("Output");
  auto* quiet = command.add_flag("-q,--quiet", a->quiet, "Print findings only, no warnings");
  auto* silent = command.add_flag("-s,--silent", a->silent, "Print nothing; the exit status tells");
  auto* verbose = command.add_flag("-v,--verbose", a->verbose, "Tell what was done, on stderr");
  quiet->group("Output")->excludes(silent)->excludes(verbose);
  silent->group("Output")->excludes(verbose);
  verbose->group("Output");
}

void DeclareRunOptions(Declaration* d, CheckArguments* a) {
  d->Group("Run");
  d->Flag("-e,--exit-zero", &a->exit_zero, "Exit with 0 even when there are findings");
  d->Flag("--exit-non-zero-on-fix", &a->exit_non_zero_on_fix,
          "Exit with 1 also when all that was found has been fixed");
  d->Word("fail-on", "LEVEL");
  d->Text("-j,--jobs", &a->jobs, "Threads (default: one for each processor)", "N");
  d->Flag("--no-cache", &a->no_cache, "Neither read nor write a cache");
  d->Word("cache-dir", "DIR");
  d->Flag("--watch", &a->watch, "Check again whenever a file changes, until interrupted");
}

}  // namespace

void DeclareConfigOptions(CLI::App& command, std::vector<std::string>* config, bool* isolated,
                          const std::string& group) {
  command
      .add_option("--config", *config,
                  "A configuration file for all files, or one option as TOML; repeatable")
      ->allow_extra_args(false)
      ->option_text("FILE|KEY=VALUE")
      ->group(group);
  command.add_flag("--isolated", *isolated, "Use no configuration file")->group(group);
}

void DeclareSelectionOptions(CLI::App& command, CheckArguments* arguments) {
  command
      .add_option("paths", arguments->paths, "Files and directories (default: .), or - for stdin")
      ->option_text("[PATH]...");
  Declaration declaration(command, arguments);
  DeclareRuleOptions(&declaration);
  DeclareFileOptions(command, &declaration, arguments);
}

void DeclareCheckOptions(CLI::App& command, CheckArguments* arguments) {
  DeclareSelectionOptions(command, arguments);
  Declaration declaration(command, arguments);
  DeclareKnownOptions(&declaration, arguments);
  DeclareFixOptions(&declaration, arguments);
  DeclareInputOptions(&declaration, arguments);
  DeclareOutputOptions(command, &declaration, arguments);
  DeclareRunOptions(&declaration, arguments);
}

}  // namespace torchleak::cli

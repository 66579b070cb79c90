// CLI11 only splits the words; every value is checked in Interpret(), where the message can name
// what was meant.
#include "cli/check_options.h"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <set>
#include <utility>

#include "cli/commands.h"

namespace torchleak::cli {
namespace {

// An option that may be repeated and takes a comma list, but never swallows the path that follows.
CLI::Option* AddList(CLI::App& command, const std::string& name, std::vector<std::string>* values,
                     const std::string& description, const std::string& placeholder) {
  return command.add_option(name, *values, description)
      ->delimiter(',')
      ->allow_extra_args(false)
      ->option_text(placeholder);
}

void DeclareRuleOptions(CLI::App& command, CheckArguments* a) {
  const std::string group = "Rules (comma lists of codes, beginnings like TLK1, names, or ALL)";
  AddList(command, "--select", &a->rules.select, "Check these rules only", "RULES")->group(group);
  AddList(command, "--extend-select", &a->rules.extend_select, "Check these rules as well", "RULES")
      ->group(group);
  AddList(command, "--ignore", &a->rules.ignore, "Leave these rules out", "RULES")->group(group);
  command
      .add_option("--min-confidence", a->min_confidence,
                  "Report from this confidence on: low, medium (default), high")
      ->option_text("LEVEL")
      ->group(group);
}

void DeclareFileOptions(CLI::App& command, CheckArguments* a) {
  const std::string group = "Files";
  AddList(command, "--extend-exclude", &a->extend_excludes,
          "Leave out what matches, besides the default excludes", "PATTERNS")
      ->group(group);
  command
      .add_option_function<std::vector<std::string>>(
          "--exclude", [a](const std::vector<std::string>& v) { a->excludes = v; },
          "Leave out what matches, instead of the default excludes")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->option_text("PATTERNS")
      ->group(group);
  command
      .add_flag("--force-exclude", a->force_exclude, "Apply excludes also to paths given by hand")
      ->group(group);
  command
      .add_flag("--single-file", a->single_file,
                "Look at each file alone, without what it imports and who calls it")
      ->group(group);
  command
      .add_flag("--respect-gitignore,!--no-respect-gitignore", a->respect_gitignore,
                "Leave out what .gitignore and .ignore name (default: on)")
      ->group(group);
  command
      .add_option("--stdin-filename", a->stdin_filename,
                  "Name of the code on standard input; reads it as `-` does")
      ->option_text("FILE")
      ->group(group);
  command.add_flag("--show-files", a->show_files, "List the files that would be checked")
      ->group(group);
}

void DeclareOutputOptions(CLI::App& command, CheckArguments* a) {
  const std::string group = "Output";
  AddList(command, "--output-format", &a->formats,
          "full (default), concise, json or sarif; repeatable", "F[:FILE]")
      ->group(group);
  command.add_option("-o,--output-file", a->output_file, "Write the report there")
      ->option_text("FILE")
      ->group(group);
  command.add_flag("--statistics", a->statistics, "Count findings by rule instead of showing them")
      ->group(group);
  command.add_option("--color", a->color, "auto (default), always or never")
      ->option_text("WHEN")
      ->group(group);
  auto* quiet = command.add_flag("-q,--quiet", a->quiet, "Print findings only, no warnings");
  auto* silent = command.add_flag("-s,--silent", a->silent, "Print nothing; the exit status tells");
  auto* verbose = command.add_flag("-v,--verbose", a->verbose, "Tell what was done, on stderr");
  quiet->group(group)->excludes(silent)->excludes(verbose);
  silent->group(group)->excludes(verbose);
  verbose->group(group);
}

void DeclareRunOptions(CLI::App& command, CheckArguments* a) {
  const std::string group = "Run";
  command.add_flag("-e,--exit-zero", a->exit_zero, "Exit with 0 even when there are findings")
      ->group(group);
  command
      .add_option("--fail-on", a->fail_on,
                  "Exit with 1 from this severity on: note, warning (default), error")
      ->option_text("LEVEL")
      ->group(group);
  command.add_option("-j,--jobs", a->jobs, "Threads (default: one for each processor)")
      ->option_text("N")
      ->group(group);
  command.add_flag("--isolated", a->isolated, "Use no configuration file")->group(group);
  command.add_flag("--no-cache", a->no_cache, "Neither read nor write a cache")->group(group);
}

void DeclareFixOptions(CLI::App& command, CheckArguments* a) {
  const std::string group = "Fixes";
  command.add_flag("--fix", a->fix, "Change the files: apply the safe fixes")->group(group);
  command.add_flag("--unsafe-fixes", a->unsafe_fixes, "Take fixes that may change meaning, too")
      ->group(group);
  command.add_flag("--fix-only", a->fix_only, "As --fix, but do not report what remains")
      ->group(group);
  command.add_flag("--diff", a->diff, "Print what --fix would change, and change nothing")
      ->group(group);
  command.add_flag("--show-fixes", a->show_fixes, "List what was fixed, by file and rule")
      ->group(group);
  command
      .add_flag("--exit-non-zero-on-fix", a->exit_non_zero_on_fix,
                "Exit with 1 when something was fixed, too")
      ->group(group);
  AddList(command, "--fixable", &a->fixable, "Fix findings of these rules only", "RULES")
      ->group(group);
  AddList(command, "--unfixable", &a->unfixable, "Fix no findings of these rules", "RULES")
      ->group(group);
}

template <typename T>
std::string Assign(std::optional<T> parsed, std::string_view option, std::string_view given,
                   std::span<const std::string_view> known, T* value) {
  if (!parsed) return UnknownValue(fmt::format("{} value", option), given, known);
  *value = *parsed;
  return {};
}

std::string TakeOutputs(const CheckArguments& arguments, std::vector<Output>* outputs) {
  std::vector<std::string> formats = arguments.formats;
  if (formats.empty()) formats.emplace_back("full");
  std::vector<std::string> targets;
  for (const std::string& given : formats) {
    std::size_t colon = given.find(':');
    auto format = report::ParseFormat(std::string_view(given).substr(0, colon));
    if (!format) return format.error().message;
    std::string file = colon == std::string::npos ? arguments.output_file : given.substr(colon + 1);
    if (colon != std::string::npos && file.empty()) {
      return fmt::format("no file name after the colon of '{}'", given);
    }
    if (std::find(targets.begin(), targets.end(), file) != targets.end()) {
      return file.empty() ? fmt::format(
                                "two reports for standard output; name a file, as in "
                                "`--output-format {}:report.{}`",
                                given, given)
                          : fmt::format("two reports for the same file '{}'", file);
    }
    targets.push_back(file);
    outputs->push_back({*format, file});
  }
  bool uses_output_file = std::any_of(formats.begin(), formats.end(), [](const std::string& f) {
    return f.find(':') == std::string::npos;
  });
  if (!arguments.output_file.empty() && !uses_output_file) {
    return "--output-file is used by no --output-format: each names a file of its own";
  }
  return {};
}

void TakePaths(const CheckArguments& arguments, CheckPlan* plan) {
  driver::CheckOptions& options = plan->options;
  for (const std::string& path : arguments.paths) {
    if (path == "-") {
      plan->reads_stdin = true;
    } else {
      options.paths.push_back(path);
    }
  }
  plan->reads_stdin |= !arguments.stdin_filename.empty();
  plan->stdin_path = arguments.stdin_filename.empty() ? "-" : arguments.stdin_filename;
  if (options.paths.empty() && !plan->reads_stdin) options.paths.emplace_back(".");
  options.respect_gitignore = arguments.respect_gitignore;
  options.single_file = arguments.single_file;
  options.force_exclude = arguments.force_exclude;
  if (arguments.excludes) {
    options.excludes = *arguments.excludes;
  } else {
    auto defaults = driver::DefaultExcludes();
    options.excludes.assign(defaults.begin(), defaults.end());
  }
  options.excludes.insert(options.excludes.end(), arguments.extend_excludes.begin(),
                          arguments.extend_excludes.end());
}

std::string TakeFixes(const CheckArguments& arguments, FixSettings* fixes) {
  fixes->apply = (arguments.fix || arguments.fix_only) && !arguments.diff;
  fixes->diff = arguments.diff;
  fixes->only = arguments.fix_only || arguments.diff;
  fixes->unsafe = arguments.unsafe_fixes;
  fixes->show = arguments.show_fixes;
  fixes->exit_non_zero = arguments.exit_non_zero_on_fix;
  if (arguments.fixable.empty() && arguments.unfixable.empty()) return {};
  auto rules =
      driver::SelectRules({arguments.fixable, {}, arguments.unfixable}, engine::AllRules());
  if (!rules) return rules.error().message;
  std::set<std::string_view> codes;
  for (const engine::Rule* rule : *rules) codes.insert(rule->info().code);
  fixes->wanted = [codes = std::move(codes)](const findings::Finding& finding) {
    return codes.contains(finding.code);
  };
  return {};
}

}  // namespace

void DeclareCheckOptions(CLI::App& command, CheckArguments* arguments) {
  command
      .add_option("paths", arguments->paths, "Files and directories (default: .), or - for stdin")
      ->option_text("[PATH]...");
  DeclareRuleOptions(command, arguments);
  DeclareFileOptions(command, arguments);
  DeclareOutputOptions(command, arguments);
  DeclareFixOptions(command, arguments);
  DeclareRunOptions(command, arguments);
}

text::Result<CheckPlan> Interpret(const CheckArguments& arguments, const std::string& root) {
  static constexpr std::array<std::string_view, 3> kSeverities = {"note", "warning", "error"};
  static constexpr std::array<std::string_view, 3> kConfidences = {"low", "medium", "high"};
  static constexpr std::array<std::string_view, 3> kColors = {"auto", "always", "never"};
  CheckPlan plan;
  plan.options.root = root;
  const std::string& jobs = arguments.jobs;
  auto [end, error] = std::from_chars(jobs.data(), jobs.data() + jobs.size(), plan.options.jobs);
  if (error != std::errc() || end != jobs.data() + jobs.size()) {
    return text::Error{fmt::format("--jobs takes a number, not '{}'", jobs)};
  }
  auto rules = driver::SelectRules(arguments.rules, engine::AllRules());
  if (!rules) return rules.error();
  plan.options.rules = *std::move(rules);
  if (plan.options.rules.empty()) return text::Error{"no rule is left: all are ignored"};
  for (const std::string& failed :
       {Assign(findings::ParseSeverity(arguments.fail_on), "--fail-on", arguments.fail_on,
               kSeverities, &plan.fail_on),
        Assign(findings::ParseConfidence(arguments.min_confidence), "--min-confidence",
               arguments.min_confidence, kConfidences, &plan.options.min_confidence),
        Assign(ParseColorChoice(arguments.color), "--color", arguments.color, kColors, &plan.color),
        TakeFixes(arguments, &plan.fixes), TakeOutputs(arguments, &plan.outputs)}) {
    if (!failed.empty()) return text::Error{failed};
  }
  TakePaths(arguments, &plan);
  return plan;
}

}  // namespace torchleak::cli

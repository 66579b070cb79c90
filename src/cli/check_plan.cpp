#include "cli/check_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <utility>

#include "cli/choices.h"
#include "cli/commands.h"
#include "driver/cached_check.h"

namespace torchleak::cli {
namespace {

// Two flags of which one makes no sense beside the other.
struct Clash {
  bool clashes;
  std::string_view message;
};

std::string FindClash(const CheckArguments& a, const CheckPlan& plan) {
  auto on = [&a](std::string_view key) {
    const config::Value* value = a.flags.Find(key);
    return value != nullptr && value->flag;
  };
  const Clash clashes[] = {
      {a.add_noqa && on("fix-only"), "--add-noqa and --fix-only: do one after the other"},
      {a.add_noqa && on("fix"), "--add-noqa and --fix: do one after the other"},
      {a.add_noqa && a.diff,
       "--add-noqa and --diff: comments are not shown first, they are written"},
      {a.add_noqa && a.ignore_noqa,
       "--add-noqa and --ignore-noqa: comments that are there would be written twice"},
      {a.add_noqa && plan.reads_stdin, "--add-noqa changes files, and standard input is none"},
      {a.watch && plan.reads_stdin, "--watch needs files: standard input ends once"},
      {a.watch && a.diff, "--watch and --diff: a diff is for one run"},
      {a.watch && a.add_noqa, "--watch and --add-noqa: comments are written once"},
      {a.watch && (a.show_files || a.show_settings), "--watch checks; it has nothing to list"},
      {a.show_files && a.show_settings, "--show-files and --show-settings: one list at a time"},
      {a.no_cache && a.flags.Find("cache-dir") != nullptr,
       "--cache-dir has no use with --no-cache"},
  };
  for (const Clash& clash : clashes) {
    if (clash.clashes) return std::string(clash.message);
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
}

// What is wrong with the flags that files have as well, or empty.
std::string CheckFlags(const config::Layer& flags, const std::string& root) {
  if (const config::Value* ignores = flags.Find("per-file-ignores")) {
    for (const config::Entry& entry : ignores->entries) {
      if (!entry.words.empty()) continue;
      return fmt::format("--per-file-ignores takes PATTERN:RULES, such as 'tests/*:TLK1', not '{}'",
                         entry.key);
    }
  }
  if (auto problem = config::CheckLayer(flags); !problem.empty()) return problem;
  if (config::Resolve({&flags, 1}, root).rules.empty()) return "no rule is left: all are ignored";
  return {};
}

std::string TakeJobs(const std::string& jobs, unsigned* value) {
  auto [end, error] = std::from_chars(jobs.data(), jobs.data() + jobs.size(), *value);
  const bool good = error == std::errc() && end == jobs.data() + jobs.size();
  return good ? std::string() : fmt::format("--jobs takes a number, not '{}'", jobs);
}

std::string TakeColor(const std::string& given, ColorChoice* color) {
  auto parsed = ParseColorChoice(given);
  if (!parsed) return UnknownValue("--color value", given, kColorNames);
  *color = *parsed;
  return {};
}

FixSettings TakeFixes(const CheckArguments& arguments,
                      const std::shared_ptr<const config::SettingsIndex>& index,
                      const std::string& root) {
  const config::Settings& run = index->run();
  FixSettings fixes;
  fixes.apply = run.fix && !arguments.diff;
  fixes.diff = arguments.diff;
  fixes.only = run.fix_only || arguments.diff;
  fixes.unsafe = run.unsafe_fixes.value_or(false);
  fixes.show = run.show_fixes;
  fixes.exit_non_zero = arguments.exit_non_zero_on_fix;
  fixes.wanted = [index, root](const findings::Finding& finding) {
    auto settings = index->ForFile(driver::AbsolutePath(finding.location.path, root));
    return settings && (*settings)->MayFix(finding.code);
  };
  return fixes;
}

// The flag or the configuration, else the variable, else the project's own.
void TakeCache(const CheckArguments& arguments, const config::Settings& run,
               driver::CheckOptions* options) {
  options->use_cache = !arguments.no_cache;
  const char* variable = std::getenv("TORCHLEAK_CACHE_DIR");
  if (!run.cache_dir.empty()) {
    options->cache_dir = run.cache_dir;
  } else if (variable != nullptr && *variable != '\0') {
    options->cache_dir = driver::AbsolutePath(variable, options->root);
  } else {
    options->cache_dir = driver::DefaultCacheFolder(options->paths, options->root);
  }
}

bool IsFile(const std::string& path) {
  std::error_code error;
  return std::filesystem::exists(path, error);
}

}  // namespace

text::Result<config::IndexOptions> TakeConfig(const std::vector<std::string>& config, bool isolated,
                                              const std::string& root) {
  config::IndexOptions options;
  options.root = root;
  options.isolated = isolated;
  options.user_folder = config::UserConfigFolder();
  std::vector<std::string> texts;
  for (const std::string& given : config) {
    if (given.find('=') != std::string::npos && !IsFile(given)) {
      texts.push_back(given);
    } else if (options.config_file) {
      return text::Error{
          fmt::format("--config names two files, '{}' and '{}'; one may `extend` "
                      "the other",
                      *options.config_file, given)};
    } else {
      options.config_file = given;
    }
  }
  if (isolated && options.config_file) {
    return text::Error{
        fmt::format("--isolated reads no file, and --config names '{}'", *options.config_file)};
  }
  auto layer = config::InlineLayer(texts, root);
  if (!layer) return layer.error();
  options.overrides.push_back(*std::move(layer));
  return options;
}

text::Result<CheckPlan> Interpret(const CheckArguments& arguments, const std::string& root) {
  CheckPlan plan;
  plan.options.root = root;
  plan.options.ignore_noqa = arguments.ignore_noqa;
  TakePaths(arguments, &plan);
  for (const std::string& problem :
       {TakeJobs(arguments.jobs, &plan.options.jobs), TakeColor(arguments.color, &plan.color),
        CheckFlags(arguments.flags, root), FindClash(arguments, plan)}) {
    if (!problem.empty()) return text::Error{problem};
  }
  auto outputs = TakeOutputs(arguments, "full");
  if (!outputs) return outputs.error();
  auto config = TakeConfig(arguments.config, arguments.isolated, root);
  if (!config) return config.error();
  plan.config = *std::move(config);
  config::Layer flags = arguments.flags;
  flags.name = "the command line";
  flags.folder = root;
  if (!arguments.formats.empty()) {
    config::Value& format = flags.values["output-format"];
    format.text = arguments.formats.front().substr(0, arguments.formats.front().find(':'));
    format.origin = "--output-format";
  }
  plan.config.overrides.push_back(std::move(flags));
  return plan;
}

std::optional<text::Error> Configure(const CheckArguments& arguments, CheckPlan* plan) {
  auto index = config::SettingsIndex::Create(plan->config);
  if (!index) return index.error();
  const config::Settings& run = (*index)->run();
  auto outputs = TakeOutputs(arguments, run.output_format);
  if (!outputs) return outputs.error();
  plan->outputs = *std::move(outputs);
  const auto any = [&](auto is_so) {
    return std::any_of(plan->outputs.begin(), plan->outputs.end(),
                       [&](const Output& output) { return is_so(output.format); });
  };
  if (arguments.sarif_full && !any([](auto f) { return f == report::Format::kSarif; })) {
    return text::Error{"--sarif-full goes with --output-format sarif"};
  }
  const auto uncountable = [](report::Format f) {
    return !report::Info(f).is_text && f != report::Format::kJson;
  };
  if (arguments.statistics && any(uncountable)) {
    return text::Error{"--statistics is text or JSON; use --output-format full, concise or json"};
  }
  plan->fail_on = run.fail_on;
  plan->fixes = TakeFixes(arguments, *index, plan->options.root);
  plan->mention_unsafe = run.unsafe_fixes.value_or(true);
  if (!run.baseline.empty()) {
    plan->baseline = driver::DisplayPath(run.baseline, plan->options.root);
  }
  plan->baseline_commit = arguments.baseline_commit;
  if (!plan->baseline_commit.empty() && plan->fixes.Active()) {
    return text::Error{
        "--baseline-commit shows what is new, and --fix changes what is there: do one after the "
        "other, or use --baseline FILE"};
  }
  TakeCache(arguments, run, &plan->options);
  plan->options.respect_gitignore = run.respect_gitignore;
  plan->options.force_exclude = run.force_exclude;
  plan->options.single_file = run.single_file;
  plan->options.settings = *std::move(index);
  return std::nullopt;
}

}  // namespace torchleak::cli

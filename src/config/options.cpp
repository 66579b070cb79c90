#include "config/options.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

#include "config/selection.h"
#include "findings/nearest.h"

namespace torchleak::config {
namespace {

constexpr std::array<std::string_view, 26> kDefaultExcludes = {
    ".bzr",    ".direnv",        ".eggs",  ".git",     ".git-rewrite",  ".hg",
    ".nox",    ".mypy_cache",    ".pyenv", ".pants.d", ".pytest_cache", ".ipynb_checkpoints",
    ".pytype", ".ruff_cache",    ".svn",   ".tox",     ".venv",         ".vscode",
    "_build",  "__pypackages__", "build",  "buck-out", "dist",          "node_modules",
    "venv",    "site-packages"};

constexpr std::array<std::string_view, 1> kAll = {"ALL"};
constexpr std::array<std::string_view, 3> kSeverities = {"note", "warning", "error"};
constexpr std::array<std::string_view, 3> kConfidences = {"low", "medium", "high"};
constexpr std::array<std::string_view, 13> kFormats = {
    "full",   "concise", "grouped", "json",   "json-lines", "sarif", "github",
    "gitlab", "junit",   "pylint",  "rdjson", "azure",      "html"};

constexpr Option kOptions[] = {
    {.key = "extend",
     .type = Type::kPath,
     .scope = Scope::kFile,
     .flag = "",
     .description = "Another configuration file to start from; what stands here goes before it",
     .example = "\"../torchleak.toml\""},
    {.key = "select",
     .type = Type::kSelectors,
     .scope = Scope::kFile,
     .flag = "--select",
     .description = "The rules to use, instead of the default ones: all that `torchleak rule "
                    "--all` does not call off",
     .example = "[\"TLK1\", \"missing-zero-grad\"]"},
    {.key = "extend-select",
     .type = Type::kSelectors,
     .scope = Scope::kFile,
     .flag = "--extend-select",
     .description = "Rules to use besides the selected ones",
     .example = "[\"TLK203\"]",
     .adds = true},
    {.key = "ignore",
     .type = Type::kSelectors,
     .scope = Scope::kFile,
     .flag = "--ignore",
     .description = "Rules to leave out; adds to what is ignored elsewhere",
     .example = "[\"TLK102\"]",
     .adds = true},
    {.key = "per-file-ignores",
     .type = Type::kPerFile,
     .scope = Scope::kFile,
     .flag = "--per-file-ignores",
     .description = "Rules to leave out in the files that match a pattern; `!` before the pattern "
                    "means the files that do not",
     .example = "{ \"tests/*\" = [\"TLK1\"], \"scripts/legacy.py\" = [\"ALL\"] }"},
    {.key = "severity",
     .type = Type::kPerRule,
     .scope = Scope::kFile,
     .flag = "",
     .description = "Severity of the findings of a rule, instead of the one that was measured",
     .example = "{ TLK102 = \"error\" }",
     .choices = kSeverities},
    {.key = "min-confidence",
     .type = Type::kChoice,
     .scope = Scope::kFile,
     .flag = "--min-confidence",
     .description = "Report findings from this confidence on",
     .example = "\"high\"",
     .default_text = "medium",
     .choices = kConfidences},
    {.key = "target-version",
     .type = Type::kVersion,
     .scope = Scope::kFile,
     .flag = "",
     .description = "The oldest version of torch that the code must run with",
     .example = "\"2.4\""},
    {.key = "exclude",
     .type = Type::kPatterns,
     .scope = Scope::kFile,
     .flag = "--exclude",
     .description = "Files and folders to leave out, instead of the default ones",
     .example = "[\".venv\", \"third_party/\"]",
     .default_words = kDefaultExcludes},
    {.key = "extend-exclude",
     .type = Type::kPatterns,
     .scope = Scope::kFile,
     .flag = "--extend-exclude",
     .description = "Files and folders to leave out besides the excluded ones",
     .example = "[\"generated/\", \"*_pb2.py\"]",
     .adds = true},
    {.key = "respect-gitignore",
     .type = Type::kFlag,
     .scope = Scope::kRun,
     .flag = "--respect-gitignore",
     .description = "Leave out what .gitignore and .ignore name",
     .example = "false",
     .default_text = "true"},
    {.key = "force-exclude",
     .type = Type::kFlag,
     .scope = Scope::kRun,
     .flag = "--force-exclude",
     .description = "Apply excludes also to paths given by hand",
     .example = "true",
     .default_text = "false"},
    {.key = "single-file",
     .type = Type::kFlag,
     .scope = Scope::kRun,
     .flag = "--single-file",
     .description = "Look at each file alone, without what it imports and who calls it",
     .example = "true",
     .default_text = "false"},
    {.key = "fix",
     .type = Type::kFlag,
     .scope = Scope::kRun,
     .flag = "--fix",
     .description = "Apply the safe fixes",
     .example = "true",
     .default_text = "false"},
    {.key = "fix-only",
     .type = Type::kFlag,
     .scope = Scope::kRun,
     .flag = "--fix-only",
     .description = "Apply the safe fixes and do not report what is left; implies `fix`",
     .example = "true",
     .default_text = "false"},
    {.key = "unsafe-fixes",
     .type = Type::kFlag,
     .scope = Scope::kRun,
     .flag = "--unsafe-fixes",
     .description = "Count unsafe fixes among those to apply; `false` also keeps them unmentioned",
     .example = "true"},
    {.key = "show-fixes",
     .type = Type::kFlag,
     .scope = Scope::kRun,
     .flag = "--show-fixes",
     .description = "List the fixes that were applied",
     .example = "true",
     .default_text = "false"},
    {.key = "fixable",
     .type = Type::kSelectors,
     .scope = Scope::kFile,
     .flag = "--fixable",
     .description = "Rules whose fixes may be applied",
     .example = "[\"TLK101\"]",
     .default_words = kAll},
    {.key = "unfixable",
     .type = Type::kSelectors,
     .scope = Scope::kFile,
     .flag = "--unfixable",
     .description = "Rules whose fixes are never applied; adds to what is unfixable elsewhere",
     .example = "[\"TLK107\"]",
     .adds = true},
    {.key = "output-format",
     .type = Type::kChoice,
     .scope = Scope::kRun,
     .flag = "--output-format",
     .description = "Form of the report",
     .example = "\"concise\"",
     .default_text = "full",
     .choices = kFormats},
    {.key = "fail-on",
     .type = Type::kChoice,
     .scope = Scope::kRun,
     .flag = "--fail-on",
     .description = "Exit with status 1 from this severity on",
     .example = "\"error\"",
     .default_text = "warning",
     .choices = kSeverities},
    {.key = "baseline",
     .type = Type::kPath,
     .scope = Scope::kRun,
     .flag = "--baseline",
     .description = "File of known findings: only new ones are reported. What is found no more is "
                    "dropped from it, unless the variable CI is set",
     .example = "\"torchleak-baseline.json\""},
    {.key = "cache-dir",
     .type = Type::kPath,
     .scope = Scope::kRun,
     .flag = "--cache-dir",
     .description =
         "Folder of the cache, instead of TORCHLEAK_CACHE_DIR or .torchleak_cache at the "
         "top of the project",
     .example = "\".torchleak_cache\""},
};

std::string OneOf(std::span<const std::string_view> choices) {
  std::string text;
  for (std::size_t i = 0; i < choices.size(); ++i) {
    if (i > 0) text += i + 1 == choices.size() ? " or " : ", ";
    text += fmt::format("\"{}\"", choices[i]);
  }
  return text;
}

// digits, a dot, digits.
bool IsVersion(std::string_view text) {
  const std::size_t dot = text.find('.');
  if (dot == std::string_view::npos || text.size() > 9) return false;
  auto is_number = [](std::string_view part) {
    return !part.empty() && part.find_first_not_of("0123456789") == std::string_view::npos;
  };
  return is_number(text.substr(0, dot)) && is_number(text.substr(dot + 1));
}

std::string ChoiceProblem(const Option& option, std::string_view word) {
  if (std::find(option.choices.begin(), option.choices.end(), word) != option.choices.end()) {
    return {};
  }
  if (option.type == Type::kPerRule && word == "off") {
    return "a severity is " + OneOf(option.choices) + "; to leave a rule out, put it into `ignore`";
  }
  std::string_view nearest = findings::Nearest(word, option.choices);
  if (!nearest.empty()) {
    return fmt::format("unknown value '{}' of '{}'; did you mean '{}'?", word, option.key, nearest);
  }
  return fmt::format("unknown value '{}' of '{}'; it is {}", word, option.key,
                     OneOf(option.choices));
}

std::string PatternProblem(std::string_view pattern) {
  if (pattern.find_first_not_of("!/ ") == std::string_view::npos) {
    return fmt::format("'{}' matches nothing: a pattern is written as in .gitignore", pattern);
  }
  if (pattern.find('\0') != std::string_view::npos) return "a pattern cannot hold a NUL character";
  return {};
}

}  // namespace

std::span<const Option> Options() { return kOptions; }

const Option* FindOption(std::string_view key) {
  for (const Option& option : kOptions) {
    if (option.key == key) return &option;
  }
  return nullptr;
}

std::string_view NearestOption(std::string_view misspelt) {
  std::vector<std::string_view> keys;
  for (const Option& option : kOptions) keys.push_back(option.key);
  return findings::Nearest(misspelt, keys);
}

Value DefaultOf(const Option& option) {
  Value value;
  value.flag = option.default_text == "true";
  value.text = option.default_text;
  value.words.assign(option.default_words.begin(), option.default_words.end());
  return value;
}

std::string Expected(const Option& option) {
  switch (option.type) {
    case Type::kFlag:
      return "true or false";
    case Type::kChoice:
      return OneOf(option.choices);
    case Type::kPath:
      return fmt::format("a path in quotes, such as {}", option.example);
    case Type::kVersion:
      return fmt::format("a version in quotes, such as {}", option.example);
    case Type::kPatterns:
      return fmt::format("a list of patterns, such as {}", option.example);
    case Type::kSelectors:
      return fmt::format("a list of rules, such as {}", option.example);
    case Type::kPerFile:
      return fmt::format("a table of patterns and lists of rules, such as {}", option.example);
    case Type::kPerRule:
      return fmt::format("a table of rules and severities, such as {}", option.example);
  }
  return {};
}

std::string WordProblem(const Option& option, std::string_view word) {
  switch (option.type) {
    case Type::kFlag:
      return {};
    case Type::kChoice:
    case Type::kPerRule:
      return ChoiceProblem(option, word);
    case Type::kPath:
      return word.empty() ? fmt::format("'{}' is empty", option.key) : std::string();
    case Type::kVersion:
      if (IsVersion(word)) return {};
      return fmt::format("'{}' is no version of torch such as {}", word, option.example);
    case Type::kPatterns:
      return PatternProblem(word);
    case Type::kSelectors:
    case Type::kPerFile:
      return SelectorProblem(word, engine::AllRules());
  }
  return {};
}

std::string KeyProblem(const Option& option, std::string_view key) {
  return option.type == Type::kPerRule ? SelectorProblem(key, engine::AllRules())
                                       : PatternProblem(key);
}

std::span<const std::string_view> DefaultExcludes() { return kDefaultExcludes; }

}  // namespace torchleak::config

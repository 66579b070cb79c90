#include "config/settings.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "config/contradiction.h"
#include "config/merge.h"
#include "config/options.h"

namespace torchleak::config {
namespace {

std::vector<Selection> Selections(std::span<const Layer> layers, std::string_view select,
                                  std::string_view extend, std::string_view ignore) {
  std::vector<Selection> selections;
  for (const Layer& layer : layers) {
    Selection& selection = selections.emplace_back();
    if (const Value* value = layer.Find(select)) selection.select = value->words;
    if (const Value* value = layer.Find(extend)) selection.extend_select = value->words;
    if (const Value* value = layer.Find(ignore)) selection.ignore = value->words;
  }
  return selections;
}

// The words have been checked, so that a failure is an empty set.
Rules RulesOf(const std::vector<Selection>& selections) {
  auto rules = SelectRules(selections, engine::AllRules());
  return rules ? *std::move(rules) : Rules();
}

// Rules that are off by default may be fixed when they are on.
Rules Fixable(std::span<const Layer> layers) {
  std::vector<Selection> selections = Selections(layers, "fixable", "", "unfixable");
  selections.insert(selections.begin(), Selection{{{"ALL"}}, {}, {}});
  return RulesOf(selections);
}

PathPatterns Excludes(std::span<const Layer> layers, std::string_view root) {
  PathPatterns patterns;
  const Layer* last = LastWith(layers, "exclude");
  const Value defaults = DefaultOf(*FindOption("exclude"));
  const Value& excludes = last != nullptr ? *last->Find("exclude") : defaults;
  const std::string_view folder = last != nullptr ? std::string_view(last->folder) : root;
  for (const std::string& word : excludes.words) patterns.Add(word, folder);
  for (const Layer& layer : layers) {
    const Value* more = layer.Find("extend-exclude");
    if (more == nullptr) continue;
    for (const std::string& word : more->words) patterns.Add(word, layer.folder);
  }
  return patterns;
}

std::vector<PerFileIgnore> PerFileIgnores(std::span<const Layer> layers) {
  std::vector<PerFileIgnore> result;
  const Layer* last = LastWith(layers, "per-file-ignores");
  if (last == nullptr) return result;
  for (const Entry& entry : last->Find("per-file-ignores")->entries) {
    PerFileIgnore& ignore = result.emplace_back();
    std::string_view pattern = entry.key;
    ignore.negated = pattern.starts_with('!');
    if (ignore.negated) pattern.remove_prefix(1);
    ignore.pattern.Add(pattern, last->folder);
    Selection all_of_them{entry.words, {}, {}};
    ignore.rules = RulesOf({all_of_them});
  }
  return result;
}

// The most exact selector wins, as for `select`.
std::vector<std::pair<std::string_view, findings::Severity>> Severities(
    std::span<const Layer> layers) {
  std::vector<std::pair<std::string_view, findings::Severity>> result;
  const Layer* last = LastWith(layers, "severity");
  if (last == nullptr) return result;
  std::vector<Entry> entries = last->Find("severity")->entries;
  auto exactness = [](const Entry& entry) {
    const std::string canonical = Canonical(entry.key);
    return canonical == "ALL" ? std::size_t{0} : canonical.size();  // a code is longest
  };
  std::stable_sort(entries.begin(), entries.end(),
                   [&](const Entry& a, const Entry& b) { return exactness(a) > exactness(b); });
  for (const Entry& entry : entries) {
    auto severity = findings::ParseSeverity(entry.words.front());
    for (const engine::Rule* rule : Matching(entry.key, engine::AllRules())) {
      const std::string_view code = rule->info().code;
      const bool known = std::any_of(result.begin(), result.end(),
                                     [code](const auto& pair) { return pair.first == code; });
      if (!known && severity) result.emplace_back(code, *severity);
    }
  }
  return result;
}

class Resolver {
 public:
  explicit Resolver(std::span<const Layer> layers) : layers_(layers) {}

  bool Flag(std::string_view key) const { return Last(key).flag; }
  std::string Text(std::string_view key) const { return Last(key).text; }

  std::optional<bool> MaybeFlag(std::string_view key) const {
    const Layer* last = LastWith(layers_, key);
    return last == nullptr ? std::nullopt : std::optional<bool>(last->Find(key)->flag);
  }

  std::string Path(std::string_view key) const {
    const Layer* last = LastWith(layers_, key);
    return last == nullptr ? std::string() : AbsoluteIn(last->folder, last->Find(key)->text);
  }

  std::optional<TorchVersion> Version(std::string_view key) const {
    const std::string text = Text(key);
    const std::size_t dot = text.find('.');
    if (dot == std::string::npos) return std::nullopt;
    TorchVersion version;
    std::from_chars(text.data(), text.data() + dot, version.major);
    std::from_chars(text.data() + dot + 1, text.data() + text.size(), version.minor);
    return version;
  }

 private:
  Value Last(std::string_view key) const {
    const Layer* last = LastWith(layers_, key);
    return last == nullptr ? DefaultOf(*FindOption(key)) : *last->Find(key);
  }

  std::span<const Layer> layers_;
};

std::string FlagName(const Layer& layer, std::string_view key) {
  const Value* value = layer.Find(key);
  return value == nullptr ? std::string(key) : value->origin;
}

}  // namespace

Settings Resolve(std::span<const Layer> layers, std::string_view root) {
  const Resolver resolver(layers);
  Settings s;
  s.rules = RulesOf(Selections(layers, "select", "extend-select", "ignore"));
  s.fixable = Fixable(layers);
  s.per_file_ignores = PerFileIgnores(layers);
  s.severities = Severities(layers);
  s.min_confidence = findings::ParseConfidence(resolver.Text("min-confidence"))
                         .value_or(findings::Confidence::kMedium);
  s.target_version = resolver.Version("target-version");
  s.excludes = Excludes(layers, root);
  s.respect_gitignore = resolver.Flag("respect-gitignore");
  s.force_exclude = resolver.Flag("force-exclude");
  s.single_file = resolver.Flag("single-file");
  s.fix_only = resolver.Flag("fix-only");
  s.fix = resolver.Flag("fix") || s.fix_only;
  s.show_fixes = resolver.Flag("show-fixes");
  s.unsafe_fixes = resolver.MaybeFlag("unsafe-fixes");
  s.output_format = resolver.Text("output-format");
  s.fail_on = findings::ParseSeverity(resolver.Text("fail-on")).value_or(s.fail_on);
  s.baseline = resolver.Path("baseline");
  s.cache_dir = resolver.Path("cache-dir");
  s.shown = ShownOptions(layers);
  return s;
}

bool Settings::Selects(std::string_view code, std::string_view path) const {
  if (!Contains(rules, code)) return false;
  return std::none_of(
      per_file_ignores.begin(), per_file_ignores.end(), [&](const PerFileIgnore& ignore) {
        return Contains(ignore.rules, code) && ignore.pattern.MatchesTree(path) != ignore.negated;
      });
}

bool Settings::Reports(const findings::Finding& finding, std::string_view path) const {
  return finding.confidence >= min_confidence && Selects(finding.code, path);
}

void Settings::Adjust(findings::Finding* finding) const {
  for (const auto& [code, severity] : severities) {
    if (code == finding->code) finding->severity = severity;
  }
}

std::string Settings::AnalysisKey() const {
  std::string key;
  for (const Shown& option : shown) {
    const Option& known = *FindOption(option.key);
    if (known.scope != Scope::kFile && option.key != "single-file") continue;
    if (known.type == Type::kPatterns || option.key == "extend") continue;
    key += fmt::format("{}={}\n", option.key, option.toml);
  }
  return key;
}

std::string CheckLayer(const Layer& layer) {
  for (const auto& [key, value] : layer.values) {
    const Option& option = *FindOption(key);
    std::vector<std::string> words = value.words;
    if (option.type == Type::kChoice || option.type == Type::kPath) words.push_back(value.text);
    for (const Entry& entry : value.entries) {
      if (auto problem = KeyProblem(option, entry.key); !problem.empty()) {
        return fmt::format("{}: {}", value.origin, problem);
      }
      words.insert(words.end(), entry.words.begin(), entry.words.end());
    }
    for (const std::string& word : words) {
      if (auto problem = WordProblem(option, word); !problem.empty()) {
        return fmt::format("{}: {}", value.origin, problem);
      }
    }
  }
  if (auto contradiction = FindContradiction(layer)) {
    return fmt::format("{}: {}", FlagName(layer, contradiction->key), contradiction->message);
  }
  return {};
}

}  // namespace torchleak::config

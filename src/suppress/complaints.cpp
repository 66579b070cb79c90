// What is wrong with suppressions, as findings: TLK001 for those that silence nothing, TLK002 for
// those that cannot be understood.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "suppress/enclosing.h"
#include "suppress/removal.h"
#include "suppress/suppressions.h"

namespace torchleak::suppress {

findings::Finding Suppressions::About(text::Span span) const {
  findings::Finding finding;
  finding.severity = findings::Severity::kWarning;
  finding.confidence = findings::Confidence::kHigh;
  finding.location = {source_.path(), span};
  // A comment behind the last statement of a function lies outside of it: its code tells.
  const text::Span line = source_.LineSpan(source_.RowOf(span.begin));
  const std::size_t code = source_.Text(line).find_first_not_of(" \t\f");
  finding.function = EnclosingFunction(tree_, line.begin + static_cast<std::uint32_t>(code));
  return finding;
}

bool Suppressions::CanBeUnused(const Place& place, std::size_t word,
                               std::span<const std::string_view> checked) const {
  const Word& w = place.directive.words[word];
  if (w.kind != Word::Kind::kRule || place.used[word]) return false;
  const bool in_file = place.directive.form == Form::kIgnoreFile;
  bool any = false;
  for (const KnownRule& rule : rules_) {
    if (!w.Names(rule.code)) continue;
    if (std::find(checked.begin(), checked.end(), rule.code) == checked.end()) {
      // A word for many, as `TLK`, is not about those that are off until somebody selects them.
      if (!rule.on_by_default && w.prefix != rule.code) continue;
      return false;
    }
    // Whether these findings exist is what is being asked here.
    if (in_file && (rule.code == kUnusedCode || rule.code == kInvalidCode)) return false;
    any = true;
  }
  return any;
}

std::vector<findings::Finding> Suppressions::Unused(
    std::span<const std::string_view> checked) const {
  std::vector<findings::Finding> found;
  for (std::size_t i = 0; i < places_.size(); ++i) {
    const Place& place = places_[i];
    if (!place.honoured || place.directive.form == Form::kEnable) continue;
    std::vector<std::size_t> words;
    for (std::size_t word = 0; word < place.directive.words.size(); ++word) {
      if (CanBeUnused(place, word, checked)) words.push_back(word);
    }
    if (!words.empty()) found.push_back(UnusedFinding(i, words));
  }
  return found;
}

findings::Finding Suppressions::UnusedFinding(std::size_t index,
                                              const std::vector<std::size_t>& words) const {
  const Directive& directive = places_[index].directive;
  const bool whole = words.size() == directive.words.size();
  findings::Finding finding = About(whole ? directive.head
                                          : text::Span{directive.words[words.front()].span.begin,
                                                       directive.words[words.back()].span.end});
  finding.code = kUnusedCode;
  finding.name = kUnusedName;
  finding.message = WhyUnused(index, words);
  finding.help = whole ? "remove the suppression" : "remove what is not used from the list";
  finding.fix = findings::Fix{
      findings::Applicability::kSafe,
      whole ? "Remove the unused suppression" : "Remove the unused rules from the suppression",
      EditsWithout(index, words)};
  return finding;
}

std::string Suppressions::WhyUnused(std::size_t index,
                                    const std::vector<std::size_t>& words) const {
  const Place& place = places_[index];
  std::string names;
  bool all_repeated = true, on_line_only = true;
  for (const std::size_t word : words) {
    const Word& w = place.directive.words[word];
    names += fmt::format("{}`{}`", names.empty() ? "" : ", ", source_.Text(w.span));
    all_repeated = all_repeated && place.repeated[word];
    on_line_only = on_line_only && (w.prefix == kUnusedCode || w.prefix == kInvalidCode);
  }
  if (all_repeated) return fmt::format("{} is suppressed here already", names);
  if (on_line_only)
    return fmt::format("{} can be suppressed for a file only, with `ignore-file[…]`", names);
  const Form form = place.directive.form;
  const std::string_view where = form == Form::kIgnoreFile ? "in this file"
                                 : form == Form::kDisable  ? "in this range"
                                                           : "on this line";
  return fmt::format("nothing is suppressed: there is no finding of {} {}", names, where);
}

// A range ends with its `enable`, which would be left alone.
std::vector<findings::Edit> Suppressions::EditsWithout(
    std::size_t index, const std::vector<std::size_t>& words) const {
  std::vector<findings::Edit> edits = Remove(source_, places_[index].directive, words);
  if (places_[index].directive.form != Form::kDisable) return edits;
  std::map<WordId, std::size_t> ended;  // by word of an `enable`: how many of its ranges go
  for (const std::size_t word : words) {
    const WordId end = places_[index].ended_by[word];
    if (end.directive != kNone) ++ended[end];
  }
  for (auto at = ended.begin(); at != ended.end();) {
    const Place& enable = places_[at->first.directive];
    const std::size_t directive = at->first.directive;
    std::vector<std::size_t> gone;
    for (; at != ended.end() && at->first.directive == directive; ++at) {
      if (at->second == enable.ends[at->first.word]) gone.push_back(at->first.word);
    }
    if (gone.empty()) continue;
    for (findings::Edit& edit : Remove(source_, enable.directive, gone))
      edits.push_back(std::move(edit));
  }
  return edits;
}

std::vector<findings::Finding> Suppressions::Invalid() const {
  std::vector<findings::Finding> found;
  for (const Problem& problem : problems_) {
    findings::Finding finding = About(problem.span);
    finding.code = kInvalidCode;
    finding.name = kInvalidName;
    finding.message = problem.message;
    finding.help = problem.help;
    if (!problem.replacement.empty()) {
      finding.fix =
          findings::Fix{findings::Applicability::kUnsafe,
                        fmt::format("Replace with `{}`", problem.replacement),
                        {findings::Edit{{source_.path(), problem.replace}, problem.replacement}}};
    }
    found.push_back(std::move(finding));
  }
  return found;
}

}  // namespace torchleak::suppress

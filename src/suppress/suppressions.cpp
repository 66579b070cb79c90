// Directives are placed once, in the order of the file; then every finding looks up its row. A rule
// that is off in a range or in the file is not turned off once more: the second one does nothing,
// and so is unused. That keeps the ranges of one rule apart from each other.
#include "suppress/suppressions.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "suppress/removal.h"

namespace torchleak::suppress {
namespace {

bool IsOnLine(Form form) { return form == Form::kNoqa || form == Form::kIgnore; }

bool IsAboutSuppressions(std::string_view code) {
  return code == kUnusedCode || code == kInvalidCode;
}

}  // namespace

Suppressions Suppressions::Parse(const text::Source& source, const syntax::Tree& tree,
                                 std::span<const KnownRule> rules) {
  Suppressions out(source, tree, rules);
  CommentReader reader{source, rules, {}, {}};
  for (const text::Span& comment : tree.comments()) reader.Read(comment);
  out.problems_ = std::move(reader.problems);
  for (Directive& directive : reader.directives) {
    const std::size_t words = directive.words.size();
    out.places_.push_back({std::move(directive), true, std::vector<bool>(words),
                           std::vector<bool>(words), std::vector<WordId>(words),
                           std::vector<std::size_t>(words)});
  }
  if (!out.places_.empty()) out.PlaceAll();
  return out;
}

bool Suppressions::MayComplain(const text::Source& source, const syntax::Tree& tree) {
  return std::any_of(tree.comments().begin(), tree.comments().end(),
                     [&](const text::Span& comment) { return MayNameRules(source.Text(comment)); });
}

void Suppressions::PlaceAll() {
  const LogicalLines lines(source_, tree_);
  for (std::size_t i = 0; i < places_.size(); ++i) {
    const Directive& directive = places_[i].directive;
    if (IsOnLine(directive.form)) {
      PlaceOnLine(i, lines);
    } else if (!IsOwnLine(source_, directive.comment)) {
      const std::string instead = directive.form == Form::kEnable ? "enable" : "ignore";
      Refuse(i, fmt::format("`{}` must stand on a line of its own", Name(directive.form)),
             directive.form == Form::kEnable
                 ? "move it to a line of its own"
                 : "move it to a line of its own, or write `ignore[…]` for this line");
    } else if (directive.form == Form::kIgnoreFile) {
      PlaceInFile(i);
    } else {
      directive.form == Form::kDisable ? Open(i) : Close(i);
    }
  }
  std::stable_sort(on_lines_.begin(), on_lines_.end(), [](const OnLine& a, const OnLine& b) {
    return std::pair(a.rows.first, a.rows.last) < std::pair(b.rows.first, b.rows.last);
  });
}

void Suppressions::PlaceOnLine(std::size_t index, const LogicalLines& lines) {
  const Directive& directive = places_[index].directive;
  const std::uint32_t row = source_.RowOf(directive.comment.begin);
  Rows rows = lines.At(row);
  const bool alone = rows == Rows{row, row} && IsOwnLine(source_, directive.comment);
  if (alone && directive.form == Form::kNoqa) return;  // as for other tools: of no line
  if (alone) {
    rows = lines.After(row).value_or(Rows{});
    const std::uint32_t cell_end = CellOf(source_, directive.comment.begin).end;
    if (rows.last >= rows.first && source_.LineSpan(rows.first).begin >= cell_end) rows = {};
  }
  if (rows.last >= rows.first) on_lines_.push_back({rows, index});
}

void Suppressions::PlaceInFile(std::size_t index) {
  Place& place = places_[index];
  for (std::size_t i = 0; i < place.directive.words.size(); ++i) {
    const Word& word = place.directive.words[i];
    if (!word.IsOurs()) continue;
    const Rows rows{1, source_.line_count()};
    place.repeated[i] = !files_.try_emplace(word.prefix, Entry{{index, i}, rows}).second;
  }
}

void Suppressions::Open(std::size_t index) {
  Place& place = places_[index];
  const std::uint32_t row = source_.RowOf(place.directive.comment.begin);
  for (std::size_t i = 0; i < place.directive.words.size(); ++i) {
    const Word& word = place.directive.words[i];
    if (!word.IsOurs()) continue;
    Ranges& ranges = ranges_[word.prefix];
    place.repeated[i] = !ranges.open.empty();
    ranges.open.push_back({index, i});
    if (!place.repeated[i]) ranges.all.push_back({{index, i}, {row + 1, source_.line_count()}});
  }
}

void Suppressions::Close(std::size_t index) {
  Place& place = places_[index];
  const std::uint32_t row = source_.RowOf(place.directive.comment.begin);
  const auto close = [&](Ranges* ranges, std::size_t word) {
    if (ranges->open.empty()) return false;
    ranges->all.back().rows.last = row - 1;
    for (const WordId& id : ranges->open) places_[id.directive].ended_by[id.word] = {index, word};
    place.ends[word] += ranges->open.size();
    ranges->open.clear();
    return true;
  };
  for (std::size_t i = 0; i < place.directive.words.size(); ++i) {
    const Word& word = place.directive.words[i];
    if (!word.IsOurs()) continue;
    bool closed = false;
    if (word.kind == Word::Kind::kAll) {
      for (auto& [prefix, ranges] : ranges_) closed |= close(&ranges, i);
    } else {
      closed = close(&ranges_[word.prefix], i);
    }
    if (closed) continue;
    const std::string what =
        word.kind == Word::Kind::kAll ? "" : fmt::format("[{}]", source_.Text(word.span));
    problems_.push_back({word.span,
                         fmt::format("there is no `disable{}` above that this could end", what),
                         fmt::format("remove it, or write `# torchleak: disable{}` where the "
                                     "suppression should begin",
                                     what.empty() ? "[TLK101]" : what),
                         {},
                         {}});
  }
}

void Suppressions::Refuse(std::size_t index, std::string message, std::string help) {
  places_[index].honoured = false;
  problems_.push_back({places_[index].directive.head, std::move(message), std::move(help), {}, {}});
}

std::size_t Suppressions::Use(WordId id) {
  places_[id.directive].used[id.word] = true;
  return id.directive;
}

std::size_t Suppressions::SilencerOnLine(std::uint32_t row, std::string_view code) {
  auto at = std::partition_point(on_lines_.begin(), on_lines_.end(),
                                 [row](const OnLine& line) { return line.rows.last < row; });
  if (at == on_lines_.end() || !at->rows.Has(row)) return kNone;
  const auto [known, is_new] = known_on_lines_.try_emplace({at->rows.first, code}, kNone);
  if (!is_new) return known->second;
  for (; at != on_lines_.end() && at->rows.Has(row); ++at) {
    const std::vector<Word>& words = places_[at->directive].directive.words;
    const auto word =
        std::find_if(words.begin(), words.end(), [&](const Word& w) { return w.Names(code); });
    if (word == words.end()) continue;
    Use({at->directive, static_cast<std::size_t>(word - words.begin())});
    if (known->second == kNone) known->second = at->directive;
  }
  return known->second;
}

std::size_t Suppressions::Silencer(const findings::Finding& finding) {
  const std::uint32_t row = source_.RowOf(finding.location.span.begin);
  std::size_t nearest = kNone;
  const auto take = [&](std::size_t directive) {
    if (nearest == kNone) nearest = directive;
  };
  if (!IsAboutSuppressions(finding.code)) {
    nearest = SilencerOnLine(row, finding.code);
    for (const auto& [prefix, ranges] : ranges_) {
      if (!finding.code.starts_with(prefix)) continue;
      const std::vector<Entry>& all = ranges.all;
      const auto range = std::partition_point(all.begin(), all.end(),
                                              [row](const Entry& e) { return e.rows.last < row; });
      if (range != all.end() && range->rows.Has(row)) take(Use(range->id));
    }
  }
  for (const auto& [prefix, entry] : files_) {
    if (finding.code.starts_with(prefix)) take(Use(entry.id));
  }
  return nearest;
}

std::vector<const Directive*> Suppressions::Over(std::uint32_t row) const {
  std::vector<const Directive*> over;
  const auto add = [&](std::size_t index) {
    const Directive* directive = &places_[index].directive;
    if (std::find(over.begin(), over.end(), directive) == over.end()) over.push_back(directive);
  };
  for (const OnLine& line : on_lines_) {
    if (line.rows.Has(row)) add(line.directive);
  }
  for (const auto& [prefix, ranges] : ranges_) {
    for (const Entry& range : ranges.all) {
      if (range.rows.Has(row)) add(range.id.directive);
    }
  }
  for (const auto& [prefix, entry] : files_) add(entry.id.directive);
  // A line may hold words of other tools only.
  std::erase_if(over, [](const Directive* directive) {
    return std::none_of(directive->words.begin(), directive->words.end(),
                        [](const Word& word) { return word.IsOurs(); });
  });
  return over;
}

std::vector<findings::Suppressed> Suppressions::Apply(std::vector<findings::Finding>* found) {
  std::vector<findings::Suppressed> silenced;
  if (places_.empty()) return silenced;
  std::vector<findings::Finding> left;
  // A comment at another place of the same mistake silences nothing, but is not in vain.
  for (const findings::Finding& finding : *found) {
    for (const findings::Step& step : finding.flow) {
      if (step.message != findings::kAndHere || step.location.path != source_.path()) continue;
      findings::Finding there = finding;
      there.location = step.location;
      Silencer(there);
    }
  }
  for (findings::Finding& finding : *found) {
    const std::size_t by = Silencer(finding);
    if (by == kNone) {
      left.push_back(std::move(finding));
      continue;
    }
    const Directive& directive = places_[by].directive;
    silenced.push_back({std::move(finding), {source_.path(), directive.span}, directive.reason});
  }
  *found = std::move(left);
  return silenced;
}

}  // namespace torchleak::suppress

// Suppressions: what the comments of one file silence, and what is wrong with them.
//
//   auto suppressions = Suppressions::Parse(source, tree, rules);
//   auto silenced = suppressions.Apply(&findings);          // those stay that nothing silences
//   auto more = suppressions.Unused(codes_of_checked_rules);  // TLK001
//   auto wrong = suppressions.Invalid();                      // TLK002
//   suppressions.Apply(&more);                                // `ignore-file[TLK001]`
//
// Invariants: a finding is silenced by the nearest directive (its line, a range, the file), and
// every directive that holds for it counts as used, so that two which say the same are both left
// alone; within one list the first that fits is the used one. Findings about suppressions are
// silenced for the whole file only. Refers to the source and the tree, which must outlive it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "findings/finding.h"
#include "findings/suppressed.h"
#include "suppress/comment.h"
#include "suppress/logical_lines.h"
#include "syntax/tree.h"
#include "text/source.h"

namespace torchleak::suppress {

inline constexpr std::string_view kUnusedCode = "TLK001";
inline constexpr std::string_view kUnusedName = "unused-suppression";
inline constexpr std::string_view kInvalidCode = "TLK002";
inline constexpr std::string_view kInvalidName = "invalid-suppression";

class Suppressions {
 public:
  static Suppressions Parse(const text::Source& source, const syntax::Tree& tree,
                            std::span<const KnownRule> rules);
  // Could Unused or Invalid find anything? A quick look that may say yes for no reason.
  static bool MayComplain(const text::Source& source, const syntax::Tree& tree);

  // Takes out of `found`, which are of this file, what is silenced.
  std::vector<findings::Suppressed> Apply(std::vector<findings::Finding>* found);

  // The directives that hold for a row, the nearest first.
  std::vector<const Directive*> Over(std::uint32_t row) const;

  // What silenced nothing so far, of rules that were checked: one finding for each directive, with
  // a safe fix. `checked` are codes. Without fingerprints.
  std::vector<findings::Finding> Unused(std::span<const std::string_view> checked) const;
  // What cannot be understood. Without fingerprints.
  std::vector<findings::Finding> Invalid() const;

 private:
  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);

  // One word of one directive.
  struct WordId {
    std::size_t directive = kNone, word = kNone;
    auto operator<=>(const WordId&) const = default;
  };
  // A word, and where it holds.
  struct Entry {
    WordId id;
    Rows rows;
  };
  // A directive and what became of it; the vectors by word.
  struct Place {
    Directive directive;
    bool honoured = true;
    std::vector<bool> used, repeated;
    std::vector<WordId> ended_by;   // of `disable`: the `enable`
    std::vector<std::size_t> ends;  // of `enable`: how many words of `disable`
  };

  Suppressions(const text::Source& source, const syntax::Tree& tree,
               std::span<const KnownRule> rules)
      : source_(source), tree_(tree), rules_(rules) {}

  void PlaceAll();
  void PlaceOnLine(std::size_t index, const LogicalLines& lines);
  void PlaceInFile(std::size_t index);
  void Open(std::size_t index);
  void Close(std::size_t index);
  void Refuse(std::size_t index, std::string message, std::string help);

  // The directive that silences it, marked as used; kNone.
  std::size_t Silencer(const findings::Finding& finding);
  std::size_t SilencerOnLine(std::uint32_t row, std::string_view code);
  std::size_t Use(WordId id);
  bool CanBeUnused(const Place& place, std::size_t word,
                   std::span<const std::string_view> checked) const;
  findings::Finding UnusedFinding(std::size_t index, const std::vector<std::size_t>& words) const;
  std::string WhyUnused(std::size_t index, const std::vector<std::size_t>& words) const;
  std::vector<findings::Edit> EditsWithout(std::size_t index,
                                           const std::vector<std::size_t>& words) const;
  findings::Finding About(text::Span span) const;

  const text::Source& source_;
  const syntax::Tree& tree_;
  std::span<const KnownRule> rules_;
  std::vector<Place> places_;  // in order
  std::vector<Problem> problems_;
  struct OnLine {
    Rows rows;
    std::size_t directive;
  };
  std::vector<OnLine> on_lines_;  // by row; those of one logical line have the same rows
  // Answers of SilencerOnLine, by first row and code: a line may hold many of both.
  std::map<std::pair<std::uint32_t, std::string_view>, std::size_t> known_on_lines_;
  // By prefix. The ranges of one prefix are sorted and apart from each other, and there are at most
  // as many prefixes as rules and beginnings of codes: looking all up is quick however many
  // directives there are.
  struct Ranges {
    std::vector<Entry> all;
    std::vector<WordId> open;  // what the next `enable` ends: the range, and those that repeat it
  };
  std::map<std::string, Ranges, std::less<>> ranges_;
  std::map<std::string, Entry, std::less<>> files_;
};

}  // namespace torchleak::suppress

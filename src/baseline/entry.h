// Entry: a finding as a baseline remembers it, and the comparison of then and now.
//
// No line number: an entry must stay true while the code around it moves. A finding is known again
//
//   1. by rule, file, function, line and occurrence: blank lines, comments and other code may come
//      and go;
//   2. else, in the same function, by the line with its local names taken out: a variable was
//      renamed;
//   3. else, in the same file, by its line: the function was renamed, or the line moved to another.
//
// Each entry stands for one finding: where a line is doubled, one of the two is new.
//
//   auto now = EntriesOf(set.findings, lookup);
//   Comparison c = Compare(now, baseline.entries);   // c.fresh: indices of `now`
#pragma once

#include <compare>
#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "findings/finding.h"

namespace torchleak::baseline {

struct Entry {
  std::string path;  // from the folder of the baseline file, with '/'
  std::string rule;  // "TLK101"
  std::string function;
  std::string line;         // 16 hex digits: hash of findings::NormalizedLine
  std::string shape;        // 16 hex digits: hash of ShapeOf
  unsigned occurrence = 0;  // among those with the same five
  auto operator<=>(const Entry&) const = default;  // the order in the file: by path first
};

// `line` without white space, comment and the names that may be local: those are numbered by their
// first appearance. `losses.append(loss)` gives "$1.append($2)". Attributes, keywords and the names
// of keyword arguments stay.
std::string ShapeOf(std::string_view line);

struct Lookup {
  std::function<const text::Source*(std::string_view path)> source_of;  // may give null
  // From the path that a finding carries to Entry::path.
  std::function<std::string(std::string_view path)> entry_path;
};

// One for each finding, in their order, which must be that of findings::Before.
std::vector<Entry> EntriesOf(std::span<const findings::Finding> findings, const Lookup& lookup);

struct Comparison {
  std::vector<std::size_t> fresh;  // indices of `now`: not in `then`
  std::vector<std::size_t> known;  // the others
  std::vector<std::size_t> gone;   // indices of `then` that nothing in `now` stands for
};
Comparison Compare(std::span<const Entry> now, std::span<const Entry> then);

}  // namespace torchleak::baseline

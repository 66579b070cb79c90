// LogicalLines: which rows one line of Python takes, as far as suppressions go.
//
// A statement takes the rows from its first to its last; a compound statement those of its header,
// up to the colon, and a decorated one those of its decorators too. What shares a row (`a; b`,
// `if x: a`) is one logical line. Rows are from 1.
//
//   losses.append(          # row 3
//       loss,               # row 4
//   )                       # row 5      At(4) == {3, 5}
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "syntax/tree.h"
#include "text/source.h"

namespace torchleak::suppress {

struct Rows {
  std::uint32_t first = 1, last = 0;  // none when last < first
  bool Has(std::uint32_t row) const { return first <= row && row <= last; }
  bool operator==(const Rows&) const = default;
};

class LogicalLines {
 public:
  // Looks at each node once.
  LogicalLines(const text::Source& source, const syntax::Tree& tree);

  // The logical line that has this row; the row alone when there is none.
  Rows At(std::uint32_t row) const;
  // The first that begins below the row.
  std::optional<Rows> After(std::uint32_t row) const;
  // May a comment stand at the end of the row? Not inside a string, not behind a backslash.
  bool CommentFits(std::uint32_t row) const;

 private:
  void Add(Rows rows);
  void MarkString(Rows rows);

  const text::Source& source_;
  std::vector<Rows> lines_;        // sorted, apart from each other
  std::vector<bool> ends_inside_;  // by row: a string goes on in the next
  std::vector<bool> has_comment_;  // by row
};

}  // namespace torchleak::suppress

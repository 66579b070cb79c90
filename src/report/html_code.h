// CodeLineHtml: one line of source as HTML, with its marks. Inner to this layer.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "text/source.h"

namespace torchleak::report {

struct CodeMark {
  text::Span span;  // bytes of the line; an empty one marks the character that follows
  bool primary = false;
};

// Tabs become blanks up to the next multiple of four, everything is escaped. A long line is cut
// around its first mark.
class CodeLineHtml {
 public:
  CodeLineHtml(std::string_view line, std::span<const CodeMark> marks);

  // Marks are <mark> (primary) and <em>; words of Python <q class="k">, "s" and "c": keywords,
  // strings, comments, as far as one line tells.
  const std::string& html() const { return html_; }
  // Column from 0 at which the character of this byte stands.
  std::uint32_t ColumnOf(std::uint32_t byte) const;

 private:
  std::vector<std::uint32_t> column_of_;  // by byte from begin_ on; one more at the end
  std::uint32_t begin_ = 0;
  std::string html_;
};

}  // namespace torchleak::report

// DisplayLine: one line of source as a terminal shows it, and where each byte of it came to stand.
//
// Tabs are expanded, control characters made visible, wide and combining characters counted, and a
// line that is too long is cropped around a focus with … at each cut:
//
//   DisplayLine line("\tx = é", {1, 2}, 80);
//   line.text() == "    x = é";  line.ColumnOf(1) == 4;
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "text/source.h"

namespace torchleak::report {

class DisplayLine {
 public:
  // `focus` is a byte range of `line`, and is kept in view when the line is cropped to `width`
  // columns.
  DisplayLine(std::string_view line, text::Span focus, std::uint32_t width);

  // Without white space at its end.
  const std::string& text() const { return text_; }

  // Column from 0 at which the character of this byte of the line starts; of bytes cut away, the
  // column of the nearest cut. line.size() and beyond: behind the last character.
  std::uint32_t ColumnOf(std::uint32_t byte) const;

 private:
  // A code point of the part of the line that was laid out; columns are those before cropping.
  struct Glyph {
    std::uint32_t byte;
    std::uint32_t column;
    std::string shown;
  };
  void LayOut(std::string_view line, text::Span focus);
  void Crop(std::uint32_t focus_begin, std::uint32_t focus_end, std::uint32_t width);
  std::uint32_t UncroppedColumn(std::uint32_t byte) const;

  std::vector<Glyph> glyphs_;  // the last one is a sentinel at the end
  bool cut_left_ = false;      // bytes before glyphs_ were left out
  bool cut_right_ = false;
  std::uint32_t first_column_ = 0;  // of the view, in columns before cropping
  std::uint32_t last_column_ = 0;   // exclusive
  std::string text_;
};

}  // namespace torchleak::report

// Frame: the lines of one source that a finding speaks of, with their marks. Inner to this layer.
//
//    9 │     losses = []
//      │     ────── 3 outlives the loop here
//   ...
//   14 │         losses.append(loss)
//      │         ^^^^^^^^^^^^^^^^^^^ 2 stored here
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "report/terminal.h"
#include "text/source.h"

namespace torchleak::report {

// A span to draw, with what is written beside it. Inside a frame, the primary mark is the finding.
struct Mark {
  text::Span span;
  bool primary = false;
  std::uint32_t number = 0;  // of the step of the flow; 0: none
  std::string label;         // Printable
};

struct FrameStyle {
  const Painter* painter = nullptr;
  Style primary = Style::kError;
  std::uint32_t number_width = 1;  // of the line numbers
  std::uint32_t width = 100;       // of the code
};

// The frame's lines, each with its line feed; the first and last hold code or marks. A primary mark
// over several lines is drawn as a bar beside them (its middle left out when long), a secondary one
// is cut to its first line. Marks must lie in the source, of a notebook in one cell: rows are then
// numbered from its start.
std::string DrawFrame(const text::Source& source, std::vector<Mark> marks, const FrameStyle& style);

// "   │" and what follows it, without trailing white space: the gutter without a line number.
std::string GutterLine(const FrameStyle& style, std::string_view rest);
// " 14 │ code", with the line number right-aligned.
std::string CodeLine(const FrameStyle& style, std::uint32_t row, std::string_view rest);

}  // namespace torchleak::report

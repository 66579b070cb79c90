// What a terminal makes of text: columns, colours, links. Inner to this layer.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "findings/finding.h"

namespace torchleak::report {

// Columns that a code point takes: 0 (combining), 1, or 2 (East Asian wide, emoji).
std::uint32_t ColumnsOf(char32_t code);

// The code point as it may be written to a terminal: control characters become their pictures
// (U+241B for escape), those that reorder text become U+FFFD, so that a source can neither move the
// cursor nor show code in another order than it runs.
char32_t Harmless(char32_t code);

// Text of one line for a terminal: Harmless() throughout, invalid UTF-8 replaced, line ends and
// tabs become a space.
std::string Printable(std::string_view text);

// The columns that Printable text takes.
std::uint32_t Columns(std::string_view text);

// SGR parameters of each part of a report. Example: Paint(Style::kGutter, "│").
enum class Style : std::uint8_t {
  kPlain,
  kBold,
  kError,
  kWarning,
  kNote,
  kGutter,
  kStep,
  kHelp,
  kAdded,
  kRemoved
};
Style StyleOf(findings::Severity severity);

class Painter {
 public:
  Painter(bool color, bool hyperlinks) : color_(color), hyperlinks_(hyperlinks) {}
  std::string Paint(Style style, std::string_view text) const;
  std::string Link(std::string_view url, std::string text) const;

 private:
  bool color_;
  bool hyperlinks_;
};

}  // namespace torchleak::report

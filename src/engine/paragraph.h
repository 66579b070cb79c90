// Text for people in a terminal: paragraphs of at most 100 columns, hanging indents.
#pragma once

#include <string>
#include <string_view>

namespace torchleak::engine {

inline constexpr std::size_t kTextWidth = 100;

// `text` in lines of at most kTextWidth columns. The first line goes on after what `*out` ends
// with, at `column`; the others begin with `indent` blanks. Ends with a line end. A word is never
// cut.
void AppendParagraph(std::string_view text, std::size_t column, std::size_t indent,
                     std::string* out);

// "  subject   text": the text begins at `column`; a longer subject has a line of its own.
void AppendEntry(std::string_view subject, std::string_view text, std::size_t column,
                 std::string* out);

}  // namespace torchleak::engine

// Text inside XML and HTML. Inner to this layer.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace torchleak::report {

// & < > " ' become entities; characters that XML or HTML forbid and bytes that are not UTF-8 become
// U+FFFD, all others Harmless(): a source can neither end the element or attribute that it stands
// in nor turn the order of what is read. Line feeds and tabs stay, so an attribute takes
// Printable() text.
std::string EscapeMarkup(std::string_view text);

// The same for HTML, with `code` as <code>code</code>.
std::string HtmlProse(std::string_view text);

// HtmlProse of a message as a heading: it starts with a capital, unless it starts with code.
std::string HtmlHeading(std::string_view message);

// 25000 as "25,000".
std::string HtmlNumber(std::size_t value);

}  // namespace torchleak::report

// A rule's page for reading in a terminal: wrapped, headings and code set off, links spelt out.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace torchleak::cli {

// Understands what the pages use: headings, paragraphs, lists, quotes, fenced code, tables (kept as
// they are), `code`, **bold**, *emphasis*, [links](url). Without `color` the output has no escapes.
std::string RenderMarkdown(std::string_view markdown, std::size_t width, bool color);

}  // namespace torchleak::cli

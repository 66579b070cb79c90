// A rule's page (Markdown), or a part of it, as plain text; texts of findings in other dress.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace torchleak::report {

// Headings lose their hashes, emphasis, code spans and fences their marks, links become "text
// (url)". Code keeps its text, indented by four.
std::string PlainText(std::string_view markdown);

// The text below the heading, up to the next heading of the same or a higher level; empty when
// there is none. Headings inside code fences do not count.
std::string_view Section(std::string_view markdown, std::string_view heading);

// At most `characters` code points: cut after a sentence when one ends in the second half, else
// behind a word with "…".
std::string Shorten(std::string_view text, std::size_t characters);

// As one sentence of a report: it starts with a capital (unless its first word is code) and ends
// with a full stop.
std::string Sentence(std::string_view message);

// Without Markdown's backticks: `code` becomes 'code'.
std::string Requoted(std::string_view text);

}  // namespace torchleak::report

#include "project/definition_outline.h"

#include "project/byte_search.h"

namespace torchleak::project {
namespace {

bool StartsWithWord(std::string_view text, std::string_view word) {
  return text.starts_with(word) && text.size() > word.size() &&
         (text[word.size()] == ' ' || text[word.size()] == '\t');
}

}  // namespace

DefinitionOutline::DefinitionOutline(std::string_view bytes, std::size_t begin)
    : bytes_(bytes), line_(begin), next_line_(NextLine(begin)), current_(LineAt(begin)) {}

// "\r\n" makes an empty line of its own, which is harmless here.
std::size_t DefinitionOutline::NextLine(std::size_t from) const {
  const std::size_t end = FindEither(bytes_, from, bytes_.size(), '\n', '\r');
  return end == bytes_.size() ? end : end + 1;
}

DefinitionOutline::Line DefinitionOutline::LineAt(std::size_t start) const {
  Line line{0, start, false};
  for (; line.first < bytes_.size(); ++line.first) {
    const char c = bytes_[line.first];
    if (c == '\t') {
      line.indentation = (line.indentation / 8 + 1) * 8;
    } else if (c == ' ') {
      ++line.indentation;
    } else if (c != '\f') {
      break;
    }
  }
  const std::string_view rest = bytes_.substr(line.first, 16);
  line.opens =
      StartsWithWord(rest, "def") || StartsWithWord(rest, "class") || StartsWithWord(rest, "async");
  return line;
}

// Takes the current line in and goes to the next one that does not start inside a string. A line
// that starts with a closing bracket, `) -> int:`, goes on with an earlier one.
void DefinitionOutline::Advance() {
  const char c = current_.first < bytes_.size() ? bytes_[current_.first] : '\n';
  if (std::string_view("\r\n#)]}").find(c) == std::string_view::npos) {
    while (!open_.empty() && open_.back() >= current_.indentation) open_.pop_back();
    // `async with` and `async for` only stand in functions, which are open already.
    if (current_.opens) open_.push_back(current_.indentation);
  }
  line_ = next_line_;
  for (; string_ < strings_.size() && strings_[string_].begin < line_; ++string_) {
    if (strings_[string_].end > line_) line_ = NextLine(strings_[string_].end);
  }
  next_line_ = NextLine(line_);
  current_ = LineAt(line_);
}

bool DefinitionOutline::IsInside(std::size_t statement) {
  while (next_line_ <= statement && line_ < next_line_) Advance();
  if (current_.opens && current_.first < statement) return true;  // def f(): import x
  return !open_.empty() && open_.front() < current_.indentation;
}

}  // namespace torchleak::project

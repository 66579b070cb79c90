#include "fix/edits.h"

#include <algorithm>
#include <tuple>

namespace torchleak::fix {
namespace {

bool IsContinuation(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }

// May one text end and another begin at `at`?
bool IsBoundary(std::string_view text, std::size_t at) {
  if (at == 0 || at >= text.size()) return at <= text.size();
  return !IsContinuation(text[at]) && !(text[at - 1] == '\r' && text[at] == '\n');
}

// The line end of the line at `offset`, else of the one before it, else "\n".
std::string_view LineEndAt(std::string_view text, std::uint32_t offset) {
  std::size_t at = text.find_first_of("\r\n", offset);
  if (at == std::string_view::npos) at = text.substr(0, offset).find_last_of("\r\n");
  if (at == std::string_view::npos) return "\n";
  if (text[at] == '\n' && at > 0 && text[at - 1] == '\r') --at;
  return text.substr(at, text.substr(at).starts_with("\r\n") ? 2 : 1);
}

std::string WithLineEnds(std::string_view content, std::string_view line_end) {
  std::string out;
  out.reserve(content.size());
  for (std::size_t i = 0; i < content.size(); ++i) {
    const bool end = content[i] == '\r' || content[i] == '\n';
    if (content.substr(i).starts_with("\r\n")) ++i;
    end ? out.append(line_end) : out.append(1, content[i]);
  }
  return out;
}

// Takes off what old and new text share at the front, then at the back.
void Shrink(std::string_view text, Replacement* edit) {
  const std::string_view old = text.substr(edit->span.begin, edit->span.end - edit->span.begin);
  const std::string_view content = edit->content;
  const std::size_t shorter = std::min(old.size(), content.size());
  std::size_t front = 0;
  while (front < shorter && old[front] == content[front]) ++front;
  while (front > 0 && !(IsBoundary(text, edit->span.begin + front) && IsBoundary(content, front)))
    --front;
  std::size_t back = 0;
  while (back < shorter - front && old[old.size() - 1 - back] == content[content.size() - 1 - back])
    ++back;
  while (back > 0 &&
         !(IsBoundary(text, edit->span.end - back) && IsBoundary(content, content.size() - back)))
    --back;
  edit->span.begin += static_cast<std::uint32_t>(front);
  edit->span.end -= static_cast<std::uint32_t>(back);
  edit->content = std::string(content.substr(front, content.size() - front - back));
}

}  // namespace

text::Result<Edits> Normalized(std::string_view text, Edits edits) {
  for (Replacement& edit : edits) {
    const auto [begin, end] = edit.span;
    if (begin > end || end > text.size() || !IsBoundary(text, begin) || !IsBoundary(text, end)) {
      return text::Error{"an edit does not begin and end between characters of the file"};
    }
    edit.content = WithLineEnds(edit.content, LineEndAt(text, begin));
    Shrink(text, &edit);
  }
  std::erase_if(edits, [](const Replacement& edit) {
    return edit.span.begin == edit.span.end && edit.content.empty();
  });
  // Stable: insertions at one place keep the order in which they were given.
  std::stable_sort(edits.begin(), edits.end(), [](const Replacement& a, const Replacement& b) {
    return std::tie(a.span.begin, a.span.end) < std::tie(b.span.begin, b.span.end);
  });
  for (std::size_t i = 1; i < edits.size(); ++i) {
    if (edits[i].span.begin < edits[i - 1].span.end) return text::Error{"two edits overlap"};
  }
  return edits;
}

std::string Applied(std::string_view text, std::span<const Replacement> edits) {
  std::string out;
  std::size_t copied = 0;
  for (const Replacement& edit : edits) {
    out.append(text, copied, edit.span.begin - copied);
    out += edit.content;
    copied = edit.span.end;
  }
  out.append(text, copied);
  return out;
}

std::uint32_t MovedOffset(std::uint32_t offset, std::span<const Replacement> edits) {
  std::int64_t shift = 0;
  for (const Replacement& edit : edits) {
    if (edit.span.begin > offset) break;
    const auto added = static_cast<std::int64_t>(edit.content.size());
    if (edit.span.end > offset) {  // within what is replaced
      const std::int64_t into = std::min<std::int64_t>(offset - edit.span.begin, added);
      return static_cast<std::uint32_t>(edit.span.begin + shift + into);
    }
    shift += added - (edit.span.end - edit.span.begin);
  }
  return static_cast<std::uint32_t>(offset + shift);
}

}  // namespace torchleak::fix

#include "lsp/positions.h"

#include <algorithm>

namespace torchleak::lsp {
namespace {

bool IsContinuation(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }

// Of the character that begins with this byte. The text is valid UTF-8: JSON was cleaned.
std::size_t SizeOf(char lead) {
  const auto byte = static_cast<unsigned char>(lead);
  return byte < 0x80 ? 1 : byte < 0xE0 ? 2 : byte < 0xF0 ? 3 : 4;
}

std::uint32_t UnitsOf(char lead, PositionEncoding encoding) {
  const std::size_t size = SizeOf(lead);
  switch (encoding) {
    case PositionEncoding::kUtf8:
      return static_cast<std::uint32_t>(size);
    case PositionEncoding::kUtf16:
      return size == 4 ? 2 : 1;
    case PositionEncoding::kUtf32:
      return 1;
  }
  return 1;
}

bool IsLineStart(std::string_view text, std::size_t at) {
  const char before = text[at - 1];
  return before == '\n' || (before == '\r' && !(at < text.size() && text[at] == '\n'));
}

void FindStarts(std::string_view text, std::size_t begin, std::size_t end,
                std::vector<std::size_t>* starts) {
  for (std::size_t at = std::max<std::size_t>(begin, 1); at <= end; ++at) {
    if (IsLineStart(text, at)) starts->push_back(at);
  }
}

struct Found {
  std::size_t offset;
  bool exists;
};

Found Find(std::string_view text, const LineIndex& lines, Position position,
           PositionEncoding encoding) {
  if (position.line >= lines.count()) return {text.size(), false};
  const std::size_t end = lines.End(text, position.line);
  std::size_t at = lines.Begin(position.line);
  std::uint32_t left = position.character;
  while (left > 0 && at < end) {
    const std::uint32_t units = UnitsOf(text[at], encoding);
    if (units > left) return {at, false};
    left -= units;
    at = std::min(at + SizeOf(text[at]), end);
  }
  return {at, left == 0};
}

}  // namespace

PositionEncoding Negotiate(const Json& client_capabilities) {
  try {
    const Json offered =
        client_capabilities.value("/general/positionEncodings"_json_pointer, Json::array());
    const auto offers = [&](PositionEncoding encoding) {
      return offered.is_array() &&
             std::find(offered.begin(), offered.end(), Json(Name(encoding))) != offered.end();
    };
    for (const auto encoding : {PositionEncoding::kUtf8, PositionEncoding::kUtf32}) {
      if (offers(encoding)) return encoding;
    }
  } catch (const Json::exception&) {  // of other types than the protocol's
  }
  return PositionEncoding::kUtf16;
}

std::string_view Name(PositionEncoding encoding) {
  switch (encoding) {
    case PositionEncoding::kUtf8:
      return "utf-8";
    case PositionEncoding::kUtf16:
      return "utf-16";
    case PositionEncoding::kUtf32:
      return "utf-32";
  }
  return "utf-16";
}

LineIndex::LineIndex(std::string_view text) { FindStarts(text, 1, text.size(), &starts_); }

std::size_t LineIndex::LineOf(std::size_t offset) const {
  const auto after = std::upper_bound(starts_.begin(), starts_.end(), offset);
  return static_cast<std::size_t>(after - starts_.begin()) - 1;
}

std::size_t LineIndex::End(std::string_view text, std::size_t line) const {
  if (line + 1 >= starts_.size()) return text.size();
  std::size_t end = starts_[line + 1] - 1;
  if (text[end] == '\n' && end > starts_[line] && text[end - 1] == '\r') --end;
  return end;
}

void LineIndex::Replace(std::string_view text, std::size_t begin, std::size_t old_end,
                        std::size_t new_end) {
  // Whether `begin` starts a line may change with the byte that follows (\r, then \n); what stands
  // behind old_end keeps its neighbours.
  const auto first = std::lower_bound(starts_.begin() + 1, starts_.end(), begin);
  const auto last = std::upper_bound(first, starts_.end(), old_end);
  std::vector<std::size_t> found;
  FindStarts(text, begin, new_end, &found);
  const std::ptrdiff_t at = first - starts_.begin();
  const std::size_t kept = static_cast<std::size_t>(at) + found.size();
  starts_.erase(first, last);
  starts_.insert(starts_.begin() + at, found.begin(), found.end());
  for (std::size_t i = kept; i < starts_.size(); ++i) starts_[i] = starts_[i] - old_end + new_end;
}

Position PositionAt(std::string_view text, const LineIndex& lines, std::size_t offset,
                    PositionEncoding encoding) {
  offset = std::min(offset, text.size());
  while (offset > 0 && offset < text.size() && IsContinuation(text[offset])) --offset;
  const std::size_t line = lines.LineOf(offset);
  Position position{static_cast<std::uint32_t>(line), 0};
  // An offset between \r and \n is the end of the line.
  offset = std::min(offset, lines.End(text, line));
  for (std::size_t at = lines.Begin(line); at < offset; at += SizeOf(text[at])) {
    position.character += UnitsOf(text[at], encoding);
  }
  return position;
}

std::size_t OffsetAt(std::string_view text, const LineIndex& lines, Position position,
                     PositionEncoding encoding) {
  return Find(text, lines, position, encoding).offset;
}

bool Exists(std::string_view text, const LineIndex& lines, Position position,
            PositionEncoding encoding) {
  return Find(text, lines, position, encoding).exists;
}

}  // namespace torchleak::lsp

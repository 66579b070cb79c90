// Most files are ASCII or valid UTF-8 and are moved through untouched: one memchr for NUL, one
// validation that steps over ASCII eight bytes at a time. Only the others are rewritten.
#include "text/decode.h"

#include <fmt/format.h>

#include <cstdint>
#include <utility>

#include "text/charset.h"

namespace torchleak::text {
namespace {

std::string FromSingleBytes(std::string_view raw, Charset charset) {
  std::string out;
  out.reserve(raw.size() + raw.size() / 8);
  for (std::size_t i = 0; i < raw.size(); ++i)
    AppendUtf8(out, FromSingleByte(charset, static_cast<std::uint8_t>(raw[i])));
  return out;
}

bool IsNameChar(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
         c == '_' || c == '.';
}

// The encoding that one comment line names: `coding[:=][ \t]*name`, as PEP 263 has it.
std::string_view EncodingInLine(std::string_view line) {
  constexpr std::string_view kWord = "coding";
  for (std::size_t at = line.find(kWord); at != line.npos; at = line.find(kWord, at + 1)) {
    std::size_t i = at + kWord.size();
    if (i >= line.size() || (line[i] != ':' && line[i] != '=')) continue;
    ++i;
    while (i < line.size() && (line[i] == ' ' || line[i] == '\t')) ++i;
    std::size_t end = i;
    while (end < line.size() && IsNameChar(line[end])) ++end;
    if (end > i) return line.substr(i, end - i);
  }
  return {};
}

Error Utf16Error(std::string_view path) {
  return {
      fmt::format("{}: is UTF-16 or UTF-32, which Python does not accept; save it as UTF-8", path)};
}

Error NulError(std::string_view path, std::string_view raw, std::size_t at) {
  // ASCII text in UTF-16 has a NUL in every second byte.
  const bool pairs = raw.size() >= 4 && ((raw[0] == 0 && raw[1] != 0 && raw[2] == 0) ||
                                         (raw[0] != 0 && raw[1] == 0 && raw[3] == 0));
  if (pairs) return Utf16Error(path);
  return {fmt::format("{}: has a NUL byte at offset {}, so it is a binary file, not Python source",
                      path, at)};
}

}  // namespace

std::string ReplaceInvalid(std::string raw) {
  std::size_t i = FirstInvalidUtf8(raw);
  if (i == raw.size()) return raw;
  std::string out(raw, 0, i);
  while (i < raw.size()) {
    const std::size_t ascii_end = SkipAscii(raw, i);
    out.append(raw, i, ascii_end - i);
    i = ascii_end;
    if (i == raw.size()) break;
    const Sequence sequence = NextSequence(raw, i);
    if (sequence.valid)
      out.append(raw, i, sequence.length);
    else
      out += "\xEF\xBF\xBD";
    i += sequence.length;
  }
  return out;
}

std::size_t FirstInvalidUtf8(std::string_view bytes) {
  std::size_t i = 0;
  while ((i = SkipAscii(bytes, i)) < bytes.size()) {
    const Sequence sequence = NextSequence(bytes, i);
    if (!sequence.valid) return i;
    i += sequence.length;
  }
  return i;
}

std::string_view DeclaredEncoding(std::string_view bytes) {
  for (int row = 0; row < 2 && !bytes.empty(); ++row) {
    const std::size_t end = bytes.find_first_of("\r\n");
    std::string_view line = bytes.substr(0, end);
    const std::size_t first = line.find_first_not_of(" \t\f");
    if (first != line.npos) {
      if (line[first] != '#') return {};  // code: the second line no longer counts
      const std::string_view name = EncodingInLine(line.substr(first));
      if (!name.empty()) return name;
    }
    if (end == bytes.npos) return {};
    const bool crlf = bytes[end] == '\r' && end + 1 < bytes.size() && bytes[end + 1] == '\n';
    bytes.remove_prefix(end + (crlf ? 2 : 1));
  }
  return {};
}

Result<std::string> DecodePython(std::string_view path, std::string raw) {
  if (raw.starts_with("\xFF\xFE") || raw.starts_with("\xFE\xFF")) return Utf16Error(path);
  if (const std::size_t nul = raw.find('\0'); nul != raw.npos) return NulError(path, raw, nul);
  if (raw.starts_with("\xEF\xBB\xBF")) {
    raw.erase(0, 3);
    return ReplaceInvalid(std::move(raw));  // the mark outranks a coding line
  }
  const std::size_t first_high = SkipAscii(raw, 0);
  if (first_high == raw.size()) return raw;
  const std::string_view name = DeclaredEncoding(raw);
  switch (const Charset charset = CharsetNamed(name)) {
    case Charset::kUtf8:
      return ReplaceInvalid(std::move(raw));
    case Charset::kUnsupported:
      return Error{fmt::format(
          "{}: its coding line names the encoding '{}', which is not supported; save it as UTF-8",
          path, name)};
    default:
      return FromSingleBytes(raw, charset);
  }
}

Result<std::string> CheckPython(std::string_view path, std::string utf8) {
  if (const std::size_t nul = utf8.find('\0'); nul != utf8.npos) return NulError(path, utf8, nul);
  if (utf8.starts_with("\xEF\xBB\xBF")) utf8.erase(0, 3);
  return utf8;
}

}  // namespace torchleak::text

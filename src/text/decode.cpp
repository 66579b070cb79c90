// Most files are ASCII or valid UTF-8 and are moved through untouched: one memchr for NUL, one
// validation that steps over ASCII eight bytes at a time. Only the others are rewritten.
#include "text/decode.h"

#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <cstring>
#include <utility>

namespace torchleak::text {
namespace {

enum class Charset { kUtf8, kLatin1, kLatin9, kCp1252, kUnsupported };

// Code points of cp1252 for 0x80..0x9F; the five unassigned bytes are 0xFFFD.
constexpr std::array<char32_t, 32> kCp1252High = {
    0x20AC, 0xFFFD, 0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021, 0x02C6, 0x2030, 0x0160,
    0x2039, 0x0152, 0xFFFD, 0x017D, 0xFFFD, 0xFFFD, 0x2018, 0x2019, 0x201C, 0x201D, 0x2022,
    0x2013, 0x2014, 0x02DC, 0x2122, 0x0161, 0x203A, 0x0153, 0xFFFD, 0x017E, 0x0178};

std::uint8_t Byte(std::string_view text, std::size_t i) {
  return static_cast<std::uint8_t>(text[i]);
}

void AppendUtf8(std::string& out, char32_t c) {
  if (c < 0x80) {
    out += static_cast<char>(c);
  } else if (c < 0x800) {
    out += static_cast<char>(0xC0 | (c >> 6));
    out += static_cast<char>(0x80 | (c & 0x3F));
  } else {
    out += static_cast<char>(0xE0 | (c >> 12));
    out += static_cast<char>(0x80 | ((c >> 6) & 0x3F));
    out += static_cast<char>(0x80 | (c & 0x3F));
  }
}

char32_t FromSingleByte(Charset charset, std::uint8_t byte) {
  if (charset == Charset::kCp1252 && byte >= 0x80 && byte < 0xA0) return kCp1252High[byte - 0x80];
  if (charset == Charset::kLatin9) {
    switch (byte) {
      case 0xA4:
        return 0x20AC;
      case 0xA6:
        return 0x0160;
      case 0xA8:
        return 0x0161;
      case 0xB4:
        return 0x017D;
      case 0xB8:
        return 0x017E;
      case 0xBC:
        return 0x0152;
      case 0xBD:
        return 0x0153;
      case 0xBE:
        return 0x0178;
      default:
        break;
    }
  }
  return byte;
}

std::string FromSingleBytes(std::string_view raw, Charset charset) {
  std::string out;
  out.reserve(raw.size() + raw.size() / 8);
  for (std::size_t i = 0; i < raw.size(); ++i)
    AppendUtf8(out, FromSingleByte(charset, Byte(raw, i)));
  return out;
}

// First offset at or after `i` that is not ASCII, or the size.
std::size_t SkipAscii(std::string_view text, std::size_t i) {
  for (; i + 8 <= text.size(); i += 8) {
    std::uint64_t word;
    std::memcpy(&word, text.data() + i, 8);
    if ((word & 0x8080808080808080u) != 0) break;
  }
  while (i < text.size() && Byte(text, i) < 0x80) ++i;
  return i;
}

struct Sequence {
  std::size_t length;  // at least 1: of the code point, or of the maximal broken part
  bool valid;
};

// The sequence at `i`, whose first byte is not ASCII (Unicode standard, table 3-7).
Sequence NextSequence(std::string_view text, std::size_t i) {
  const std::uint8_t lead = Byte(text, i);
  std::size_t length = 0;
  std::uint8_t low = 0x80, high = 0xBF;  // what the second byte may be
  if (lead >= 0xC2 && lead <= 0xDF) {
    length = 2;
  } else if (lead >= 0xE0 && lead <= 0xEF) {
    length = 3;
    if (lead == 0xE0) low = 0xA0;
    if (lead == 0xED) high = 0x9F;  // no surrogates
  } else if (lead >= 0xF0 && lead <= 0xF4) {
    length = 4;
    if (lead == 0xF0) low = 0x90;
    if (lead == 0xF4) high = 0x8F;  // nothing above U+10FFFF
  } else {
    return {1, false};
  }
  for (std::size_t k = 1; k < length; ++k) {
    if (i + k >= text.size()) return {k, false};
    const std::uint8_t byte = Byte(text, i + k);
    if (byte < low || byte > high) return {k, false};
    low = 0x80;
    high = 0xBF;
  }
  return {length, true};
}

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

Charset CharsetNamed(std::string_view name) {
  std::string key;
  for (char c : name) {
    if (c == '-' || c == '_' || c == '.' || c == ' ') continue;
    key += (c >= 'A' && c <= 'Z') ? static_cast<char>(c - 'A' + 'a') : c;
  }
  // Editors add a line-end suffix: utf-8-unix, latin-1-dos.
  for (std::string_view suffix : {"unix", "dos", "mac"})
    if (key.ends_with(suffix)) key.resize(key.size() - suffix.size());
  using Entry = std::pair<std::string_view, Charset>;
  static constexpr std::array<Entry, 22> kNames = {
      Entry{"", Charset::kUtf8},           Entry{"utf8", Charset::kUtf8},
      Entry{"utf8sig", Charset::kUtf8},    Entry{"u8", Charset::kUtf8},
      Entry{"utf", Charset::kUtf8},        Entry{"cp65001", Charset::kUtf8},
      Entry{"ascii", Charset::kUtf8},      Entry{"usascii", Charset::kUtf8},
      Entry{"646", Charset::kUtf8},        Entry{"latin1", Charset::kLatin1},
      Entry{"latin", Charset::kLatin1},    Entry{"l1", Charset::kLatin1},
      Entry{"iso88591", Charset::kLatin1}, Entry{"isolatin1", Charset::kLatin1},
      Entry{"88591", Charset::kLatin1},    Entry{"cp819", Charset::kLatin1},
      Entry{"latin9", Charset::kLatin9},   Entry{"iso885915", Charset::kLatin9},
      Entry{"l9", Charset::kLatin9},       Entry{"cp1252", Charset::kCp1252},
      Entry{"1252", Charset::kCp1252},     Entry{"windows1252", Charset::kCp1252}};
  for (const auto& [known, charset] : kNames)
    if (known == key) return charset;
  return Charset::kUnsupported;
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

}  // namespace torchleak::text

#include "text/charset.h"

#include <array>
#include <cstring>
#include <utility>

namespace torchleak::text {
namespace {

// Code points of cp1252 for 0x80..0x9F; the five unassigned bytes are 0xFFFD.
constexpr std::array<char32_t, 32> kCp1252High = {
    0x20AC, 0xFFFD, 0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021, 0x02C6, 0x2030, 0x0160,
    0x2039, 0x0152, 0xFFFD, 0x017D, 0xFFFD, 0xFFFD, 0x2018, 0x2019, 0x201C, 0x201D, 0x2022,
    0x2013, 0x2014, 0x02DC, 0x2122, 0x0161, 0x203A, 0x0153, 0xFFFD, 0x017E, 0x0178};

std::uint8_t Byte(std::string_view text, std::size_t i) {
  return static_cast<std::uint8_t>(text[i]);
}

}  // namespace

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

std::optional<char> ToSingleByte(Charset charset, char32_t c) {
  // 128 candidates at most, and only for what a fix inserts: no table the other way round.
  for (unsigned byte = c < 0x80 ? 0 : 0x80; byte <= 0xFF; ++byte) {
    const auto candidate = static_cast<std::uint8_t>(byte);
    if (FromSingleByte(charset, candidate) == c && c != 0xFFFD) return static_cast<char>(candidate);
  }
  return std::nullopt;
}

std::size_t SkipAscii(std::string_view text, std::size_t i) {
  for (; i + 8 <= text.size(); i += 8) {
    std::uint64_t word;
    std::memcpy(&word, text.data() + i, 8);
    if ((word & 0x8080808080808080u) != 0) break;
  }
  while (i < text.size() && Byte(text, i) < 0x80) ++i;
  return i;
}

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

char32_t CodePoint(std::string_view sequence) {
  const std::uint8_t lead = Byte(sequence, 0);
  if (lead < 0x80) return lead;
  char32_t c = lead & (0xFFu >> (sequence.size() + 1));
  for (std::size_t i = 1; i < sequence.size(); ++i) c = (c << 6) | (Byte(sequence, i) & 0x3Fu);
  return c;
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

}  // namespace torchleak::text

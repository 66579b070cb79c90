#include "text/json_string.h"

#include <fmt/format.h>

#include <iterator>

namespace torchleak::text {
namespace {

constexpr char32_t kReplacement = 0xFFFD;

std::uint8_t ByteAt(std::string_view text, std::size_t i) {
  return static_cast<std::uint8_t>(text[i]);
}

char32_t HexValue(std::string_view digits) {
  char32_t value = 0;
  for (const char c : digits) {
    const auto byte = static_cast<char32_t>(static_cast<unsigned char>(c));
    value = value * 16 + (byte <= '9' ? byte - '0' : (byte | 0x20) - 'a' + 10);
  }
  return value;
}

void Encode(char32_t c, JsonChar* out) {
  const auto continuation = [c](unsigned shift) {
    return static_cast<char>(0x80 | ((c >> shift) & 0x3F));
  };
  if (c < 0x80) {
    out->size = 1;
    out->utf8 = {static_cast<char>(c)};
  } else if (c < 0x800) {
    out->size = 2;
    out->utf8 = {static_cast<char>(0xC0 | (c >> 6)), continuation(0)};
  } else if (c < 0x10000) {
    out->size = 3;
    out->utf8 = {static_cast<char>(0xE0 | (c >> 12)), continuation(6), continuation(0)};
  } else {
    out->size = 4;
    out->utf8 = {static_cast<char>(0xF0 | (c >> 18)), continuation(12), continuation(6),
                 continuation(0)};
  }
}

JsonChar EscapedUnit(std::string_view inside, std::size_t at) {
  JsonChar out;
  out.raw_size = 6;
  char32_t unit = HexValue(inside.substr(at + 2, 4));
  if (unit >= 0xD800 && unit < 0xDC00 && at + 12 <= inside.size() && inside[at + 6] == '\\' &&
      inside[at + 7] == 'u') {
    const char32_t low = HexValue(inside.substr(at + 8, 4));
    if (low >= 0xDC00 && low < 0xE000) {
      unit = 0x10000 + ((unit - 0xD800) << 10) + (low - 0xDC00);
      out.raw_size = 12;
    }
  }
  if ((unit >= 0xD800 && unit < 0xE000) || unit == 0) unit = kReplacement;
  Encode(unit, &out);
  return out;
}

// The code point at *at of valid UTF-8, which is stepped over.
char32_t NextCodePoint(std::string_view text, std::size_t* at) {
  const std::uint8_t lead = ByteAt(text, *at);
  const std::size_t length = lead < 0x80 ? 1u : lead < 0xE0 ? 2u : lead < 0xF0 ? 3u : 4u;
  char32_t c = length == 1 ? lead : lead & (0xFFu >> (length + 1));
  for (std::size_t k = 1; k < length && *at + k < text.size(); ++k)
    c = (c << 6) | (ByteAt(text, *at + k) & 0x3F);
  *at += length;
  return c;
}

}  // namespace

JsonChar JsonCharAt(std::string_view inside, std::size_t at) {
  JsonChar out;
  const std::uint8_t lead = ByteAt(inside, at);
  if (lead != '\\') {
    out.size = lead < 0x80 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
    out.raw_size = out.size;
    for (std::size_t k = 0; k < out.size && at + k < inside.size(); ++k)
      out.utf8[k] = inside[at + k];
    return out;
  }
  const char c = inside[at + 1];
  if (c == 'u') return EscapedUnit(inside, at);
  out.raw_size = 2;
  constexpr std::string_view kNames = "bfnrt", kMeant = "\b\f\n\r\t";
  const std::size_t known = kNames.find(c);
  out.utf8[0] = known == kNames.npos ? c : kMeant[known];
  return out;
}

std::string DecodeJson(std::string_view inside) {
  std::string out;
  out.reserve(inside.size());
  for (std::size_t at = 0; at < inside.size();) {
    const JsonChar c = JsonCharAt(inside, at);
    out.append(c.utf8.data(), c.size);
    at += c.raw_size;
  }
  return out;
}

std::string EscapeJson(std::string_view utf8, bool ensure_ascii) {
  std::string out;
  out.reserve(utf8.size() + 8);
  const auto unit = [&out](char32_t u) {
    fmt::format_to(std::back_inserter(out), "\\u{:04x}", static_cast<std::uint32_t>(u));
  };
  for (std::size_t at = 0; at < utf8.size();) {
    const std::size_t begin = at;
    const char32_t c = NextCodePoint(utf8, &at);
    constexpr std::string_view kNames = "bfnrt\"\\", kMeant = "\b\f\n\r\t\"\\";
    const std::size_t known = c < 0x80 ? kMeant.find(static_cast<char>(c)) : kMeant.npos;
    if (known != kMeant.npos) {
      out += '\\';
      out += kNames[known];
    } else if (c < 0x20 || (c >= 0x80 && c < 0x10000 && ensure_ascii)) {
      unit(c);
    } else if (c >= 0x10000 && ensure_ascii) {
      unit(0xD800 + ((c - 0x10000) >> 10));
      unit(0xDC00 + ((c - 0x10000) & 0x3FF));
    } else {
      out += utf8.substr(begin, at - begin);
    }
  }
  return out;
}

}  // namespace torchleak::text

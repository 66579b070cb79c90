// One pass over the raw bytes with the offset that the decoded text has there. Runs of ASCII, the
// same on both sides, are stepped over as in decoding.
#include "text/encode.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "text/charset.h"
#include "text/decode.h"

namespace torchleak::text {
namespace {

constexpr std::string_view kMark = "\xEF\xBB\xBF";

struct Encoding {
  Charset charset = Charset::kUtf8;
  bool ascii_only = false;
  std::string name;  // for messages
};

Encoding EncodingOf(std::string_view raw) {
  if (raw.starts_with(kMark)) return {};
  const std::string name(DeclaredEncoding(raw));
  const Charset charset = CharsetNamed(name);
  const bool ascii = name.find("ascii") != name.npos || name.find("ASCII") != name.npos;
  return {charset, ascii || charset == Charset::kUnsupported, name};
}

std::size_t Utf8Length(char32_t c) { return c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4; }

class Cursor {
 public:
  Cursor(std::string_view raw, Charset charset) : raw_(raw), charset_(charset) {
    if (raw.starts_with(kMark)) at_ = kMark.size();
  }

  // The raw offset of an offset of the decoded text, which is not before the last one asked for.
  std::optional<std::size_t> Find(std::size_t offset) {
    while (decoded_ < offset && at_ < raw_.size()) {
      const std::size_t ascii = std::min(SkipAscii(raw_, at_) - at_, offset - decoded_);
      at_ += ascii;
      decoded_ += ascii;
      if (decoded_ < offset && at_ < raw_.size()) Step();
    }
    if (decoded_ != offset) return std::nullopt;
    return at_;
  }

 private:
  void Step() {
    if (charset_ == Charset::kUtf8) {
      constexpr std::size_t kReplaced = 3;  // U+FFFD
      const Sequence sequence = NextSequence(raw_, at_);
      at_ += sequence.length;
      decoded_ += sequence.valid ? sequence.length : kReplaced;
    } else {
      decoded_ += Utf8Length(FromSingleByte(charset_, static_cast<std::uint8_t>(raw_[at_])));
      ++at_;
    }
  }

  std::string_view raw_;
  Charset charset_;
  std::size_t at_ = 0, decoded_ = 0;
};

Error CannotHold(char32_t c, const Encoding& encoding) {
  return {fmt::format("the file's encoding, {}, has no U+{:04X}",
                      encoding.name.empty() ? "UTF-8" : encoding.name,
                      static_cast<std::uint32_t>(c))};
}

Result<std::string> Encode(std::string_view content, const Encoding& encoding) {
  std::string out;
  for (std::size_t i = 0; i < content.size();) {
    const std::size_t end = SkipAscii(content, i);
    out.append(content, i, end - i);
    if (end == content.size()) break;
    const Sequence sequence = NextSequence(content, end);
    if (!sequence.valid) return Error{"the new text is not valid UTF-8"};
    const std::string_view bytes = content.substr(end, sequence.length);
    const char32_t c = CodePoint(bytes);
    i = end + sequence.length;
    // U+FFFD may stand for bytes that are no character: writing it would lose them.
    if (encoding.ascii_only || c == 0xFFFD) return CannotHold(c, encoding);
    if (encoding.charset == Charset::kUtf8) {
      out += bytes;
    } else if (const auto byte = ToSingleByte(encoding.charset, c)) {
      out += *byte;
    } else {
      return CannotHold(c, encoding);
    }
  }
  return out;
}

}  // namespace

Result<std::string> ReplaceInRaw(std::string_view raw, std::span<const Replacement> replacements) {
  const Encoding encoding = EncodingOf(raw);
  Cursor cursor(raw, encoding.charset);
  std::string out;
  std::size_t copied = 0;
  for (const Replacement& replacement : replacements) {
    const auto begin = cursor.Find(replacement.span.begin);
    const auto end = begin ? cursor.Find(replacement.span.end) : begin;
    if (!end || *begin < copied || *end < *begin) {
      return Error{"a change does not begin and end between characters of the file"};
    }
    auto content = Encode(replacement.content, encoding);
    if (!content) return content;
    // At the very start: after the byte-order mark, which belongs to what is copied.
    out.append(raw, copied, *begin - copied);
    out += *content;
    copied = *end;
  }
  out.append(raw, copied);
  return out;
}

}  // namespace torchleak::text

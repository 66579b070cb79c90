#include "cache/codec.h"

#include <algorithm>

namespace torchleak::cache {

void Writer::Number(std::uint64_t value) {
  for (; value >= 0x80; value >>= 7) bytes_.push_back(static_cast<char>(0x80 | (value & 0x7F)));
  bytes_.push_back(static_cast<char>(value));
}

void Writer::Hash(const Hash128& hash) {
  for (const std::uint64_t half : {hash.low, hash.high}) {
    for (int shift = 0; shift < 64; shift += 8) {
      bytes_.push_back(static_cast<char>((half >> shift) & 0xFF));
    }
  }
}

void Writer::Text(std::string_view text) {
  Number(text.size());
  bytes_ += text;
}

void Writer::Path(std::string_view path) {
  const auto ends = std::mismatch(path.begin(), path.end(), last_path_.begin(), last_path_.end());
  const auto shared = static_cast<std::size_t>(ends.first - path.begin());
  Number(shared);
  Text(path.substr(shared));
  last_path_ = path;
}

std::string_view Reader::Take(std::size_t size) {
  if (size > rest_.size()) Fail();
  if (failed_) return {};
  const std::string_view taken = rest_.substr(0, size);
  rest_.remove_prefix(size);
  return taken;
}

std::uint64_t Reader::Number() {
  std::uint64_t value = 0;
  for (int shift = 0; shift < 64; shift += 7) {
    const std::string_view byte = Take(1);
    if (byte.empty()) return 0;
    const auto bits = static_cast<unsigned char>(byte[0]);
    value |= static_cast<std::uint64_t>(bits & 0x7F) << shift;
    if (bits < 0x80) return value;
  }
  Fail();
  return 0;
}

bool Reader::Bool() {
  const std::string_view byte = Take(1);
  if (!byte.empty() && byte[0] != '\0' && byte[0] != '\1') Fail();
  return !failed_ && byte[0] == '\1';
}

Hash128 Reader::Hash() {
  Hash128 hash;
  for (std::uint64_t* half : {&hash.low, &hash.high}) {
    const std::string_view bytes = Take(8);
    for (std::size_t i = 0; i < bytes.size(); ++i) {
      *half |= static_cast<std::uint64_t>(static_cast<unsigned char>(bytes[i])) << (8 * i);
    }
  }
  return hash;
}

std::string Reader::Text() {
  const std::uint64_t size = Number();
  if (size > rest_.size()) Fail();
  return std::string(Take(failed_ ? 0 : static_cast<std::size_t>(size)));
}

std::string Reader::Path() {
  const std::uint64_t shared = Number();
  if (shared > last_path_.size()) Fail();
  if (failed_) return {};
  last_path_.resize(static_cast<std::size_t>(shared));
  last_path_ += Text();
  return failed_ ? std::string() : last_path_;
}

std::size_t Reader::Count() {
  const std::uint64_t count = Number();
  if (count > rest_.size()) Fail();
  return failed_ ? 0 : static_cast<std::size_t>(count);
}

}  // namespace torchleak::cache

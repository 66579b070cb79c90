// Deflate with its output counted instead of written (RFC 1951): greedy matches within 32 KiB of
// the last place that began with the same four bytes, then the entropy of each block's symbols.
#include "report/gzip_size.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <vector>

namespace torchleak::report {
namespace {

constexpr std::size_t kWindow = 32'768;
constexpr std::size_t kShortest = 4;
constexpr std::size_t kLongest = 258;
constexpr int kProbes = 24;
constexpr std::size_t kLongEnough = 130;  // to look no further
constexpr unsigned kHashBits = 15;
constexpr std::size_t kBlock = 32'768;    // symbols that share a code
constexpr double kBlockHeader = 8 * 120;  // bits: the two codes themselves
constexpr double kMargin = 1.12;          // codes of whole bits, and what lazy matching may lose

unsigned Log2(std::size_t value) {
  unsigned bits = 0;
  while (value >>= 1) ++bits;
  return bits;
}

// Distances from 1 and lengths above 10 fall into classes that double every two, or every four,
// symbols; the extra bits tell the members of a class apart.
struct Coded {
  std::size_t symbol;
  unsigned extra_bits;
};

Coded CodedDistance(std::size_t distance) {
  const std::size_t d = distance - 1;
  if (d < 4) return {d, 0};
  const unsigned bits = Log2(d) - 1;
  return {2 * bits + (d >> bits), bits};
}

Coded CodedLength(std::size_t length) {
  const std::size_t l = length - 3;
  if (l < 8) return {257 + l, 0};
  if (length == kLongest) return {285, 0};
  const unsigned bits = Log2(l) - 2;
  return {257 + 4 * bits + (l >> bits), bits};
}

class Block {
 public:
  void Literal(unsigned char byte) {
    ++symbols_[byte];
    ++count_;
  }

  void Match(std::size_t length, std::size_t distance) {
    const Coded l = CodedLength(length);
    const Coded d = CodedDistance(distance);
    ++symbols_[l.symbol];
    ++distances_[d.symbol];
    ++count_;
    extra_bits_ += l.extra_bits + d.extra_bits;
  }

  bool full() const { return count_ >= kBlock; }

  double Bits() const {
    return kBlockHeader + static_cast<double>(extra_bits_) + Entropy(symbols_) +
           Entropy(distances_);
  }

 private:
  // Bits of all symbols together; none is coded in less than one.
  template <std::size_t size>
  static double Entropy(const std::array<std::uint32_t, size>& counts) {
    double total = 0;
    for (const std::uint32_t count : counts) total += count;
    double bits = 0;
    for (const std::uint32_t count : counts) {
      if (count != 0) bits += count * std::max(std::log2(total / count), 1.0);
    }
    return bits;
  }

  std::array<std::uint32_t, 288> symbols_{};
  std::array<std::uint32_t, 32> distances_{};
  std::size_t count_ = 0;
  std::size_t extra_bits_ = 0;
};

struct Found {
  std::size_t length = 0;
  std::size_t distance = 0;
};

// Where each four bytes stood before, the latest place first.
class History {
 public:
  explicit History(std::string_view text) : text_(text) {}

  Found Longest(std::size_t at) const {
    Found best;
    std::size_t seen = head_[HashAt(at)];
    for (int probe = 0; probe < kProbes && seen != 0 && at + 1 - seen < kWindow; ++probe) {
      const std::size_t length = MatchLength(seen - 1, at);
      if (length > best.length) best = {length, at + 1 - seen};
      if (length >= kLongEnough) break;
      seen = previous_[(seen - 1) % kWindow];
    }
    return best;
  }

  void Add(std::size_t at) {
    std::size_t& head = head_[HashAt(at)];
    previous_[at % kWindow] = head;
    head = at + 1;
  }

 private:
  std::uint32_t HashAt(std::size_t at) const {
    std::uint32_t four = 0;
    std::memcpy(&four, text_.data() + at, sizeof four);
    return (four * 2'654'435'761u) >> (32 - kHashBits);
  }

  std::size_t MatchLength(std::size_t earlier, std::size_t at) const {
    const std::size_t limit = std::min(kLongest, text_.size() - at);
    std::size_t length = 0;
    while (length < limit && text_[earlier + length] == text_[at + length]) ++length;
    return length;
  }

  std::string_view text_;
  // Positions + 1; 0: none.
  std::vector<std::size_t> head_ = std::vector<std::size_t>(std::size_t{1} << kHashBits);
  std::vector<std::size_t> previous_ = std::vector<std::size_t>(kWindow);
};

}  // namespace

std::size_t GzipSize(std::string_view text) {
  constexpr std::size_t kFrame = 18;  // header and checksum of a gzip file
  History history(text);
  Block block;
  double bits = 0;
  for (std::size_t at = 0; at < text.size();) {
    const bool can_match = at + kShortest <= text.size();
    const Found found = can_match ? history.Longest(at) : Found{};
    const std::size_t end = at + (found.length >= kShortest ? found.length : 1);
    if (found.length >= kShortest) {
      block.Match(found.length, found.distance);
    } else {
      block.Literal(static_cast<unsigned char>(text[at]));
    }
    for (; at < end; ++at) {
      if (at + kShortest <= text.size()) history.Add(at);
    }
    if (!block.full()) continue;
    bits += block.Bits();
    block = {};
  }
  bits += block.Bits();
  return kFrame + static_cast<std::size_t>(bits * kMargin / 8);
}

}  // namespace torchleak::report

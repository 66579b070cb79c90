// A rolling hash over the 100 UTF-16 units from the start of each line on, blanks and tabs left out
// and every line end one line feed: what src/fingerprints.ts of github/codeql-action does.
#include "report/line_hash.h"

#include <array>
#include <cstdint>
#include <unordered_map>

#include <fmt/format.h>

#include "report/utf8.h"

namespace torchleak::report {
namespace {

constexpr std::size_t kBlock = 100;
constexpr std::uint64_t kMod = 37;
constexpr std::uint32_t kEndOfFile = 65535;

constexpr std::uint64_t Power(std::uint64_t base, std::size_t exponent) {
  std::uint64_t result = 1;
  for (std::size_t i = 0; i < exponent; ++i) result *= base;
  return result;
}
constexpr std::uint64_t kFirstMod =
    Power(kMod, kBlock);  // weight of the unit that leaves the block

class LineHasher {
 public:
  void Unit(std::uint32_t unit) {
    const bool second_of_crlf = previous_cr_ && unit == '\n';
    if (unit == ' ' || unit == '\t' || second_of_crlf) {
      previous_cr_ = false;
      return;
    }
    previous_cr_ = unit == '\r';
    if (unit == '\r') unit = '\n';
    Emit();
    if (line_start_) {
      line_start_ = false;
      waiting_[index_] = true;
    }
    line_start_ = unit == '\n';
    Update(unit);
  }

  std::vector<std::string> Finish() {
    Unit(kEndOfFile);
    for (std::size_t i = 0; i < kBlock; ++i) {
      Emit();
      Update(0);
    }
    return std::move(hashes_);
  }

 private:
  // The line that began a block ago, if one did: its 100 units are complete. Lines complete in
  // order.
  void Emit() {
    if (!waiting_[index_]) return;
    waiting_[index_] = false;
    hashes_.push_back(fmt::format("{:x}:{}", hash_, ++occurrences_[hash_]));
  }

  void Update(std::uint32_t unit) {
    hash_ = kMod * hash_ + unit - kFirstMod * window_[index_];
    window_[index_] = unit;
    index_ = (index_ + 1) % kBlock;
  }

  std::array<std::uint32_t, kBlock> window_{};
  std::array<bool, kBlock> waiting_{};
  std::size_t index_ = 0;
  std::uint64_t hash_ = 0;
  bool line_start_ = true;
  bool previous_cr_ = false;
  std::unordered_map<std::uint64_t, std::size_t> occurrences_;
  std::vector<std::string> hashes_;
};

}  // namespace

std::vector<std::string> LineHashes(std::string_view text) {
  LineHasher hasher;
  for (std::size_t at = 0; at < text.size();) {
    const std::uint32_t code = NextCodePoint(text, &at);
    if (code < 0x10000) {
      hasher.Unit(code);
    } else {
      hasher.Unit(0xD800 + ((code - 0x10000) >> 10));
      hasher.Unit(0xDC00 + ((code - 0x10000) & 0x3FF));
    }
  }
  return hasher.Finish();
}

}  // namespace torchleak::report

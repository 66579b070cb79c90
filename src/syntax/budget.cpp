#include "syntax/budget.h"

#include <time.h>

#include <algorithm>
#include <array>
#include <bitset>

namespace torchleak::syntax {
namespace {

// Small pieces, so that going back to an earlier place costs a read that is counted.
constexpr std::uint32_t kPiece = 8 << 10;
constexpr std::uint64_t kReadsFloor = 4 << 20;
constexpr std::uint64_t kReadsPerByte = 64;
constexpr std::uint64_t kAllocationPerByte = 256;
constexpr std::uint64_t kAllocationBurst = 64 << 20;

constexpr std::uint64_t kTimeFloor = 2'000'000'000;
constexpr std::uint64_t kTimePerByte = 1'000;

constexpr std::size_t kMaxIndentations = 300;

std::uint64_t ThreadNanoseconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000 +
         static_cast<std::uint64_t>(now.tv_nsec);
}

// Columns of the whitespace at `i`, as the scanner adds them up: a tab is 8, a form feed starts
// again, and a backslash at the line's end goes on with the next line. Moves `i` behind it.
std::size_t Indentation(std::string_view bytes, std::size_t& i) {
  std::size_t columns = 0;
  for (; i < bytes.size(); ++i) {
    const char c = bytes[i];
    if (c == ' ') {
      columns += 1;
    } else if (c == '\t') {
      columns += 8;
    } else if (c == '\f' || c == '\r') {
      columns = 0;
    } else if (c == '\\') {
      const std::size_t feed = bytes.substr(i + 1, 1) == "\r" ? i + 2 : i + 1;
      if (bytes.substr(std::min(feed, bytes.size()), 1) != "\n") break;
      i = feed;
    } else {
      break;
    }
  }
  return columns;
}

}  // namespace

ParseBudget::ParseBudget(std::string_view bytes, Arena* arena)
    : bytes_(bytes),
      arena_(arena),
      reads_left_(kReadsFloor + kReadsPerByte * bytes.size()),
      allocated_(Allocated()),
      credit_(kAllocationBurst),
      time_limit_(ThreadNanoseconds() + kTimeFloor + kTimePerByte * bytes.size()) {
  if (arena_ != nullptr) arena_->set_limit(allocated_ + credit_);
}

std::uint64_t ParseBudget::Allocated() const {
  return arena_ != nullptr ? arena_->used() : Arena::PlainBytes();
}

TSInput ParseBudget::Input() { return {this, &Read, TSInputEncodingUTF8, nullptr}; }

TSParseOptions ParseBudget::Options() { return {this, &OverSpent}; }

const char* ParseBudget::Read(void* self, std::uint32_t offset, TSPoint, std::uint32_t* length) {
  auto& budget = *static_cast<ParseBudget*>(self);
  const auto size = static_cast<std::uint32_t>(budget.bytes_.size());
  *length = offset < size ? std::min(kPiece, size - offset) : 0;
  if (*length > budget.reads_left_) {
    budget.exhausted_ = true;
    *length = 0;  // the scanner takes it for the end; OverSpent then stops the parser
  }
  budget.reads_left_ -= *length;
  return *length == 0 ? "" : budget.bytes_.data() + offset;
}

bool ParseBudget::OverSpent(TSParseState* state) {
  auto& budget = *static_cast<ParseBudget*>(state->payload);
  if (budget.stops_at_errors_ && state->has_error) budget.exhausted_ = true;
  const std::uint64_t spent = budget.Allocated() - budget.allocated_;
  budget.allocated_ += spent;
  if (spent > budget.credit_) budget.exhausted_ = true;
  if (++budget.calls_ % 16 == 0 && ThreadNanoseconds() > budget.time_limit_)
    budget.exhausted_ = true;
  if (budget.exhausted_) return true;
  budget.credit_ -= spent;
  // A bucket that fills with the bytes parsed: what went well before does not pay for a bad run.
  if (state->current_byte_offset > budget.offset_) {
    const std::uint64_t advance = state->current_byte_offset - budget.offset_;
    budget.offset_ = state->current_byte_offset;
    budget.credit_ = std::min(kAllocationBurst, budget.credit_ + kAllocationPerByte * advance);
  }
  if (budget.arena_ != nullptr) budget.arena_->set_limit(budget.allocated_ + budget.credit_);
  return false;
}

bool IndentationIsSafe(std::string_view bytes) {
  std::bitset<1 << 16> seen;  // the scanner's columns are 16 bits wide and wrap
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    seen.set(Indentation(bytes, i) & 0xFFFF);
    i = std::min(bytes.find('\n', i), bytes.size());
  }
  return seen.count() <= kMaxIndentations;
}

}  // namespace torchleak::syntax

// A state machine over a buffer: each call of Next() reads on from where the last one stopped, so
// that it does not matter how the bytes were cut.
#include "lsp/framing.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace torchleak::lsp {
namespace {

constexpr std::string_view kLength = "content-length";
constexpr std::size_t kMinDrop = std::size_t{64} << 10;

char Lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; }

bool StartsWithLength(std::string_view text) {
  if (text.size() < kLength.size() + 1 || text[kLength.size()] != ':') return false;
  return std::equal(kLength.begin(), kLength.end(), text.begin(),
                    [](char a, char b) { return a == Lower(b); });
}

bool IsName(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return (Lower(c) >= 'a' && Lower(c) <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
  });
}

std::string_view Trimmed(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

// What was read, in a message: short, and of printable characters only.
std::string Shown(std::string_view text) {
  std::string shown;
  for (const char c : text.substr(0, 40)) shown += c >= ' ' && c <= '~' ? c : '?';
  return text.size() > 40 ? shown + "..." : shown;
}

std::optional<std::size_t> ParseLength(std::string_view text) {
  if (text.empty()) return std::nullopt;
  constexpr std::size_t kMax = std::numeric_limits<std::size_t>::max();
  std::size_t value = 0;
  for (const char c : text) {
    if (c < '0' || c > '9') return std::nullopt;
    const auto digit = static_cast<std::size_t>(c - '0');
    if (value > (kMax - digit) / 10) return kMax;
    value = value * 10 + digit;
  }
  return value;
}

}  // namespace

void FrameReader::Feed(std::string_view bytes) {
  Drop();
  buffer_ += bytes;
}

void FrameReader::Drop() {
  if (at_ < kMinDrop && at_ < buffer_.size()) return;
  buffer_.erase(0, at_);
  at_ = 0;
  // One large message must not keep its memory for the life of the server.
  if (buffer_.empty() && buffer_.capacity() > (std::size_t{1} << 20)) buffer_.shrink_to_fit();
}

std::optional<Frame> FrameReader::Next() {
  while (true) {
    std::optional<Frame> frame;
    const State state = state_;
    const std::size_t at = at_;
    switch (state_) {
      case State::kHeader:
        frame = ReadHeader();
        break;
      case State::kBody:
        frame = ReadBody();
        break;
      case State::kSkipBody:
        frame = SkipBody();
        break;
      case State::kResync:
        Resync();
        break;
    }
    if (frame) return frame;
    if (state == state_ && at == at_) return std::nullopt;  // more bytes are needed
  }
}

std::optional<Frame> FrameReader::Broken(std::string what) {
  length_.reset();
  has_lines_ = false;
  header_size_ = scanned_ = 0;
  return Frame{std::move(what), true};
}

bool FrameReader::TakeLine(std::string* line) {
  const std::size_t end = rest().find('\n', scanned_);
  if (end == std::string_view::npos) {
    scanned_ = rest().size();
    return false;
  }
  *line = rest().substr(0, end);
  if (line->ends_with('\r')) line->pop_back();
  at_ += end + 1;
  header_size_ += end + 1;
  scanned_ = 0;
  return true;
}

std::optional<Frame> FrameReader::ReadHeader() {
  std::string line;
  while (true) {
    const std::size_t begin = at_;
    const bool is_whole = TakeLine(&line);
    if (header_size_ + (is_whole ? 0 : rest().size()) > kMaxHeader) {
      return Unreadable(begin, fmt::format("a header of more than {} bytes", kMaxHeader));
    }
    if (!is_whole) break;
    if (!line.empty()) {
      if (std::string problem = ReadLine(line); !problem.empty()) return Unreadable(begin, problem);
    } else if (has_lines_) {
      return EndOfHeader();
    } else {
      header_size_ = 0;  // blank lines between messages
    }
  }
  if (!is_finished_ || (!has_lines_ && (rest().empty() || rest() == "\r"))) return std::nullopt;
  const std::string shown = Shown(rest());
  at_ = buffer_.size();
  return Broken("the input ended within a header" + (shown.empty() ? "" : ": " + shown));
}

// The next header may stand in the line itself, behind the rest of a message whose length was
// wrong.
std::optional<Frame> FrameReader::Unreadable(std::size_t begin, std::string what) {
  at_ = begin + 1;
  state_ = State::kResync;
  return Broken(std::move(what));
}

std::string FrameReader::ReadLine(std::string_view line) {
  const std::size_t colon = line.find(':');
  if (colon == std::string_view::npos || !IsName(line.substr(0, colon))) {
    return "expected a header such as \"Content-Length: 52\", got: " + Shown(line);
  }
  has_lines_ = true;
  if (!StartsWithLength(line)) return {};  // Content-Type: there is but one charset
  length_ = ParseLength(Trimmed(line.substr(colon + 1)));
  return length_ ? std::string() : "expected a number of bytes, got: " + Shown(line);
}

std::optional<Frame> FrameReader::EndOfHeader() {
  if (!length_) {
    state_ = State::kResync;
    return Broken("a header without Content-Length");
  }
  if (*length_ > kMostPlausible) {  // to wait for that would be for ever
    state_ = State::kResync;
    return Broken("a Content-Length that no message can have");
  }
  if (*length_ > kMaxMessage) {
    to_skip_ = *length_;
    state_ = State::kSkipBody;
    return Broken(fmt::format("a message of {} bytes is skipped; at most {} are read", to_skip_,
                              kMaxMessage));
  }
  state_ = State::kBody;
  return std::nullopt;
}

std::optional<Frame> FrameReader::ReadBody() {
  const std::size_t length = *length_;
  if (rest().size() < length) {
    if (!is_finished_) return std::nullopt;
    const std::size_t got = rest().size();
    at_ = buffer_.size();
    state_ = State::kHeader;
    return Broken(fmt::format("the input ended after {} of {} bytes of a message", got, length));
  }
  Frame frame{std::string(rest().substr(0, length)), false};
  at_ += length;
  Broken({});  // forgets the header
  state_ = State::kHeader;
  return frame;
}

std::optional<Frame> FrameReader::SkipBody() {
  const std::size_t skipped = std::min(to_skip_, rest().size());
  at_ += skipped;
  to_skip_ -= skipped;
  if (to_skip_ == 0) state_ = State::kHeader;
  Drop();
  return std::nullopt;
}

void FrameReader::Resync() {
  const std::string_view text = rest();
  for (std::size_t i = 0; i + kLength.size() < text.size(); ++i) {
    if (!StartsWithLength(text.substr(i, kLength.size() + 1))) continue;
    at_ += i;
    state_ = State::kHeader;
    return;
  }
  // The end may be the beginning of the name.
  at_ += is_finished_ ? text.size() : text.size() - std::min(text.size(), kLength.size());
}

std::string Framed(std::string_view json) {
  return fmt::format("Content-Length: {}\r\n\r\n{}", json.size(), json);
}

}  // namespace torchleak::lsp

// Framing: bytes of a stream to messages, as the base protocol of LSP cuts them.
//
//   Content-Length: 52\r\n
//   \r\n
//   {"jsonrpc":"2.0", …                  52 bytes
//
// Whatever the bytes are, reading goes on: what is no header is reported once and skipped up to the
// next "Content-Length:". Nothing is allocated for a length that is only announced.
//
//   FrameReader reader;
//   reader.Feed(bytes);                            // any pieces, down to single bytes
//   while (std::optional<Frame> frame = reader.Next()) …
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace torchleak::lsp {

struct Frame {
  std::string text;        // JSON; of a broken frame, what was wrong with it
  bool is_broken = false;  // to be answered with kParseError
};

class FrameReader {
 public:
  // Longer messages are skipped: the longest text that is analysed has text::Source::kMaxBytes, and
  // JSON writes a byte with six at most.
  static constexpr std::size_t kMaxMessage = std::size_t{256} << 20;
  // Above this the number is taken for a broken header.
  static constexpr std::size_t kMostPlausible = std::size_t{1} << 40;
  static constexpr std::size_t kMaxHeader = std::size_t{16} << 10;

  void Feed(std::string_view bytes);
  // The input has ended: Next() then gives a broken frame for a message that was cut off.
  void Finish() { is_finished_ = true; }
  std::optional<Frame> Next();

 private:
  enum class State { kHeader, kBody, kSkipBody, kResync };

  std::optional<Frame> ReadHeader();
  std::string ReadLine(std::string_view line);  // what is wrong with it
  std::optional<Frame> Unreadable(std::size_t begin, std::string what);
  std::optional<Frame> EndOfHeader();
  std::optional<Frame> ReadBody();
  std::optional<Frame> SkipBody();
  std::optional<Frame> Broken(std::string what);
  void Resync();
  bool TakeLine(std::string* line);
  std::string_view rest() const { return std::string_view(buffer_).substr(at_); }
  void Drop();  // what was read, when it is worth moving the rest

  std::string buffer_;
  std::size_t at_ = 0;       // read up to here
  std::size_t scanned_ = 0;  // behind at_: there is no line end before
  State state_ = State::kHeader;
  bool is_finished_ = false;
  // The header so far.
  bool has_lines_ = false;
  std::size_t header_size_ = 0;
  std::optional<std::size_t> length_;
  std::size_t to_skip_ = 0;
};

// The frame of one message.
std::string Framed(std::string_view json);

}  // namespace torchleak::lsp

// Positions of the protocol: a line from 0, and within it units of the encoding that client and
// server agreed on. Inside of the server everything is an offset in bytes of UTF-8.
//
//   const LineIndex lines(text);
//   Position p = PositionAt(text, lines, 17, PositionEncoding::kUtf16);
//   std::size_t offset = OffsetAt(text, lines, p, PositionEncoding::kUtf16);   // 17
//
// Both cost the length of one line.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "lsp/json_rpc.h"
#include "lsp/protocol.h"

namespace torchleak::lsp {

enum class PositionEncoding { kUtf8, kUtf16, kUtf32 };

// The best of those in `general.positionEncodings` of the client's capabilities: UTF-8, for
// which there is nothing to count, else UTF-32, else UTF-16, which all clients know.
PositionEncoding Negotiate(const Json& client_capabilities);
std::string_view Name(PositionEncoding encoding);

// Where lines begin: behind \n, \r\n and a lone \r, as in text::Source.
class LineIndex {
 public:
  LineIndex() = default;
  explicit LineIndex(std::string_view text);

  std::size_t count() const { return starts_.size(); }  // at least 1
  std::size_t Begin(std::size_t line) const { return starts_[line]; }
  std::size_t LineOf(std::size_t offset) const;
  // The end of the line before its line end.
  std::size_t End(std::string_view text, std::size_t line) const;

  // The bytes [begin, old_end) were replaced; `text` is the new text, where they are
  // [begin, new_end). Only these, and the byte at each side, are looked at.
  void Replace(std::string_view text, std::size_t begin, std::size_t old_end, std::size_t new_end);

 private:
  std::vector<std::size_t> starts_ = {0};
};

// An offset inside of a character stands for its first byte, one behind the end for the end.
Position PositionAt(std::string_view text, const LineIndex& lines, std::size_t offset,
                    PositionEncoding encoding);

// Clamped: behind a line means its end, behind the text the end of the text, and inside of a
// character (half a surrogate pair, a byte of several) its first byte.
std::size_t OffsetAt(std::string_view text, const LineIndex& lines, Position position,
                     PositionEncoding encoding);
// Does `position` exist, or was it clamped?
bool Exists(std::string_view text, const LineIndex& lines, Position position,
            PositionEncoding encoding);

}  // namespace torchleak::lsp

#include "lsp/framing.h"

#include <doctest/doctest.h>

#include <random>
#include <string>
#include <vector>

namespace torchleak::lsp {
namespace {

std::vector<Frame> ReadAll(std::string_view bytes, std::size_t step = std::string::npos) {
  FrameReader reader;
  std::vector<Frame> frames;
  for (std::size_t at = 0; at < bytes.size(); at += std::min(step, bytes.size())) {
    reader.Feed(bytes.substr(at, step));
    while (auto frame = reader.Next()) frames.push_back(*std::move(frame));
  }
  reader.Finish();
  while (auto frame = reader.Next()) frames.push_back(*std::move(frame));
  return frames;
}

// "good|!broken|…"; of broken ones only that they are.
std::string Shape(std::string_view bytes, std::size_t step = std::string::npos) {
  std::string shape;
  for (const Frame& frame : ReadAll(bytes, step))
    shape += (frame.is_broken ? "!" : frame.text) + "|";
  return shape;
}

TEST_CASE("headers as the protocol has them, and as clients write them") {
  CHECK(Shape(Framed("{}")) == "{}|");
  CHECK(Shape(Framed("{}") + Framed("[1]")) == "{}|[1]|");
  CHECK(Shape("content-length:2\r\n\r\n{}") == "{}|");
  CHECK(Shape("Content-Length: 2 \n\n{}") == "{}|");
  CHECK(Shape("\r\n\nContent-Length: 2\r\n\r\n{}\r\n" + Framed("a")) == "{}|a|");
  CHECK(Shape("Content-Type: application/vscode-jsonrpc; charset=utf-8\r\n"
              "Content-Length: 2\r\nX: y\r\n\r\n{}") == "{}|");
  CHECK(Shape("Content-Length: 0\r\n\r\n" + Framed("a")) == "|a|");
  CHECK(Shape("Content-Length: 1\r\nContent-Length: 2\r\n\r\n{}") == "{}|");
  CHECK(Shape("").empty());
}

TEST_CASE("what is no header is said once, and reading goes on") {
  const std::string good = Framed("good");
  for (const std::string bad :
       {"Content-Length: -1\r\n\r\n", "Content-Length: two\r\n\r\n", "Content-Length:\r\n\r\n",
        "Content-Length: 1e3\r\n\r\n", "X: y\r\n\r\n", "garbage without end\r\n\r\n{}\r\n",
        "{\"jsonrpc\":\"2.0\"}\n"}) {
    CAPTURE(bad);
    CHECK(Shape(bad + good) == "!|good|");
    CHECK(Shape(bad + good, 1) == "!|good|");
  }
  CHECK(Shape(std::string(100'000, 'x') + good) == "!|good|");
  CHECK(Shape(std::string(100'000, 'x') + good, 7) == "!|good|");
  CHECK(Shape(std::string(100'000, 'x')) == "!|");
  std::string many;
  for (int i = 0; i < 2000; ++i) many += "A: b\r\n";
  CHECK(Shape(many + "\r\n" + good) == "!|good|");
}

TEST_CASE("a length is wrong: what follows is found again") {
  // Too short: the rest of the text stands where a header is expected.
  CHECK(Shape("Content-Length: 1\r\n\r\n{}" + Framed("good")) == "{|!|good|");
  // Too long: the next message is eaten in part.
  CHECK(Shape("Content-Length: 9\r\n\r\n{}" + Framed("eaten") + Framed("good")) ==
        "{}Content|!|good|");
}

TEST_CASE("a length without measure is skipped as the bytes come, and not made room for") {
  FrameReader reader;
  const std::size_t size = FrameReader::kMaxMessage + 1000;
  reader.Feed("Content-Length: " + std::to_string(size) + "\r\n\r\n");
  auto frame = reader.Next();
  REQUIRE(frame);
  CHECK(frame->is_broken);
  CHECK(frame->text.find("268436456 bytes") != std::string::npos);
  const std::string piece(std::size_t{1} << 20, 'x');
  for (std::size_t left = size; left > 0; left -= std::min(left, piece.size())) {
    reader.Feed(std::string_view(piece).substr(0, left));
    CHECK_FALSE(reader.Next());
  }
  reader.Feed(Framed("good"));
  frame = reader.Next();
  REQUIRE(frame);
  CHECK(frame->text == "good");
  CHECK(Shape("Content-Length: 99999999999999999999999999\r\n\r\n" + Framed("good")) == "!|good|");
  CHECK(Shape("Content-Length: 200000000\r\n\r\nshort") == "!|");
}

TEST_CASE("an input that ends at any byte: whole messages, and a word on what was cut") {
  const std::string bytes = "\r\n" + Framed("{\"a\":1}") + Framed("[]");
  for (std::size_t end = 0; end <= bytes.size(); ++end) {
    const std::string shape = Shape(bytes.substr(0, end));
    CAPTURE(end);
    CHECK(shape == Shape(bytes.substr(0, end), 1));
    const std::size_t first = 2 + Framed("{\"a\":1}").size();
    if (end <= 2) {
      CHECK(shape.empty());
    } else if (end < first) {
      CHECK(shape == "!|");
    } else if (end == first) {
      CHECK(shape == "{\"a\":1}|");
    } else {
      CHECK(shape == (end == bytes.size() ? "{\"a\":1}|[]|" : "{\"a\":1}|!|"));
    }
  }
}

TEST_CASE("random bytes end, and give the same however they are cut") {
  std::mt19937 random(7);
  const std::string_view alphabet = "Content-Length: 0123456789\r\n\r\n{}\":x";
  for (int round = 0; round < 2000; ++round) {
    std::string bytes;
    while (random() % 100 != 0) {
      if (random() % 8 == 0) bytes += "Content-Length: ";
      bytes += random() % 4 == 0 ? static_cast<char>(random() % 256)
                                 : alphabet[random() % alphabet.size()];
    }
    CHECK(Shape(bytes) == Shape(bytes, 1 + random() % 5));
  }
}

}  // namespace
}  // namespace torchleak::lsp

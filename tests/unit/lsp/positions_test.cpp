#include "lsp/positions.h"

#include <doctest/doctest.h>

#include <random>
#include <string>

namespace torchleak::lsp {
namespace {

using enum PositionEncoding;

TEST_CASE("the best encoding that the client has") {
  const auto negotiated = [](const char* capabilities) {
    return Name(Negotiate(Json::parse(capabilities)));
  };
  CHECK(negotiated(R"({"general":{"positionEncodings":["utf-16","utf-32","utf-8"]}})") == "utf-8");
  CHECK(negotiated(R"({"general":{"positionEncodings":["utf-32","utf-16"]}})") == "utf-32");
  CHECK(negotiated(R"({"general":{"positionEncodings":["utf-7"]}})") == "utf-16");
  for (const char* text : {"{}", "null", "[]", R"({"general":1})", R"({"general":[]})",
                           R"({"general":{"positionEncodings":"utf-8"}})",
                           R"({"general":{"positionEncodings":[1]}})"}) {
    CAPTURE(text);
    CHECK(negotiated(text) == "utf-16");
  }
}

TEST_CASE("characters of all sizes, in all encodings") {
  const std::string text = "aé€😀b\r\n\rz\n";
  const LineIndex lines(text);
  REQUIRE(lines.count() == 4);
  const auto at = [&](std::size_t offset, PositionEncoding encoding) {
    return PositionAt(text, lines, offset, encoding);
  };
  CHECK(at(10, kUtf8) == Position{0, 10});
  CHECK(at(10, kUtf16) == Position{0, 5});
  CHECK(at(10, kUtf32) == Position{0, 4});
  CHECK(at(8, kUtf16) == Position{0, 3});   // inside of the emoji
  CHECK(at(12, kUtf16) == Position{0, 6});  // between \r and \n
  CHECK(at(13, kUtf16) == Position{1, 0});
  CHECK(at(14, kUtf16) == Position{2, 0});
  CHECK(at(999, kUtf16) == Position{3, 0});
  const auto offset = [&](std::uint32_t line, std::uint32_t character, PositionEncoding encoding) {
    return OffsetAt(text, lines, {line, character}, encoding);
  };
  CHECK(offset(0, 4, kUtf16) == 6);  // between the halves of the pair
  CHECK(offset(0, 5, kUtf16) == 10);
  CHECK(offset(0, 4, kUtf32) == 10);
  CHECK(offset(0, 2, kUtf8) == 1);
  CHECK(offset(0, 99, kUtf16) == 11);
  CHECK(offset(1, 5, kUtf16) == 13);
  CHECK(offset(2, 1, kUtf16) == 15);
  CHECK(offset(3, 0, kUtf16) == 16);
  CHECK(offset(4, 0, kUtf16) == 16);
  CHECK(offset(0xFFFFFFFF, 0xFFFFFFFF, kUtf16) == 16);
  CHECK(Exists(text, lines, {0, 6}, kUtf16));
  CHECK_FALSE(Exists(text, lines, {0, 7}, kUtf16));
  CHECK_FALSE(Exists(text, lines, {0, 4}, kUtf16));
  CHECK_FALSE(Exists(text, lines, {4, 0}, kUtf16));
  CHECK(LineIndex("").count() == 1);
}

TEST_CASE("there and back is the same, and lines follow edits as if counted anew") {
  std::mt19937 random(3);
  const std::string_view pieces[] = {"a", "\n", "\r\n", "\r", "é", "😀", "€", "\r\r", "xy\nz"};
  std::string text;
  LineIndex lines;
  for (int round = 0; round < 5000; ++round) {
    const auto boundary = [&](std::size_t at) {
      while (at < text.size() && (static_cast<unsigned char>(text[at]) & 0xC0) == 0x80) ++at;
      return at;
    };
    const std::size_t begin = boundary(random() % (text.size() + 1));
    const std::size_t end =
        boundary(begin + random() % std::min<std::size_t>(8, text.size() - begin + 1));
    std::string content;
    const std::size_t count = text.size() > 200 ? 0 : random() % 5;
    for (std::size_t i = 0; i < count; ++i) content += pieces[random() % std::size(pieces)];
    text.replace(begin, end - begin, content);
    lines.Replace(text, begin, end, begin + content.size());
    const LineIndex anew(text);
    REQUIRE(lines.count() == anew.count());
    for (std::size_t i = 0; i < lines.count(); ++i) REQUIRE(lines.Begin(i) == anew.Begin(i));
    for (const auto encoding : {kUtf8, kUtf16, kUtf32}) {
      const std::size_t offset = boundary(random() % (text.size() + 1));
      const bool is_between =
          offset > 0 && offset < text.size() && text[offset - 1] == '\r' && text[offset] == '\n';
      const Position position = PositionAt(text, lines, offset, encoding);
      REQUIRE(OffsetAt(text, lines, position, encoding) == offset - (is_between ? 1 : 0));
    }
  }
}

}  // namespace
}  // namespace torchleak::lsp

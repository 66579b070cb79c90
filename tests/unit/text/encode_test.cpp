#include "text/encode.h"

#include <doctest/doctest.h>

#include <array>

namespace torchleak::text {
namespace {

// Replaces `old` of the decoded text.
Result<std::string> Replace(const std::string& raw, std::string_view old, std::string content) {
  auto source = Source::FromBytes("x.py", raw);
  REQUIRE(source);
  const std::size_t at = source->bytes().find(old);
  REQUIRE(at != std::string_view::npos);
  const auto begin = static_cast<std::uint32_t>(at);
  const std::array<Replacement, 1> replacements = {
      Replacement{{begin, begin + static_cast<std::uint32_t>(old.size())}, std::move(content)}};
  return ReplaceInRaw(raw, replacements);
}

TEST_CASE("a byte-order mark stays in front of what is inserted first") {
  auto out = Replace("\xEF\xBB\xBFimport os\n", "import os", "import torch\nimport os");
  REQUIRE(out);
  CHECK(*out == "\xEF\xBB\xBFimport torch\nimport os\n");
}

TEST_CASE("single-byte encodings are written back as they are") {
  const std::string raw = "# coding: latin-1\ns = '\xe9\xe8'\nloss\nt = '\xff'\n";
  auto out = Replace(raw, "loss", "loss.item()  # \xC3\xBC");
  REQUIRE(out);
  CHECK(*out == "# coding: latin-1\ns = '\xe9\xe8'\nloss.item()  # \xfc\nt = '\xff'\n");
  out = Replace("# coding: cp1252\ns = '\x80\x81'\nloss\n", "loss", "\xE2\x82\xAC");
  REQUIRE(out);
  CHECK(*out == "# coding: cp1252\ns = '\x80\x81'\n\x80\n");
}

TEST_CASE("a character that the encoding cannot hold is an error that names both") {
  auto out = Replace("# coding: latin-1\ns = '\xe9'\nloss\n", "loss", "\xE2\x82\xAC");
  REQUIRE_FALSE(out);
  CHECK(out.error().message == "the file's encoding, latin-1, has no U+20AC");
  CHECK_FALSE(Replace("# coding: us-ascii\nloss\n", "loss", "\xC3\xBC"));
  CHECK_FALSE(Replace("# coding: gbk\nloss\n", "loss", "\xC3\xBC"));
  CHECK(Replace("# coding: gbk\nloss\n", "loss", "loss.item()"));
}

TEST_CASE("bytes that are no UTF-8 stay; U+FFFD that stands for them is not written") {
  const std::string raw = "s = '\xff\xe2\x82'\nloss\nt = '\x80\xf0\x9f\x98\x80'\n";
  auto out = Replace(raw, "loss", "loss.item()");
  REQUIRE(out);
  CHECK(*out == "s = '\xff\xe2\x82'\nloss.item()\nt = '\x80\xf0\x9f\x98\x80'\n");
  CHECK_FALSE(Replace(raw, "loss", "\xEF\xBF\xBD"));
}

TEST_CASE("offsets within a character or past the end are refused") {
  const std::string raw = "s = '\xC3\xBC'\n";
  const std::array<Replacement, 1> within = {Replacement{{6, 7}, "x"}};
  CHECK_FALSE(ReplaceInRaw(raw, within));
  const std::array<Replacement, 1> past = {Replacement{{9, 20}, "x"}};
  CHECK_FALSE(ReplaceInRaw(raw, past));
  const std::array<Replacement, 1> at_end = {Replacement{{9, 9}, "x"}};
  CHECK(ReplaceInRaw(raw, at_end));
}

}  // namespace
}  // namespace torchleak::text

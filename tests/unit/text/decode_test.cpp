#include "text/decode.h"

#include <doctest/doctest.h>

#include <string>
#include <string_view>

namespace torchleak::text {
namespace {

using std::string_literals::operator""s;

std::string Decoded(std::string raw) {
  Result<std::string> bytes = DecodePython("a.py", std::move(raw));
  REQUIRE(bytes);
  return *bytes;
}

std::string Refused(std::string raw) {
  const Result<std::string> bytes = DecodePython("dir/a.py", std::move(raw));
  REQUIRE_FALSE(bytes);
  return bytes.error().message;
}

TEST_CASE("valid UTF-8 stays as it is") {
  const std::string text = "x = 'é日😀'  # ~\x7F\n";
  CHECK(Decoded(text) == text);
  CHECK(Decoded("").empty());
}

TEST_CASE("a byte-order mark is dropped and outranks the coding line") {
  CHECK(Decoded("\xEF\xBB\xBFx = 1") == "x = 1");
  CHECK(Decoded("\xEF\xBB\xBF# coding: latin-1\n# é") == "# coding: latin-1\n# é");
}

TEST_CASE("Latin-1, Latin-9 and cp1252 are converted") {
  CHECK(Decoded("# -*- coding: latin-1 -*-\n# \xE9\xA4") == "# -*- coding: latin-1 -*-\n# é¤");
  CHECK(Decoded("# coding=iso-8859-15\n# \xA4\xE9") == "# coding=iso-8859-15\n# €é");
  CHECK(Decoded("# vim: set fileencoding=cp1252 :\n# \x80\x93x\x94\x81") ==
        "# vim: set fileencoding=cp1252 :\n# €“x”\uFFFD");
  CHECK(Decoded("#!/usr/bin/python\n# coding: Latin_1-unix\n# \xFC") ==
        "#!/usr/bin/python\n# coding: Latin_1-unix\n# ü");
}

TEST_CASE("an unknown encoding is refused by name, unless every byte is ASCII") {
  CHECK(Refused("# coding: shift_jis\n# \x83\x5C") ==
        "dir/a.py: its coding line names the encoding 'shift_jis', which is not supported; save "
        "it as UTF-8");
  CHECK(Decoded("# coding: shift_jis\nx = 1\n") == "# coding: shift_jis\nx = 1\n");
}

TEST_CASE("broken UTF-8 becomes U+FFFD, one for each maximal broken part") {
  CHECK(Decoded("a\xFFz") == "a\uFFFDz");
  CHECK(Decoded("\xE9t\xE9") == "\uFFFDt\uFFFD");  // Latin-1 without a coding line
  CHECK(Decoded("\xE2\x82") == "\uFFFD");          // cut short at the end
  CHECK(Decoded("\xE2\x82!") == "\uFFFD!");        // cut short by ASCII
  CHECK(Decoded("\xF0\x9F\x98\xF0\x9F\x98\x80") == "\uFFFD😀");
  CHECK(Decoded("\xC0\xAF") == "\uFFFD\uFFFD");            // overlong
  CHECK(Decoded("\xED\xA0\x80") == "\uFFFD\uFFFD\uFFFD");  // a surrogate
  CHECK(Decoded("\xF4\x90\x80\x80") == "\uFFFD\uFFFD\uFFFD\uFFFD");
  CHECK(Decoded("12345678\x80") == "12345678\uFFFD");  // behind a whole ASCII word
}

TEST_CASE("NUL bytes and UTF-16 are told apart, and both name the file") {
  CHECK(Refused("\x7F"s + "ELF\x02\0\0\0"s) ==
        "dir/a.py: has a NUL byte at offset 5, so it is a binary file, not Python source");
  const std::string utf16 =
      "dir/a.py: is UTF-16 or UTF-32, which Python does not accept; save it as UTF-8";
  CHECK(Refused("\xFF\xFEx\0"s) == utf16);
  CHECK(Refused("\xFE\xFF\0x"s) == utf16);
  CHECK(Refused("x\0 \0=\0"s) == utf16);
  CHECK(Refused("\0x\0 \0="s) == utf16);
}

TEST_CASE("a coding line counts in the first two lines, as a comment before any code") {
  CHECK(DeclaredEncoding("# coding: a") == "a");
  CHECK(DeclaredEncoding("\n  # x encoding=b c") == "b");
  CHECK(DeclaredEncoding("#\r\n# coding: c\r\n") == "c");
  CHECK(DeclaredEncoding("#\r# coding: d") == "d");
  CHECK(DeclaredEncoding("# coding : no, coding:\tyes") == "yes");
  CHECK(DeclaredEncoding("\n\n# coding: late").empty());
  CHECK(DeclaredEncoding("import os\n# coding: late").empty());
  CHECK(DeclaredEncoding("s = 'coding: x'").empty());
  CHECK(DeclaredEncoding("# decoding things").empty());
  CHECK(DeclaredEncoding("").empty());
}

}  // namespace
}  // namespace torchleak::text

#include "report/terminal.h"

#include <initializer_list>
#include <string>

#include <doctest/doctest.h>

#include "report/utf8.h"

namespace torchleak::report {
namespace {

TEST_CASE("columns follow Unicode") {
  CHECK(ColumnsOf(U'a') == 1);
  CHECK(ColumnsOf(U'é') == 1);
  CHECK(ColumnsOf(0x301) == 0);   // combining acute
  CHECK(ColumnsOf(0x200D) == 0);  // zero width joiner
  CHECK(ColumnsOf(U'文') == 2);
  CHECK(ColumnsOf(U'カ') == 2);
  CHECK(ColumnsOf(0xFF76) == 1);   // half-width katakana
  CHECK(ColumnsOf(0xFF21) == 2);   // full-width A
  CHECK(ColumnsOf(0x1F389) == 2);  // party popper
  CHECK(ColumnsOf(0x1161) == 0);   // a Hangul vowel, fused with what is before
  CHECK(ColumnsOf(U'│') == 1);
  CHECK(ColumnsOf(0x10FFFF) == 1);
  CHECK(Columns("a文e\xCC\x81") == 4);
}

TEST_CASE("UTF-8 goes both ways, invalid bytes become one U+FFFD each") {
  for (const char32_t code :
       std::initializer_list<char32_t>{0x0, 0x7F, 0x80, 0x7FF, 0x800, 0xFFFF, 0x10000, 0x10FFFF}) {
    std::string text;
    AppendUtf8(&text, code);
    std::size_t at = 0;
    CHECK(NextCodePoint(text, &at) == code);
    CHECK(at == text.size());
  }
  // Overlong, surrogate, above the last, cut short, a lone continuation.
  for (const std::string text : {"\xC0\x80", "\xE0\x80\x80", "\xED\xA0\x80", "\xF4\x90\x80\x80",
                                 "\xE6\x96", "\x96", "\xFF"}) {
    std::size_t at = 0;
    CHECK(NextCodePoint(text, &at) == kReplacement);
    CHECK(at == 1);
  }
}

TEST_CASE("nothing in a source can steer the terminal") {
  CHECK(Printable("a\x1b[2Jb") == "a␛[2Jb");
  CHECK(Printable("a\nb\tc\r") == "a b c ");
  CHECK(Printable("\x7f") == "␡");
  CHECK(Printable("\xC2\x9B"
                  "31m") ==
        "\xEF\xBF\xBD"
        "31m");                                        // C1 control sequence introducer
  CHECK(Printable("\xE2\x80\xAE") == "\xEF\xBF\xBD");  // right-to-left override
  CHECK(Printable("\xE2\x81\xA6") == "\xEF\xBF\xBD");  // isolate
  CHECK(Printable("\xFFok") == "\xEF\xBF\xBDok");
}

TEST_CASE("colours and links only when asked for") {
  const Painter plain(false, false);
  CHECK(plain.Paint(Style::kError, "x") == "x");
  CHECK(plain.Link("https://a", "x") == "x");
  const Painter rich(true, true);
  CHECK(rich.Paint(Style::kError, "x") == "\x1b[1;31mx\x1b[0m");
  CHECK(rich.Paint(Style::kPlain, "x") == "x");
  CHECK(rich.Paint(Style::kError, "") == "");
  CHECK(rich.Link("https://a", "x") == "\x1b]8;;https://a\x1b\\x\x1b]8;;\x1b\\");
}

}  // namespace
}  // namespace torchleak::report

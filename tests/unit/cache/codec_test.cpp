#include "cache/codec.h"

#include <doctest/doctest.h>

#include <array>

namespace torchleak::cache {
namespace {

TEST_CASE("what is written is read again, in order") {
  Writer w;
  const std::array<std::uint64_t, 6> numbers = {0, 1, 127, 128, 1U << 31, UINT64_MAX};
  for (const std::uint64_t n : numbers) w.Number(n);
  w.Bool(true);
  w.Bool(false);
  w.Hash({0x0123456789abcdef, UINT64_MAX});
  w.Text("");
  w.Text(std::string_view("a\0b", 3));
  for (const char* path : {"/a/b.py", "/a/bc.py", "/a", "", "/z"}) w.Path(path);
  Reader r(w.bytes());
  for (const std::uint64_t n : numbers) CHECK(r.Number() == n);
  CHECK(r.Bool());
  CHECK(!r.Bool());
  CHECK(r.Hash() == Hash128{0x0123456789abcdef, UINT64_MAX});
  CHECK(r.Text() == "");
  CHECK(r.Text() == std::string("a\0b", 3));
  for (const char* path : {"/a/b.py", "/a/bc.py", "/a", "", "/z"}) CHECK(r.Path() == path);
  CHECK(r.AtEnd());
}

TEST_CASE("what does not fit fails, and stays failed") {
  const auto fails = [](std::string_view bytes, auto read) {
    Reader r(bytes);
    read(r);
    CHECK(r.failed());
    CHECK(!r.AtEnd());
    CHECK(r.Number() == 0);
    CHECK(r.Text() == "");
    CHECK(r.Count() == 0);
  };
  fails("", [](Reader& r) { r.Number(); });
  fails("\x80", [](Reader& r) { r.Number(); });
  fails(std::string(11, '\xff'), [](Reader& r) { r.Number(); });
  fails("\x02", [](Reader& r) { r.Bool(); });
  fails("1234567", [](Reader& r) { r.Hash(); });
  fails(
      "\x05"
      "abc",
      [](Reader& r) { r.Text(); });
  fails(
      "\x01\x01"
      "a",
      [](Reader& r) { r.Path(); });
  fails(
      "\x05"
      "abc",
      [](Reader& r) { r.Count(); });
  fails("\x03", [](Reader& r) { r.Choice<int>(3); });
  Reader rest("ab");
  rest.Bool();
  CHECK(!rest.AtEnd());
}

}  // namespace
}  // namespace torchleak::cache

// The two hash tables, at sizes where they grow and lengths where the hash changes its way.
#include "sema/hash_tables.h"

#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

namespace torchleak::sema {
namespace {

TEST_CASE("names of every length around the hash's word size") {
  NameTable table;
  std::string texts;
  for (std::size_t size = 1; size <= 40; ++size) texts += std::string(size, 'a') + ' ';
  std::uint32_t expected = 0;
  for (std::size_t begin = 0; begin < texts.size();) {
    const std::size_t end = texts.find(' ', begin);
    const std::string_view text = std::string_view(texts).substr(begin, end - begin);
    CHECK(table.Find(text) == NameTable::kNone);
    CHECK(table.Intern(text) == expected);
    CHECK(table.Intern(text) == expected);
    CHECK(table.Find(std::string(text)) == expected);
    CHECK(table.Text(expected) == text);
    ++expected;
    begin = end + 1;
  }
  CHECK(table.size() == 40);
  CHECK(table.Find("") == NameTable::kNone);
}

TEST_CASE("names that differ in one byte, wherever it is") {
  for (std::size_t size = 1; size <= 40; ++size) {
    NameTable table;
    std::vector<std::string> variants(size, std::string(size, 'x'));
    for (std::size_t i = 0; i < size; ++i) variants[i][i] = 'y';
    for (std::size_t i = 0; i < size; ++i) CHECK(table.Intern(variants[i]) == i);
    for (std::size_t i = 0; i < size; ++i) CHECK(table.Find(variants[i]) == i);
  }
}

TEST_CASE("pairs of scope and name are told apart and survive growth") {
  ScopedNames table;
  for (std::uint32_t scope = 0; scope < 100; ++scope) {
    for (std::uint32_t name = 0; name < 100; ++name) {
      std::uint32_t& value = table.At(scope, name);
      CHECK(value == ScopedNames::kNone);
      value = scope * 1000 + name;
    }
  }
  std::size_t wrong = 0;
  for (std::uint32_t scope = 0; scope < 100; ++scope) {
    for (std::uint32_t name = 0; name < 100; ++name) {
      if (table.Find(scope, name) != scope * 1000 + name) ++wrong;
    }
  }
  CHECK(wrong == 0);
  CHECK(table.Find(100, 0) == ScopedNames::kNone);
  CHECK(table.At(3, 4) == 3004);
}

}  // namespace
}  // namespace torchleak::sema

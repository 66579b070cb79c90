#include "project/import_scan.h"

#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <string_view>

namespace torchleak::project {
namespace {

using std::string_literals::operator""s;

// "module|name|bound" for each, joined by spaces; those inside a def or class get a '-'.
std::string Scan(std::string_view bytes) {
  const ImportTable table = ScanImports(bytes);
  std::string text;
  for (const Import& import : table.imports()) {
    if (!text.empty()) text += ' ';
    if (!import.top_level) text += '-';
    text += std::string(import.module) + '|' + std::string(import.name) + '|';
    text += import.bound;
  }
  return text;
}

std::size_t Count(std::string_view bytes) {
  const ImportTable table = ScanImports(bytes);
  return table.imports().size();
}

std::string Repeat(std::string_view text, std::size_t times) {
  std::string repeated;
  for (std::size_t i = 0; i < times; ++i) repeated += text;
  return repeated;
}

TEST_CASE("every spelling of an import") {
  CHECK_EQ(Scan("import a.b as c, d"), "a.b||c d||d");
  CHECK_EQ(Scan("import a.b.c\n"), "a.b.c||a");
  CHECK_EQ(Scan("from .x import (a as b,  # (comment\n c)\n"), ".x|a|b .x|c|c");
  CHECK_EQ(Scan("from a import(b,\n\n  c,\n)\nimport d"), "a|b|b a|c|c d||d");
  CHECK_EQ(Scan("from . import y"), ".|y|y");
  CHECK_EQ(Scan("from .import y; from...z import w"), ".|y|y ...z|w|w");
  CHECK_EQ(Scan("from m import *"), "m|*|");
  CHECK_EQ(Scan("from __future__ import annotations"), "__future__|annotations|annotations");
  CHECK_EQ(Scan("import\ta . b\fas\tc"), "a.b||c");
  CHECK_EQ(Scan("from \\\n  a.b \\\r\n import \\\n c as \\\n d, e"), "a.b|c|d a.b|e|e");
  CHECK_EQ(Scan("x = 1; import a; from b import c;import d"), "a||a b|c|c d||d");
  CHECK_EQ(Scan("import größe"), "größe||größe");
}

TEST_CASE("one at a time below other statements") {
  CHECK_EQ(Scan("try: import a\nexcept ImportError:\n\tfrom b import a\n"), "a||a b|a|a");
  CHECK_EQ(Scan("if TYPE_CHECKING:\n    from x import Y\n"), "x|Y|Y");
}

TEST_CASE("top_level: not inside a def or class, whatever else is around") {
  CHECK_EQ(Scan("def f():\n  if x:\n    import a\nimport b"), "-a||a b||b");
  CHECK_EQ(Scan("class C:\n  import a\n\nif x:\n  import b"), "-a||a b||b");
  CHECK_EQ(Scan("async def f(\n    a,\n) -> int:\n    import a"), "-a||a");
  CHECK_EQ(Scan("def f(): import a\nimport b"), "-a||a b||b");
  CHECK_EQ(Scan("def f():\n  '''\nNot less indented.\n'''\n  import a"), "-a||a");
  CHECK_EQ(Scan("def f():\n  x = 1\n# comment\n\n  import a"), "-a||a");
  CHECK_EQ(Scan("if x:\n  def f():\n    import a\n  import b\nimport c"), "-a||a b||b c||c");
  CHECK_EQ(Scan("define = 1\nif classes:\n  import a"), "a||a");
}

TEST_CASE("comments and strings hold no imports") {
  CHECK_EQ(Scan("# import a\nx = 1  # it's\nimport b"), "b||b");
  CHECK_EQ(Scan("\"\"\"Doc.\n\nimport a\n>>> from b import c\n\"\"\"\nimport d"), "d||d");
  CHECK_EQ(Scan("'''it\\'''s\nimport a\n''' \nimport b"), "b||b");
  CHECK_EQ(Scan("x = rb'\\'\nimport a"), "a||a");  // the string is not closed on its line
  CHECK_EQ(Scan("x = f\"{y!r}; import a\"; import b"), "b||b");
  CHECK_EQ(Scan("x = 'a\\\nimport c\\\r\nimport d'\nimport b"), "b||b");
  CHECK_EQ(Scan("x = '#'; import a # '\nimport b"), "a||a b||b");
  CHECK_EQ(Scan("x = '' ''\nimport a\ny = \"\"\nimport b"), "a||a b||b");
  CHECK_EQ(Scan("x = ''''quoted' import a'''\nimport b"), "b||b");
}

TEST_CASE("the word alone is no import") {
  CHECK_EQ(Scan("importlib.import_module('a')\nreimport = important\nx.import_ = 1\n"), "");
  CHECK_EQ(Scan("raise X \\\n  from e\nx = yield from importer\n"), "");
  CHECK_EQ(Scan("__import__(x)\nimport_a b\n"), "");
  CHECK_EQ(Scan("from a b import c"), "");
  CHECK_EQ(Scan("import\nfrom import b\nimport 'x'"), "");
}

TEST_CASE("line ends, byte-order mark, NULs") {
  CHECK_EQ(Scan("\xEF\xBB\xBFimport a\r\nimport b\rimport c\r\n"), "a||a b||b c||c");
  CHECK_EQ(Scan("\xEF\xBB\xBF"), "");
  CHECK_EQ(Scan("def f():\r\n    import a\r\n\r\nimport b\r\n"), "-a||a b||b");
  CHECK_EQ(Scan("x\0y\nimport a\0b\n"s), "a||a");
  CHECK_EQ(Scan(""), "");
}

TEST_CASE("what never ends") {
  CHECK_EQ(Scan("import a\nx = '''import b\n"), "a||a");
  CHECK_EQ(Scan("x = 'import b\nimport a"), "a||a");
  CHECK_EQ(Scan("from a import (b,\n  c\nimport d\n"), "a|b|b a|c|c d||d");
  CHECK_EQ(Scan("from a import (b,\nfrom c import d\n"), "a|b|b c|d|d");
  CHECK_EQ(Scan("from a import ("), "");
  CHECK_EQ(Scan("import a\\"), "a||a");
  CHECK_EQ(Scan("'''\\"), "");
  CHECK_EQ(Scan("import a, b as"), "a||a b||b");
}

TEST_CASE("the qualified name is the one that sema gives the binding") {
  const ImportTable table = ScanImports(
      "import a.b\nimport a.b as c\nfrom .m import f\nfrom . import g as h\nfrom .. import *");
  const auto imports = table.imports();
  REQUIRE_EQ(imports.size(), 5);
  CHECK_EQ(imports[0].Qualified(), "a");
  CHECK_EQ(imports[1].Qualified(), "a.b");
  CHECK_EQ(imports[2].Qualified(), ".m.f");
  CHECK_EQ(imports[3].Qualified(), ".g");
  CHECK_EQ(imports[4].Qualified(), "..*");
}

TEST_CASE("a table that was moved keeps its views") {
  ImportTable first = ScanImports("from a import b");
  const ImportTable second = std::move(first);
  CHECK_EQ(second.imports()[0].module, "a");
  CHECK_EQ(second.imports()[0].bound, "b");
}

// None of these takes a second; each took minutes when some part was walked over again and again.
TEST_CASE("linear time on hostile bytes") {
  constexpr std::size_t kCount = 200'000;
  CHECK_EQ(Count(Repeat("import a;", kCount)), ImportTable::kMaxImports);
  CHECK_EQ(Count(std::string(4 << 20, ' ') + Repeat("import a;", 50'000)), 50'000);
  CHECK_EQ(Scan(Repeat("a.import.", kCount)), "");
  CHECK_EQ(Scan(Repeat("from a ", kCount) + "import b"), "");
  CHECK_EQ(Scan(Repeat("import ", kCount)), Scan(Repeat("import ", 2)));
  CHECK_EQ(Scan(Repeat("'import", kCount)), "");
  CHECK_EQ(Scan(Repeat("# import\r", kCount)), "");
  CHECK_EQ(Scan("import " + Repeat("a.", kCount) + "b").size(), 4 * kCount / 2 + 4);
  CHECK_EQ(Count("from " + std::string(100'000, 'm') + " import " + Repeat("a,", kCount)),
           ImportTable::kMaxImports);
  CHECK_EQ(Scan(Repeat("\"\"\"import", kCount) + "\nimport a"), "a||a");
  CHECK_EQ(Count(Repeat("def f():\n import a\n", 50'000)), 50'000);
  std::string nested;
  for (std::size_t depth = 0; depth < 1'500; ++depth) {
    nested += std::string(depth, ' ') + "def f():\n" + std::string(depth + 1, ' ') + "import a\n";
  }
  CHECK_EQ(Count(nested), 1'500);
}

// Whatever the bytes, the imports are made of them and nothing is read out of bounds.
TEST_CASE("mutated bytes") {
  const std::string seed =
      "\"\"\"Doc import a\"\"\"\nimport a.b as c, d  # x\nfrom .x import (y as z,\n  w)\n"
      "def f():\n\ttry: from . import q\n\texcept E: import \\\n r\nx = f'{a}' r\"\\\"\"; import "
      "s\n";
  const std::string pieces[] = {"import", "from ",  "(",   ")",    "'",  "\"", "'''",  "\"\"\"",
                                "\\",     "\\\r\n", "\n",  "\r",   "#",  ".",  ",",    "*",
                                "as",     ";",      "\0"s, "\xFF", "\t", ":",  "def ", " "};
  std::uint64_t state = 42;
  const auto random = [&state](std::size_t below) {
    state = state * 6364136223846793005U + 1442695040888963407U;
    return static_cast<std::size_t>(state >> 33U) % below;
  };
  for (int round = 0; round < 20'000; ++round) {
    std::string bytes = seed;
    for (std::size_t edits = 1 + random(6); edits > 0 && !bytes.empty(); --edits) {
      const std::size_t at = random(bytes.size());
      if (random(2) == 0) {
        bytes.erase(at, random(12));
      } else {
        bytes.insert(at, pieces[random(std::size(pieces))]);
      }
    }
    bytes.shrink_to_fit();
    const ImportTable table = ScanImports(bytes);
    std::size_t length = 0;
    for (const Import& import : table.imports()) {
      length += import.name.size() + import.bound.size();
      if (import.module.empty() || (import.bound.empty() && import.name != "*")) {
        CAPTURE(bytes);
        FAIL("an import of nothing");
      }
    }
    CHECK_LE(length, 2 * bytes.size());
  }
}

}  // namespace
}  // namespace torchleak::project

#include "text/notebook.h"

#include <doctest/doctest.h>

#include <string>
#include <string_view>
#include <vector>

#include "tests/unit/text/notebooks.h"

namespace torchleak::text {
namespace {

bool Has(std::string_view text, std::string_view part) { return text.find(part) != text.npos; }

std::uint32_t Find(const Source& source, std::string_view text) {
  const std::size_t at = source.bytes().find(text);
  REQUIRE(at != source.bytes().npos);
  return static_cast<std::uint32_t>(at);
}

TEST_CASE("Python cells are put together, each from a row of its own") {
  const Source source = OpenNotebook(std::string(kSmall));
  CHECK(source.bytes() == "import torch\nx = \"é\"; y = 1\nif y:\n\tz = 2\n");
  CHECK(source.code() == source.bytes());
  const Notebook& notebook = *source.notebook();
  REQUIRE(notebook.cells().size() == 2);
  CHECK(notebook.raw() == kSmall);
  const Notebook::Cell& first = notebook.cells()[0];
  const Notebook::Cell& second = notebook.cells()[1];
  CHECK((first.number == 2 && first.id == "a1" && first.first_row == 1));
  CHECK(source.Text(first.span) == "import torch\nx = \"é\"; y = 1");
  CHECK((second.number == 3 && second.id == "b2" && second.first_row == 3));
  CHECK(source.Text(second.span) == "if y:\n\tz = 2\n");
}

TEST_CASE("a place has a cell, and a place in the JSON") {
  const Source source = OpenNotebook(std::string(kSmall));
  const Notebook& notebook = *source.notebook();
  const std::uint32_t y = Find(source, "y = 1"), z = Find(source, "z = 2");
  CHECK(notebook.PositionOf(source, y).cell == 2);
  CHECK(notebook.PositionOf(source, y).position == Position{2, 10});
  CHECK(notebook.PositionOf(source, z).cell == 3);
  CHECK(notebook.PositionOf(source, z).position == Position{2, 2});
  CHECK(kSmall.substr(notebook.RawOffset(y)).starts_with("y = 1"));
  CHECK(notebook.RawPosition(y) == Position{16, 22});
  CHECK(kSmall.substr(notebook.RawOffset(z)).starts_with("z = 2"));
  CHECK(notebook.RawPosition(z) == Position{24, 24});
  CHECK(kSmall.substr(notebook.RawOffset(Find(source, "é"))).starts_with("\\u00e9"));
  // The line end that the first cell was given belongs to it.
  const std::uint32_t between = Find(source, "if y") - 1;
  CHECK(notebook.CellAt(between).number == 2);
  CHECK(kSmall.substr(notebook.RawOffset(between)).starts_with("\"\n   ]"));
}

TEST_CASE("every offset leads to its own character, in long cells as well") {
  std::string code;
  for (int i = 0; i < 500; ++i) code += R"(a = \"é\u00e9\ud83d\ude00😀\"\t# \\ \/\n)";
  const std::string raw = Nb(CodeCell('"' + code + '"'));
  const Source source = OpenNotebook(raw);
  std::string_view bytes = source.bytes();
  REQUIRE(bytes.starts_with("a = \"éé😀😀\"\t# \\ /\n"));
  std::size_t raw_at = raw.find("a = ");
  std::uint32_t column = 1, utf16 = 1;
  for (const char c : raw.substr(0, raw_at)) column += c != '\0' ? 1 : 0;
  utf16 = column;
  std::size_t wrong = 0;
  for (std::uint32_t at = 0; at < bytes.size();) {
    wrong += source.notebook()->RawOffset(at) != raw_at ? 1 : 0;
    wrong += source.notebook()->RawPosition(at) != Position{1, column} ? 1 : 0;
    wrong += source.notebook()->RawUtf16Column(at) != utf16 ? 1 : 0;
    const auto lead = static_cast<unsigned char>(bytes[at]);
    const std::uint32_t size = lead < 0x80 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
    const bool escaped = raw[raw_at] == '\\';
    const std::uint32_t raw_size = !escaped                 ? size
                                   : raw[raw_at + 1] != 'u' ? 2
                                   : size == 4              ? 12
                                                            : 6;
    column += escaped ? raw_size : 1;
    utf16 += escaped ? raw_size : size == 4 ? 2 : 1;
    raw_at += raw_size;
    at += size;
  }
  CHECK(wrong == 0);
}

TEST_CASE("magics are overwritten for the parser alone") {
  const Source source = OpenNotebook(
      Nb(CodeCell(R"(["%matplotlib inline\n","x = 1"])") + "," + CodeCell(R"("!ls")")));
  CHECK(source.bytes() == "%matplotlib inline\nx = 1\n!ls\n");
  CHECK(source.code() == "0#atplotlib inline\nx = 1\n0#s\n");
  CHECK(source.Line(1) == "%matplotlib inline");
  CHECK(*PythonBytes("nb.ipynb", std::string(source.notebook()->raw())) == source.code());
  CHECK(*PythonBytes("a.py", "%x") == "%x");
}

TEST_CASE("a string that a cell leaves open hides no other cell from the scans of bytes") {
  const std::string raw = Nb(CodeCell(R"("x = '''a\nb")") + "," + CodeCell(R"("import c")"));
  CHECK(*PythonBytes("nb.ipynb", raw) == "x =     \n \nimport c\n");
}

TEST_CASE("cells of another language are skipped and counted") {
  const std::string vscode =
      R"({"cell_type":"code","metadata":{"vscode":{"languageId":"shellscript"}},"source":"ls"})";
  const std::string raw_cell = R"({"cell_type":"raw","metadata":{},"source":"text"})";
  const Source source = OpenNotebook(Nb(CodeCell(R"("%%bash\nls (")") + "," + vscode + "," +
                                        raw_cell + "," + CodeCell(R"("%%time\nx = 1")")));
  CHECK(source.bytes() == "%%time\nx = 1\n");
  REQUIRE(source.notebook()->cells().size() == 1);
  CHECK(source.notebook()->cells()[0].number == 4);
  CHECK(source.notebook()->cells()[0].code_begin == 7);
}

TEST_CASE("the kernel says which language it is") {
  const std::string cell = CodeCell(R"("x = 1")");
  const auto bytes = [&](std::string_view metadata) {
    return std::string(OpenNotebook(Nb(cell, metadata)).bytes());
  };
  CHECK(bytes("{}") == "x = 1\n");
  CHECK(bytes(R"({"kernelspec":{"name":"python3","language":"python"}})") == "x = 1\n");
  CHECK(bytes(R"({"language_info":{"name":"ipython","version":"3"}})") == "x = 1\n");
  CHECK(bytes(R"({"kernelspec":{"language":"R"}})").empty());
  CHECK(bytes(R"({"language_info":{"name":"julia"},"kernelspec":{"language":"python"}})").empty());
  CHECK(bytes(R"({"kernelspec":{"language":3},"language_info":null})") == "x = 1\n");
  CHECK(bytes("[]") == "x = 1\n");
}

TEST_CASE("notebooks without Python are no error") {
  for (const std::string& raw : {Nb(""), Nb(R"({"cell_type":"markdown","source":[]})")}) {
    const Source source = OpenNotebook(raw);
    CHECK(source.bytes().empty());
    CHECK(source.notebook()->cells().empty());
    CHECK(source.notebook()->CellAt(0).number == 1);
    CHECK(source.notebook()->RawOffset(0) == 0);
    CHECK(source.notebook()->PositionOf(source, 0).position == Position{1, 1});
  }
}

TEST_CASE("empty cells have a row, too") {
  const Source source = OpenNotebook(
      Nb(CodeCell("[]") + "," + CodeCell("\"\"") + "," + CodeCell(R"(["", "a", "\n", "", "b"])")));
  CHECK(source.bytes() == "\n\na\nb\n");
  const auto cells = source.notebook()->cells();
  REQUIRE(cells.size() == 3);
  CHECK((cells[0].first_row == 1 && cells[1].first_row == 2 && cells[2].first_row == 3));
  const std::string_view raw = source.notebook()->raw();
  CHECK(raw.substr(source.notebook()->RawOffset(0)).starts_with("]}"));
  CHECK(raw.substr(source.notebook()->RawOffset(1)).starts_with("\"}"));
  CHECK(raw.substr(source.notebook()->RawOffset(2)).starts_with("a\""));
}

TEST_CASE("byte-order mark, line ends of the JSON, keys written with escapes, keys written twice") {
  std::string crlf(kSmall);
  for (std::size_t at = 0; (at = crlf.find('\n', at)) != crlf.npos; at += 2) crlf.insert(at, "\r");
  const Source plain = OpenNotebook(std::string(kSmall));
  const Source marked = OpenNotebook("\xEF\xBB\xBF" + crlf);
  CHECK(marked.bytes() == plain.bytes());
  const std::uint32_t y = Find(plain, "y = 1");
  CHECK(marked.notebook()->RawPosition(y) == plain.notebook()->RawPosition(y));
  const Source one_line = OpenNotebook("\xEF\xBB\xBF" + Nb(CodeCell("\"x\"")));
  CHECK(one_line.notebook()->RawPosition(0).column ==
        1 + one_line.notebook()->RawOffset(0) - std::string_view("\xEF\xBB\xBF").size());
  const Source odd = OpenNotebook(
      R"({"nbformat":3,"n\u0062format":4,"cells":[{}],"\u0063ells":[{"source":"a","source":"b",)"
      R"("cell_type":"markdown","cell_type":"code"}]})");
  CHECK(odd.bytes() == "b\n");
}

TEST_CASE("what has no UTF-8 or no place in Python becomes U+FFFD") {
  const Source source = OpenNotebook(Nb(CodeCell(R"("a\ud800b\udc00\u0000c\ud800\ud83d\ude00")")));
  CHECK(source.bytes() ==
        "a\xEF\xBF\xBD"
        "b\xEF\xBF\xBD\xEF\xBF\xBD"
        "c\xEF\xBF\xBD😀\n");
}

TEST_CASE("the length of pictures does not count, that of the code does") {
  const std::string picture(Source::kMaxBytes + 1, 'A');
  const std::string large = R"({"outputs":")" + picture + R"(","cell_type":"code","source":"x"})";
  CHECK(OpenNotebook(Nb(large)).bytes() == "x\n");
  CHECK(Has(Refused(Nb(CodeCell('"' + picture + '"'))), "has Python cells of 8.0 MiB"));
  CHECK(Has(Refused(std::string(Source::kMaxNotebookBytes + 1, ' ')), "above 64 MiB"));
}

}  // namespace
}  // namespace torchleak::text

#include "text/magics.h"

#include <doctest/doctest.h>

#include <string>
#include <string_view>

namespace torchleak::text {
namespace {

std::string Masked(std::string_view cell) {
  std::string code(cell);
  MaskMagics(&code);
  CHECK(code.size() == cell.size());
  for (std::size_t i = 0; i < code.size() && i < cell.size(); ++i)
    CHECK((code[i] == '\n') == (cell[i] == '\n'));
  return code;
}

void Untouched(std::string_view cell) { CHECK(Masked(cell) == cell); }

TEST_CASE("a magic becomes a statement, so that a block may consist of it") {
  CHECK(Masked("%matplotlib inline\nx = 1\n") == "0#atplotlib inline\nx = 1\n");
  CHECK(Masked("!pip install torch") == "0#ip install torch");
  CHECK(Masked("if x:\n    !ls\nelse:\n\t%cd ..\n") == "if x:\n    0#s\nelse:\n\t0#d ..\n");
  CHECK(Masked("!") == "0");
  CHECK(Masked("?\n") == "0\n");
  CHECK(Masked("!!ls\n") == "0#ls\n");
  CHECK(Masked("%%time\n") == "0#time\n");
  CHECK(Masked("/f x\n,f x\n;f x\n") == "0# x\n0# x\n0# x\n");
}

TEST_CASE("characters of several bytes are overwritten whole") {
  CHECK(Masked("!é\n") == "0##\n");
  CHECK(Masked("x = !é\n") == "x = ___\n");
}

TEST_CASE("a backslash at the end of its line continues a magic") {
  CHECK(Masked("!ls \\\n  *.py \\\n\nx\n") == "0#s \\\n# *.py \\\n\nx\n");
  CHECK(Masked("%run a \\\r\n b\r\nx\r\n") == "0#un a \\\r\n#b\r\nx\r\n");
  CHECK(Masked("f = !ls \\\n*\ng = 1\n") == "f = __# \\\n#\ng = 1\n");
  CHECK(Masked("!ls \\") == "0#s \\");
}

TEST_CASE("what a magic yields is unknown") {
  CHECK(Masked("files = !ls *.pt\n") == "files = __# *.pt\n");
  CHECK(Masked("a, b = %env X\n") == "a, b = __#v X\n");
  CHECK(Masked("self.x =%pwd") == "self.x =__#d");
  CHECK(Masked("x = !") == "x = _");
}

TEST_CASE("code that a magic runs is looked at") {
  CHECK(Masked("%time loss = model(x)\n") == "0    ;loss = model(x)\n");
  CHECK(Masked("  %timeit -n 10 -r3 -o f(x)\n") == "  0                   ;f(x)\n");
  CHECK(Masked("%time for x in y: f(x)\n") == "      for x in y: f(x)\n");
  CHECK(Masked("loss = %time model(x)\n") == "loss =       model(x)\n");
  CHECK(Masked("%time f(\"\"\"\n%x\n\"\"\")\n!ls\n") == "0    ;f(\"\"\"\n%x\n\"\"\")\n0#s\n");
  CHECK(Masked("%prun -s cumulative f(x)\n") == "0                  ;f(x)\n");
  CHECK(Masked("%time\nx\n") == "0#ime\nx\n");
  CHECK(Masked("%timeit -n 10\n") == "0#imeit -n 10\n");
  CHECK(Masked("%timer x\n") == "0#imer x\n");
}

TEST_CASE("help is asked for at both ends") {
  CHECK(Masked("?torch\n") == "0#orch\n");
  CHECK(Masked("torch.save?\n") == "0#rch.save?\n");
  CHECK(Masked("  torch.save??  # how\n") == "  0#rch.save??  # how\n");
  CHECK(Masked("*load*?\n") == "0#oad*?\n");
  Untouched("x = 'what?'\n");
  Untouched("x = 1  # what?\n");
}

TEST_CASE("inside strings, brackets and continued lines nothing is a magic") {
  Untouched("s = \"\"\"\n%matplotlib\n!ls\nhelp?\n\"\"\"\n");
  Untouched("s = r'''\\'''\n");
  Untouched("x = (a\n% b)\n");
  Untouched("x = a \\\n% b\n");
  Untouched("if a != b and a == b: a %= 2\n");
  Untouched("f(x=1, y='%s' % z)\n");
  Untouched("x = y[a:b] % 3\nx @= y\nz: int = 3\nf'{x!r}'\nf'{x=}'\n");
  Untouched("# %matplotlib\n   # !ls\n");
  CHECK(Masked("s = '''a\n''' % x\n%y\n") == "s = '''a\n''' % x\n0#\n");
  CHECK(Masked("s = 'open\n!ls\n") == "s = 'open\n0#s\n");
  CHECK(Masked("s = 'a\\\n%b'\n!ls\n") == "s = 'a\\\n%b'\n0#s\n");
  CHECK(Masked("d = {\n 'a': 1,\n}\n!ls\n") == "d = {\n 'a': 1,\n}\n0#s\n");
}

TEST_CASE("cell magics") {
  for (std::string_view cell :
       {"x", "", "%time x", "x\n%%bash", "%% bash", "'%%bash'", "%sql SELECT 1", "%run x"})
    CHECK(CellMagicOf(cell) == CellMagic::kNone);
  for (std::string_view cell :
       {"%%time", "%%time\nx", "\n \n%%capture out\nx", "%%timeit -n 3\nx", "%%time\n%%capture\nx"})
    CHECK(CellMagicOf(cell) == CellMagic::kRunsCode);
  for (std::string_view cell :
       {"%%bash\nls", "%%html", "%%writefile a.py\nimport torch", "%%script sh", "%%time\n%%bash",
        "%%never_heard_of", "%md # A\ntext", "%sql\nSELECT 1", "%r\nx <- 1", "%sh ls"})
    CHECK(CellMagicOf(cell) == CellMagic::kOtherLanguage);
  CHECK(Masked("%%time\n%%capture out\nx = !ls\n") == "0#time\n0#capture out\nx = __#\n");
}

TEST_CASE("what must stay first, and what stays open") {
  CHECK(EndOfCellMagics("x") == 0);
  CHECK(EndOfCellMagics("%%time") == 6);
  CHECK(EndOfCellMagics("\n%%time\r\n%%capture\nx") == 19);
  const auto open = [](std::string cell) { return MaskMagics(&cell); };
  CHECK(open("x = 1") == std::string::npos);
  CHECK(open("x = 'a\ny = \"\"\"b\"\"\"\n") == std::string::npos);
  CHECK(open("x = '''\nimport a\n") == 4);
  CHECK(open("%time x = r\"\"\"\"\"") == 11);
}

TEST_CASE("what is cut off anywhere keeps its size") {
  constexpr std::string_view kCell =
      "%%time\n%timeit -n 1 x = '''a\\'b'''\ny = !ls \\\n é\nz = %time f(\n  \"\\\"\", {1: "
      "[2]})\nq??";
  for (std::size_t size = 0; size <= kCell.size(); ++size) Masked(kCell.substr(0, size));
  for (std::size_t from = 0; from <= kCell.size(); ++from) Masked(kCell.substr(from));
}

}  // namespace
}  // namespace torchleak::text

// The cells of a notebook are parsed one by one.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "outline.h"
#include "syntax/tree.h"
#include "tests/unit/text/notebooks.h"
#include "text/json_string.h"

namespace torchleak::syntax {
namespace {

text::Source FromCells(const std::vector<std::string>& cells) {
  std::string list;
  for (const std::string& cell : cells) {
    list += list.empty() ? "" : ",";
    list += text::CodeCell('"' + text::EscapeJson(cell, true) + '"');
  }
  return text::OpenNotebook(text::Nb(list));
}

std::vector<std::string> Errors(const text::Source& source) {
  std::vector<std::string> texts;
  const Tree tree = Parse(source);
  for (const text::Span span : tree.errors()) texts.emplace_back(source.Text(span));
  return texts;
}

using Texts = std::vector<std::string>;

TEST_CASE("one tree of all cells, with the places of the source") {
  const text::Source source = FromCells({"x = 1  # a", "", "def f():\n    y = 2", "f()  # b"});
  const Tree tree = Parse(source);
  const text::Source plain =
      *text::Source::FromBytes("a.py", "x = 1  # a\n\ndef f():\n    y = 2\nf()  # b\n");
  CHECK(Outline(tree, tree.root()) == Outline(Parse(plain), NodeId{0}));
  CHECK(tree.errors().empty());
  REQUIRE(tree.comments().size() == 2);
  CHECK(source.Text(tree.comments()[1]) == "# b");
  CHECK(tree.parts() == std::vector<std::uint32_t>{0, 11, 12, 31});
  CHECK(tree.At(32) != tree.root());
}

TEST_CASE("an error stays in its cell") {
  for (const std::string broken :
       {"x = (1, 2\ny = 3", "x = '''\n", "d = {'a': [", "x = 1 \\", "if x:", "for i in y", "def f(",
        "class", ")", "    x\n  y\n z", "x = \"a"}) {
    CAPTURE(broken);
    const text::Source source =
        FromCells({"import torch", broken, "z = torch.ones(3)\nz.backward()"});
    const Tree tree = Parse(source);
    const std::size_t begin = source.notebook()->cells()[1].span.begin,
                      end = source.notebook()->cells()[2].span.begin;
    for (const text::Span error : tree.errors()) CHECK((error.begin >= begin && error.end <= end));
    std::vector<std::string> kept;
    for (NodeId id : tree.Children(tree.root())) {
      if (tree[id].begin >= end) kept.emplace_back(tree.Text(id));
    }
    CHECK(kept == Texts{"z = torch.ones(3)", "z.backward()"});
    for (std::uint32_t i = 0; i < tree.size(); ++i)
      CHECK((tree[NodeId{i}].begin <= tree[NodeId{i}].end &&
             tree[NodeId{i}].end <= source.bytes().size()));
  }
}

TEST_CASE("what IPython takes parses") {
  for (const std::string cell :
       {"%matplotlib inline\nx = 1", "if x:\n    !ls\nelse:\n    %cd ..\ny = 1", "x = !ls\ny = x",
        "%time x = f()", "for i in x:\n    %time y = f(i)\n    g(y)",
        "%time for i in x: f(i)\ny = 1", "for i in x:\n    a\n    %time for j in i: f(j)\n    b\nc",
        "%%time\n%%capture\nx = 1", "x = %time f(1)", "f?", "?f", "!ls \\\n  *.py\nx = 1",
        "try:\n    import x\nexcept ImportError:\n    !pip install x", "class A:\n    %env X",
        "    x = 1\n    if x:\n        y = 2\n    z = 3", "await f()", "x = 1;", "\n\n\n"}) {
    CAPTURE(cell);
    CHECK(Errors(FromCells({cell, "w = 1"})) == Texts{});
  }
}

TEST_CASE("hostile cells do not get a budget each") {
  std::string run;
  for (int i = 0; i < 12'000; ++i) run += "if for while ";
  const text::Source source = FromCells({run, run, run, run, run, run, run, run, "x = 1"});
  const Tree tree = Parse(source);
  CHECK(tree.errors().size() >= 8);
}

}  // namespace
}  // namespace torchleak::syntax

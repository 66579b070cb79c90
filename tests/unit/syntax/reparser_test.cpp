// Texts one after the other through one Reparser: each tree must be the one that Parse() makes.
#include "syntax/reparser.h"

#include <doctest/doctest.h>

#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "same_tree.h"
#include "tests/unit/text/notebooks.h"
#include "text/json_string.h"

namespace torchleak::syntax {
namespace {

using Texts = std::vector<std::string>;

const std::string kTraining =
    "import torch\n"
    "\n"
    "\n"
    "def train(model, loader):  # one epoch\n"
    "    \"\"\"Trains.\"\"\"\n"
    "    losses = []\n"
    "    for x, y in loader:\n"
    "        loss = model(x, y)\n"
    "        if loss > 1:\n"
    "            losses.append(loss)\n"
    "    return losses\n"
    "\n"
    "\n"
    "class A:\n"
    "    x = {'a': 1}\n";

std::string With(std::string text, std::string_view what, std::string_view by) {
  const std::size_t at = text.find(what);
  REQUIRE(at != text.npos);
  return text.replace(at, what.size(), by);
}

void CheckNext(Reparser& reparser, const text::Source& source) {
  CAPTURE(source.code());
  CHECK(DifferenceOf(reparser.Parse(source), Parse(source)) == "");
}

// There and back, so that each text is reached by two edits.
void CheckTexts(const Texts& texts) {
  Reparser reparser;
  for (const std::string& text : texts) CheckNext(reparser, *text::Source::FromText("a.py", text));
  for (auto text = texts.rbegin(); text != texts.rend(); ++text)
    CheckNext(reparser, *text::Source::FromText("a.py", *text));
}

void CheckEdits(const Texts& edited) {
  for (const std::string& text : edited) CheckTexts({kTraining, text});
  CheckTexts(edited);
}

text::Source FromCells(const Texts& cells) {
  std::string list;
  for (const std::string& cell : cells) {
    list += list.empty() ? "" : ",";
    list += text::CodeCell('"' + text::EscapeJson(cell, true) + '"');
  }
  return text::OpenNotebook(text::Nb(list));
}

void CheckNotebooks(const std::vector<Texts>& notebooks) {
  Reparser reparser;
  for (const Texts& cells : notebooks) CheckNext(reparser, FromCells(cells));
}

TEST_CASE("nothing changed") { CheckTexts({kTraining, kTraining}); }

TEST_CASE("edits at the beginning and at the end") {
  CheckEdits({"\n" + kTraining, "import os\n" + kTraining, kTraining.substr(1), kTraining + "y = 1",
              kTraining + "    y = 1\n", kTraining + "        ",
              kTraining.substr(0, kTraining.size() - 1), kTraining + "\n\n\n", " " + kTraining});
}

TEST_CASE("empty texts and whole texts replaced") {
  CheckTexts({"", kTraining, "", "x", "", "# c", "\n", " ", "x = 1\n", kTraining, "y: int = 2\n"});
}

TEST_CASE("inside of strings and comments") {
  CheckEdits({With(kTraining, "Trains", "Trains \n more\n"), With(kTraining, "Trains.", ""),
              With(kTraining, "'a'", "'a\\n'"), With(kTraining, "'a'", "f'{a}'"),
              With(kTraining, "'a'", "f'{a:{b}}' 'c'"), With(kTraining, "one epoch", "x = 1"),
              With(kTraining, "# one epoch", ""), With(kTraining, "'a'", "b'a'")});
}

TEST_CASE("indentation") {
  CheckEdits({With(kTraining, "        loss =", "    loss ="),
              With(kTraining, "    return", "        return"),
              With(kTraining, "    return", "return"), With(kTraining, "    return", "   return"),
              With(kTraining, "            losses", "\t\tlosses"),
              With(kTraining, "        loss =", "\tloss ="),
              With(kTraining, "    return", "# c\n    return"),
              With(kTraining, "    return", "            # c\n    return"),
              With(kTraining, "    return", "\\\n    return"),
              With(kTraining, "class A:\n    x", "class A:\n\n\n\n    x"),
              With(kTraining, "for x, y in loader:", "while y:"),
              With(kTraining, "if loss > 1:", "if loss > 1: pass")});
}

TEST_CASE("brackets and triple quotes, opened and closed") {
  for (const std::string at : {"import", "losses = ", "loss = ", "return", "class", "{"}) {
    for (const std::string opened :
         {"(", "[", "{", "'''", "\"\"\"", "'", "f'{", "f\"\"\"{", "\\"}) {
      const std::string open = With(kTraining, at, opened + at);
      CheckTexts({kTraining, open, kTraining});
      CheckTexts({kTraining, open, open + opened, open, kTraining + "x\n", kTraining});
    }
  }
}

TEST_CASE("a text that is typed one character at a time") {
  Reparser reparser;
  for (std::size_t size = 0; size <= kTraining.size(); ++size)
    CheckNext(reparser, *text::Source::FromText("a.py", kTraining.substr(0, size)));
  for (std::size_t size = kTraining.size(); size > 0; --size)
    CheckNext(reparser, *text::Source::FromText("a.py", kTraining.substr(size)));
}

TEST_CASE("broken for a while, and edited meanwhile") {
  const std::string broken = With(kTraining, "loss > 1", "loss > (");
  CheckTexts({kTraining, broken, With(broken, "losses = []", "losses = [1, 2]"),
              With(broken, "return losses", "return"), With(kTraining, "return losses", "return"),
              broken, broken + broken, kTraining});
}

TEST_CASE("line ends, tabs and characters of several units") {
  std::string crlf;
  for (const char c : kTraining) crlf += c == '\n' ? "\r\n" : std::string(1, c);
  CheckTexts({kTraining, crlf, With(crlf, "\r\n", "\r"), With(crlf, "loss > 1", "loss > 22"),
              With(crlf, "\r\n", "\n")});
  // Characters that share their first bytes, or their last ones.
  const auto text = [](const std::string& c) { return With(kTraining, "'a'", "'" + c + "'"); };
  CheckTexts({text("\U0001F600"), text("\U0001F601"), text("\U0001F600\U0001F601"), text(""),
              text("\u00e9"), text("\u00e8"), text("\u01e9"), text("\U0001F600x"),
              text("\U0001F640x"), text("\u00e9\u00e9"), With(kTraining, "losses", "\u00e9")});
}

TEST_CASE("cells edited, inserted, removed and swapped") {
  const std::string a = "x = 1\n", b = "def f():\n    return x\n", c = "y = '''\n'''", d = "f()";
  CheckNotebooks({{a, b, c},
                  {a, b + "  # c", c},
                  {a, d, b, c},
                  {d, a, d, b, c},
                  {a, d, b, c},
                  {a, b, c},
                  {c, b, a},
                  {b, c},
                  {},
                  {a},
                  {a, a, a},
                  {a, a},
                  {a, "", a},
                  {a, b, d},
                  {a, "%matplotlib inline", b},
                  {a, "!ls\nx", b}});
}

TEST_CASE("a broken cell between others") {
  const std::string a = "x = 1\n", broken = "x = (1, 2\ny = 3", open = "'''";
  CheckNotebooks({{a, broken, a},
                  {a, broken + ")", a},
                  {a, broken, "y"},
                  {broken, a, broken, a},
                  {a, open, a},
                  {a, open + open, a},
                  {open},
                  {a, a, open},
                  {a}});
}

TEST_CASE("a notebook that becomes another file, and back") {
  Reparser reparser;
  CheckNext(reparser, FromCells({"x = 1", "y = 2"}));
  CheckNext(reparser, *text::Source::FromText("a.py", kTraining));
  CheckNext(reparser, FromCells({"x = 1", "y = 3"}));
}

TEST_CASE("what is given up is forgotten, and what follows is parsed again") {
  std::string run, deep;
  for (int i = 0; i < 30'000; ++i) run += "if for while ";
  for (std::size_t i = 0; i < 400; ++i) deep += std::string(i, ' ') + "if x:\n";
  CheckTexts({kTraining, run, kTraining + run, kTraining, deep, kTraining + "x = 1\n"});
  CheckNotebooks({{run, "x = 1", run, run, "y = 1", run},
                  {run, "x = 2", run, run, "y = 2"},
                  {"x = 2", "y = 2"},
                  {"x = 2", deep, "y = 3"}});
}

TEST_CASE("large files, on the stack that they need") {
  std::string large;
  while (large.size() < (std::size_t{140} << 10)) large += kTraining;
  std::string broken;
  for (int i = 0; i < 16'000; ++i) broken += "print (x\n";
  CheckTexts({large, "x = 1\n" + large, broken});
}

TEST_CASE("may be moved, and used by one thread after the other") {
  const text::Source first = *text::Source::FromText("a.py", kTraining);
  const text::Source next = *text::Source::FromText("a.py", With(kTraining, "loss", "y"));
  Reparser reparser;
  std::thread([&] { reparser.Parse(first); }).join();
  Reparser moved = std::move(reparser);
  CheckNext(moved, next);
  std::thread([other = std::move(moved), &first]() mutable { other.Parse(first); }).join();
}

}  // namespace
}  // namespace torchleak::syntax

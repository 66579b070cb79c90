// Input that no person wrote. Each case must come back, on a thread with 1 MiB of stack: neither we
// nor tree-sitter may recurse on depth.
#include <doctest/doctest.h>
#include <pthread.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "syntax/budget.h"
#include "syntax/tree.h"

namespace torchleak::syntax {
namespace {

using std::string_literals::operator""s;

std::string Repeat(std::string_view text, std::size_t count) {
  std::string out;
  out.reserve(text.size() * count);
  for (std::size_t i = 0; i < count; ++i) out += text;
  return out;
}

// `header` once for each level, each a column deeper than the last.
std::string Nested(std::string_view header, std::size_t levels, std::string_view innermost) {
  std::string out;
  for (std::size_t i = 0; i < levels; ++i) out.append(i, ' ').append(header) += '\n';
  return out.append(levels, ' ').append(innermost) + "\n";
}

void OnSmallStack(const std::function<void()>& work) {
  pthread_attr_t attributes;
  REQUIRE(pthread_attr_init(&attributes) == 0);
  REQUIRE(pthread_attr_setstacksize(&attributes, 1 << 20) == 0);
  pthread_t thread;
  const auto run = [](void* function) -> void* {
    (*static_cast<const std::function<void()>*>(function))();
    return nullptr;
  };
  REQUIRE(pthread_create(&thread, &attributes, run,
                         const_cast<void*>(static_cast<const void*>(&work))) == 0);
  REQUIRE(pthread_join(thread, nullptr) == 0);
  pthread_attr_destroy(&attributes);
}

struct Outcome {
  std::size_t nodes = 0;
  std::size_t errors = 0;
  std::size_t depth = 0;    // of the deepest node
  bool whole_file = false;  // the first error covers the file
};

Outcome ParseText(std::string text) {
  Outcome outcome;
  OnSmallStack([&] {
    const text::Source source = *text::Source::FromBytes("deep.py", std::move(text));
    const Tree tree = Parse(source);
    std::vector<std::uint32_t> depth(tree.size(), 0);
    for (std::uint32_t i = 1; i < tree.size(); ++i) {
      depth[i] = depth[Index(tree.Parent(NodeId{i}))] + 1;
      outcome.depth = std::max<std::size_t>(outcome.depth, depth[i]);
    }
    outcome.nodes = tree.size();
    outcome.errors = tree.errors().size();
    outcome.whole_file = !tree.errors().empty() && tree.errors()[0] == tree.Span(tree.root());
  });
  return outcome;
}

TEST_CASE("200,000 nested parentheses and brackets parse") {
  using Pair = std::pair<const char*, const char*>;
  for (const Pair& pair : {Pair{"(", ")"}, {"[", "]"}, {"f(", ")"}, {"{1:", "}"}}) {
    CAPTURE(pair.first);
    const Outcome outcome =
        ParseText("x = " + Repeat(pair.first, 200000) + "1" + Repeat(pair.second, 200000) + "\n");
    CHECK(outcome.errors == 0);
    CHECK(outcome.depth >= 200000);
  }
}

TEST_CASE("brackets without end are errors, not trouble") {
  for (const char* text : {"(", "[", "{", "([{", "f(", ")", "x[", "\"\"\"\n", "f'{"}) {
    CAPTURE(text);
    CHECK(ParseText(Repeat(text, 20001)).errors > 0);
  }
}

TEST_CASE("long chains parse") {
  CHECK(ParseText("x = a" + Repeat(".a.b", 100000) + "\n").errors == 0);
  CHECK(ParseText("x = a" + Repeat(" + a", 100000) + "\n").errors == 0);
  CHECK(ParseText("x = a" + Repeat("()", 20000) + "\n").errors == 0);
  CHECK(ParseText("x = a" + Repeat("[0]", 20000) + "\n").errors == 0);
  CHECK(ParseText("x = a" + Repeat(" ** a", 20000) + "\n").errors == 0);
  CHECK(ParseText(Repeat("x = ", 20000) + "a\n").errors == 0);
  CHECK(ParseText("x = " + Repeat("not ", 20000) + "a\n").errors == 0);
  CHECK(ParseText("x = " + Repeat("lambda: ", 20000) + "a\n").errors == 0);
  CHECK(ParseText("x = " + Repeat("a if b else ", 20000) + "a\n").errors == 0);
  CHECK(ParseText("x = " + Repeat("'a' ", 20000) + "\n").errors == 0);
  CHECK(ParseText("if a: b\n" + Repeat("elif a: b\n", 20000)).errors == 0);
}

TEST_CASE("a function of 100,000 lines parses") {
  const Outcome outcome = ParseText("def f():\n" + Repeat("  x = g(x)\n", 100000));
  CHECK(outcome.errors == 0);
  CHECK(outcome.nodes > 600000);
}

TEST_CASE("blocks as deep as Python allows parse; ones that break the scanner are refused") {
  const Outcome deepest = ParseText(Nested("if a:", 99, "x = 'a'"));
  CHECK(deepest.errors == 0);
  CHECK(deepest.depth > 99);
  // From 511 levels, or 384 with 255 strings open, the scanner would write past its buffer.
  for (const char* header : {"if a:", "def f():", "class A:"}) {
    CAPTURE(header);
    const Outcome outcome = ParseText(Nested(header, 3000, "x = 'a'"));
    CHECK(outcome.nodes == 1);
    CHECK(outcome.errors == 1);
    CHECK(outcome.whole_file);
  }
  CHECK(ParseText(Repeat("if a:\n", 20000)).nodes > 20000);  // not indented, not a nest
}

TEST_CASE("20,000 nested blocks are above the size limit or refused, whichever comes first") {
  // One column more for each: 200 MB.
  CHECK_FALSE(text::Source::FromBytes("deep.py", Nested("if a:", 20000, "pass")));
  CHECK(ParseText(Nested("if a:", 3500, "pass")).whole_file);
}

TEST_CASE("what the scanner takes for an indentation is what the guard counts") {
  const auto levels = [](std::string_view unit, std::size_t count) {
    std::string out;
    for (std::size_t i = 0; i < count; ++i) out += Repeat(unit, i) + "if a:\n";
    return out;
  };
  CHECK(IndentationIsSafe(""));
  CHECK(IndentationIsSafe(levels(" ", 299)));
  CHECK_FALSE(IndentationIsSafe(levels(" ", 400)));
  CHECK_FALSE(IndentationIsSafe(levels("\t", 400)));
  CHECK_FALSE(IndentationIsSafe(levels(" \\\n", 400)));  // goes on behind a backslash
  CHECK_FALSE(IndentationIsSafe(levels(" \\\r\n", 400)));
  CHECK(IndentationIsSafe(levels(" \f", 400)));  // starts again
  CHECK(IndentationIsSafe(Repeat("    x = 1\n", 10000)));
  CHECK(IndentationIsSafe(Repeat("\\\n", 100000)));
  CHECK(IndentationIsSafe("\\"));
  CHECK(IndentationIsSafe("  \\\r"));
}

TEST_CASE("what makes the parser quadratic is given up, with one error over the file") {
  // The last one recurses in tree-sitter, a level for each turn, and allocates without ever asking
  // whether to go on.
  const std::string deep = "or exec" + std::string(60, ' ') + "**";
  for (const std::string& text : {"\\\n"s, "def f(\n"s, "if for while "s, deep}) {
    CAPTURE(text);
    const Outcome outcome = ParseText(Repeat(text, 40000));
    CHECK(outcome.nodes == 1);
    CHECK(outcome.errors == 1);
    CHECK(outcome.whole_file);
  }
}

TEST_CASE("errors with continuations between them, quadratic without allocating, end in time") {
  const Outcome outcome = ParseText(Repeat("f'", 60000) + "x" + Repeat(":\\\n", 40000));
  CHECK(outcome.nodes == 1);
  CHECK(outcome.whole_file);
}

TEST_CASE("the parser is as good as new after a file it gave up") {
  const auto parse = [](std::string text) {
    const text::Source source = *text::Source::FromBytes("a.py", std::move(text));
    const Tree tree = Parse(source);
    return std::pair{tree.size(), tree.errors().size()};
  };
  const auto before = parse("x = f(a)\n");
  CHECK(parse(Repeat("def f(\n", 100000)).first == 1);
  CHECK(parse("x = f(a)\n") == before);
  CHECK(parse(Repeat("\\\n", 100000)).first == 1);
  CHECK(parse("x = f(a)\n") == before);
}

TEST_CASE("a broken line does not spend the budget of a large file") {
  std::string text = Repeat("def f(a, b=1):\n  return a.b[c] + g(a, *b)\n", 10000);
  text.insert(text.find("return", text.size() / 2), ") = ( if ");
  const Outcome outcome = ParseText(text);
  CHECK(outcome.errors > 0);
  CHECK(outcome.nodes > 200000);
}

TEST_CASE("noise") {
  // A small linear congruential generator: the same noise everywhere.
  std::uint32_t state = 1;
  const auto next = [&](std::uint32_t bound) {
    state = state * 1664525u + 1013904223u;
    return (state >> 8) % bound;
  };
  const std::string_view words[] = {
      "if ",  "for ", "def ",   "class ", "(",       ")",     "[",       "]",     "{",
      "}",    ":",    ",",      ".",      "=",       "+",     "lambda ", "a ",    "1 ",
      "'s' ", "\n",   "\n  ",   "\n    ", "import ", "from ", "as ",     "with ", "async ",
      "f'{",  "}'",   "\"\"\"", "\\\n",   "#",       "\t",    "print ",  "*",     "@"};
  for (int round = 0; round < 20; ++round) {
    CAPTURE(round);
    std::string tokens, bytes;
    for (int i = 0; i < 3000; ++i) {
      tokens += words[next(std::size(words))];
      bytes += static_cast<char>(1 + next(255));
    }
    CHECK(ParseText(tokens).nodes > 0);
    CHECK(ParseText(bytes).nodes > 0);
  }
}

}  // namespace
}  // namespace torchleak::syntax

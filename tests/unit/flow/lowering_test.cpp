// Shapes of control-flow graphs, told by marks (marks.h).
#include "marks.h"

namespace torchleak::flow {
namespace {

TEST_CASE("a straight line") {
  const Marks f("def f():\n    a(); b()\n    c()\n");
  CHECK(f.First() == "a");
  CHECK(f.After("a") == "b");
  CHECK(f.After("b") == "c");
  CHECK(f.After("c") == "end");
  CHECK(f.Depth("a") == 0);
  CHECK(f.Guards("a").empty());
}

TEST_CASE("if: every arm, and the way around it") {
  const Marks f(R"(
def f(x, y):
    if x: a()
    b()
    if x: c()
    elif y: d()
    else: e()
    g()
)");
  CHECK(f.First() == "a b");
  CHECK(f.After("a") == "b");
  CHECK(f.After("b") == "c d e");
  for (const char* arm : {"c", "d", "e"}) CHECK(f.After(arm) == "g");
  CHECK(f.Guards("a") == "x");
  CHECK(f.Guards("d") == "y");
  CHECK(f.Guards("e") == "not x");
  CHECK(f.Guards("g").empty());
}

TEST_CASE("elif without else: the way around all of them") {
  const Marks f("def f(x, y):\n    if x: a()\n    elif y: b()\n    c()\n");
  CHECK(f.First() == "a b c");
}

TEST_CASE("guards nest") {
  const Marks f("def f(x, y):\n    if x:\n        if y: a()\n        b()\n");
  CHECK(f.Guards("a") == "y, x");
  CHECK(f.Guards("b") == "x");
}

TEST_CASE("for: round, out, and else unless it breaks") {
  const Marks f(R"(
def f(xs):
    for x in xs:
        a()
        if x: break
        if x: continue
        b()
    else:
        c()
    d()
)");
  CHECK(f.First() == "a c");
  CHECK(f.After("a") == "a b c d");
  CHECK(f.After("b") == "a c");
  CHECK(f.After("c") == "d");
  CHECK(f.After("d") == "end");
  CHECK(f.Depth("a") == 1);
  CHECK(f.Depth("c") == 0);
  CHECK(f.Depth("d") == 0);
}

TEST_CASE("while: the condition runs in each turn") {
  const Marks f(R"(
def f(x):
    while a():
        b()
        if x: break
        c()
    else:
        d()
    e()
)");
  CHECK(f.First() == "a");
  CHECK(f.After("a") == "b d");
  CHECK(f.After("b") == "c e");
  CHECK(f.After("c") == "a");
  CHECK(f.After("d") == "e");
  CHECK(f.Depth("a") == 1);
}

TEST_CASE("break and continue mean the innermost loop") {
  const Marks f(R"(
def f(xs, ys):
    for x in xs:
        a()
        for y in ys:
            b()
            if y: break
            if x: continue
            c()
        d()
)");
  CHECK(f.After("a") == "b d");
  CHECK(f.After("b") == "b c d");
  CHECK(f.After("c") == "b d");
  CHECK(f.After("d") == "a end");
  CHECK(f.Depth("b") == 2);
}

TEST_CASE("return and raise end the function; what follows them is unreachable") {
  const Marks f(R"(
def f(x):
    if x:
        a()
        return
        b()
    if g: raise E
    c()
)");
  CHECK(f.First() == "a c end");
  CHECK(f.After("a") == "end");
  CHECK_FALSE(f.Reached("b"));
  CHECK(f.Reached("c"));
}

TEST_CASE("with: entered and left in turn") {
  const Marks f("def f():\n    with p, q as r:\n        a()\n    b()\n");
  CHECK(f.First() == "+p");
  CHECK(f.After("+p") == "+q");
  CHECK(f.After("a") == "-q");
  CHECK(f.After("-q") == "-p");
  CHECK(f.After("-p") == "b");
}

TEST_CASE("early exits leave the with blocks that they jump out of, and no others") {
  const Marks f(R"(
def f(xs):
    with p:
        for x in xs:
            with q:
                a()
                if x: break
                b()
            c()
        d()
)");
  CHECK(f.After("a") == "-q b");
  CHECK(f.After("b") == "-q");
  CHECK(f.After("d") == "-p");
  // -q of the break goes to what follows the loop, still inside p
  CHECK(f.After("-q") == "d");
}

TEST_CASE("try: an exception may leave from every statement") {
  const Marks f(R"(
def f():
    try:
        a()
        if x: b()
    except E as e:
        c()
    except F:
        d()
    else:
        g()
    h()
)");
  CHECK(f.First() == "a c d");
  CHECK(f.After("a") == "b c d g");
  CHECK(f.After("b") == "c d g");
  CHECK(f.After("c") == "h");
  CHECK(f.After("d") == "h");
  CHECK(f.After("g") == "h");
}

TEST_CASE("finally runs on every way out") {
  const Marks f(R"(
def f(xs):
    for x in xs:
        try:
            a()
            if x: continue
            if x: break
            if x: return
            b()
        finally:
            c()
        d()
    e()
)");
  CHECK(f.After("a") == "b c");
  CHECK(f.After("b") == "c");
  CHECK(f.After("c").find("a") != std::string::npos);  // continue
  CHECK(f.After("c").find("d") != std::string::npos);  // no exit
  CHECK(f.After("c").find("e") != std::string::npos);  // break
}

TEST_CASE("a break passes through each finally between it and its loop") {
  const Marks f(R"(
def f(xs):
    for x in xs:
        try:
            try:
                a()
                break
            finally:
                b()
        finally:
            c()
        d()
    e()
)");
  CHECK(f.After("a") == "b");
  CHECK(f.After("b") == "c");
  CHECK(f.After("c") == "d e");
}

TEST_CASE("match: each case, its guard, and none") {
  const Marks f(R"(
def f(x):
    match x:
        case [p, *q] if t():
            a()
        case {"k": r}:
            b()
        case _:
            c()
    d()
)");
  CHECK(f.First() == "b c d t");
  CHECK(f.After("t") == "a");
  for (const char* arm : {"a", "b", "c"}) CHECK(f.After(arm) == "d");
}

TEST_CASE("comprehensions are loops") {
  const Marks f("def f(xs):\n    ys = [a() for x in xs if b() for y in c()]\n    d()\n");
  CHECK(f.First() == "b d");
  CHECK(f.After("b") == "b c d");
  CHECK(f.After("c").find("a") != std::string::npos);
  CHECK(f.Depth("a") == 2);
  CHECK(f.Depth("b") == 1);
  CHECK(f.Depth("d") == 0);
  REQUIRE(f.Body().loops.size() == 2);
  for (const Loop& l : f.Body().loops) CHECK(l.is_comprehension);
}

TEST_CASE("a function statement is one instruction; its body is another function's") {
  const Marks f("def f():\n    a()\n    def g():\n        b()\n    c()\n");
  CHECK(f.After("a") == "c");
}

TEST_CASE("async statements are as their plain kin") {
  const Marks f(R"(
async def f(xs):
    async for x in xs:
        a()
    async with p:
        await b()
)");
  CHECK(f.After("a") == "+p a");
  CHECK(f.After("b") == "-p");
}

TEST_CASE("deep nesting is cut, what follows it stays") {
  std::string code = "def f():\n";
  for (unsigned i = 0; i < 250; ++i) code += std::string(i + 1, ' ') + "if x:\n";
  code += std::string(251, ' ') + "a()\n b()\n";
  CHECK(Marks(code).After("b") == "end");
}

}  // namespace
}  // namespace torchleak::flow

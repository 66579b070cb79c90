// What binds a name, and what a binding says about how it was bound.
#include "fixture.h"

namespace torchleak::sema {
namespace {

using syntax::kNoNode;

TEST_CASE("every kind of target binds") {
  const Py py(R"(
a = 1
b, (c, *d) = v
[e, g] = v
h += 1
for i, (j, k) in v: pass
with v as l, v as (m, n): pass
try: pass
except E as o: pass
except* (E, F) as oo: pass
p: int = 1
q: int
def r(): pass
class s: pass
del t
(u := 1)
async def w():
    async for x in v: pass
    async with v as y: pass
aa = bb = cc = v
with (v as dd, v as ee): pass
)");
  for (const std::string_view name :
       {"a", "b", "c", "d", "e", "g", "h", "i", "j", "k",  "l",  "m",  "n",  "o", "oo",
        "p", "q", "r", "s", "t", "u", "w", "x", "y", "aa", "bb", "cc", "dd", "ee"}) {
    CAPTURE(name);
    CHECK(py.At(name) != kNoBinding);
  }
  for (const std::string_view name : {"v", "E", "F", "int"}) {
    CAPTURE(name);
    CHECK(py.At(name) == kNoBinding);
  }
}

TEST_CASE("attribute and subscript targets bind nothing, their roots are reads") {
  const Py py(R"(
def f(m, d, i):
    m.x, d[i] = 1, 2
    m.y += 1
    for m.z in d: pass
    with d as m.w: pass
    del d[i], m.x
)");
  for (int n = 1; n <= 5; ++n) CHECK(py.Same("m", 0, n));
  CHECK(py.Of("m").assignments == 0);
  for (int n = 1; n <= 2; ++n) CHECK(py.Same("i", 0, n));
  for (const std::string_view name : {"x", "y", "z", "w"}) CHECK(py.At(name) == kNoBinding);
}

TEST_CASE("match patterns capture") {
  const Py py(R"(
def f(v, Point, Color):
    match v:
        case Point(x=0, y=yy) as whole: pass
        case [first, *rest]: pass
        case (one, {"k": val, **others}): pass
        case Color.RED | Color.BLUE: pass
        case (1 | 2) as num if num > guard: pass
        case {"a": Point(q)}: pass
        case _: pass
        case anything: return anything
)");
  for (const std::string_view name :
       {"yy", "whole", "first", "rest", "one", "val", "others", "num", "q", "anything"}) {
    CAPTURE(name);
    CHECK(py.At(name) != kNoBinding);
    CHECK(py.Owner(name) == "f");
  }
  for (const std::string_view name : {"x", "y", "RED", "BLUE", "guard"}) {
    CAPTURE(name);
    CHECK(py.At(name) == kNoBinding);
  }
  CHECK(py.Same("Point", 0, 1));
  CHECK(py.Same("Point", 0, 2));
  CHECK(py.Same("Color", 0, 1));
  CHECK(py.Same("Color", 0, 2));
  CHECK(py.Of("Point").assignments == 0);
  CHECK(py.Same("num", 0, 1));
  CHECK(py.Same("anything", 0, 1));
}

TEST_CASE("sole_value is the right-hand side of the only assignment") {
  const Py py(R"(
a = first()
b = 1
b = 2
c = 1
c += 1
d, e = 1, 2
f: int = typed()
g = h = chained()
def k(p):
    p = 1
    q = only()
    del q
)");
  const auto value = [&](std::string_view name) {
    const syntax::NodeId node = py.Of(name).sole_value;
    return node == kNoNode ? std::string_view{} : py.tree().Text(node);
  };
  CHECK(value("a") == "first()");
  CHECK(value("b") == "");
  CHECK(value("c") == "");
  CHECK(value("d") == "");
  CHECK(value("f") == "typed()");
  CHECK(value("g") == "chained()");
  CHECK(value("h") == "chained()");
  CHECK(value("p") == "");
  CHECK(value("q") == "only()");
  CHECK(py.Of("b").assignments == 2);
  CHECK(py.Of("p").assignments == 1);
}

TEST_CASE("function and class_id are set when nothing else binds the name") {
  const Py py(R"(
def f(): pass
class C: pass
def g(): pass
g = wrap(g)
if cond:
    def h(): return 1
else:
    def h(): return 2
class K: pass
K = 1
def L(): pass
class L: pass
)");
  CHECK(py.Of("f").function == py.Function("f"));
  CHECK(py.Of("C").class_id == py.Class("C"));
  CHECK(py.Of("g").function == kNoFunction);
  CHECK(py.Of("h").function == py.Function("h", 1));
  CHECK(py.Of("h").assignments == 2);
  CHECK(py.Of("K").class_id == kNoClass);
  CHECK(py.Of("L").function == kNoFunction);
  CHECK(py.Of("L").class_id == kNoClass);
}

TEST_CASE("captured: only other functions count") {
  const Py py(R"(
def f(xs):
    a = [x for x in xs if xs]
    class C:
        b = xs
    c = 1
    def g(): return c
    d = 2
    def h(e=d): return e
)");
  CHECK_FALSE(py.Of("xs").captured);
  CHECK(py.Of("c").captured);
  CHECK_FALSE(py.Of("d").captured);
}

TEST_CASE("scopes tell the function whose code they run in") {
  const Py py("def f():\n    class C:\n        x = [y for y in z]\n        g = lambda: (w := 1)\n");
  const Module& m = *py;
  CHECK(m[m[py.At("y")].scope].function == py.Function("f"));
  CHECK(m[m[py.At("x")].scope].function == py.Function("f"));
  CHECK(m[m[py.At("x")].scope].class_id == py.Class("C"));
  CHECK(m[m[m[py.At("w")].scope].function].is_lambda);
}

}  // namespace
}  // namespace torchleak::sema

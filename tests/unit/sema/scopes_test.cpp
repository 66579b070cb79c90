// Which variable a name means: Python's scope rules.
#include "fixture.h"

namespace torchleak::sema {
namespace {

using syntax::kNoNode;

TEST_CASE("a closure reads the variable of the function around it") {
  const Py py(R"(
def outer(x):
    y = 1
    z = 2
    def inner():
        return x + y
    return inner, z
)");
  CHECK(py.Same("x", 0, 1));
  CHECK(py.Same("y", 0, 1));
  CHECK(py.Owner("y", 1) == "outer");
  CHECK(py.Of("x").captured);
  CHECK(py.Of("y").captured);
  CHECK_FALSE(py.Of("z").captured);
  CHECK(py.Of("x").is_param);
  CHECK_FALSE(py.Of("y").is_param);
}

TEST_CASE("a name assigned anywhere in a function is local everywhere in it") {
  const Py py("x = 1\ndef f():\n    print(x)\n    x = 2\n");
  CHECK(py.Same("x", 1, 2));
  CHECK_FALSE(py.Same("x", 0, 1));
}

TEST_CASE("module names are visible in functions, also those bound later") {
  const Py py("def f():\n    return g() + later\ndef g(): pass\nlater = 1\n");
  CHECK(py.Same("g", 0, 1));
  CHECK(py.Same("later", 0, 1));
  CHECK(py.Of("later").captured);
}

TEST_CASE("nonlocal writes to the enclosing function's variable") {
  const Py py(R"(
count = 100
def outer():
    count = 0
    def inner():
        nonlocal count
        count += 1
        def deepest():
            nonlocal count
            count = 7
    return count
)");
  for (const int n : {2, 3, 4, 5, 6}) CHECK(py.Same("count", 1, n));
  CHECK_FALSE(py.Same("count", 0, 1));
  CHECK(py.Of("count", 1).assignments == 3);
  CHECK(py.Of("count", 1).captured);
  CHECK(py.Of("count", 1).sole_value == kNoNode);
}

TEST_CASE("nonlocal finds a variable that the outer function binds further down") {
  const Py py(R"(
def outer():
    def inner():
        nonlocal total
        total = 1
    total = 0
)");
  CHECK(py.Same("total", 1, 2));
  CHECK(py.Owner("total", 1) == "outer");
}

TEST_CASE("global writes to the module") {
  const Py py(R"(
def f():
    global state, made
    state = 1
    made = 2
def g(state):
    def h():
        global state
        return state
    return state
def k(): return made
state = 0
)");
  CHECK(py.Same("state", 0, 1));  // the statement, the write
  CHECK(py.ScopeOf("state", 1) == ScopeKind::kModule);
  CHECK(py.Same("state", 1, 6));
  CHECK(py.Same("state", 1, 4));  // h reads past g's parameter
  CHECK(py.Same("state", 2, 5));
  CHECK_FALSE(py.Same("state", 2, 4));
  CHECK(py.Same("made", 1, 2));  // bound only through `global`
  CHECK(py.Of("made").captured);
  CHECK(py.Of("state", 1).assignments == 2);
}

TEST_CASE("global after the name is bound, which Python takes for imports") {
  const Py py(R"(
old = None
def f():
    from m import new
    global new
    from m import old
    global old
def g(): return new, old
)");
  CHECK(py.Same("new", 0, 1));
  CHECK(py.Same("new", 0, 2));
  CHECK(py.Qualified("new", 2) == "m.new");
  CHECK(py.Same("old", 0, 3));
  CHECK(py.Of("old").assignments == 2);
}

TEST_CASE("a class scope is seen by its own code, not by its methods") {
  const Py py(R"(
x = 0
class C:
    x = 1
    y = x
    def f(self, d=x):
        return x
    z = [x for _ in range(x)]
    class D:
        w = x
)");
  CHECK(py.ScopeOf("x", 1) == ScopeKind::kClass);
  CHECK(py.Same("x", 1, 2));  // y = x
  CHECK(py.Same("x", 1, 3));  // the default is evaluated in the class body
  CHECK(py.Same("x", 0, 4));  // the method's body is not
  CHECK(py.Same("x", 0, 5));  // nor the comprehension's element,
  CHECK(py.Same("x", 1, 6));  // but its first iterable is
  CHECK(py.Same("x", 0, 7));  // a nested class does not see it either
  CHECK_FALSE(py.Of("x", 1).captured);
}

TEST_CASE("comprehensions have their own scope, in the same function") {
  const Py py(R"(
def f(rows, i):
    a = [i for i in i]
    b = {k: i for k in rows for i in k if k}
    c = (lambda: rows for _ in rows)
    return i
)");
  CHECK_FALSE(py.Same("i", 0, 1));
  CHECK(py.Same("i", 1, 2));
  CHECK(py.Same("i", 0, 3));  // the first iterable is the parameter
  CHECK(py.Same("i", 4, 5));
  CHECK(py.Same("i", 0, 6));
  CHECK(py.ScopeOf("i", 1) == ScopeKind::kComprehension);
  CHECK(py.ScopeOf("k", 0) == ScopeKind::kComprehension);
  for (const int n : {1, 2, 3}) CHECK(py.Same("k", 0, n));
  CHECK_FALSE(py.Of("i", 0).captured);  // same function
  CHECK(py.Of("rows").captured);        // the lambda is another one
}

TEST_CASE("only the first iterable is evaluated outside") {
  const Py py("def f(x):\n    return [y for x in x for y in x]\n");
  CHECK(py.Same("x", 0, 2));
  CHECK(py.Same("x", 1, 3));
  CHECK_FALSE(py.Same("x", 0, 1));
}

TEST_CASE("a walrus binds in the function around all comprehensions") {
  const Py py(R"(
def f(xs):
    out = [[last := x for x in row] for row in xs]
    if (n := len(out)) > 1:
        return last, n
g = lambda v: (t := v) + t
)");
  CHECK(py.ScopeOf("last", 0) == ScopeKind::kFunction);
  CHECK(py.Same("last", 0, 1));
  CHECK(py.Same("n", 0, 1));
  CHECK(py.ScopeOf("t") == ScopeKind::kLambda);
  CHECK(py.Same("t", 0, 1));
}

TEST_CASE("a walrus under global writes the module's variable") {
  const Py py("def f(xs):\n    global best\n    return [best := x for x in xs]\n");
  CHECK(py.ScopeOf("best", 1) == ScopeKind::kModule);
}

TEST_CASE("lambda parameters and defaults") {
  const Py py("x = 1\nf = lambda x, y=x, *a, **k: (x, y, a, k)\n");
  CHECK_FALSE(py.Same("x", 0, 1));
  CHECK(py.Same("x", 0, 2));
  CHECK(py.Same("x", 1, 3));
  CHECK(py.Same("y", 0, 1));
  CHECK(py.Same("a", 0, 1));
  CHECK(py.Same("k", 0, 1));
  CHECK(py.ScopeOf("a") == ScopeKind::kLambda);
}

TEST_CASE("defaults, annotations and decorators are the outer scope's") {
  const Py py(R"(
n = 1
@n
def f(n: n = n, *, m: "n" = n) -> n:
    return n
)");
  CHECK_FALSE(py.Same("n", 0, 2));  // the parameter
  for (const int outside : {1, 3, 4, 5, 6}) CHECK(py.Same("n", 0, outside));
  CHECK(py.Same("n", 2, 7));
}

TEST_CASE("attribute, keyword argument and field names are no variables") {
  const Py py("x = 1\ny.x = f(x=2).x\nz[x] = 3\n");
  CHECK(py.At("x", 0) != kNoBinding);
  for (const int n : {1, 2, 3}) CHECK(py.At("x", n) == kNoBinding);
  CHECK(py.Same("x", 0, 4));
  CHECK(py.At("y") == kNoBinding);  // read, bound by nothing
  CHECK(py.At("z") == kNoBinding);
  CHECK(py->NameOf(py.Name("x", 1)) == py->NameOf(py.Name("x", 0)));
}

TEST_CASE("type parameters are around annotations, bases and body") {
  const Py py(R"(
T = 0
def f[T: int](x: T, *a: T) -> T:
    y: T = x
    return y
class C[T](Base[T]):
    z: T
    def m(self) -> T: pass
type Pair[T] = tuple[T, T]
u = T
)");
  CHECK(py.ScopeOf("T", 1) == ScopeKind::kTypeParams);
  for (const int n : {2, 3, 4, 5}) CHECK(py.Same("T", 1, n));
  for (const int n : {7, 8, 9}) CHECK(py.Same("T", 6, n));
  for (const int n : {11, 12}) CHECK(py.Same("T", 10, n));
  CHECK(py.Same("T", 0, 13));
  CHECK_FALSE(py.Same("T", 0, 1));
  CHECK_FALSE(py.Same("T", 1, 6));
  CHECK(py.ScopeOf("Pair") == ScopeKind::kModule);
}

TEST_CASE("f-strings read their names") {
  const Py py("def f(loss, w):\n    print(f'{loss:.{w}f} {loss!r}')\n");
  CHECK(py.Same("loss", 0, 1));
  CHECK(py.Same("loss", 0, 2));
  CHECK(py.Same("w", 0, 1));
}

TEST_CASE("the same name in sibling functions is not the same variable") {
  const Py py(
      "def f():\n    x = 1\n    return x\ndef g():\n    return x\ndef h(x):\n    return x\n");
  CHECK(py.Same("x", 0, 1));
  CHECK(py.At("x", 2) == kNoBinding);
  CHECK(py.Same("x", 3, 4));
  CHECK_FALSE(py.Same("x", 0, 3));
}

}  // namespace
}  // namespace torchleak::sema

// What instructions are made of: targets, calls, keys, loops.
#include "fixture.h"

namespace torchleak::flow {
namespace {

// Stores of a function as "slot" or "slot+" for those that may hold what was there before.
std::string Stores(const Py& py, const FunctionResult& r) {
  std::string out;
  for (const Instr& in : r.body.instrs) {
    if (in.op != Op::kStore || in.aux8 == 4) continue;
    out += (out.empty() ? "" : " ") + py.SlotText(r.body, SlotId{in.aux});
    out += in.aux8 == 1 ? "=+" : in.aux8 == 2 ? "+" : "";
  }
  return out;
}

TEST_CASE("targets: names, attributes, tuples, stars, walrus, chains") {
  const Py py(R"(
def f(self, x, xs):
    a = b = x
    c, (d, *e) = xs
    self.y.z = x
    if (g := x): pass
    for h, i in xs: pass
    a = a + x
    c, d = d, c
    self.y.z += x
    [j for j in xs]
)");
  CHECK(Stores(py, py.Function("f")) == "a b c d e self.y.z g h i a+ c+ d+ self.y.z=+ j");
}

TEST_CASE("a swap reads both sides before it writes") {
  const Py py("def f(a, b):\n    a, b = b, a\n");
  const Body& body = py.Function("f").body;
  std::vector<Op> ops;
  for (const Instr& in : body.instrs)
    if (in.op != Op::kParam && !(in.op == Op::kStore && in.aux8 == 4)) ops.push_back(in.op);
  CHECK(ops == std::vector<Op>{Op::kLoad, Op::kLoad, Op::kStore, Op::kStore});
}

TEST_CASE("attribute paths are slots up to a length, imports are none") {
  const Py py(R"(import torch.nn as nn
def f(a):
    a.b.c.d
    a.b.c.d.e
    nn.functional.relu
)");
  std::string loads;
  for (const Instr& in : py.Function("f").body.instrs)
    if (in.op == Op::kLoad) loads += py.SlotText(py.Function("f").body, SlotId{in.aux}) + " ";
  CHECK(loads == "a.b.c.d a.b.c.d ");
}

TEST_CASE("short loops are known at a glance") {
  const Py py(R"(
def f(n):
    for a in range(8): pass
    for b in range(9): pass
    for c in (1, 2, 3): pass
    for d in [*n]: pass
    for e in range(n): pass
    for g in range(0, 3): pass
)");
  std::string text;
  for (const Loop& l : py.Function("f").body.loops) text += l.is_short ? "s" : "-";
  CHECK(text == "s-s---");
}

TEST_CASE("keys of constant subscripts") {
  CHECK(KeyOf("0") == 0);
  CHECK(KeyOf("17") == 17);
  CHECK(KeyOf("'a'") == KeyOf("\"a\""));
  CHECK(KeyOf("'a'") != KeyOf("'b'"));
  CHECK(KeyOf("'0'") != KeyOf("0"));
  for (const char* text : {"", "i", "-1", "1.5", "9999999999", "0x10"}) {
    CAPTURE(text);
    CHECK(KeyOf(text) == kNoKey);
  }
  CHECK(KeyOf("''") != kNoKey);
  CHECK(KeyOf("'") != kNoKey);  // a lone quote of broken code: no matter, but no crash
}

TEST_CASE("calls: receiver, method, keywords, stars") {
  const Py py("def f(m, x, xs, kw):\n    m.go(x, *xs, a=x, **kw)\n");
  const Body& body = py.Function("f").body;
  REQUIRE(body.calls.size() == 1);
  const Call& call = body.calls[0];
  CHECK(py.SlotText(body, call.receiver_slot) == "m");
  CHECK(py.SlotText(body, call.callee_slot) == "m.go");
  CHECK(py.module().Text(call.method) == "go");
  REQUIRE(call.argc == 4);
  const auto args = body.Arguments(call);
  CHECK(args[0].stars == 0);
  CHECK(args[1].stars == 1);
  CHECK(py.module().Text(args[2].keyword) == "a");
  CHECK(args[3].stars == 2);
}

TEST_CASE("calls of imports have their fact, whatever the alias") {
  const Py py(R"(import torch as th
from torch.nn import functional as F
def f(x, y):
    F.cross_entropy(x, y)
    th.no_such_thing(x)
    print(x)
)");
  const auto& calls = py.Function("f").body.calls;
  REQUIRE(calls.size() == 3);
  REQUIRE(calls[0].fact != nullptr);
  CHECK(calls[0].fact->name == "torch.nn.functional.cross_entropy");
  CHECK(calls[1].fact == nullptr);
  CHECK(calls[1].of_torch);
  CHECK(calls[2].qualified);
  CHECK_FALSE(calls[2].of_torch);
}

TEST_CASE("super() is the next class's method") {
  const Py py("class A:\n    def f(self):\n        super().f()\n        self.super().f()\n");
  const auto& calls = py.Function("A.f").body.calls;
  unsigned supers = 0;
  for (const Call& c : calls) supers += c.is_super ? 1u : 0u;
  CHECK(supers == 1);
}

TEST_CASE("past a failed type test the variable is no tensor") {
  const Py py(R"(import torch
def f(model, x):
    y = model(x)
    if torch.is_tensor(y):
        a = y
    else:
        b = y
)");
  const FunctionResult& r = py.Function("f");
  std::string narrowed;
  for (const Instr& in : r.body.instrs)
    if (in.op == Op::kStore && in.aux8 == 5) narrowed += py.SlotText(r.body, SlotId{in.aux});
  CHECK(narrowed == "y");
}

TEST_CASE("instructions of a block are contiguous, and every edge leads to a block") {
  const Py py(R"(
def f(xs):
    for x in xs:
        with p:
            try:
                if [y for y in x if y]: return x
            except E: continue
            finally: g(lambda: x)
        match x:
            case 1: break
)");
  const Body& body = py.Function("f").body;
  REQUIRE(body.block_of.size() == body.instrs.size());
  for (std::uint32_t b = 0; b < body.blocks.size(); ++b) {
    const Block& block = body.blocks[b];
    CHECK(block.first <= block.last);
    for (std::uint32_t i = block.first; i < block.last; ++i) CHECK(body.block_of[i] == b);
    for (BlockId s : block.successors) CHECK(Index(s) < body.blocks.size());
  }
  REQUIRE_FALSE(body.order.empty());
  CHECK(body.order.front() == BlockId{0});
}

}  // namespace
}  // namespace torchleak::flow

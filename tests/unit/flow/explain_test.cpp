// What `why` knows of a line: each test names a row and what must be said of it.
#include "flow/explain.h"

#include <doctest/doctest.h>

#include <memory>
#include <string>

#include "flow/events.h"
#include "flow/world.h"
#include "syntax/tree.h"

namespace torchleak::flow {
namespace {

class File {
 public:
  explicit File(std::string text)
      : source_(*text::Source::FromBytes("train.py", std::move(text))),
        tree_(syntax::Parse(source_)),
        module_(sema::Analyze(tree_)),
        events_(Analyze(module_, {.with_dismissed = true})) {}

  RowExplanation Row(std::uint32_t row) const { return ExplainRow(events_, source_, row); }
  std::string Known(std::uint32_t row, std::string_view subject) const {
    return Find(Row(row).known, subject);
  }
  std::string Happens(std::uint32_t row, std::string_view subject) const {
    return Find(Row(row).happens, subject);
  }
  std::string_view Text(text::Span span) const { return source_.Text(span); }
  std::uint32_t rows() const { return source_.line_count(); }

 private:
  static std::string Find(const std::vector<Remark>& remarks, std::string_view subject) {
    std::string all;
    for (const Remark& r : remarks) {
      if ((", " + r.subject + ",").find(", " + std::string(subject) + ",") != std::string::npos) {
        return r.text + r.aside;
      }
      all += " [" + r.subject + "]";
    }
    return "nothing is said of it, only of" + all;
  }

  text::Source source_;
  syntax::Tree tree_;
  sema::Module module_;
  FileEvents events_;
};

#define CHECK_SAYS(text, part)                     \
  do {                                             \
    const std::string answer = (text);             \
    INFO("said: ", answer);                        \
    CHECK(answer.find(part) != std::string::npos); \
  } while (false)
// Rows count from 1, the raw string's first line being row 1.
const char* const kTrain = R"(import torch
from torch import nn

def train(model, loader, crit, opt, hook):
    history = []
    total = 0
    for x, y in loader:
        opt.zero_grad()
        loss = crit(model(x), y)
        loss.backward()
        opt.step()
        total += loss
        history.append(loss.item())
        small = loss.detach()
        mystery(loss)
        prepare(x)
    return total
)";

TEST_CASE("a tensor: who made its graph, and what backward() leaves of it") {
  File f(kTrain);
  const std::string loss = f.Known(9, "loss");
  CHECK_SAYS(loss, "a tensor, one number");
  CHECK_SAYS(loss, "made by `crit(model(x), y)` (line 9)");
  CHECK_SAYS(loss, "`loss.backward()` (line 10) proves it, and frees its activations");
  CHECK_SAYS(f.Known(10, "loss"), "set at line 9");
}

TEST_CASE("a running value outlives its loop, or is set anew in it") {
  CHECK_SAYS(File(kTrain).Known(12, "total after"),
             "lives on beyond each turn of `for x, y in loader:` (line 7) and is set anew nowhere");
  File f(R"(import torch
def train(model, epochs, loader):
    for e in range(epochs):
        total = 0
        for x in loader:
            loss = model(x).mean()
            loss.backward()
            total += loss
)");
  CHECK_SAYS(f.Known(8, "total after"), "beyond each turn of `for x in loader:` (line 5)");
}

TEST_CASE("no graph: the reason") {
  File f(kTrain);
  CHECK_SAYS(f.Known(13, "loss.item()"), "a plain value");
  CHECK_SAYS(f.Known(14, "small"), "no graph: `detach()` drops it");
  File g(R"(import torch
def f(model, x):
    out = model(x)
    hit = out > 0
    with torch.no_grad():
        y = model(x)
    use(hit, y)
)");
  CHECK_SAYS(g.Known(4, "hit"), "no graph: a comparison has none");
  CHECK_SAYS(g.Known(6, "y"), "no graph: made with grad off");
}

TEST_CASE("what the line does") {
  File f(kTrain);
  CHECK_SAYS(f.Happens(10, "loss.backward()"), "differentiates the graph made at line 9");
  CHECK_SAYS(f.Happens(11, "opt.step()"), "gradients are cleared at line 8");
  CHECK_SAYS(f.Happens(13, "history.append(loss.item())"), "a plain value without a graph");
  CHECK_SAYS(f.Happens(15, "mystery(loss)"), "handed `loss` with its graph");
  CHECK_SAYS(f.Happens(16, "prepare(x)"), "taken to be harmless");
  CHECK_SAYS(f.Happens(17, "return total"), "callers that are not in this file");
}

TEST_CASE("grad mode: on, off by a context, a decorator, callers, a statement, Lightning") {
  File f(R"(import torch
import lightning.pytorch as pl

def on(model, x):
    return model(x)

def context(model, x):
    with torch.no_grad():
        y = model(x)
    return y

@torch.inference_mode()
def decorated(model, x):
    return model(x)

def helper(model, x):
    return model(x)

def caller(model, x):
    with torch.no_grad():
        return helper(model, x)

def flag(model, x, train):
    with torch.set_grad_enabled(train):
        return model(x)

def statement(model, x):
    torch.set_grad_enabled(False)
    return model(x)

class M(pl.LightningModule):
    def validation_step(self, batch, i):
        return self.net(batch)
)");
  CHECK_SAYS(f.Known(5, "grad mode"),
             "on: nothing in `on()` turns it off, and no call of it is in sight");
  CHECK_SAYS(f.Known(9, "grad mode"), "off, by `with torch.no_grad():` (line 8)");
  CHECK_SAYS(f.Known(10, "grad mode"), "on: ");
  CHECK_SAYS(f.Known(14, "grad mode"), "off, by the decorator `@torch.inference_mode()` (line 12)");
  CHECK_SAYS(f.Known(17, "grad mode"),
             "every call of `helper()` in sight is made with grad off (line 21)");
  CHECK_SAYS(f.Known(25, "grad mode"),
             "depends on `with torch.set_grad_enabled(train):` (line 24)");
  CHECK_SAYS(f.Known(29, "grad mode"), "off, by `torch.set_grad_enabled(False)` (line 28)");
  CHECK_SAYS(f.Known(33, "grad mode"), "the framework turns it off");
  CHECK_SAYS(f.Happens(28, "torch.set_grad_enabled(False)"), "turns grad off from here on");
  CHECK_SAYS(f.Happens(8, "torch.no_grad()"), "turns grad off in the block");
}

TEST_CASE("a caller with grad on is named") {
  File f(R"(import torch
def helper(model, x):
    return model(x)
def a(model, x):
    with torch.no_grad():
        return helper(model, x)
def b(model, x):
    return helper(model, x)
)");
  CHECK_SAYS(f.Known(3, "grad mode"), "nor around its call at line 8");
  CHECK_SAYS(f.Known(2, "called"), "at lines 6 and 8");
}

TEST_CASE("a module: by its class, by its use, by its name alone") {
  File f(R"(import torch
from torch import nn

class Net(nn.Module):
    def forward(self, x):
        return x

def f(x, thing, model):
    net = Net()
    opt = torch.optim.SGD(thing.parameters(), 0.1)
    a = net(x)
    b = thing(x)
    c = model(x)
    model2 = nn.Linear(3, 3)
    return model2(a + b + c)
)");
  CHECK_SAYS(f.Known(11, "net"), "a module, of class `Net` (line 4)");
  CHECK_SAYS(f.Known(12, "thing"), "`thing.parameters()` (line 10) tells");
  CHECK_SAYS(f.Known(13, "model"), "a module, judged by its name alone");
  CHECK_SAYS(f.Known(15, "model2"), "a module, `torch.nn.Linear`");
}

TEST_CASE("loops around the line, and around the call of its function") {
  File f(R"(import torch
def step(model, x):
    return model(x)
def fit(model, loader):
    for epoch in range(9):
        for x in loader:
            y = step(model, x)
            y.sum().backward()
)");
  CHECK_SAYS(
      f.Known(7, "runs"),
      "in each turn of `for x in loader:` (line 6), within `for epoch in range(9):` (line 5)");
  CHECK_SAYS(f.Known(3, "runs"), "`step()` is called in a loop (line 7)");
  CHECK_SAYS(f.Happens(7, "step(model, x)"), "runs `step()` (line 2)");
  CHECK_SAYS(f.Known(6, "x"), "an element of `loader`");
}

TEST_CASE("a def and its decorators speak of the function") {
  File f(R"(import torch
from torch import nn
class Net(nn.Module):
    @torch.no_grad()
    def forward(self, x, flag: bool):
        return x
)");
  for (std::uint32_t row : {4u, 5u}) {
    CHECK(f.Row(row).is_definition);
    CHECK_SAYS(f.Known(row, "role"), "forward of a module");
    CHECK_SAYS(f.Known(row, "grad mode"), "decorator `@torch.no_grad()` (line 4)");
    CHECK_SAYS(f.Known(row, "flag"), "a plain value");
  }
  CHECK_FALSE(f.Row(6).is_definition);
}

TEST_CASE("rows without a statement") {
  File f(
      "import torch\n\n# words\ndef f():\n    \"\"\"Text.\n\n    More.\n    \"\"\"\n    return "
      "1\n");
  CHECK_SAYS(f.Row(2).note, "blank");
  CHECK_SAYS(f.Row(3).note, "comment");
  CHECK_SAYS(f.Row(5).note, "docstring");
  CHECK_SAYS(f.Row(7).note, "docstring");
  CHECK(f.Row(9).note.empty());
}

TEST_CASE("a statement over several rows is one, a compound statement only its header") {
  File f(R"(import torch
def f(model, x, y):
    out = model(
        x,
        y,
    )
    for i in range(3):  # a comment
        print(out)
    if out is None: return 1
    return out
)");
  for (std::uint32_t row : {3u, 4u, 6u}) {
    CHECK(f.Text(f.Row(row).span).starts_with("out = model("));
    CHECK(f.Text(f.Row(row).span).ends_with(")"));
  }
  CHECK(f.Text(f.Row(7).span) == "for i in range(3):");
  CHECK(f.Text(f.Row(8).span) == "print(out)");
  CHECK(f.Text(f.Row(9).span) == "if out is None: return 1");
}

TEST_CASE("code that no path reaches") {
  File f("import torch\ndef f(x):\n    return x\n    print(x)\n");
  CHECK_SAYS(f.Row(4).note, "never reached");
  CHECK(f.Row(3).note.empty());
}

TEST_CASE("a lambda on the line belongs to it") {
  File f("import torch\ndef f(model, xs):\n    g = lambda x: model.encode(x)\n    return g\n");
  CHECK_SAYS(f.Known(3, "g"), "a lambda (line 3)");
  CHECK_SAYS(f.Known(3, "x"), "argument of a lambda");
}

TEST_CASE("a function over its budget says so") {
  std::string text = "import torch\ndef f(a):\n";
  for (int i = 0; i < 1500; ++i) {
    text += "    if a: x" + std::to_string(i) + " = 1\n";
  }
  File f(std::move(text));
  CHECK_SAYS(f.Row(2).note, "too large to be analysed");
  CHECK_SAYS(f.Row(700).note, "too large to be analysed");
}

TEST_CASE("values of one kind share an entry, and a graph is told once") {
  File f(R"(import torch
def f(model, x, n: int, m: int):
    out = model(x)
    return g(out, out * 2, n, m)
)");
  const std::string plain = f.Known(4, "n");
  CHECK_SAYS(plain, "a plain value");
  CHECK(f.Known(4, "m") == plain);
  std::size_t told = 0;
  for (const Remark& r : f.Row(4).known)
    told += r.text.find("made by the module call") != r.text.npos;
  CHECK(told == 1);
}

TEST_CASE("every row of strange files has an answer") {
  const char* const kFiles[] = {
      "",
      "\n",
      "x",
      "def f(",
      "class A:\n  def",
      "with open(x) as f, g:\n  a = [b for b in c if d]\n",
      "@a\n@b\nclass C: pass\n",
      "a = b = c = d\nx, *y = z\ndel a, b[1], c.d\n",
      "try:\n  raise E from e\nexcept* E as e:\n  pass\nelse:\n  1\nfinally:\n  2\n",
      "match x:\n  case [a, {'b': c}] if c:\n    yield a\n  case _:\n    await b\n",
      "f(lambda: (yield))(**k)[::2].a.b.c.d.e = 1; g(); h\n",
      "if a:\n  b\nelif c: d\nelse:\n  e\n",
      "async def f():\n  async with a as b: pass\n  async for c in d: e\n",
      "x = 'a\nb'\n\t y\n)\n",
      "import torch\ndef f(self, *a, k=1, **kw):\n  self.x.y[k] += a[0]; self.x = self\n  return "
      "super().f()\n",
  };
  for (const char* text : kFiles) {
    File f(text);
    for (std::uint32_t row = 1; row <= f.rows(); ++row) {
      CAPTURE(text);
      CAPTURE(row);
      const RowExplanation e = f.Row(row);
      CHECK(e.span.begin <= e.span.end);
    }
  }
}

}  // namespace
}  // namespace torchleak::flow

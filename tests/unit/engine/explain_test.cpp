// The whole answer of `why`: verdicts of the rules, and reasons for silences. The rules here are
// made up, so that the tests say nothing about what the real ones decide.
#include <doctest/doctest.h>

#include <string>

#include "engine/analyze.h"
#include "engine/report_event.h"
#include "flow/events.h"
#include "syntax/tree.h"

namespace torchleak::engine {
namespace {

constexpr std::string_view kNeedles[] = {"torch"};

const RuleInfo kInfo{"TST1",   "kept", "A value is kept", findings::Severity::kWarning, {},
                     kNeedles, {}};

// Reports what grows and is live, never what is needed.
class KeptRule final : public Rule {
 public:
  const RuleInfo& info() const override { return kInfo; }
  void Check(const flow::FileEvents& events, RuleContext& context) const override {
    for (const flow::KeptEvent& e : events.kept) {
      if (e.growth == flow::Growth::kSlot || e.graph == flow::Graph::kNone || e.needed) continue;
      if (e.bounded || e.cleared == flow::Cleared::kEachTurn) continue;
      context.Report(MakeFinding(*this, e, events, "something is kept", "keep a number"));
    }
  }
};

std::string Why(std::string code, std::uint32_t row) {
  static const KeptRule kRule;
  static const Rule* const kRules[] = {&kRule};
  auto source = text::Source::FromBytes("train.py", std::move(code));
  REQUIRE(source);
  std::string out = Explain(*source, row, kRules);
  // Reasons are looked for as running text, wherever it was wrapped.
  std::string flat;
  for (char c : out) {
    if (c == '\n') c = ' ';
    if (c != ' ' || !flat.ends_with(' ')) flat.push_back(c);
  }
  return flat;
}

#define CHECK_SAYS(text, part)                     \
  do {                                             \
    const std::string answer = (text);             \
    INFO("said: ", answer);                        \
    CHECK(answer.find(part) != std::string::npos); \
  } while (false)

const char* const kLeak = R"(import torch
def fit(model, loader, crit):
    history = []
    for x, y in loader:
        loss = crit(model(x), y)
        loss.backward()
        history.append(loss)
        history.append(loss.item())
    return history
)";

TEST_CASE("a finding: its rule, severity, confidence and what to do instead") {
  const std::string said = Why(kLeak, 7);
  CHECK_SAYS(said, "train.py:7, in fit() history.append(loss) ");
  CHECK_SAYS(said, "Verdict something is kept reported: TST1 kept (warning, high confidence)");
  CHECK_SAYS(said, "instead: keep a number");
}

TEST_CASE("a line on the path of a finding elsewhere") {
  CHECK_SAYS(Why(kLeak, 5),
             "Part of TST1 kept (warning, high confidence) at line 7: the graph is made here");
}

TEST_CASE("a def lists what is reported in it") {
  CHECK_SAYS(Why(kLeak, 2), "line 7: something is kept reported: TST1 kept");
  CHECK_SAYS(Why("import torch\ndef f(x):\n    return x\n", 2),
             "nothing is reported in this function");
}

TEST_CASE("a plain line has nothing to report, and says what it keeps") {
  const std::string said = Why(kLeak, 8);
  CHECK_SAYS(said, "keeps `loss.item()`, a plain value without a graph");
  CHECK_SAYS(said, "nothing to report");
}

TEST_CASE("silence: a backward() needs the graph") {
  CHECK_SAYS(Why(R"(import torch
def fit(model, loader, opt):
    total = 0
    for x in loader:
        total = total + model(x).mean()
    total.backward()
)",
                 5),
             "not reported: a backward() walks its graph later (line 6)");
}

TEST_CASE("silence: cleared in time") {
  CHECK_SAYS(Why(R"(import torch
def fit(model, loader):
    outs = []
    for x in loader:
        outs.append(model(x))
        outs.clear()
)",
                 5),
             "the place is emptied or set anew in time, in each turn, step or call (line 6)");
}

TEST_CASE("silence: bounded") {
  CHECK_SAYS(Why(R"(import torch
from collections import deque
def fit(model, loader):
    outs = deque(maxlen=10)
    for x in loader:
        loss = model(x).mean()
        loss.backward()
        outs.append(loss)
)",
                 8),
             "drops old elements by itself (maxlen)");
}

TEST_CASE("silence: handed on to code that nobody knows") {
  CHECK_SAYS(Why(R"(import torch
from elsewhere import publish
def fit(model, loader):
    outs = []
    for x in loader:
        outs.append(model(x))
    publish(outs)
)",
                 6),
             "handed to code that is not known here (line 7)");
}

TEST_CASE("silence: an argument is judged at each call") {
  CHECK_SAYS(Why(R"(import torch
class Meter:
    def update(self, value):
        self.sum += value
)",
                 4),
             "`self.sum` takes in what the caller passes not reported: it is an argument");
}

TEST_CASE("silence: a loop over layers, not over data") {
  CHECK_SAYS(Why(R"(import torch
from torch import nn
def features(blocks: nn.ModuleList, x):
    outs = []
    for block in blocks:
        x = block(x)
        outs.append(x.argmax(1).cuda())
    return len(outs)
)",
                 7),
             "its loop goes over layers or parts of one value");
}

TEST_CASE("silence: a unit test") {
  CHECK_SAYS(Why(R"(import torch
import unittest
def check(model, x, keep):
    model.eval()
    for i in range(5):
        model(x)
)",
                 6),
             "the file holds unit tests");
}

TEST_CASE("silence of a forward: needed, off, not for evaluation") {
  const char* const kFile = R"(import torch
def train(model, x):
    model(x).sum().backward()
def once(model, x):
    y = model(x)
    return y.detach()
def off(model, x):
    with torch.no_grad():
        return model(x)
)";
  CHECK_SAYS(Why(kFile, 3),
             "the module `model` runs not reported: a backward() walks its graph later (line 3)");
  CHECK_SAYS(Why(kFile, 5), "nothing says that it runs for evaluation");
  CHECK_SAYS(Why(kFile, 5), "it runs once, not in a loop");
  CHECK_SAYS(Why(kFile, 9), "runs a module with grad off");
}

TEST_CASE("silence of retain_graph: a second backward() walks the graph") {
  CHECK_SAYS(Why(R"(import torch
def f(model, x):
    loss = model(x).mean()
    loss.backward(retain_graph=True)
    loss.backward()
)",
                 4),
             "not reported: a backward() walks its graph later (line 5)");
}

TEST_CASE("silence of a hook: its handle is removed") {
  CHECK_SAYS(Why(R"(import torch
def f(model, x, seen):
    handle = model.register_forward_hook(lambda m, i, o: seen.append(1))
    model(x)
    handle.remove()
)",
                 3),
             "a hook is registered not reported: its handle is removed");
}

TEST_CASE("files that are not analysed, or not wholly") {
  CHECK_SAYS(Why("x = 1\n", 1), "does not read this file at all");
  CHECK_SAYS(Why("import tensorflow as tf\nx = tf.torch(1)\n", 2), "imports another framework");
  CHECK_SAYS(Why("import torch\nx = = 1\ny = 2\n", 2), "does not parse as Python 3");
  CHECK(Why("import torch\nx = = 1\ny = 2\n", 3).find("does not parse") == std::string::npos);
  CHECK_SAYS(Why("import torch\n\n", 2), "This line is blank.");
}

TEST_CASE("no row of a file is without an answer") {
  const std::string code(kLeak);
  for (std::uint32_t row = 1; row <= 10; ++row) CHECK(Why(code, row).starts_with("train.py:"));
}

TEST_CASE("what is known at a row says of which expressions it is") {
  auto source = text::Source::FromBytes("train.py", kLeak);
  REQUIRE(source);
  const flow::RowExplanation at = KnownAt(*source, syntax::Parse(*source), 7);
  CHECK(source->Text(at.span) == "history.append(loss)");
  const auto of = [&](std::string_view subject) {
    for (const flow::Remark& remark : at.known) {
      if (remark.subject == subject) return remark;
    }
    FAIL("nothing is known of ", subject);
    return flow::Remark{};
  };
  CHECK(of("grad mode").about == flow::Remark::About::kPlace);
  CHECK(of("grad mode").of == text::Span{});
  CHECK(source->Text(of("runs").of) == "for x, y in loader:");
  CHECK(of("loss").about == flow::Remark::About::kGraph);
  CHECK(source->Text(of("loss").of) == "loss");
  CHECK(of("loss").aside == "; set at line 5");
  CHECK(of("history").about == flow::Remark::About::kGraph);  // it holds some
}

}  // namespace
}  // namespace torchleak::engine

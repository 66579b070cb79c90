#include "tests/golden/sample.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <fstream>
#include <iterator>

#include <doctest/doctest.h>

#include "engine/rule.h"

namespace torchleak::golden {
namespace {

constexpr std::array<std::string_view, 3> kTags = {"performance", "memory", "external/cwe/cwe-401"};
constexpr std::string_view kPage = R"(# TLK101 accumulated-tensor

## What it finds
A tensor that still carries its graph is kept in something that outlives the iteration that made it:
`losses.append(loss)` in a loop. Every entry keeps what **its** graph saved.

## Bad
```python
losses.append(loss)
```

## How to fix
Keep a number, `loss.item()`; see [the notes](https://pytorch.org/docs/stable/notes/autograd.html).
)";

class FakeRule final : public engine::Rule {
 public:
  explicit FakeRule(engine::RuleInfo info) : info_(info) {}
  const engine::RuleInfo& info() const override { return info_; }
  void Check(const flow::FileEvents&, engine::RuleContext&) const override {}

 private:
  engine::RuleInfo info_;
};

text::Source Read(const std::string& name) {
  std::ifstream file(TORCHLEAK_SOURCE_DIR "/tests/golden/sample/" + name, std::ios::binary);
  REQUIRE(file.is_open());
  auto source =
      text::Source::FromBytes(name, std::string(std::istreambuf_iterator<char>(file), {}));
  REQUIRE(static_cast<bool>(source));
  return std::move(*source);
}

}  // namespace

Sample::Sample() {
  for (const std::string name : {"train.py", "helpers.py", "wide.py"}) {
    sources_.emplace(name, Read(name));
  }
  const auto rule = [this](engine::RuleInfo info) {
    owned_rules_.push_back(std::make_unique<FakeRule>(info));
    rules_.push_back(owned_rules_.back().get());
  };
  using findings::Severity;
  rule({"TLK000", "syntax-error", "The file has a syntax error", Severity::kWarning, {}, {}, ""});
  rule({"TLK101",
        "accumulated-tensor",
        "A tensor that carries a graph is kept in something that outlives it",
        Severity::kError,
        kTags,
        {},
        kPage});
  rule({"TLK203",
        "eval-with-grad",
        "A module is evaluated with gradients enabled",
        Severity::kWarning,
        kTags,
        {},
        ""});

  AddSyntaxError();
  AddAccumulated();
  AddEval();
  AddWide();
  AddSuppressed();
  std::sort(findings_.begin(), findings_.end(), findings::Before);
  for (findings::Finding& finding : findings_) {
    const auto found = sources_.find(finding.location.path);
    if (found == sources_.end()) continue;
    findings::SetFingerprints({&finding, 1}, finding.location.path, found->second);
  }
  notifications_ = {
      {report::Notification::Kind::kNotParsed, "broken.py", "broken.py: a syntax error at row 3"},
      {report::Notification::Kind::kNotRead, "data/blob.py", "data/blob.py: a binary file"}};

  input_.findings = findings_;
  input_.source_of = [this](std::string_view path) {
    const auto found = sources_.find(path);
    return found == sources_.end() ? nullptr : &found->second;
  };
  input_.root = "/repo";
  input_.rules = rules_;
  input_.notifications = notifications_;
  input_.files_checked = 15;
  input_.files_parsed = 6;
  input_.version = "0.1.0";
}

text::Span Sample::Find(std::string_view path, std::string_view text,
                        std::size_t occurrence) const {
  const std::string_view bytes = sources_.find(path)->second.bytes();
  std::size_t at = bytes.find(text);
  for (; occurrence > 0; --occurrence) at = bytes.find(text, at + 1);
  REQUIRE(at != std::string_view::npos);
  return {static_cast<std::uint32_t>(at), static_cast<std::uint32_t>(at + text.size())};
}

void Sample::AddAccumulated() {
  findings::Finding f;
  f.code = "TLK101";
  f.name = "accumulated-tensor";
  f.severity = findings::Severity::kError;
  f.confidence = findings::Confidence::kHigh;
  f.message = "`losses` keeps every `loss` together with its graph";
  f.help = "keep a number, `loss.item()`, or a detached copy, `loss.detach()`";
  f.location = {"train.py", Find("train.py", "losses.append(loss)")};
  f.function = "Trainer.fit";
  f.flow = {
      {{"", Find("train.py", "self.criterion(self.model(x), y)")}, "created here, with its graph"},
      {{"", Find("train.py", "losses.append(loss)")}, "kept here"},
      {{"", Find("train.py", "losses = []")}, "`losses` outlives the loop"}};
  const std::uint32_t end = f.location.span.end - 1;
  f.fix = findings::Fix{
      findings::Applicability::kSafe, "append `loss.item()`", {{{"", {end, end}}, ".item()"}}};
  findings_.push_back(f);

  f.message = "`self.seen` keeps every `loss` together with its graph";
  f.confidence = findings::Confidence::kMedium;
  f.location.span = Find("train.py", "keep(self.seen, loss)");
  f.flow = {{{"", Find("train.py", "loss", 0)}, "created here"},
            {{"", Find("train.py", "keep(self.seen, loss)")}, "passed to `keep` here"},
            {{"helpers.py", Find("helpers.py", "kept.append(value)")}, "kept here"},
            {{"", Find("train.py", "self.seen = []")}, "`self.seen` lives as long as the trainer"}};
  f.flow[0].location.span = Find("train.py", "loss = self.criterion");
  f.flow[0].location.span.end = f.flow[0].location.span.begin + 4;
  f.fix.reset();
  findings_.push_back(std::move(f));
}

void Sample::AddEval() {
  findings::Finding f;
  f.code = "TLK203";
  f.name = "eval-with-grad";
  f.severity = findings::Severity::kWarning;
  f.message = "`self.model` runs for evaluation with gradients enabled";
  f.help = "wrap the loop in `with torch.no_grad():`";
  f.location = {"train.py",
                Find("train.py",
                     "self.model(\n                x,\n                mask=None,\n            )")};
  f.function = "Trainer.evaluate";
  f.flow = {{{"", Find("train.py", "self.model.eval()")}, "set to evaluation here"},
            {{"", f.location.span}, "run here, every activation is saved"}};
  const std::uint32_t line = Find("train.py", "    def evaluate").begin;
  f.fix = findings::Fix{findings::Applicability::kUnsafe,
                        "decorate `evaluate`",
                        {{{"", {line, line}}, "    @torch.no_grad()\n"}}};
  findings_.push_back(std::move(f));
}

void Sample::AddWide() {
  findings::Finding f;
  f.code = "TLK101";
  f.name = "accumulated-tensor";
  f.severity = findings::Severity::kNote;
  f.confidence = findings::Confidence::kLow;
  f.message = "`total` may keep the graph of every iteration";
  f.location = {"wide.py", Find("wide.py", "total = total + criterion(文字, y)")};
  f.function = "<module>";
  f.flow = {{{"", Find("wide.py", "criterion(文字, y)")}, "created here"},
            {{"", Find("wide.py", "total", 1)}, "kept here"},
            {{"", Find("wide.py", "データ")}, "one turn for each of these"}};
  findings_.push_back(std::move(f));
}

void Sample::AddSuppressed() {
  findings::Finding f;
  f.code = "TLK101";
  f.name = "accumulated-tensor";
  f.severity = findings::Severity::kError;
  f.message = "`self.seen` is kept on purpose";
  f.location = {"train.py", Find("train.py", "self.seen = []")};
  f.function = "Trainer.fit";
  f.fingerprint = "00112233aabbccdd";
  suppressed_.push_back({f, report::SuppressedFinding::Kind::kInSource, "measured: 3 MB",
                         findings::Location{"", Find("train.py", "losses = []")}});
  f.message = "`kept` grows";
  f.location = {"train.py", Find("train.py", "self.optimizer.step()")};
  f.fingerprint = "ddccbbaa33221100";
  suppressed_.push_back({f, report::SuppressedFinding::Kind::kExternal, "", std::nullopt});
}

// Of a file whose source is not at hand.
void Sample::AddSyntaxError() {
  findings::Finding f;
  f.code = "TLK000";
  f.name = "syntax-error";
  f.confidence = findings::Confidence::kHigh;
  f.message = "the file has a syntax error";
  f.location = {"broken.py", {40, 44}};
  f.function = "<module>";
  findings_.push_back(std::move(f));
}

}  // namespace torchleak::golden

// Variations of every fixture that mean the same: the findings must be the same.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "analysis.h"
#include "syntax/tree.h"
#include "text/json_string.h"
#include "text/notebook.h"
#include "transform.h"

namespace torchleak::tests {
namespace {

enum Compared : unsigned { kColumns = 1, kMessages = 2, kFingerprints = 4 };

// One line for each finding: its place, moved as `rows` says, and as much else as is compared.
std::vector<std::string> Lines(const text::Source& source, const std::vector<std::uint32_t>& rows,
                               unsigned compared) {
  const auto place = [&](text::Span span) {
    const text::Position begin = source.PositionOf(span.begin);
    const std::uint32_t row = rows.empty() ? begin.row : rows[begin.row];
    return (compared & kColumns) != 0 ? fmt::format("{}:{}", row, begin.column)
                                      : fmt::format("{}", row);
  };
  std::vector<std::string> lines;
  for (const findings::Finding& finding : Findings(source)) {
    std::string line = fmt::format("{} {} {}", place(finding.location.span), finding.code,
                                   findings::Name(finding.severity));
    if ((compared & kMessages) != 0) line += " " + finding.message;
    if ((compared & kFingerprints) != 0) line += " " + finding.fingerprint;
    for (const findings::Step& step : finding.flow) {
      line += " <- " + place(step.location.span);
      if ((compared & kMessages) != 0) line += " " + step.message;
    }
    lines.push_back(std::move(line));
  }
  std::sort(lines.begin(), lines.end());
  return lines;
}

// What differs between a file and its variation, told as lines with `-` and `+`; empty when
// nothing.
std::string Difference(const text::Source& source, const Variation& variation, unsigned compared) {
  const std::vector<std::string> before = Lines(source, variation.new_row, compared);
  const std::vector<std::string> after =
      Lines(SourceOf(source.path(), variation.text), {}, compared);
  std::string text;
  for (const std::string& line : before) {
    if (!std::binary_search(after.begin(), after.end(), line)) text += "- " + line + "\n";
  }
  for (const std::string& line : after) {
    if (!std::binary_search(before.begin(), before.end(), line)) text += "+ " + line + "\n";
  }
  if (text.empty() && before.size() != after.size()) text = "another number of findings\n";
  return text.empty() ? text : fmt::format("{}\n{}", source.path(), text);
}

template <typename Vary>
void CheckAll(Vary vary, unsigned compared, std::size_t least_files) {
  std::size_t varied = 0;
  for (const std::string& path : FixtureFiles()) {
    const text::Source source = SourceOf(path, ReadFile(path));
    const Variation variation = vary(source);
    varied += variation.changes != 0;
    const std::string difference = Difference(source, variation, compared);
    if (!difference.empty()) FAIL_CHECK(difference);
  }
  CHECK(varied >= least_files);  // a variation that changes nothing tests nothing
}

TEST_CASE("empty lines and comments change no finding and no fingerprint") {
  CheckAll(WithLinesBetween, kColumns | kMessages | kFingerprints, 100);
}

TEST_CASE("other names for local variables change no finding") {
  CheckAll(WithLocalsRenamed, 0, 100);
}

TEST_CASE("another order of the functions changes no finding and no fingerprint") {
  CheckAll(WithFunctionsReversed, kColumns | kMessages | kFingerprints, 50);
}

// Each run of lines that begins at the left margin becomes a cell of its own.
std::string AsNotebook(const text::Source& source) {
  const syntax::Tree tree = syntax::Parse(source);
  std::string cells;
  std::size_t begin = 0;
  const auto add = [&](std::size_t end) {
    const std::string_view text = source.bytes().substr(begin, end - begin);
    cells += fmt::format(R"({}{{"cell_type":"code","source":"{}"}})", cells.empty() ? "" : ",",
                         text::EscapeJson(text, false));
    begin = end;
  };
  for (const syntax::NodeId id : tree.Children(tree.root())) {
    const text::Span line = source.LineSpan(source.RowOf(tree[id].begin));
    if (line.begin == tree[id].begin && line.begin > begin) add(line.begin);
  }
  add(source.bytes().size());
  return R"({"nbformat":4,"cells":[)" + cells + "]}";
}

TEST_CASE("statements in cells of their own change no finding") {
  std::size_t cells = 0;
  for (const std::string& path : FixtureFiles()) {
    const text::Source source = SourceOf(path, ReadFile(path));
    if (source.bytes().empty() || !syntax::Parse(source).errors().empty() ||
        source.bytes().find('\r') != std::string::npos)
      continue;
    const text::Source notebook = SourceOf(path + ".ipynb", AsNotebook(source));
    CHECK(notebook.bytes() == source.bytes());
    cells += notebook.notebook()->cells().size();
    CHECK(Lines(notebook, {}, kColumns | kMessages) == Lines(source, {}, kColumns | kMessages));
  }
  CHECK(cells > 1000);
}

constexpr std::string_view kScript = R"py(import torch


def first(xs):
    ys = [x + 1 for x in xs]
    loss = sum(ys)
    return loss


@torch.no_grad()
def second(model, xs):
    if xs: return model(xs)
    return first(xs=xs)
)py";

TEST_CASE("lines between: before every statement that begins its line") {
  const Variation variation = WithLinesBetween(SourceOf("f.py", std::string(kScript)));
  CHECK(variation.text == R"py(
# a note
import torch



# a note
def first(xs):

    # a note
    ys = [x + 1 for x in xs]

    # a note
    loss = sum(ys)

    # a note
    return loss



# a note
@torch.no_grad()
def second(model, xs):

    # a note
    if xs: return model(xs)

    # a note
    return first(xs=xs)
)py");
  CHECK(variation.new_row[4] == 8);
  CHECK(variation.new_row[13] == 29);
}

TEST_CASE("renamed: locals, not parameters, keywords, functions and imports") {
  const text::Source source = SourceOf("f.py", std::string(kScript));
  const Variation variation = WithLocalsRenamed(source);
  CHECK(variation.changes == 6);
  CHECK(variation.text.find("def first(xs):") != std::string::npos);
  CHECK(variation.text.find("return loss_q\n") != std::string::npos);
  CHECK(variation.text.find("in xs]") != std::string::npos);
  CHECK(variation.text.find("sum(ys)") == std::string::npos);
  CHECK(variation.text.find("first(xs=xs)") != std::string::npos);
}

TEST_CASE("reversed: functions with their decorators, the text between stays") {
  const Variation variation = WithFunctionsReversed(SourceOf("f.py", std::string(kScript)));
  CHECK(variation.text == R"py(import torch


@torch.no_grad()
def second(model, xs):
    if xs: return model(xs)
    return first(xs=xs)


def first(xs):
    ys = [x + 1 for x in xs]
    loss = sum(ys)
    return loss
)py");
  CHECK(variation.new_row[4] == 10);
  CHECK(variation.new_row[10] == 4);
}

TEST_CASE("a variation that does change something is told") {
  const text::Source source = SourceOf("f.py", R"py(import torch.nn.functional as F


def train(model, loader, optimizer):
    for x, y in loader:
        optimizer.zero_grad()
        F.mse_loss(model(x), y).backward()
        optimizer.step()
)py");
  Variation variation = WithLinesBetween(source);
  CHECK(Difference(source, variation, kColumns | kMessages | kFingerprints).empty());
  const std::string call = "optimizer.zero_grad()";
  variation.text.replace(variation.text.find(call), call.size(), "pass");
  const std::string difference = Difference(source, variation, kColumns);
  CHECK(difference.find("+ ") != std::string::npos);
  CHECK(difference.find("TLK201") != std::string::npos);
}

}  // namespace
}  // namespace torchleak::tests

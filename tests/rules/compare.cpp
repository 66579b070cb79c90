// Every expectation takes one finding of its code that begins on its row, by preference the one
// with its very range; what is left over on either side is a difference.
#include "compare.h"

#include <fmt/format.h>

#include <algorithm>

namespace torchleak::tests {
namespace {

Range RangeOf(const text::Source& source, text::Span span) {
  return {source.PositionOf(span.begin), source.PositionOf(span.end)};
}

std::string Columns(const Range& range) {
  if (range.begin.row == range.end.row)
    return fmt::format("@{}-{}", range.begin.column, range.end.column);
  return fmt::format("@{}-+{}:{}", range.begin.column, range.end.row - range.begin.row,
                     range.end.column);
}

// As a marker line writes it.
std::string Underline(const Range& range) {
  if (range.begin.row != range.end.row || range.begin.column < 3 ||
      range.end.column <= range.begin.column)
    return "# " + Columns(range);
  return "#" + std::string(range.begin.column - 2, ' ') +
         std::string(range.end.column - range.begin.column, '^');
}

class Comparison {
 public:
  Comparison(const text::Source& source, std::span<const findings::Finding> found)
      : source_(source), found_(found), taken_(found.size(), false) {}

  std::vector<std::string> Run(const Markers& markers) {
    for (const std::string& error : markers.errors)
      problems_.push_back(fmt::format("{}: a marker is wrong: {}\n", source_.path(), error));
    for (const Expected& expected : markers.expected) {
      if (expected.kind != Expectation::kFalseNegative) Check(expected);
    }
    for (const Expected& expected : markers.expected) {
      if (expected.kind == Expectation::kFalseNegative) CheckGap(expected);
    }
    for (std::size_t i = 0; i < found_.size(); ++i) {
      if (!taken_[i]) Unexpected(found_[i]);
    }
    return std::move(problems_);
  }

 private:
  std::string Line(std::uint32_t row) const {
    return fmt::format("    {:5} | {}\n", row, source_.Line(row));
  }
  static std::string Note(std::string_view text) { return fmt::format("          | {}\n", text); }

  void Problem(std::uint32_t row, std::string_view what, std::string_view detail) {
    problems_.push_back(
        fmt::format("{}:{}: {}\n{}{}", source_.path(), row, what, Line(row), detail));
  }

  // Index of a finding to hold against the expectation, or the number of findings.
  std::size_t Match(const Expected& expected) const {
    std::size_t match = found_.size();
    for (std::size_t i = 0; i < found_.size(); ++i) {
      const Range range = RangeOf(source_, found_[i].location.span);
      if (taken_[i] || found_[i].code != expected.code || range.begin.row != expected.row) continue;
      if (!expected.range || range == *expected.range) return i;
      match = std::min(match, i);
    }
    return match;
  }

  void Check(const Expected& expected) {
    const std::size_t index = Match(expected);
    if (index == found_.size()) {
      const bool gap = expected.kind == Expectation::kFalsePositive;
      Problem(expected.row,
              gap ? fmt::format("the false alarm {} is gone: remove its expect-fp", expected.code)
                  : fmt::format("{} was expected and not reported", expected.code),
              expected.range ? Note(Underline(*expected.range)) : std::string());
      return;
    }
    taken_[index] = true;
    const findings::Finding& finding = found_[index];
    const Range range = RangeOf(source_, finding.location.span);
    if (expected.range && *expected.range != range) {
      Problem(
          expected.row, fmt::format("{} is reported with another range", expected.code),
          Note(Underline(*expected.range) + " expected") + Note(Underline(range) + " reported"));
    }
    if (expected.severity && *expected.severity != finding.severity) {
      Problem(expected.row,
              fmt::format("{} is {} where {} was expected", expected.code,
                          findings::Name(finding.severity), findings::Name(*expected.severity)),
              Note(finding.message));
    }
    if (finding.message.find(expected.text) == std::string::npos) {
      Problem(expected.row, fmt::format("the message of {} differs", expected.code),
              Note(expected.text + "  expected in") + Note(finding.message));
    }
    if (!expected.label.empty()) CheckSteps(expected, finding);
  }

  bool SameSteps(const Expected& expected, const findings::Finding& finding) const {
    return std::equal(expected.steps.begin(), expected.steps.end(), finding.flow.begin(),
                      finding.flow.end(), [&](const ExpectedStep& a, const findings::Step& b) {
                        return a.range == RangeOf(source_, b.location.span) &&
                               b.message.find(a.text) != std::string::npos;
                      });
  }

  std::string StepText(std::size_t number, const Range& range, std::string_view message,
                       std::string_view label) const {
    return Line(range.begin.row) +
           Note(fmt::format("{} {}{}: {}", Underline(range), label, number, message));
  }

  std::string Flow(const findings::Finding& finding, std::string_view label) const {
    std::string text;
    for (std::size_t i = 0; i < finding.flow.size(); ++i) {
      const findings::Step& step = finding.flow[i];
      text += StepText(i + 1, RangeOf(source_, step.location.span), step.message, label);
    }
    return text.empty() ? Note("(no steps)") : text;
  }

  void CheckSteps(const Expected& expected, const findings::Finding& finding) {
    if (SameSteps(expected, finding)) return;
    std::string detail = Note("expected steps:");
    for (const ExpectedStep& step : expected.steps)
      detail += StepText(step.number, step.range, step.text, expected.label);
    detail += Note("reported steps:") + Flow(finding, expected.label);
    Problem(expected.row, fmt::format("the flow of {} differs", expected.code), detail);
  }

  void CheckGap(const Expected& expected) {
    const std::size_t index = Match(expected);
    if (index == found_.size()) return;
    taken_[index] = true;
    Problem(expected.row,
            fmt::format("{} is reported now: make its expect-fn an expectation", expected.code),
            Note(found_[index].message));
  }

  void Unexpected(const findings::Finding& finding) {
    const Range range = RangeOf(source_, finding.location.span);
    std::string detail = Note(fmt::format("{} {} {} x: {}", Underline(range), finding.code,
                                          findings::Name(finding.severity), finding.message));
    if (!finding.flow.empty()) detail += Note("its steps:") + Flow(finding, "x");
    Problem(range.begin.row, fmt::format("{} is reported and was not expected", finding.code),
            detail);
  }

  const text::Source& source_;
  std::span<const findings::Finding> found_;
  std::vector<bool> taken_;
  std::vector<std::string> problems_;
};

}  // namespace

std::vector<std::string> Compare(const text::Source& source, const Markers& markers,
                                 std::span<const findings::Finding> found) {
  return Comparison(source, found).Run(markers);
}

}  // namespace torchleak::tests

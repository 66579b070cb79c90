// Every expectation takes one finding of its code that begins on its row, by preference the one
// with its very range; what is left over on either side is a difference.
#include "compare.h"

#include <fmt/format.h>

#include <algorithm>

namespace torchleak::tests {
namespace {

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
  Comparison(std::span<const text::Source> sources, std::span<const findings::Finding> found)
      : sources_(sources), found_(found), taken_(found.size(), false) {}

  std::vector<std::string> Run(const Markers& markers) {
    for (const std::string& error : markers.errors)
      problems_.push_back(fmt::format("a marker is wrong: {}\n", error));
    for (std::size_t i = 0; i < found_.size(); ++i) taken_[i] = !LiesInSources(found_[i]);
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
  // A path and a range in that file.
  struct Place {
    std::string path;
    Range range;
    bool operator==(const Place&) const = default;
  };

  const text::Source* SourceOf(std::string_view path) const {
    const auto is_it = [&](const text::Source& source) { return source.path() == path; };
    const auto found = std::find_if(sources_.begin(), sources_.end(), is_it);
    return found == sources_.end() ? nullptr : &*found;
  }

  static const std::string& PathOf(const findings::Location& location,
                                   const findings::Finding& finding) {
    return location.path.empty() ? finding.location.path : location.path;
  }

  bool LiesInSources(const findings::Finding& finding) {
    std::vector<std::string> paths{finding.location.path};
    for (const findings::Step& step : finding.flow) paths.push_back(PathOf(step.location, finding));
    for (const std::string& path : paths) {
      if (SourceOf(path) != nullptr) continue;
      problems_.push_back(fmt::format(
          "{} is reported with a place in '{}', which is no file here\n", finding.code, path));
      return false;
    }
    return true;
  }

  Place PlaceOf(const findings::Location& location, const findings::Finding& finding) const {
    const std::string& path = PathOf(location, finding);
    const text::Source& source = *SourceOf(path);
    return {path, {source.PositionOf(location.span.begin), source.PositionOf(location.span.end)}};
  }
  Place PlaceOf(const findings::Finding& finding) const {
    return PlaceOf(finding.location, finding);
  }

  std::string Line(std::string_view path, std::uint32_t row) const {
    return fmt::format("    {:5} | {}\n", row, SourceOf(path)->Line(row));
  }
  static std::string Note(std::string_view text) { return fmt::format("          | {}\n", text); }

  void Problem(std::string_view path, std::uint32_t row, std::string_view what,
               std::string_view detail) {
    problems_.push_back(fmt::format("{}:{}: {}\n{}{}", path, row, what, Line(path, row), detail));
  }
  void Problem(const Expected& expected, std::string_view what, std::string_view detail) {
    Problem(expected.path, expected.row, what, detail);
  }

  // Index of a finding to hold against the expectation, or the number of findings.
  std::size_t Match(const Expected& expected) const {
    std::size_t match = found_.size();
    for (std::size_t i = 0; i < found_.size(); ++i) {
      if (taken_[i] || found_[i].code != expected.code) continue;
      const Place place = PlaceOf(found_[i]);
      if (place.path != expected.path || place.range.begin.row != expected.row) continue;
      if (!expected.range || place.range == *expected.range) return i;
      match = std::min(match, i);
    }
    return match;
  }

  void Check(const Expected& expected) {
    const std::size_t index = Match(expected);
    if (index == found_.size()) {
      const bool gap = expected.kind == Expectation::kFalsePositive;
      Problem(expected,
              gap ? fmt::format("the false alarm {} is gone: remove its expect-fp", expected.code)
                  : fmt::format("{} was expected and not reported", expected.code),
              expected.range ? Note(Underline(*expected.range)) : std::string());
      return;
    }
    taken_[index] = true;
    const findings::Finding& finding = found_[index];
    const Range range = PlaceOf(finding).range;
    if (expected.range && *expected.range != range) {
      Problem(
          expected, fmt::format("{} is reported with another range", expected.code),
          Note(Underline(*expected.range) + " expected") + Note(Underline(range) + " reported"));
    }
    if (expected.severity && *expected.severity != finding.severity) {
      Problem(expected,
              fmt::format("{} is {} where {} was expected", expected.code,
                          findings::Name(finding.severity), findings::Name(*expected.severity)),
              Note(finding.message));
    }
    if (finding.message.find(expected.text) == std::string::npos) {
      Problem(expected, fmt::format("the message of {} differs", expected.code),
              Note(expected.text + "  expected in") + Note(finding.message));
    }
    if (!expected.label.empty()) CheckSteps(expected, finding);
  }

  bool SameSteps(const Expected& expected, const findings::Finding& finding) const {
    return std::equal(expected.steps.begin(), expected.steps.end(), finding.flow.begin(),
                      finding.flow.end(), [&](const ExpectedStep& a, const findings::Step& b) {
                        return Place{a.path, a.range} == PlaceOf(b.location, finding) &&
                               b.message.find(a.text) != std::string::npos;
                      });
  }

  // Steps in other files than `path` are told with theirs.
  std::string StepText(std::size_t number, const Place& place, std::string_view message,
                       std::string_view label, std::string_view path) const {
    return (place.path == path ? std::string() : Note(place.path)) +
           Line(place.path, place.range.begin.row) +
           Note(fmt::format("{} {}{}: {}", Underline(place.range), label, number, message));
  }

  std::string Flow(const findings::Finding& finding, std::string_view label) const {
    std::string text;
    for (std::size_t i = 0; i < finding.flow.size(); ++i) {
      const findings::Step& step = finding.flow[i];
      text += StepText(i + 1, PlaceOf(step.location, finding), step.message, label,
                       finding.location.path);
    }
    return text.empty() ? Note("(no steps)") : text;
  }

  void CheckSteps(const Expected& expected, const findings::Finding& finding) {
    if (SameSteps(expected, finding)) return;
    std::string detail = Note("expected steps:");
    for (const ExpectedStep& step : expected.steps)
      detail +=
          StepText(step.number, {step.path, step.range}, step.text, expected.label, expected.path);
    detail += Note("reported steps:") + Flow(finding, expected.label);
    Problem(expected, fmt::format("the flow of {} differs", expected.code), detail);
  }

  void CheckGap(const Expected& expected) {
    const std::size_t index = Match(expected);
    if (index == found_.size()) return;
    taken_[index] = true;
    Problem(expected,
            fmt::format("{} is reported now: make its expect-fn an expectation", expected.code),
            Note(found_[index].message));
  }

  void Unexpected(const findings::Finding& finding) {
    const Place place = PlaceOf(finding);
    std::string detail = Note(fmt::format("{} {} {} x: {}", Underline(place.range), finding.code,
                                          findings::Name(finding.severity), finding.message));
    if (!finding.flow.empty()) detail += Note("its steps:") + Flow(finding, "x");
    Problem(place.path, place.range.begin.row,
            fmt::format("{} is reported and was not expected", finding.code), detail);
  }

  std::span<const text::Source> sources_;
  std::span<const findings::Finding> found_;
  std::vector<bool> taken_;
  std::vector<std::string> problems_;
};

}  // namespace

std::vector<std::string> Compare(const text::Source& source, const Markers& markers,
                                 std::span<const findings::Finding> found) {
  return Compare(std::span(&source, 1), markers, found);
}

std::vector<std::string> Compare(std::span<const text::Source> sources, const Markers& markers,
                                 std::span<const findings::Finding> found) {
  return Comparison(sources, found).Run(markers);
}

}  // namespace torchleak::tests

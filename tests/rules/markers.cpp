// Line by line: a marker line is parsed against the last code line, a code line is searched for the
// trailing forms. A small scanner instead of regular expressions, so that a mistake in a marker can
// be told from a comment that is none.
#include "markers.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace torchleak::tests {
namespace {

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

class Scanner {
 public:
  explicit Scanner(std::string_view text) : text_(text) {}
  std::string_view rest() const { return text_; }
  bool Done() const { return text_.empty(); }
  void SkipSpaces() { text_.remove_prefix(std::min(text_.find_first_not_of(' '), text_.size())); }
  bool Take(std::string_view prefix) {
    if (!text_.starts_with(prefix)) return false;
    text_.remove_prefix(prefix.size());
    return true;
  }
  std::optional<std::uint32_t> Number() {
    std::uint32_t value = 0;
    const auto [end, error] = std::from_chars(text_.data(), text_.data() + text_.size(), value);
    if (error != std::errc{}) return std::nullopt;
    text_.remove_prefix(static_cast<std::size_t>(end - text_.data()));
    return value;
  }
  std::string Word() {  // up to a space or a colon
    const std::string_view word = text_.substr(0, text_.find_first_of(" :"));
    text_.remove_prefix(word.size());
    return std::string(word);
  }

 private:
  std::string_view text_;
};

bool IsCode(std::string_view word) {
  return word.size() == 6 && word.starts_with("TLK") &&
         std::all_of(word.begin() + 3, word.end(), IsDigit);
}

std::string_view Trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t") + 1 - begin);
}

// The comment of a line that holds only a comment, without its `#`; empty otherwise.
std::string_view OwnComment(std::string_view line) {
  const std::string_view text = Trimmed(line);
  return text.starts_with('#') ? text.substr(1) : std::string_view{};
}

class Reader {
 public:
  Markers Read(std::span<const text::Source> sources) {
    for (const text::Source& source : sources) ReadFile(source);
    AttachSteps();
    return std::move(markers_);
  }

 private:
  struct LabelledStep {
    std::string label;
    ExpectedStep step;
    std::uint32_t row;
  };

  void ReadFile(const text::Source& source) {
    path_ = source.path();
    code_row_ = 1;
    for (row_ = 1; row_ <= source.line_count(); ++row_) {
      const std::string_view line = source.Line(row_);
      if (!IsMarkerLine(line)) {
        code_row_ = row_;
        ReadTrailing(line);
      } else if (const std::string_view text = Trimmed(OwnComment(line)); text.starts_with('e')) {
        ReadGap(text);
      } else {
        ReadRange(line);
      }
    }
  }

  void Error(std::string_view what) {
    markers_.errors.push_back(fmt::format("{}:{}: {}", path_, row_, what));
  }

  // `code  # TLK101 TLK203  # expect-fn: TLK102 why`
  void ReadTrailing(std::string_view line) {
    for (std::size_t at = line.find("# "); at != std::string_view::npos;) {
      const std::size_t next = line.find("# ", at + 2);
      const std::size_t size = next == std::string_view::npos ? next : next - at - 2;
      const std::string_view text = Trimmed(line.substr(at + 2, size));
      if (text.starts_with("expect-f")) ReadGap(text);
      if (text.starts_with("TLK")) ReadCodes(text);
      at = next;
    }
  }

  void ReadCodes(std::string_view text) {
    for (Scanner scan(text); !scan.Done(); scan.SkipSpaces()) {
      Expected expected;
      expected.path = path_;
      expected.code = scan.Word();
      expected.row = code_row_;
      if (!IsCode(expected.code)) return Error("only rule codes may follow `# TLK…`");
      markers_.expected.push_back(std::move(expected));
    }
  }

  // `expect-fn: TLK101 reason`
  void ReadGap(std::string_view text) {
    Scanner scan(text);
    Expected expected;
    expected.path = path_;
    expected.row = code_row_;
    if (scan.Take("expect-fn:")) {
      expected.kind = Expectation::kFalseNegative;
    } else if (scan.Take("expect-fp:")) {
      expected.kind = Expectation::kFalsePositive;
    } else {
      return Error("neither `expect-fn:` nor `expect-fp:`");
    }
    scan.SkipSpaces();
    expected.code = scan.Word();
    if (!IsCode(expected.code)) return Error("a rule's code must follow");
    if (Trimmed(scan.rest()).empty()) return Error("a known gap needs a reason");
    markers_.expected.push_back(std::move(expected));
  }

  // Carets at their own columns, or `@9-27`, or `@9-+2:10` for an end two rows below.
  std::optional<Range> ReadColumns(std::string_view line, Scanner* scan) {
    Range range{{code_row_, 0}, {code_row_, 0}};
    if (scan->Take("@")) {
      const std::optional<std::uint32_t> begin = scan->Number();
      if (!begin || !scan->Take("-")) return std::nullopt;
      if (scan->Take("+")) {
        const std::optional<std::uint32_t> rows = scan->Number();
        if (!rows || !scan->Take(":")) return std::nullopt;
        range.end.row += *rows;
      }
      const std::optional<std::uint32_t> end = scan->Number();
      if (!end) return std::nullopt;
      range.begin.column = *begin;
      range.end.column = *end;
      return range;
    }
    // Only spaces and one `#` stand before the carets, so bytes are columns.
    const std::size_t begin = line.find('^');
    const std::size_t end = std::min(line.find_first_not_of('^', begin), line.size());
    while (scan->Take("^")) {
    }
    range.begin.column = static_cast<std::uint32_t>(begin) + 1;
    range.end.column = static_cast<std::uint32_t>(end) + 1;
    return range;
  }

  void ReadRange(std::string_view line) {
    Scanner scan(Trimmed(OwnComment(line)));
    const std::optional<Range> range = ReadColumns(line, &scan);
    if (!range) return Error("no range: carets, `@9-27` or `@9-+2:10`");
    scan.SkipSpaces();
    const std::string word = scan.Word();
    if (IsCode(word)) return ReadFinding(*range, word, scan);
    const std::size_t digits = word.find_first_of("0123456789");
    Scanner number(std::string_view(word).substr(std::min(digits, word.size())));
    const std::optional<std::uint32_t> value = number.Number();
    if (!value || !number.Done() || digits == 0) return Error("no rule's code and no step (`a1`)");
    ExpectedStep step{path_, *value, *range, TextAfterColon(&scan)};
    steps_.push_back({word.substr(0, digits), std::move(step), row_});
  }

  void ReadFinding(const Range& range, std::string code, Scanner scan) {
    Expected expected;
    expected.path = path_;
    expected.code = std::move(code);
    expected.row = code_row_;
    expected.range = range;
    for (scan.SkipSpaces(); !scan.Done() && !scan.rest().starts_with(':'); scan.SkipSpaces()) {
      const std::string word = scan.Word();
      if (const auto severity = findings::ParseSeverity(word)) {
        expected.severity = severity;
      } else if (expected.label.empty()) {
        expected.label = word;
      } else {
        return Error(fmt::format("`{}` is neither a severity nor the only label", word));
      }
    }
    expected.text = TextAfterColon(&scan);
    markers_.expected.push_back(std::move(expected));
  }

  static std::string TextAfterColon(Scanner* scan) {
    scan->SkipSpaces();
    return scan->Take(":") ? std::string(Trimmed(scan->rest())) : std::string();
  }

  // Steps stand above and below their finding, so they find it by label when all is read.
  void AttachSteps() {
    for (LabelledStep& labelled : steps_) {
      const auto owner = std::find_if(markers_.expected.begin(), markers_.expected.end(),
                                      [&](const Expected& e) { return e.label == labelled.label; });
      path_ = labelled.step.path;
      row_ = labelled.row;
      if (owner == markers_.expected.end()) {
        Error(fmt::format("no finding is labelled `{}`", labelled.label));
      } else {
        owner->steps.push_back(std::move(labelled.step));
      }
    }
    for (Expected& expected : markers_.expected) {
      std::stable_sort(expected.steps.begin(), expected.steps.end(),
                       [](const auto& a, const auto& b) { return a.number < b.number; });
      for (std::size_t i = 0; i < expected.steps.size(); ++i) {
        path_ = expected.path;
        row_ = expected.row;
        if (expected.steps[i].number != i + 1)
          Error(fmt::format("steps of `{}` are not numbered 1, 2, …", expected.label));
      }
    }
  }

  Markers markers_;
  std::vector<LabelledStep> steps_;
  std::string path_;  // of the file that is read; row_ is of this file, too
  std::uint32_t row_ = 1;
  std::uint32_t code_row_ = 1;
};

}  // namespace

bool IsMarkerLine(std::string_view line) {
  const std::string_view text = Trimmed(OwnComment(line));
  return text.starts_with('^') || text.starts_with("expect-f") ||
         (text.size() > 1 && text[0] == '@' && IsDigit(text[1]));
}

Markers ReadMarkers(const text::Source& source) { return ReadMarkers(std::span(&source, 1)); }

Markers ReadMarkers(std::span<const text::Source> sources) { return Reader().Read(sources); }

}  // namespace torchleak::tests

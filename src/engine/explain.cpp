// `why`: what is known at a line, what happens there, and the verdict of the rules on each event,
// with the reasons for every silence.
#include <fmt/format.h>

#include <algorithm>

#include "engine/analyze.h"
#include "engine/events_of.h"
#include "engine/paragraph.h"
#include "engine/silence.h"
#include "flow/explain.h"
#include "flow/world.h"
#include "syntax/tree.h"
#include "text/notebook.h"

namespace torchleak::engine {
namespace {

using findings::Finding;

constexpr std::size_t kColumn = 14;  // of the text beside a short name

class Report {
 public:
  Report(const text::Source& source, const flow::FileEvents& events, std::vector<Finding> found,
         std::uint32_t row)
      : source_(source),
        found_(std::move(found)),
        row_(row),
        at_(flow::ExplainRow(events, source, row)) {
    if (at_.span.end == 0) at_.span = source.LineSpan(row);
  }

  std::string Write(const flow::FileEvents& events, bool scanned) {
    Head(events, scanned);
    if (events.world->foreign_file) return std::move(out_);
    Section("What is known here", at_.known);
    Section("What this line does", at_.happens);
    Verdicts(events);
    Elsewhere();
    return std::move(out_);
  }

 private:
  std::uint32_t Row(text::Span span) const { return source_.RowOf(span.begin); }
  std::string Line(const Finding& f) const {
    return text::LineName(source_, f.location.span.begin);
  }
  bool Here(text::Span span) const {
    return Row(span) <= Row(at_.span.end > at_.span.begin
                                ? text::Span{at_.span.end - 1, at_.span.end}
                                : at_.span) &&
           Row(at_.span) <= Row(span);
  }

  void Head(const flow::FileEvents& events, bool scanned);
  void Section(std::string_view title, const std::vector<flow::Remark>& remarks);
  void Verdicts(const flow::FileEvents& events);
  void Inside(const flow::FileEvents& events);
  void Elsewhere();
  void Verdict(const std::string& what, const std::string& verdict);
  template <typename Event>
  void Each(const std::vector<Event>& events);

  const text::Source& source_;
  std::vector<Finding> found_;
  std::vector<const Finding*> told_;
  std::uint32_t row_;
  flow::RowExplanation at_;
  std::string out_;
  bool any_verdict_ = false;
};

std::string Title(const Finding& f) {
  return fmt::format("{} {} ({}, {} confidence)", f.code, f.name, findings::Name(f.severity),
                     findings::Name(f.confidence));
}

void Report::Head(const flow::FileEvents& events, bool scanned) {
  std::string where;
  if (at_.function != sema::kNoFunction) {
    const std::string name = events.module->DisplayName(at_.function);
    where = name == "<module>" ? ", at the top level of the file" : ", in " + name + "()";
  }
  out_ += fmt::format("{}:{}{}\n", source_.path(), text::RowName(source_, row_), where);
  constexpr std::uint32_t kMaxLines = 8;
  const std::uint32_t first = Row(at_.span);
  std::uint32_t last = first;
  while (last < source_.line_count() && last - first + 1 < kMaxLines &&
         source_.LineSpan(last + 1).begin < at_.span.end)
    ++last;
  if (row_ < first || row_ > last) return;
  std::size_t shared = source_.Line(first).find_first_not_of(" \t");
  if (shared == std::string_view::npos) shared = 0;
  for (std::uint32_t r = first; r <= last; ++r) {
    std::string_view text = source_.Line(r);
    const std::size_t indent = std::min(text.find_first_not_of(" \t"), text.size());
    text.remove_prefix(std::min(indent, shared));
    constexpr std::size_t kMaxShown = 400;  // bytes: a table of numbers may be one line
    std::size_t shown = std::min(text.size(), kMaxShown);
    while (shown < text.size() && (static_cast<unsigned char>(text[shown]) & 0xC0) == 0x80) --shown;
    out_ += text.empty()
                ? std::string("\n")
                : fmt::format("    {}{}\n", text.substr(0, shown), shown < text.size() ? "…" : "");
  }
  if (last < source_.line_count() && source_.LineSpan(last + 1).begin < at_.span.end)
    out_ += "    …\n";
  auto note = [&](std::string_view text) {
    out_ += '\n';
    AppendParagraph(text, 0, 0, &out_);
  };
  for (const text::Span& error : events.syntax_errors) {
    const std::uint32_t from = Row(error),
                        to = source_.RowOf(error.end == 0 ? 0
                                                          : std::max(error.begin, error.end - 1));
    if (from <= row_ && row_ <= to) {
      note(
          "This does not parse as Python 3. What could not be read is left out, and its neighbours "
          "are analysed.");
      break;
    }
  }
  if (events.world->foreign_file) {
    note("The file imports another framework and no torch: it is not analysed.");
  } else if (!scanned) {
    note(
        "`check` does not read this file at all: it has none of the words that any rule needs to "
        "find, such as "
        "torch, backward or forward(.");
  }
  if (!at_.note.empty()) note(at_.note);
}

void Report::Section(std::string_view title, const std::vector<flow::Remark>& remarks) {
  if (remarks.empty()) return;
  out_ += fmt::format("\n{}\n", title);
  for (const flow::Remark& r : remarks) AppendEntry(r.subject, r.text + r.aside, kColumn, &out_);
}

void Report::Verdict(const std::string& what, const std::string& verdict) {
  if (!any_verdict_) out_ += "\nVerdict\n";
  any_verdict_ = true;
  constexpr std::size_t kMargin = 2, kIndent = 4;
  if (!what.empty()) {
    out_.append(kMargin, ' ');
    AppendParagraph(what, kMargin, kIndent, &out_);
  }
  out_.append(kIndent, ' ');
  AppendParagraph(verdict, kIndent, kIndent + 2, &out_);
}

// Events with the same reasons share them.
template <typename Event>
void Report::Each(const std::vector<Event>& events) {
  std::vector<std::pair<std::string, std::vector<std::string>>> silences;  // reasons, events
  for (const Event& e : events) {
    if (!Here(e.span)) continue;
    bool reported = false;
    for (const Finding& f : found_) reported |= f.location.span == e.span;
    if (reported) continue;  // the finding speaks for itself
    std::string reasons;
    for (const std::string& r : WhySilent(e, source_)) reasons += (reasons.empty() ? "" : "; ") + r;
    auto same = std::find_if(silences.begin(), silences.end(),
                             [&](const auto& s) { return s.first == reasons; });
    if (same == silences.end()) same = silences.insert(same, {reasons, {}});
    std::string what = WhatHappened(e);
    if (std::find(same->second.begin(), same->second.end(), what) == same->second.end()) {
      same->second.push_back(std::move(what));
    }
  }
  for (const auto& [reasons, whats] : silences) {
    Verdict(fmt::format("{}", fmt::join(whats, "; ")), "not reported: " + reasons);
  }
}

void Report::Verdicts(const flow::FileEvents& events) {
  for (const Finding& f : found_) {
    if (!Here(f.location.span)) continue;
    told_.push_back(&f);
    std::string verdict = "reported: " + Title(f);
    if (f.confidence == findings::Confidence::kLow)
      verdict += "; shown only with --min-confidence low";
    Verdict(f.message, verdict);
    if (!f.help.empty()) Verdict({}, "instead: " + f.help);
  }
  Each(events.kept);
  Each(events.dismissed.kept);
  Each(events.forwards);
  Each(events.dismissed.forwards);
  Each(events.retained);
  Each(events.dismissed.retained);
  Each(events.hooks);
  if (at_.is_definition) Inside(events);
  if (!any_verdict_ && !at_.is_definition && at_.note.empty() && !at_.known.empty()) {
    out_ +=
        "\nVerdict\n  nothing to report: no value is kept here, and no module, hook or step is at "
        "fault\n";
  }
}

// Of a function: what is reported in it.
void Report::Inside(const flow::FileEvents& events) {
  const text::Span whole = events.module->tree().Span((*events.module)[at_.function].node);
  for (const Finding& f : found_) {
    if (f.location.span.begin < whole.begin || f.location.span.end > whole.end ||
        Here(f.location.span))
      continue;
    told_.push_back(&f);
    Verdict(Line(f) + ": " + f.message, "reported: " + Title(f));
  }
  if (!any_verdict_) out_ += "\nVerdict\n  nothing is reported in this function\n";
}

// Findings elsewhere whose path leads through this line.
void Report::Elsewhere() {
  bool any = false;
  for (const Finding& f : found_) {
    if (std::find(told_.begin(), told_.end(), &f) != told_.end()) continue;
    for (const findings::Step& s : f.flow) {
      const bool own = s.location.path.empty() || s.location.path == f.location.path;
      if (!own || !Here(s.location.span)) continue;
      if (!any) out_ += "\nPart of\n";
      any = true;
      out_ += "  ";
      AppendParagraph(fmt::format("{} at {}: {}", Title(f), Line(f), s.message), 2, 4, &out_);
      break;
    }
  }
}

}  // namespace

flow::RowExplanation KnownAt(const text::Source& source, const syntax::Tree& tree,
                             std::uint32_t row, const Surrounding& surrounding) {
  sema::Module module = sema::Analyze(tree);
  return flow::ExplainRow(EventsOf(&module, surrounding), source, row);
}

std::string Explain(const text::Source& source, std::uint32_t row,
                    std::span<const Rule* const> rules, const Surrounding& surrounding) {
  const syntax::Tree tree = syntax::Parse(source);
  sema::Module module = sema::Analyze(tree);
  const flow::FileEvents events = EventsOf(&module, surrounding, /*with_dismissed=*/true);
  Report report(source, events, Analyze(source, rules, surrounding).findings, row);
  return report.Write(events, MayMatter(source.bytes(), rules));
}

}  // namespace torchleak::engine

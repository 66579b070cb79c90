// The beliefs are those of `why`, for the one statement that is hovered: it is analysed once more,
// with what the project knows around it. A hover is short, so few values are told: what carries a
// graph before what does not, and nothing of which nothing is known.
#include "lsp/hover_finding.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "driver/users.h"
#include "engine/analyze.h"
#include "lsp/diagnostics.h"
#include "project/paths.h"
#include "report/page_text.h"
#include "report/report.h"
#include "text/notebook.h"

namespace torchleak::lsp {
namespace {

using findings::Finding;
using flow::Remark;
using About = Remark::About;

constexpr std::size_t kMostValues = 4, kMostSteps = 8;
// These are about the file and its comments, not about values.
constexpr std::string_view kAboutFile = "TLK0";

flow::RowExplanation KnownAt(const OpenFile& file, text::Span span) {
  const text::Source& source = file.parsed->source;
  const auto around = file.workspace->project().AroundOf(file.path);
  engine::Surrounding surrounding;
  if (around) {
    surrounding.files = around->files.get();
    if (!around->facts.callers.empty()) surrounding.project = &around->facts;
  }
  return engine::KnownAt(source, file.parsed->tree, source.RowOf(span.begin), surrounding);
}

bool IsWithin(text::Span inner, text::Span outer) {
  return outer.begin <= inner.begin && inner.end <= outer.end;
}

// Of the values within the span, in the order in which they are written. A tensor without a graph
// that only goes into another one is left out: an input of a module, say.
std::vector<const Remark*> Chosen(const std::vector<Remark>& known, text::Span span) {
  const auto is_tensor = [](const Remark& remark) {
    return remark.about == About::kPlain || remark.about == About::kGraph;
  };
  const auto goes_into_other = [&](const Remark& remark) {
    return std::any_of(known.begin(), known.end(), [&](const Remark& other) {
      return is_tensor(other) && !(other.of == remark.of) && IsWithin(remark.of, other.of);
    });
  };
  std::vector<const Remark*> chosen;
  for (const About about : {About::kGraph, About::kOwner, About::kPlain}) {
    for (const Remark& remark : known) {
      if (chosen.size() == kMostValues) break;
      if (remark.about != about || !IsWithin(remark.of, span)) continue;
      if (about != About::kPlain || !goes_into_other(remark)) chosen.push_back(&remark);
    }
  }
  std::sort(chosen.begin(), chosen.end());
  return chosen;
}

// "`total` after": what it is once the statement has run.
std::string Subject(const std::string& subject, const HoverText& out) {
  constexpr std::string_view kAfter = " after";
  if (!subject.ends_with(kAfter)) return out.Code(subject);
  return out.Code(std::string_view(subject).substr(0, subject.size() - kAfter.size())) +
         std::string(kAfter);
}

void TellKnown(const OpenFile& file, const Finding& finding, HoverText* out) {
  if (finding.code.starts_with(kAboutFile)) return;
  const flow::RowExplanation at = KnownAt(file, finding.location.span);
  const auto is_step = [&](text::Span span) {
    return std::any_of(finding.flow.begin(), finding.flow.end(), [&](const findings::Step& step) {
      return step.location.path == finding.location.path && step.location.span.begin == span.begin;
    });
  };
  for (const Remark& remark : at.known) {
    const bool follows = remark.of.end != 0 && is_step(remark.of);
    if (remark.about == About::kPlace && !follows)
      out->Bullet(out->Bold(remark.subject) + " " + out->Prose(remark.text));
  }
  for (const Remark* remark : Chosen(at.known, finding.location.span))
    out->Bullet(Subject(remark->subject, *out) + ": " + out->Prose(remark->text));
}

// As findings spell it; null when it cannot be read.
const text::Source* SourceOf(const OpenFile& file, const std::string& path) {
  const text::Source& own = file.parsed->source;
  if (path.empty() || path == own.path()) return &own;
  return file.workspace->project().SourceOf(driver::AbsolutePath(path, file.workspace->root()));
}

// "line 12" or, of another file, "models.py:12"; a link where the client can follow one.
std::string PlaceOf(Analysis& analysis, const OpenFile& file, const findings::Location& location,
                    const HoverText& out) {
  const text::Source* source = SourceOf(file, location.path);
  if (source == nullptr) return out.Link(location.path, "");
  const std::string& path = source->path();
  const std::uint32_t begin = location.span.begin;
  std::string name = text::LineName(*source, begin);
  if (source != &file.parsed->source)
    name = fmt::format("{}:{}", out.is_markdown() ? project::NameOf(path) : path,
                       text::RowName(*source, source->RowOf(begin)));
  const auto place = analysis.LocationOf(*file.workspace, path, location.span);
  // A cell's URI has a fragment of its own.
  const bool is_file =
      place && place->uri.starts_with("file:") && place->uri.find('#') == std::string::npos;
  return out.Link(name,
                  is_file ? fmt::format("{}#L{}", place->uri, place->range.start.line + 1) : "");
}

std::string CodeOf(const OpenFile& file, const findings::Location& location, const HoverText& out) {
  const text::Source* source = SourceOf(file, location.path);
  const text::Span span = location.span;
  if (source == nullptr || span.end > source->bytes().size() || span.begin >= span.end) return {};
  std::string_view code = source->Text(span);
  if (code.ends_with(':')) code.remove_suffix(1);  // of `for x in y:`; another one follows
  return " " + out.Code(code);
}

void TellFlow(Analysis& analysis, const OpenFile& file, const Finding& finding, HoverText* out) {
  const std::size_t count = std::min(finding.flow.size(), kMostSteps);
  for (std::size_t i = 0; i < count; ++i) {
    const findings::Step& step = finding.flow[i];
    out->Item(i + 1, PlaceOf(analysis, file, step.location, *out) +
                         CodeOf(file, step.location, *out) + ": " + out->Prose(step.message));
  }
  if (count < finding.flow.size())
    out->Paragraph(fmt::format("… and {} more steps", finding.flow.size() - count));
}

std::string Title(const Finding& finding, const HoverText& out) {
  return out.Bold(fmt::format("{} {}", finding.code, finding.name));
}

}  // namespace

void TellFinding(Analysis& analysis, const OpenFile& file, const Finding& finding, HoverText* out) {
  out->Paragraph(Title(finding, *out) + " · " + std::string(findings::Name(finding.severity)));
  const bool brief = analysis.hovers_are_brief();
  std::string message = brief ? "" : out->Prose(report::Sentence(finding.message));
  if (!finding.help.empty())
    message += (brief ? "" : " ") + out->Prose(report::Sentence(finding.help));
  if (!message.empty()) out->Paragraph(message);
  TellKnown(file, finding, out);
  if (!brief) TellFlow(analysis, file, finding, out);
  if (OffersFix(analysis, file, finding)) {
    const bool is_safe = finding.fix->applicability == findings::Applicability::kSafe;
    out->Paragraph(out->Bold("Quick fix") +
                   (is_safe ? " (safe): " : " (unsafe, look at it first): ") +
                   out->Prose(finding.fix->message));
  }
  out->More(fmt::format("All about {}", finding.name), report::RuleUrl(finding.name));
}

void TellSuppressed(Analysis& analysis, const OpenFile& file,
                    const findings::Suppressed& suppressed, HoverText* out) {
  const Finding& finding = suppressed.finding;
  out->Paragraph(Title(finding, *out) + " is suppressed by" +
                 CodeOf(file, suppressed.comment, *out) + " (" +
                 PlaceOf(analysis, file, suppressed.comment, *out) + ")");
  out->Paragraph(out->Prose(report::Sentence(finding.message)));
}

}  // namespace torchleak::lsp

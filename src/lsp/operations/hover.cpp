// textDocument/hover, for the first of these that there is at the position:
//
//   1. a word of a suppression comment that names rules   what they find
//   2. the smallest expression around it with a finding   the finding, and what is known there
//   3. a line on which something is suppressed            what, and by which comment
//
// Of a word that is both (an unused suppression) both are told. Anything else has no hover.
#include <algorithm>
#include <optional>
#include <vector>

#include "lsp/hover_finding.h"
#include "lsp/hover_rule.h"
#include "lsp/operations/operations.h"

namespace torchleak::lsp {
namespace {

using findings::Finding;
using findings::Suppressed;

constexpr std::size_t kMostSuppressed = 5;

// The client names what it can show, the best first; one that does not, shows text.
bool TakesMarkdown(const Server& server) {
  const Json& capabilities = server.client_capabilities();
  const Json::json_pointer at("/textDocument/hover/contentFormat");
  if (!capabilities.contains(at) || !capabilities[at].is_array()) return false;
  for (const Json& format : capabilities[at]) {
    if (format == "markdown") return true;
    if (format == "plaintext") return false;
  }
  return false;
}

class Hovering {
 public:
  Hovering(Analysis& analysis, OpenFile file, std::uint32_t offset)
      : analysis_(analysis),
        file_(std::move(file)),
        offset_(offset),
        out_(TakesMarkdown(analysis.server())) {}

  std::optional<Hover> Run() {
    const text::Source& source = file_.parsed->source;
    comment_ = CommentAt(file_.parsed->tree, offset_);
    std::optional<suppress::Word> word;
    if (comment_) word = WordAt(source, *comment_, offset_);
    if (word && word->kind == suppress::Word::Kind::kForeign) return std::nullopt;
    std::optional<text::Span> span = TellFindings();
    if (word) span = TellWord(*word).value_or(span.value_or(word->span));
    if (out_.empty()) span = TellSilenced();
    if (out_.empty()) return std::nullopt;
    Hover hover{out_.Take(), std::nullopt};
    if (span) {
      const auto place = analysis_.LocationOf(*file_.workspace, source.path(), *span);
      if (place) hover.range = place->range;
    }
    return hover;
  }

 private:
  // Those with the smallest span around the offset.
  std::vector<const Finding*> Around() const {
    std::vector<const Finding*> found;
    const auto size = [](const Finding& f) { return f.location.span.end - f.location.span.begin; };
    // A cursor stands behind what was typed last; a pointer is on a character.
    for (const bool with_end : {false, true}) {
      for (const Finding& finding : file_.file->result.findings) {
        const text::Span span = finding.location.span;
        if (offset_ < span.begin || offset_ > span.end) continue;
        if (offset_ == span.end && !with_end) continue;
        if (!found.empty() && size(finding) < size(*found.front())) found.clear();
        if (found.empty() || size(finding) == size(*found.front())) found.push_back(&finding);
      }
      if (!found.empty()) break;
    }
    return found;
  }

  std::optional<text::Span> TellFindings() {
    const std::vector<const Finding*> found = Around();
    for (const Finding* finding : found) {
      out_.Rule();
      TellFinding(analysis_, file_, *finding, &out_);
    }
    if (found.empty()) return std::nullopt;
    return found.front()->location.span;
  }

  // Nothing for a word that names no rule.
  std::optional<text::Span> TellWord(const suppress::Word& word) {
    const std::vector<const engine::RuleInfo*> rules = RulesOf(word);
    if (rules.empty()) return std::nullopt;
    out_.Rule();
    if (rules.size() == 1) {
      TellRule(*rules.front(), &out_);
    } else {
      TellRules(file_.parsed->source.Text(word.span), rules, &out_);
    }
    return word.span;
  }

  bool IsHere(const Suppressed& suppressed) const {
    const text::Source& source = file_.parsed->source;
    const text::Span span = suppressed.finding.location.span, comment = suppressed.comment.span;
    const std::uint32_t row = source.RowOf(offset_);
    const std::uint32_t last = source.RowOf(std::max(span.begin + 1, span.end) - 1);
    return (source.RowOf(span.begin) <= row && row <= last) ||
           (comment.begin <= offset_ && offset_ <= comment.end);
  }

  std::optional<text::Span> TellSilenced() {
    std::optional<text::Span> span;
    std::size_t told = 0, left = 0;
    for (const Suppressed& suppressed : file_.file->result.suppressed) {
      if (!IsHere(suppressed)) continue;
      if (told == kMostSuppressed) {
        ++left;
        continue;
      }
      ++told;
      TellSuppressed(analysis_, file_, suppressed, &out_);
      for (const text::Span of : {suppressed.finding.location.span, suppressed.comment.span}) {
        if (!span && of.begin <= offset_ && offset_ <= of.end) span = of;
      }
    }
    if (left != 0) out_.Paragraph("… and " + std::to_string(left) + " more");
    return span;
  }

  Analysis& analysis_;
  OpenFile file_;
  std::uint32_t offset_;
  std::optional<text::Span> comment_;
  HoverText out_;
};

Answer HoverAt(Analysis& analysis, const Json& params) {
  const Fields fields(params, "params");
  const std::string uri = fields.At("textDocument").String("uri");
  const Position position = ReadPosition(fields.At("position"));
  if (auto error = fields.error()) return InvalidParams(*error);
  OpenFile file = analysis.Current(uri);
  if (!file) return Json(nullptr);
  const auto offset = analysis.places().OffsetOf(uri, file.parsed->source, position);
  if (!offset) return Json(nullptr);
  const auto hover = Hovering(analysis, std::move(file), *offset).Run();
  return hover ? ToJson(*hover, TakesMarkdown(analysis.server())) : Json(nullptr);
}

}  // namespace

void AddHover(Analysis& analysis) {
  analysis.server().capabilities()["hoverProvider"] = true;
  analysis.server().operations().OnRequest("textDocument/hover", [&analysis](Request& request) {
    return HoverAt(analysis, request.params);
  });
}

}  // namespace torchleak::lsp

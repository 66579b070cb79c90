#include "lsp/hover_rule.h"

#include <fmt/format.h>

#include <algorithm>

#include "driver/suppression_pass.h"
#include "report/page_text.h"
#include "report/report.h"

namespace torchleak::lsp {
namespace {

bool IsIn(text::Span span, std::uint32_t offset) {
  return span.begin <= offset && offset <= span.end;
}

std::string_view TakeBlock(std::string_view* text) {
  const std::size_t end = text->find("\n\n");
  const std::string_view block = text->substr(0, end);
  text->remove_prefix(end == std::string_view::npos ? text->size() : end + 2);
  return block;
}

// Some clients keep line ends, and their windows are narrower than our pages.
std::string Unwrapped(std::string_view paragraph) {
  std::string out(paragraph);
  std::replace(out.begin(), out.end(), '\n', ' ');
  return out;
}

// The first paragraph, and the first table.
void TellSection(std::string_view section, HoverText* out) {
  const std::string_view first = TakeBlock(&section);
  if (first.starts_with('|') || first.starts_with("```")) return;
  out->Page(Unwrapped(first));
  while (!section.empty()) {
    const std::string_view block = TakeBlock(&section);
    if (block.starts_with('|')) return out->Page(block);
  }
}

}  // namespace

std::optional<text::Span> CommentAt(const syntax::Tree& tree, std::uint32_t offset) {
  const std::vector<text::Span>& comments = tree.comments();
  auto behind = std::upper_bound(
      comments.begin(), comments.end(), offset,
      [](std::uint32_t at, const text::Span& comment) { return at < comment.begin; });
  if (behind == comments.begin() || !IsIn(*--behind, offset)) return std::nullopt;
  return *behind;
}

std::optional<suppress::Word> WordAt(const text::Source& source, text::Span comment,
                                     std::uint32_t offset) {
  suppress::CommentReader reader{source, driver::KnownRules(), {}, {}};
  reader.Read(comment);
  for (const suppress::Directive& directive : reader.directives) {
    for (const suppress::Word& word : directive.words) {
      if (IsIn(word.span, offset)) return word;
    }
  }
  return std::nullopt;
}

std::vector<const engine::RuleInfo*> RulesOf(const suppress::Word& word) {
  std::vector<const engine::RuleInfo*> rules;
  for (const engine::Rule* rule : engine::AllRules()) {
    if (word.Names(rule->info().code)) rules.push_back(&rule->info());
  }
  return rules;
}

void TellRule(const engine::RuleInfo& rule, HoverText* out) {
  out->Paragraph(out->Bold(fmt::format("{} {}", rule.code, rule.name)) + " · " +
                 std::string(findings::Name(rule.severity)));
  out->Paragraph(out->Prose(report::Sentence(rule.summary)));
  for (const std::string_view heading : {"Why it costs memory", "Why it matters"})
    TellSection(report::Section(rule.page, heading), out);
  out->More(fmt::format("All about {}", rule.name), report::RuleUrl(rule.name));
}

void TellRules(std::string_view word, std::span<const engine::RuleInfo* const> rules,
               HoverText* out) {
  out->Paragraph(out->Code(word) + fmt::format(" stands for {} rules:", rules.size()));
  for (const engine::RuleInfo* rule : rules) {
    out->Bullet(
        out->Link(fmt::format("{} {}", rule->code, rule->name), report::RuleUrl(rule->name)) +
        ": " + out->Prose(rule->summary));
  }
}

}  // namespace torchleak::lsp

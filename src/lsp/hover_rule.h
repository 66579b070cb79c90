// What a hover says of rules, and which rules a word of a suppression comment names.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/rule.h"
#include "lsp/hover_text.h"
#include "suppress/comment.h"
#include "syntax/tree.h"
#include "text/source.h"

namespace torchleak::lsp {

// The comment around an offset; its end counts as inside.
std::optional<text::Span> CommentAt(const syntax::Tree& tree, std::uint32_t offset);

// The word at an offset of a comment, as the suppressions of the file read it.
std::optional<suppress::Word> WordAt(const text::Source& source, text::Span comment,
                                     std::uint32_t offset);

// In the order of their codes.
std::vector<const engine::RuleInfo*> RulesOf(const suppress::Word& word);

// What a rule finds, in a sentence, and what that costs: the first paragraph of that part of its
// page, with the figures.
void TellRule(const engine::RuleInfo& rule, HoverText* out);
// One line for each. `word` as it is written: "TLK1".
void TellRules(std::string_view word, std::span<const engine::RuleInfo* const> rules,
               HoverText* out);

}  // namespace torchleak::lsp

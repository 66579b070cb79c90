// An attempt with the old tree is given up at the first error that the parser is seen in: its tree
// would be thrown away. So what runs without the arena is never a long error recovery.
#include "syntax/reparser.h"

#include <tree_sitter/api.h>

#include <algorithm>
#include <cstdint>
#include <utility>

#include "syntax/budget.h"
#include "syntax/builder.h"
#include "syntax/fresh.h"

namespace torchleak::syntax {
namespace {

bool IsContinuation(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }

// Row and column as the parser counts them: rows end with \n, columns are bytes.
TSPoint PointAt(std::string_view text, std::size_t offset) {
  const std::string_view before = text.substr(0, offset);
  const std::size_t feed = before.rfind('\n');
  return {static_cast<std::uint32_t>(std::count(before.begin(), before.end(), '\n')),
          static_cast<std::uint32_t>(feed == before.npos ? offset : offset - feed - 1)};
}

// The one edit that makes `now` of `then`, as far as it can be told; cuts no character in two.
TSInputEdit EditBetween(std::string_view then, std::string_view now) {
  const std::size_t shorter = std::min(then.size(), now.size());
  auto begin = static_cast<std::size_t>(
      std::mismatch(then.begin(), then.begin() + static_cast<std::ptrdiff_t>(shorter), now.begin())
          .first -
      then.begin());
  const auto in_character = [](std::string_view text, std::size_t offset) {
    return offset < text.size() && IsContinuation(text[offset]);
  };
  while (begin > 0 && (in_character(then, begin) || in_character(now, begin))) --begin;
  const auto most = static_cast<std::ptrdiff_t>(shorter - begin);
  auto same = static_cast<std::size_t>(
      std::mismatch(then.rbegin(), then.rbegin() + most, now.rbegin()).first - then.rbegin());
  while (same > 0 && in_character(then, then.size() - same)) --same;
  const std::size_t then_end = then.size() - same, now_end = now.size() - same;
  return {.start_byte = static_cast<std::uint32_t>(begin),
          .old_end_byte = static_cast<std::uint32_t>(then_end),
          .new_end_byte = static_cast<std::uint32_t>(now_end),
          .start_point = PointAt(then, begin),
          .old_end_point = PointAt(then, then_end),
          .new_end_point = PointAt(now, now_end)};
}

}  // namespace

void Reparser::Delete::operator()(TSTree* tree) const { ts_tree_delete(tree); }

Tree Reparser::Parse(const text::Source& source) {
  const std::string_view bytes = source.code();
  const std::vector<text::Span> spans = PartsOf(source);
  std::vector<std::string_view> texts;
  texts.reserve(spans.size());
  for (const text::Span span : spans)
    texts.push_back(bytes.substr(span.begin, span.end - span.begin));
  Align(texts);
  TreeBuilder builder(bytes);
  FreshParser fresh(bytes, &builder);
  for (std::size_t i = 0; i < spans.size(); ++i)
    Add(spans[i], texts[i], &parts_[i], &builder, &fresh);
  return builder.Finish();
}

// Cells are inserted, removed and moved as a whole: what is the same at the front and at the back
// stays, and those between are taken one by one.
void Reparser::Align(const std::vector<std::string_view>& texts) {
  const std::size_t now = texts.size(), then = parts_.size(), both = std::min(now, then);
  if (now == then) return;
  std::size_t front = 0, back = 0;
  while (front < both && parts_[front].text == texts[front]) ++front;
  while (back < both - front && parts_[then - 1 - back].text == texts[now - 1 - back]) ++back;
  const auto end = parts_.end() - static_cast<std::ptrdiff_t>(back);
  if (now < then) {
    parts_.erase(end - static_cast<std::ptrdiff_t>(then - now), end);
  } else {
    std::vector<Part> aligned(now - then);
    parts_.insert(end, std::make_move_iterator(aligned.begin()),
                  std::make_move_iterator(aligned.end()));
  }
}

void Reparser::Add(text::Span span, std::string_view text, Part* part, TreeBuilder* builder,
                   FreshParser* fresh) {
  // Without a tree to start from, a part that was broken probably still is.
  const bool hopeless = part->is_broken && part->tree == nullptr;
  if (!hopeless && !fresh->Refuses(span) && Update(text, part)) {
    part->is_broken = false;
    return builder->Add(span, ts_tree_root_node(part->tree.get()));
  }
  const std::size_t known = builder->ErrorCount();
  fresh->Add(span);
  part->is_broken = builder->ErrorCount() > known;
  if (fresh->exhausted()) *part = Part{{}, {}, true};
}

bool Reparser::Update(std::string_view text, Part* part) {
  if (part->tree != nullptr && part->text == text) return true;
  OwnedTree edited;
  if (part->tree != nullptr) {
    const TSInputEdit edit = EditBetween(part->text, text);
    edited.reset(ts_tree_copy(part->tree.get()));
    ts_tree_edit(edited.get(), &edit);
  }
  OwnedTree parsed = ParseFrom(edited.get(), text);
  if (parsed == nullptr) return false;
  part->tree = std::move(parsed);
  part->text = text;
  return true;
}

Reparser::OwnedTree Reparser::ParseFrom(const TSTree* old, std::string_view text) {
  struct Job {
    TSParser* parser;  // of the thread that stays
    const TSTree* old;
    std::string_view text;
    OwnedTree parsed;
  } job{ParserOfThisThread(), old, text, {}};
  const auto work = [](void* argument) {
    auto& [parser, from, bytes, parsed] = *static_cast<Job*>(argument);
    ParseBudget budget(bytes, nullptr);
    budget.StopAtErrors();
    parsed.reset(ts_parser_parse_with_options(parser, from, budget.Input(), budget.Options()));
    ts_parser_reset(parser);
    if (budget.Exhausted() || (parsed && ts_node_has_error(ts_tree_root_node(parsed.get()))))
      parsed.reset();
  };
  WithStack(text.size(), work, &job);
  return std::move(job.parsed);
}

}  // namespace torchleak::syntax

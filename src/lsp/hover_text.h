// HoverText: what a hover says, block by block, as Markdown or as plain text.
//
//   HoverText out(is_markdown);
//   out.Paragraph(out.Bold("TLK101 accumulated-tensor") + " · error");
//   out.Item(1, out.Link("line 12", "file:///a.py#L12") + ": " + out.Prose("kept in `losses`"));
//   std::string text = out.Take();
//
// Texts of findings have `code` between backticks and else anything that stands in a source:
// Prose() and Code() make it harmless, so that nothing of it is taken for Markdown or HTML. Blocks
// take what these, Bold() and Link() gave.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

namespace torchleak::lsp {

class HoverText {
 public:
  explicit HoverText(bool is_markdown) : is_markdown_(is_markdown) {}
  bool is_markdown() const { return is_markdown_; }

  // Text of one line, with `code` in it.
  std::string Prose(std::string_view text) const;
  // Source text: its first line, shortened.
  std::string Code(std::string_view text) const;
  std::string Bold(std::string_view text) const;
  // In plain text a link has no address. An empty one is none.
  std::string Link(std::string_view text, std::string_view url) const;

  void Paragraph(std::string_view inlines);
  void Bullet(std::string_view inlines);
  void Item(std::size_t number, std::string_view inlines);
  // Markdown of our own pages.
  void Page(std::string_view markdown);
  // "More about it", with the address in full where there are no links.
  void More(std::string_view text, std::string_view url);
  // Between two things that are told.
  void Rule();

  bool empty() const { return out_.empty(); }
  std::string Take() { return std::move(out_); }

 private:
  enum class Block { kParagraph, kBullet, kNumber };

  void Item(Block block, std::string_view mark, std::string_view inlines);
  void Begin(std::string_view separator);

  bool is_markdown_;
  Block last_ = Block::kParagraph;
  std::string out_;
};

}  // namespace torchleak::lsp

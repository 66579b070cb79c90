// Markdown is escaped no more than it must be: some clients show it as it is written.
#include "lsp/hover_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <utility>

#include "report/page_text.h"

namespace torchleak::lsp {
namespace {

constexpr std::size_t kMostCode = 80;  // bytes of source in a line

bool IsWordByte(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 ||
         (static_cast<unsigned char>(c) >= 0x80);
}

// Control characters, line ends among them, become blanks.
std::string OneLine(std::string_view text) {
  std::string line(text);
  for (char& c : line) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) c = ' ';
  }
  return line;
}

// `_` within a word is no emphasis.
bool IsMark(std::string_view text, std::size_t at) {
  const char c = text[at];
  if (c != '_') return std::string_view("\\`*<>[]|~&").find(c) != std::string_view::npos;
  return at == 0 || at + 1 == text.size() || !IsWordByte(text[at - 1]) || !IsWordByte(text[at + 1]);
}

std::string Escaped(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (IsMark(text, i)) out += '\\';
    out += text[i];
  }
  return out;
}

// The fence is longer than any run of backticks inside.
std::string Fenced(std::string_view code) {
  std::size_t longest = 0, run = 0;
  for (const char c : code) {
    run = c == '`' ? run + 1 : 0;
    longest = std::max(longest, run);
  }
  const std::string fence(longest + 1, '`');
  const bool needs_blanks = code.starts_with('`') || code.ends_with('`');
  const std::string_view blank = needs_blanks ? " " : "";
  return fmt::format("{}{}{}{}{}", fence, blank, code, blank, fence);
}

// A parenthesis would end the address.
std::string LinkAddress(std::string_view url) {
  std::string out;
  for (const char c : url) {
    if (c == '(') {
      out += "%28";
    } else if (c == ')') {
      out += "%29";
    } else if (c == '<' || c == '>' || static_cast<unsigned char>(c) <= 0x20) {
      out += fmt::format("%{:02X}", static_cast<unsigned>(static_cast<unsigned char>(c)));
    } else {
      out += c;
    }
  }
  return out;
}

}  // namespace

std::string HoverText::Prose(std::string_view text) const {
  const std::string line = OneLine(text);
  if (!is_markdown_) return report::Requoted(line);
  std::string out;
  std::string_view rest = line;
  while (!rest.empty()) {
    const std::size_t open = rest.find('`');
    const std::size_t close = open == std::string_view::npos ? open : rest.find('`', open + 1);
    if (close == std::string_view::npos) break;
    out += Escaped(rest.substr(0, open));
    const std::string_view code = rest.substr(open + 1, close - open - 1);
    out += code.empty() ? "\\`\\`" : Fenced(code);
    rest.remove_prefix(close + 1);
  }
  return out + Escaped(rest);
}

std::string HoverText::Code(std::string_view text) const {
  const std::size_t end = std::min(text.find_first_of("\r\n"), text.size());
  std::size_t shown = std::min(end, kMostCode);
  while (shown > 0 && shown < text.size() &&
         (static_cast<unsigned char>(text[shown]) & 0xC0) == 0x80)
    --shown;
  std::string line = OneLine(text.substr(0, shown));
  while (line.ends_with(' ')) line.pop_back();
  if (shown < text.size()) line += " …";
  return is_markdown_ ? Fenced(line) : line;
}

std::string HoverText::Bold(std::string_view text) const {
  const std::string line = OneLine(text);
  return is_markdown_ ? fmt::format("**{}**", Escaped(line)) : line;
}

std::string HoverText::Link(std::string_view text, std::string_view url) const {
  const std::string line = OneLine(text);
  if (!is_markdown_) return line;
  if (url.empty()) return Escaped(line);
  return fmt::format("[{}]({})", Escaped(line), LinkAddress(url));
}

void HoverText::Begin(std::string_view separator) {
  if (!out_.empty()) out_ += separator;
}

void HoverText::Paragraph(std::string_view inlines) {
  Begin("\n\n");
  out_ += inlines;
  last_ = Block::kParagraph;
}

void HoverText::Item(std::size_t number, std::string_view inlines) {
  Item(Block::kNumber, fmt::format("{}. ", number), inlines);
}

void HoverText::Bullet(std::string_view inlines) { Item(Block::kBullet, "- ", inlines); }

void HoverText::Item(Block block, std::string_view mark, std::string_view inlines) {
  Begin(last_ == block ? "\n" : "\n\n");
  out_ += mark;
  out_ += inlines;
  last_ = block;
}

void HoverText::Page(std::string_view markdown) {
  if (markdown.empty()) return;
  Paragraph(is_markdown_ ? std::string(markdown) : report::PlainText(markdown));
}

void HoverText::More(std::string_view text, std::string_view url) {
  Paragraph(is_markdown_ ? Link(text, url) : fmt::format("{}: {}", OneLine(text), url));
}

void HoverText::Rule() {
  if (is_markdown_ && !out_.empty()) Paragraph("---");
}

}  // namespace torchleak::lsp

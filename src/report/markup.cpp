#include "report/markup.h"

#include <fmt/format.h>

#include "report/page_text.h"
#include "report/terminal.h"
#include "report/utf8.h"

namespace torchleak::report {
namespace {

// The entity of a character that means something in markup; empty for all others.
std::string_view Entity(char32_t code) {
  switch (code) {
    case '&':
      return "&amp;";
    case '<':
      return "&lt;";
    case '>':
      return "&gt;";
    case '"':
      return "&quot;";
    case '\'':
      return "&#39;";
    default:
      return {};
  }
}

}  // namespace

std::string EscapeMarkup(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const char32_t code = NextCodePoint(text, &at);
    const std::string_view entity = Entity(code);
    if (!entity.empty()) {
      out += entity;
    } else if (code == '\n' || code == '\t') {
      out.push_back(static_cast<char>(code));
    } else {
      const bool forbidden = (code & 0xFFFE) == 0xFFFE || (code >= 0xFDD0 && code <= 0xFDEF);
      AppendUtf8(&out, forbidden ? kReplacement : Harmless(code));
    }
  }
  return out;
}

std::string HtmlProse(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const std::size_t open = text.find('`');
    const std::size_t close = open == std::string_view::npos ? open : text.find('`', open + 1);
    if (close == std::string_view::npos) return out + EscapeMarkup(text);
    out += EscapeMarkup(text.substr(0, open));
    out += "<code>" + EscapeMarkup(text.substr(open + 1, close - open - 1)) + "</code>";
    text.remove_prefix(close + 1);
  }
  return out;
}

std::string HtmlHeading(std::string_view message) {
  std::string sentence = Sentence(message);
  sentence.pop_back();  // the full stop
  return HtmlProse(sentence);
}

std::string HtmlNumber(std::size_t value) {
  std::string text = fmt::format("{}", value);
  for (std::size_t at = text.size(); at > 3; at -= 3) text.insert(at - 3, ",");
  return text;
}

}  // namespace torchleak::report

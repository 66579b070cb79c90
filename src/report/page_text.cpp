// Line by line, with one state: inside a code fence or not. Enough for our own pages, not for all
// Markdown.
#include "report/page_text.h"

#include <algorithm>

#include "report/utf8.h"

namespace torchleak::report {
namespace {

std::string_view TakeLine(std::string_view* text) {
  const std::size_t end = text->find('\n');
  std::string_view line = text->substr(0, end);
  text->remove_prefix(end == std::string_view::npos ? text->size() : end + 1);
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

bool IsFence(std::string_view line) {
  const std::size_t start = line.find_first_not_of(' ');
  return start != std::string_view::npos &&
         (line.substr(start).starts_with("```") || line.substr(start).starts_with("~~~"));
}

// 0: no heading.
std::size_t HeadingLevel(std::string_view line) {
  const std::size_t level = std::min(line.find_first_not_of('#'), line.size());
  return level <= 6 && level < line.size() && line[level] == ' ' ? level : 0;
}

std::string_view Trim(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\n' || text.front() == '\r'))
    text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\n' || text.back() == '\r'))
    text.remove_suffix(1);
  return text;
}

// "[text](url)" at `at`: the length of the whole, or 0.
std::size_t LinkLength(std::string_view line, std::size_t at, std::string_view* text,
                       std::string_view* url) {
  const std::size_t middle = line.find("](", at);
  if (middle == std::string_view::npos ||
      line.substr(at + 1, middle - at - 1).find('[') != std::string_view::npos)
    return 0;
  const std::size_t end = line.find(')', middle);
  if (end == std::string_view::npos) return 0;
  *text = line.substr(at + 1, middle - at - 1);
  *url = line.substr(middle + 2, end - middle - 2);
  return end + 1 - at;
}

void AppendInline(std::string_view line, std::string* out) {
  for (std::size_t i = 0; i < line.size();) {
    std::string_view text;
    std::string_view url;
    const std::size_t code_end = line[i] == '`' ? line.find('`', i + 1) : std::string_view::npos;
    if (code_end != std::string_view::npos) {
      *out += line.substr(i + 1, code_end - i - 1);
      i = code_end + 1;
    } else if (line.substr(i).starts_with("**")) {
      i += 2;
    } else if (const std::size_t length = line[i] == '[' ? LinkLength(line, i, &text, &url) : 0;
               length != 0) {
      AppendInline(text, out);
      *out += " (";
      *out += url;
      *out += ")";
      i += length;
    } else {
      out->push_back(line[i++]);
    }
  }
}

}  // namespace

std::string PlainText(std::string_view markdown) {
  std::string out;
  bool in_code = false;
  while (!markdown.empty()) {
    const std::string_view line = TakeLine(&markdown);
    if (IsFence(line)) {
      in_code = !in_code;
      continue;
    }
    if (in_code) {
      if (!line.empty()) out += "    ";
      out += line;
    } else {
      const std::size_t level = HeadingLevel(line);
      AppendInline(level == 0 ? line : line.substr(level + 1), &out);
    }
    out.push_back('\n');
  }
  return std::string(Trim(out));
}

std::string_view Section(std::string_view markdown, std::string_view heading) {
  const char* begin = nullptr;
  std::size_t level = 0;
  bool in_code = false;
  std::string_view rest = markdown;
  while (!rest.empty()) {
    const char* line_begin = rest.data();
    const std::string_view line = TakeLine(&rest);
    if (IsFence(line)) in_code = !in_code;
    const std::size_t here = in_code ? 0 : HeadingLevel(line);
    if (begin == nullptr && here != 0 && Trim(line.substr(here)) == heading) {
      begin = rest.data();
      level = here;
    } else if (begin != nullptr && here != 0 && here <= level) {
      return Trim({begin, static_cast<std::size_t>(line_begin - begin)});
    }
  }
  if (begin == nullptr) return {};
  return Trim({begin, static_cast<std::size_t>(markdown.data() + markdown.size() - begin)});
}

std::string Shorten(std::string_view text, std::size_t characters) {
  std::size_t count = 0;
  std::size_t last = 0;  // where the last character that may stay begins
  std::size_t at = 0;
  while (at < text.size() && count < characters) {
    last = at;
    NextCodePoint(text, &at);
    ++count;
  }
  if (at >= text.size()) return std::string(text);
  const std::string_view kept = text.substr(0, last);
  const std::size_t stop = kept.rfind(". ");
  if (stop != std::string_view::npos && stop > kept.size() / 2)
    return std::string(kept.substr(0, stop + 1));
  const std::size_t blank = kept.find_last_of(" \n");
  return std::string(kept.substr(0, blank == std::string_view::npos ? kept.size() : blank)) + "…";
}

std::string Sentence(std::string_view message) {
  std::string out(Trim(message));
  const std::size_t word = out.find_first_not_of("abcdefghijklmnopqrstuvwxyz");
  const bool is_word = word != 0 && word != std::string::npos && out[word] == ' ';
  if (is_word) out[0] = static_cast<char>(out[0] - 'a' + 'A');
  if (!out.ends_with('.')) out.push_back('.');
  return out;
}

std::string Requoted(std::string_view text) {
  std::string out(text);
  std::replace(out.begin(), out.end(), '`', '\'');
  return out;
}

}  // namespace torchleak::report

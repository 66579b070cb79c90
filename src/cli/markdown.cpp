// Lines are gathered into blocks; a block's text becomes words that know how wide they look, and
// the words are filled into lines. Styles never span words: each word opens and closes its own, so
// that a line break cannot leave one open.
#include "cli/markdown.h"

#include <algorithm>
#include <vector>

namespace torchleak::cli {
namespace {

constexpr std::string_view kReset = "\x1b[0m", kBold = "\x1b[1m", kItalic = "\x1b[3m",
                           kDim = "\x1b[2m", kCyan = "\x1b[36m", kHeading = "\x1b[1;4m";

std::size_t Width(std::string_view text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; }));
}

struct Word {
  std::string text;       // with escapes
  std::size_t width = 0;  // without
};

class Inline {
 public:
  explicit Inline(bool color) : color_(color) {}

  std::vector<Word> Words(std::string_view text) {
    for (std::size_t i = 0; i < text.size();) i = Take(text, i);
    EndWord();
    return std::move(words_);
  }

 private:
  std::size_t Take(std::string_view text, std::size_t i) {
    if (text[i] == ' ' || text[i] == '\t') {
      EndWord();
      return i + 1;
    }
    if (text[i] == '`') {
      std::size_t close = text.find('`', i + 1);
      if (close != std::string_view::npos) {
        Code(text.substr(i + 1, close - i - 1));
        return close + 1;
      }
    }
    if (text.substr(i, 2) == "**") return Toggle(&bold_, i + 2);
    bool before_word = i + 1 < text.size() && text[i + 1] != ' ' && (i == 0 || text[i - 1] == ' ');
    if (text[i] == '*' && (italic_ || before_word)) return Toggle(&italic_, i + 1);
    if (text[i] == '[') {
      std::size_t middle = text.find("](", i), close = text.find(')', i);
      if (middle != std::string_view::npos && close != std::string_view::npos && middle < close) {
        Link(text.substr(i + 1, middle - i - 1), text.substr(middle + 2, close - middle - 2));
        return close + 1;
      }
    }
    Append(text.substr(i, 1));
    return i + 1;
  }

  std::size_t Toggle(bool* style, std::size_t next) {
    CloseStyle();
    *style = !*style;
    return next;
  }

  void Code(std::string_view code) {
    CloseStyle();
    // Code keeps its blanks and is broken only between words, like prose.
    if (!color_) Append("`");
    std::size_t at = 0;
    while (at < code.size()) {
      std::size_t end = std::min(code.find(' ', at), code.size());
      if (color_) word_.text += kCyan;
      word_.text += code.substr(at, end - at);
      word_.width += Width(code.substr(at, end - at));
      if (color_) word_.text += kReset;
      if (end < code.size()) EndWord();
      at = end + 1;
    }
    if (!color_) Append("`");
  }

  void Link(std::string_view label, std::string_view url) {
    for (char c : label) {
      if (c == ' ') {
        EndWord();
      } else if (c != '`') {
        Append(std::string_view(&c, 1));
      }
    }
    if (label == url) return;
    EndWord();
    Append("(");
    Append(url);
    Append(")");
  }

  void Append(std::string_view text) {
    if (color_ && !open_ && (bold_ || italic_)) {
      word_.text += bold_ ? kBold : kItalic;
      open_ = true;
    }
    word_.text += text;
    word_.width += Width(text);
  }

  void CloseStyle() {
    if (open_) word_.text += kReset;
    open_ = false;
  }

  void EndWord() {
    CloseStyle();
    if (!word_.text.empty()) words_.push_back(std::move(word_));
    word_ = {};
  }

  bool color_;
  bool bold_ = false, italic_ = false, open_ = false;
  Word word_;
  std::vector<Word> words_;
};

// What a line is, and how far its continuation lines are set in.
struct ListMark {
  std::size_t indent = 0;  // of the mark
  std::size_t length = 0;  // of the mark with its blank; 0: no list item
};

ListMark MarkOf(std::string_view line) {
  std::size_t indent = std::min(line.find_first_not_of(' '), line.size());
  std::string_view rest = line.substr(indent);
  if (rest.starts_with("- ") || rest.starts_with("* ")) return {indent, 2};
  std::size_t digits = std::min(rest.find_first_not_of("0123456789"), rest.size());
  if (digits > 0 && rest.substr(digits, 2) == ". ") return {indent, digits + 2};
  return {};
}

class Renderer {
 public:
  Renderer(std::size_t width, bool color)
      : width_(std::min<std::size_t>(width, 100)), color_(color) {}

  std::string Render(std::string_view markdown) {
    for (std::size_t at = 0; at < markdown.size();) {
      std::size_t end = std::min(markdown.find('\n', at), markdown.size());
      std::string_view line = markdown.substr(at, end - at);
      if (line.ends_with('\r')) line.remove_suffix(1);
      TakeLine(line);
      at = end + 1;
    }
    Flush();
    return std::move(out_);
  }

 private:
  void TakeLine(std::string_view line) {
    if (line.starts_with("```")) {
      Flush();
      in_code_ = !in_code_;
    } else if (in_code_) {
      Styled(kDim, "    " + std::string(line));
    } else if (line.find_first_not_of(' ') == std::string_view::npos) {
      Flush();
      if (!out_.empty() && !out_.ends_with("\n\n")) out_ += '\n';
    } else if (line.starts_with('#')) {
      Flush();
      line.remove_prefix(std::min(line.find_first_not_of("# "), line.size()));
      Styled(kHeading, line);
    } else if (line.starts_with('|')) {
      Flush();
      out_ += line;
      out_ += '\n';
    } else if (ListMark mark = MarkOf(line); mark.length > 0) {
      Flush();
      hang_ = mark.indent + mark.length;
      first_ = std::string(line.substr(0, hang_));
      block_ = line.substr(hang_);
    } else {
      line.remove_prefix(line.find_first_not_of(' '));
      if (!block_.empty()) block_ += ' ';
      block_ += line;
    }
  }

  void Styled(std::string_view style, std::string_view text) {
    if (color_ && !text.empty()) {
      out_.append(style).append(text).append(kReset);
    } else {
      out_ += text;
    }
    out_ += '\n';
  }

  void Flush() {
    if (block_.empty()) return;
    out_ += first_;
    std::size_t column = hang_;
    bool fresh = true;
    for (const Word& word : Inline(color_).Words(block_)) {
      if (!fresh && column + 1 + word.width > width_) {
        out_ += '\n';
        out_.append(hang_, ' ');
        column = hang_;
        fresh = true;
      }
      if (!fresh) out_ += ' ';
      out_ += word.text;
      column += word.width + (fresh ? 0 : 1);
      fresh = false;
    }
    out_ += '\n';
    block_.clear();
    first_.clear();
    hang_ = 0;
  }

  std::size_t width_;
  bool color_;
  bool in_code_ = false;
  std::string out_, block_, first_;
  std::size_t hang_ = 0;
};

}  // namespace

std::string RenderMarkdown(std::string_view markdown, std::size_t width, bool color) {
  return Renderer(width, color).Render(markdown);
}

}  // namespace torchleak::cli

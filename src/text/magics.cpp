// Logical lines are found as Python's tokenizer finds them: by quotes, brackets, comments and
// backslashes. Only where one begins, or after its first `=`, something else than Python may stand.
#include "text/magics.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

namespace torchleak::text {
namespace {

constexpr std::array<std::string_view, 13> kRunCode = {
    "capture", "debug",        "heat",     "lprun", "memit",  "mprun", "prun",
    "px",      "pyinstrument", "snakeviz", "time",  "timeit", "wandb"};

// Line magics whose argument is a statement, with their options that take a value.
using Timed = std::pair<std::string_view, std::string_view>;
constexpr std::array<Timed, 6> kTimed = {Timed{"time", ""},        Timed{"timeit", "nrp"},
                                         Timed{"prun", "lsTD"},    Timed{"memit", "rti"},
                                         Timed{"lprun", "fmTDsu"}, Timed{"mprun", "fTc"}};

constexpr std::array<std::string_view, 9> kCompound = {"for", "while", "if",    "with", "try",
                                                       "def", "class", "async", "match"};

bool IsWordChar(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}
bool IsBlank(char c) { return c == ' ' || c == '\t' || c == '\f'; }
bool IsLineEnd(char c) { return c == '\n' || c == '\r'; }
bool IsContinuation(char c) { return (static_cast<std::uint8_t>(c) & 0xC0) == 0x80; }

std::string_view WordAt(std::string_view text, std::size_t at) {
  std::size_t end = at;
  while (end < text.size() && IsWordChar(text[end])) ++end;
  return text.substr(at, end - at);
}

// Where the cell's next `%%name` stands, if nothing but blanks and blank lines lies before it.
std::size_t NextCellMagic(std::string_view cell, std::size_t from) {
  while (from < cell.size() && (IsBlank(cell[from]) || IsLineEnd(cell[from]))) ++from;
  const bool magic = cell.substr(from).starts_with("%%") && !WordAt(cell, from + 2).empty();
  return magic ? from : cell.npos;
}

std::size_t EndOfLine(std::string_view text, std::size_t from) {
  return std::min(text.find_first_of("\r\n", from), text.size());
}

class Mask {
 public:
  explicit Mask(std::string* cell) : code_(*cell) {}

  std::size_t Run() {
    for (std::size_t magic; (magic = NextCellMagic(code_, at_)) != code_.npos;)
      Overwrite(magic, "0#");
    while (at_ < code_.size()) LogicalLine();
    return open_string_;
  }

 private:
  char At(std::size_t i) const { return i < code_.size() ? code_[i] : '\0'; }
  bool AtLineEnd(std::size_t i) const { return i >= code_.size() || IsLineEnd(code_[i]); }
  std::size_t PastBlanks(std::size_t i) const {
    while (i < code_.size() && IsBlank(code_[i])) ++i;
    return i;
  }
  std::size_t PastLineEnd(std::size_t i) const {
    if (At(i) == '\r' && At(i + 1) == '\n') return i + 2;
    return std::min(i + 1, code_.size());
  }

  // One character, all bytes of it.
  std::size_t Put(std::size_t at, char c) {
    do code_[at++] = c;
    while (at < code_.size() && IsContinuation(code_[at]));
    return at;
  }

  // The rest of the line, and those that it continues with backslashes. Goes on after them.
  void Overwrite(std::size_t at, std::string_view with) {
    for (const char c : with) {
      if (AtLineEnd(at)) break;
      at = Put(at, c);
    }
    for (;;) {
      const std::size_t end = EndOfLine(code_, at);
      const bool continued = end > at && code_[end - 1] == '\\';
      at_ = PastLineEnd(end);
      if (!continued || at_ >= code_.size()) return;
      at = at_;
      if (!AtLineEnd(at)) Put(at, '#');
    }
  }

  void LogicalLine() {
    const std::size_t begin = PastBlanks(at_);
    at_ = begin;
    const char c = At(begin);
    if (c == '%') {
      const std::size_t code = CodeOfTimed(begin);
      if (code == code_.npos) return Overwrite(begin, "0#");
      std::fill(&code_[begin], &code_[code], ' ');
      const std::string_view word = WordAt(code_, code);
      if (std::find(kCompound.begin(), kCompound.end(), word) == kCompound.end()) {
        code_[begin] = '0';
        code_[code - 1] = ';';
      }
      at_ = code;
    } else if (c != '\0' && std::string_view("!?,;/").find(c) != std::string_view::npos) {
      return Overwrite(begin, "0#");
    }
    Statement(begin);
  }

  // The statement that `%time` and its like run; npos for other magics and those without one.
  std::size_t CodeOfTimed(std::size_t magic) const {
    const std::string_view name = WordAt(code_, magic + 1);
    const auto known = std::find_if(kTimed.begin(), kTimed.end(),
                                    [&](const Timed& timed) { return timed.first == name; });
    if (known == kTimed.end() || !IsBlank(At(magic + 1 + name.size()))) return code_.npos;
    std::size_t at = PastBlanks(magic + 1 + name.size());
    while (At(at) == '-') {
      const bool takes_value = known->second.find(At(at + 1)) != std::string_view::npos;
      const auto skip_word = [&] {
        while (!AtLineEnd(at) && !IsBlank(code_[at])) ++at;
        at = PastBlanks(at);
      };
      const bool apart = takes_value && IsBlank(At(at + 2));
      skip_word();
      if (apart) skip_word();
    }
    return AtLineEnd(at) || At(at) == '#' ? code_.npos : at;
  }

  // To the end of the logical line that begins at `begin`; at_ may be further on already.
  void Statement(std::size_t begin) {
    int depth = 0;
    bool assigned = false, one_line = true;
    std::size_t last = begin;  // significant character
    while (at_ < code_.size()) {
      const char c = code_[at_];
      if (IsLineEnd(c)) {
        at_ = PastLineEnd(at_);
        if (depth == 0) break;
        one_line = false;
        continue;
      }
      if (c == '#') {
        at_ = EndOfLine(code_, at_);
        continue;
      }
      if (c == '\\' && IsLineEnd(At(at_ + 1))) {
        at_ = PastLineEnd(at_ + 1);
        one_line = false;
        continue;
      }
      if (!IsBlank(c)) last = at_;
      if (c == '"' || c == '\'') {
        one_line &= SkipString();
        continue;
      }
      if (c == '(' || c == '[' || c == '{') ++depth;
      if ((c == ')' || c == ']' || c == '}') && depth > 0) --depth;
      ++at_;
      if (c != '=' || depth > 0 || assigned) continue;
      if (!IsAssignment(&assigned)) continue;
      if (Assigned()) return;
    }
    if (one_line && At(last) == '?') {
      const std::size_t next = at_;
      Overwrite(begin, "0#");
      at_ = next;
    }
  }

  // After a '=': is it an assignment of its own? Steps over the rest of other operators.
  bool IsAssignment(bool* assigned) {
    if (At(at_) == '=') {
      ++at_;
      return false;
    }
    const char before = at_ >= 2 ? code_[at_ - 2] : '\0';
    if (before != '\0' && std::string_view("+-*/%&|^@<>!:").find(before) != std::string_view::npos)
      return false;
    *assigned = true;
    return true;
  }

  // After `name =`: a magic or shell escape is overwritten. True when the line is done with.
  bool Assigned() {
    const std::size_t value = PastBlanks(at_);
    const bool magic = At(value) == '%' && !WordAt(code_, value + 1).empty();
    if (!magic && At(value) != '!') return false;
    const std::size_t code = magic ? CodeOfTimed(value) : code_.npos;
    if (code == code_.npos) {
      Overwrite(value, "__#");
      return true;
    }
    std::fill(&code_[value], &code_[code], ' ');
    at_ = code;
    return false;
  }

  // True when it ends on its line.
  bool SkipString() {
    const char quote = code_[at_];
    const bool triple = At(at_ + 1) == quote && At(at_ + 2) == quote;
    const std::size_t begin = at_;
    at_ += triple ? 3 : 1;
    bool closed = false;
    while (at_ < code_.size()) {
      const char c = code_[at_];
      if (c == '\\') {
        at_ = IsLineEnd(At(at_ + 1)) ? PastLineEnd(at_ + 1) : std::min(at_ + 2, code_.size());
        continue;
      }
      if (!triple && IsLineEnd(c)) break;  // left open: the line end closes it
      ++at_;
      if (c != quote || (triple && !(At(at_) == quote && At(at_ + 1) == quote))) continue;
      if (triple) at_ += 2;
      closed = true;
      break;
    }
    if (triple && !closed) open_string_ = begin;
    const std::size_t length = std::min(at_, code_.size()) - begin;
    return std::string_view(code_).substr(begin, length).find_first_of("\r\n") ==
           std::string_view::npos;
  }

  std::string& code_;
  std::size_t at_ = 0;
  std::size_t open_string_ = std::string::npos;
};

// Databricks writes the language of a cell with one percent sign. These are no magics of IPython.
bool IsDatabricksOther(std::string_view cell) {
  if (!cell.starts_with('%')) return false;
  const std::string_view name = WordAt(cell, 1);
  for (const std::string_view always : {"md", "scala", "fs", "sh"})
    if (name == always) return true;
  // With an argument these may be line magics of an extension.
  const std::string_view line = cell.substr(0, EndOfLine(cell, 0));
  return (name == "sql" || name == "r") && line.find_last_not_of(" \t") == name.size();
}

}  // namespace

CellMagic CellMagicOf(std::string_view cell) {
  if (IsDatabricksOther(cell)) return CellMagic::kOtherLanguage;
  CellMagic kind = CellMagic::kNone;
  std::size_t at = 0;
  for (std::size_t magic; (magic = NextCellMagic(cell, at)) != cell.npos;) {
    const std::string_view name = WordAt(cell, magic + 2);
    if (std::find(kRunCode.begin(), kRunCode.end(), name) == kRunCode.end())
      return CellMagic::kOtherLanguage;
    kind = CellMagic::kRunsCode;
    at = EndOfLine(cell, magic);
  }
  return kind;
}

std::size_t EndOfCellMagics(std::string_view cell) {
  std::size_t end = 0;
  for (std::size_t magic; (magic = NextCellMagic(cell, end)) != cell.npos;) {
    end = EndOfLine(cell, magic);
    if (end < cell.size()) end += cell.substr(end).starts_with("\r\n") ? 2 : 1;
  }
  return end;
}

std::size_t MaskMagics(std::string* cell) { return Mask(cell).Run(); }

}  // namespace torchleak::text

// The word `import` is searched for; strings and comments are read only up to where it was found,
// and a hit inside one moves the search to its end. What stands before the word on its logical line
// says whether it starts a statement or follows `from m`.
#include "project/import_scan.h"

#include <algorithm>
#include <utility>

#include "project/byte_search.h"
#include "project/definition_outline.h"
#include "project/names.h"
#include "project/skip_token.h"

namespace torchleak::project {
namespace {

constexpr std::string_view kKeyword = "import";

// "a . b" without its blanks; empty when two words stand side by side.
std::string WithoutBlanks(std::string_view text) {
  std::string joined;
  bool after_blank = false;
  for (const char c : text) {
    if (!IsNameByte(c) && c != '.') {
      after_blank = true;
      continue;
    }
    if (after_blank && c != '.' && !joined.empty() && joined.back() != '.') return {};
    joined += c;
    after_blank = false;
  }
  return joined;
}

}  // namespace

std::string Import::Qualified() const {
  if (name.empty()) {
    const bool aliased = bound != module.substr(0, module.find('.'));
    return std::string(aliased ? module : bound);
  }
  std::string qualified(module);
  if (!module.ends_with('.')) qualified += '.';
  return qualified += name;
}

std::string_view ImportTable::Keep(std::string_view text) {
  if (text.size() > left_) {
    left_ = std::max<std::size_t>(text.size(), 1000);
    blocks_.push_back(std::make_unique<char[]>(left_));
    free_ = blocks_.back().get();
  }
  std::copy(text.begin(), text.end(), free_);
  const std::string_view kept(free_, text.size());
  free_ += text.size();
  left_ -= text.size();
  return kept;
}

class ImportScanner {
 public:
  explicit ImportScanner(std::string_view bytes)
      : bytes_(bytes), begin_(bytes.starts_with("\xEF\xBB\xBF") ? 3 : 0), outline_(bytes, begin_) {}

  ImportTable Run() {
    code_ = floor_ = begin_;
    std::size_t at = begin_;
    while (table_.imports_.size() < ImportTable::kMaxImports) {
      at = bytes_.find(kKeyword, at);
      if (at == std::string_view::npos) break;
      if (!LexTo(at)) {
        at = code_;
      } else {
        at = Candidate(at);
      }
    }
    return std::move(table_);
  }

 private:
  char At(std::size_t i) const { return i < bytes_.size() ? bytes_[i] : '\n'; }

  // Reads strings and comments up to `goal`; code_ becomes that, or the end of what covers it.
  // Answers whether `goal` is code.
  bool LexTo(std::size_t goal) {
    while (code_ < goal) {
      code_ = FindQuoteOrHash(bytes_, code_, goal);
      if (code_ == goal) break;
      bool is_triple = false;
      const std::size_t end = SkipToken(bytes_, code_, &is_triple);
      if (is_triple) outline_.AddString(code_, end);
      code_ = end;
      floor_ = code_;
    }
    return code_ == goal;
  }

  // Length of a backslash and line end at `i`, or 0.
  std::size_t Continuation(std::size_t i) const {
    if (At(i) != '\\' || i + 1 >= bytes_.size() || !IsLineEnd(bytes_[i + 1])) return 0;
    return bytes_[i + 1] == '\r' && At(i + 2) == '\n' ? 3 : 2;
  }

  // The same before `i`, from floor_ on.
  std::size_t ContinuationBefore(std::size_t i) const {
    if (i < floor_ + 2 || !IsLineEnd(bytes_[i - 1])) return 0;
    if (bytes_[i - 2] == '\\') return 2;
    const bool both = i >= floor_ + 3 && bytes_[i - 1] == '\n' && bytes_[i - 2] == '\r';
    return both && bytes_[i - 3] == '\\' ? 3 : 0;
  }

  // From `i` back over blanks, and over the bytes of a dotted name when `with_names`.
  std::size_t Back(std::size_t i, bool with_names) const {
    while (i > floor_) {
      const char c = bytes_[i - 1];
      if (IsBlank(c) || (with_names && (IsNameByte(c) || c == '.'))) {
        --i;
      } else if (const std::size_t length = ContinuationBefore(i); length != 0) {
        i -= length;
      } else {
        break;
      }
    }
    return i;
  }

  bool StartsStatement(std::size_t i) const {
    if (i == begin_) return true;
    if (i <= floor_) return false;
    const char c = bytes_[i - 1];
    return IsLineEnd(c) || c == ';' || c == ':';
  }

  std::size_t SkipBlanks(std::size_t i) const {
    for (;;) {
      if (i < bytes_.size() && IsBlank(bytes_[i])) {
        ++i;
      } else if (const std::size_t length = Continuation(i); length != 0) {
        i += length;
      } else {
        return i;
      }
    }
  }

  // Between parentheses, where line ends and comments are blanks.
  std::size_t SkipBlanksAndLines(std::size_t i) const {
    while ((i = SkipBlanks(i)) < bytes_.size()) {
      if (bytes_[i] == '#') {
        i = FindEither(bytes_, i, bytes_.size(), '\n', '\r');
      } else if (IsLineEnd(bytes_[i])) {
        ++i;
      } else {
        break;
      }
    }
    return i;
  }

  std::size_t NameEnd(std::size_t i) const {
    while (i < bytes_.size() && IsNameByte(bytes_[i])) ++i;
    return i;
  }
  std::string_view Slice(std::size_t from, std::size_t to) const {
    return bytes_.substr(from, to - from);
  }

  // `at` is the word in code, maybe part of a longer one. Returns where to go on searching.
  std::size_t Candidate(std::size_t at) {
    const std::size_t after = at + kKeyword.size();
    if (IsNameByte(At(after)) || (at > begin_ && IsNameByte(bytes_[at - 1]))) return after;
    std::size_t end = after;
    if (const std::size_t start = Back(at, false); StartsStatement(start)) {
      top_level_ = !outline_.IsInside(SkipBlanks(start));
      end = Modules(after);
    } else if (const std::size_t from = Back(at, true); StartsStatement(from)) {
      const std::size_t word = SkipBlanks(from);
      if (Slice(word, NameEnd(word)) == "from") {
        const std::string module = WithoutBlanks(Slice(word + 4, at));
        top_level_ = !outline_.IsInside(word);
        if (!module.empty()) end = Names(table_.Keep(module), after);
      }
    }
    // No byte is walked back over twice.
    floor_ = code_ = end;
    return end;
  }

  // The end of `as name` after blanks from `i`, with the name; `i` when there is none.
  template <typename Skip>
  std::size_t Alias(std::size_t i, Skip skip, std::string_view& alias) const {
    const std::size_t word = skip(i);
    if (Slice(word, NameEnd(word)) != "as") return i;
    const std::size_t name = skip(word + 2);
    const std::size_t end = NameEnd(name);
    if (end > name) alias = Slice(name, end);
    return end;
  }

  // import a.b as c, d
  std::size_t Modules(std::size_t i) {
    const auto skip = [this](std::size_t from) { return SkipBlanks(from); };
    while (table_.imports_.size() < ImportTable::kMaxImports) {
      const std::size_t begin = SkipBlanks(i);
      std::size_t end = NameEnd(begin);
      if (end == begin) return i;
      for (;;) {  // .b
        const std::size_t dot = SkipBlanks(end);
        const std::size_t part = SkipBlanks(dot + 1);
        if (At(dot) != '.' || NameEnd(part) == part) break;
        end = NameEnd(part);
      }
      const std::string_view module = table_.Keep(WithoutBlanks(Slice(begin, end)));
      std::string_view alias;
      i = Alias(end, skip, alias);
      const std::string_view bound =
          alias.empty() ? module.substr(0, module.find('.')) : table_.Keep(alias);
      table_.imports_.push_back({module, {}, bound, top_level_});
      const std::size_t comma = SkipBlanks(i);
      if (At(comma) != ',') return i;
      i = comma + 1;
    }
    return i;
  }

  // from module import a, b as c; the same in parentheses; *
  std::size_t Names(std::string_view module, std::size_t i) {
    bool in_parentheses = false;
    const auto skip = [&](std::size_t from) {
      return in_parentheses ? SkipBlanksAndLines(from) : SkipBlanks(from);
    };
    const std::size_t open = SkipBlanks(i);
    if (At(open) == '(') {
      in_parentheses = true;
      i = open + 1;
    }
    while (table_.imports_.size() < ImportTable::kMaxImports) {
      const std::size_t begin = skip(i);
      if (At(begin) == '*') {
        table_.imports_.push_back({module, table_.Keep("*"), {}, top_level_});
        return begin + 1;
      }
      const std::size_t end = NameEnd(begin);
      const std::string_view word = Slice(begin, end);
      if (word.empty() || word == "import" || word == "from") return i;  // never closed
      const std::string_view name = table_.Keep(word);
      std::string_view alias;
      i = Alias(end, skip, alias);
      table_.imports_.push_back(
          {module, name, alias.empty() ? name : table_.Keep(alias), top_level_});
      const std::size_t comma = skip(i);
      if (At(comma) != ',') return i;
      i = comma + 1;
    }
    return i;
  }

  std::string_view bytes_;
  std::size_t begin_;      // after a byte-order mark
  std::size_t code_ = 0;   // strings and comments before it have been read; itself in neither
  std::size_t floor_ = 0;  // no statement that is still to be found starts before it
  bool top_level_ = true;
  DefinitionOutline outline_;
  ImportTable table_;
};

ImportTable ScanImports(std::string_view bytes) { return ImportScanner(bytes).Run(); }

}  // namespace torchleak::project

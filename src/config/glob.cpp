// Two levels of the same algorithm: `**` among segments and `*` among bytes. On a mismatch the last
// star swallows one element more and matching resumes behind it; earlier stars never need to move,
// because the last one can swallow anything that they could.
#include "config/glob.h"

#include <cctype>
#include <cstddef>
#include <optional>

namespace torchleak::config {
namespace {

constexpr std::size_t kNone = static_cast<std::size_t>(-1);

bool InNamedClass(std::string_view name, unsigned char c) {
  if (name == "alpha") return std::isalpha(c) != 0;
  if (name == "digit") return std::isdigit(c) != 0;
  if (name == "alnum") return std::isalnum(c) != 0;
  if (name == "upper") return std::isupper(c) != 0;
  if (name == "lower") return std::islower(c) != 0;
  if (name == "space") return std::isspace(c) != 0;
  if (name == "punct") return std::ispunct(c) != 0;
  if (name == "xdigit") return std::isxdigit(c) != 0;
  if (name == "blank") return c == ' ' || c == '\t';
  if (name == "cntrl") return std::iscntrl(c) != 0;
  if (name == "graph") return std::isgraph(c) != 0;
  if (name == "print") return std::isprint(c) != 0;
  return false;
}

struct ClassResult {
  bool matches;
  std::size_t next;  // index after the closing bracket
};

// `pattern[at]` is '['. Nothing when the bracket never closes: then it is an ordinary character.
std::optional<ClassResult> MatchClass(std::string_view pattern, std::size_t at, unsigned char c) {
  std::size_t i = at + 1;
  bool negated = i < pattern.size() && (pattern[i] == '!' || pattern[i] == '^');
  if (negated) ++i;
  bool found = false;
  for (bool first = true; i < pattern.size(); first = false) {
    if (pattern[i] == ']' && !first) return ClassResult{found != negated, i + 1};
    if (pattern.substr(i, 2) == "[:") {
      std::size_t close = pattern.find(":]", i + 2);
      if (close != std::string_view::npos) {
        found |= InNamedClass(pattern.substr(i + 2, close - i - 2), c);
        i = close + 2;
        continue;
      }
    }
    if (pattern[i] == '\\' && i + 1 < pattern.size()) ++i;
    auto low = static_cast<unsigned char>(pattern[i++]);
    unsigned char high = low;
    if (i + 1 < pattern.size() && pattern[i] == '-' && pattern[i + 1] != ']') {
      ++i;
      if (pattern[i] == '\\' && i + 1 < pattern.size()) ++i;
      high = static_cast<unsigned char>(pattern[i++]);
    }
    found |= low <= c && c <= high;
  }
  return std::nullopt;
}

// Index behind the one-byte pattern element at `at` when it accepts `c`, else kNone.
std::size_t MatchOne(std::string_view pattern, std::size_t at, char c) {
  char p = pattern[at];
  if (p == '?') return at + 1;
  if (p == '[') {
    if (auto result = MatchClass(pattern, at, static_cast<unsigned char>(c))) {
      return result->matches ? result->next : kNone;
    }
  }
  if (p == '\\' && at + 1 < pattern.size()) p = pattern[++at];
  return p == c ? at + 1 : kNone;
}

}  // namespace

bool MatchesSegment(std::string_view pattern, std::string_view name) {
  std::size_t p = 0, n = 0, star = kNone, resume = 0;
  while (n < name.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = ++p;
      resume = n;
      continue;
    }
    std::size_t next = p < pattern.size() ? MatchOne(pattern, p, name[n]) : kNone;
    if (next != kNone) {
      p = next;
      ++n;
    } else if (star != kNone) {
      p = star;
      n = ++resume;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

Glob::Glob(std::string_view pattern) {
  std::size_t begin = 0;
  while (begin <= pattern.size()) {
    std::size_t end = std::min(pattern.find('/', begin), pattern.size());
    if (end > begin) segments_.emplace_back(pattern.substr(begin, end - begin));
    begin = end + 1;
  }
  // A final `**` needs something inside: `a/**` does not match `a` itself.
  if (segments_.size() > 1 && segments_.back() == "**") segments_.emplace_back("*");
}

bool Glob::Matches(std::string_view path) const {
  auto segment_at = [path](std::size_t begin) {
    return path.substr(begin, path.find('/', begin) - begin);
  };
  std::size_t p = 0, n = 0, star = kNone, resume = 0;
  while (n < path.size()) {
    if (p < segments_.size() && segments_[p] == "**") {
      star = ++p;
      resume = n;
      continue;
    }
    std::string_view name = segment_at(n);
    if (p < segments_.size() && MatchesSegment(segments_[p], name)) {
      ++p;
      n += name.size() + 1;
    } else if (star != kNone) {
      p = star;
      resume += segment_at(resume).size() + 1;
      n = resume;
    } else {
      return false;
    }
  }
  while (p < segments_.size() && segments_[p] == "**") ++p;
  return p == segments_.size();
}

}  // namespace torchleak::config

// Comparison in three passes over what the passes before have left; within equals, the first of
// `now` takes the first of `then`.
#include "baseline/entry.h"

#define XXH_INLINE_ALL
#include <fmt/format.h>
#include <xxhash.h>

#include <algorithm>
#include <array>
#include <map>
#include <unordered_map>

namespace torchleak::baseline {
namespace {

constexpr std::array<std::string_view, 35> kKeywords = {
    "False", "None",     "True",  "and",    "as",   "assert", "async",  "await",    "break",
    "class", "continue", "def",   "del",    "elif", "else",   "except", "finally",  "for",
    "from",  "global",   "if",    "import", "in",   "is",     "lambda", "nonlocal", "not",
    "or",    "pass",     "raise", "return", "try",  "while",  "with",   "yield"};

bool IsSpace(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }
bool StartsName(char c) {
  return c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
         static_cast<unsigned char>(c) >= 0x80;
}
bool IsInName(char c) { return StartsName(c) || (c >= '0' && c <= '9'); }

class Shape {
 public:
  explicit Shape(std::string_view line) : line_(line) {}

  std::string Make() && {
    while (at_ < line_.size() && line_[at_] != '#') {
      const char c = line_[at_];
      if (c == '"' || c == '\'') {
        String(c);
      } else if (StartsName(c)) {
        Name();
      } else if (c >= '0' && c <= '9') {
        while (at_ < line_.size() && IsInName(line_[at_])) out_.push_back(line_[at_++]);
      } else {
        if (!IsSpace(c)) out_.push_back(c);
        depth_ += c == '(' ? 1 : c == ')' ? -1 : 0;
        ++at_;
      }
    }
    return std::move(out_);
  }

 private:
  // Taken as it is; one that does not end here reaches to the end of the line.
  void String(char quote) {
    out_.push_back(line_[at_++]);
    while (at_ < line_.size()) {
      const char c = line_[at_++];
      out_.push_back(c);
      if (c == '\\' && at_ < line_.size()) {
        out_.push_back(line_[at_++]);
      } else if (c == quote) {
        return;
      }
    }
  }

  void Name() {
    const std::size_t begin = at_;
    while (at_ < line_.size() && IsInName(line_[at_])) ++at_;
    const std::string_view name = line_.substr(begin, at_ - begin);
    if (IsFixed(name)) {
      // A mark, so that what white space kept apart stays apart.
      out_.append(name).push_back(' ');
      return;
    }
    const auto number = numbers_.try_emplace(name, numbers_.size() + 1).first->second;
    out_ += fmt::format("${}", number);
  }

  // A keyword, an attribute, the prefix of a string, a keyword argument.
  bool IsFixed(std::string_view name) const {
    if (!out_.empty() && out_.back() == '.') return true;
    if (std::find(kKeywords.begin(), kKeywords.end(), name) != kKeywords.end()) return true;
    std::size_t next = at_;
    if (next < line_.size() && (line_[next] == '"' || line_[next] == '\'')) return true;
    while (next < line_.size() && IsSpace(line_[next])) ++next;
    return depth_ > 0 && next < line_.size() && line_[next] == '=' &&
           (next + 1 == line_.size() || line_[next + 1] != '=');
  }

  std::string_view line_;
  std::size_t at_ = 0;
  int depth_ = 0;
  std::string out_;
  std::map<std::string_view, std::size_t> numbers_;
};

std::string HexHash(std::string_view text) {
  return fmt::format("{:016x}", XXH3_64bits(text.data(), text.size()));
}

using Key = std::string (*)(const Entry&);

// The fields cannot hold a line feed.
std::string ExactKey(const Entry& e) {
  return fmt::format("{}\n{}\n{}\n{}\n{}", e.path, e.rule, e.function, e.line, e.occurrence);
}
std::string ShapeKey(const Entry& e) {
  return fmt::format("{}\n{}\n{}\n{}", e.path, e.rule, e.function, e.shape);
}
std::string LineKey(const Entry& e) { return fmt::format("{}\n{}\n{}", e.path, e.rule, e.line); }

}  // namespace

std::string ShapeOf(std::string_view line) { return Shape(line).Make(); }

std::vector<Entry> EntriesOf(std::span<const findings::Finding> findings, const Lookup& lookup) {
  std::vector<Entry> entries;
  std::map<Entry, unsigned> seen;
  for (const findings::Finding& finding : findings) {
    std::string_view line;
    if (const text::Source* source = lookup.source_of(finding.location.path)) {
      line = source->Line(source->RowOf(finding.location.span.begin));
    }
    Entry entry{lookup.entry_path(finding.location.path), std::string(finding.code),
                finding.function, HexHash(findings::NormalizedLine(line)), HexHash(ShapeOf(line))};
    const unsigned occurrence = seen[entry]++;
    entry.occurrence = occurrence;
    entries.push_back(std::move(entry));
  }
  return entries;
}

Comparison Compare(std::span<const Entry> now, std::span<const Entry> then) {
  std::vector<bool> known(now.size()), kept(then.size());
  for (const Key key : {&ExactKey, &ShapeKey, &LineKey}) {
    std::unordered_map<std::string, std::vector<std::size_t>> open;  // last first
    for (std::size_t i = then.size(); i-- > 0;) {
      if (!kept[i]) open[key(then[i])].push_back(i);
    }
    for (std::size_t i = 0; i < now.size() && !open.empty(); ++i) {
      if (known[i]) continue;
      const auto found = open.find(key(now[i]));
      if (found == open.end() || found->second.empty()) continue;
      kept[found->second.back()] = known[i] = true;
      found->second.pop_back();
    }
  }
  Comparison result;
  for (std::size_t i = 0; i < now.size(); ++i)
    (known[i] ? result.known : result.fresh).push_back(i);
  for (std::size_t i = 0; i < then.size(); ++i) {
    if (!kept[i]) result.gone.push_back(i);
  }
  return result;
}

}  // namespace torchleak::baseline

#include "expectation.h"

#include <fmt/format.h>

#include <algorithm>

namespace torchleak::tests {
namespace {

const std::map<std::string, std::string, std::less<>>& Vocabulary() {
  static const std::map<std::string, std::string, std::less<>> words{
      {"kind",
       " tensor number none module optimizer scheduler scaler loader handle context container "
       "function instance class parameters engine writer distribution unknown unreached "},
      {"grad", " none live freed unknown "},
      {"device", " host device unknown "},
      {"size", " scalar sized unknown "},
      {"mode", " off on unknown inherit "},
      {"strength", " none weak medium strong "},
      {"eval", " yes no "},
      {"frozen", " yes no "}};
  return words;
}

std::string_view Trim(std::string_view s) {
  const std::size_t first = s.find_first_not_of(" \t\r");
  if (first == s.npos) return {};
  return s.substr(first, s.find_last_not_of(" \t\r") - first + 1);
}

// "grad=live kind=tensor" into `out`; what is wrong with it, or nothing.
std::string ReadWords(std::string_view text, Expectation* out) {
  while (!(text = Trim(text)).empty()) {
    const std::string_view word = text.substr(0, text.find(' '));
    text.remove_prefix(word.size());
    const std::size_t equals = word.find('=');
    if (equals == word.npos) return fmt::format("`{}` is no key=value", word);
    const std::string_view key = word.substr(0, equals), value = word.substr(equals + 1);
    const auto known = Vocabulary().find(key);
    if (known == Vocabulary().end()) return fmt::format("no such key: {}", key);
    if (value.empty() || known->second.find(fmt::format(" {} ", value)) == std::string::npos)
      return fmt::format("{} is never {}", key, value);
    if (!out->words.emplace(key, value).second) return fmt::format("{} is said twice", key);
  }
  return out->words.empty() ? "nothing is expected" : "";
}

}  // namespace

Expectations ReadExpectations(std::string_view code) {
  Expectations out;
  for (std::size_t row = 1; !code.empty(); ++row) {
    const std::string_view line = code.substr(0, code.find('\n'));
    code.remove_prefix(std::min(code.size(), line.size() + 1));
    const std::size_t at = line.find("# flow");
    if (at == line.npos) continue;
    std::string_view text = line.substr(at + 6);
    const bool gap = text.starts_with("-gap:");
    if (!gap && !text.starts_with(":")) {
      out.errors.push_back(fmt::format("row {}: neither `# flow:` nor `# flow-gap:`", row));
      continue;
    }
    text.remove_prefix(gap ? 5 : 1);
    for (bool more = true; more;) {
      const std::size_t end = text.find(';');
      std::string_view part = Trim(text.substr(0, end));
      more = end != text.npos;
      if (more) text.remove_prefix(end + 1);
      Expectation e;
      e.row = row;
      e.gap = gap;
      if (const std::size_t colon = part.find(": "); colon != part.npos) {
        e.subject = part.substr(0, colon);
        part.remove_prefix(colon + 2);
      }
      if (std::string wrong = ReadWords(part, &e); !wrong.empty()) {
        out.errors.push_back(fmt::format("row {}: {}", row, wrong));
      } else {
        out.all.push_back(std::move(e));
      }
    }
  }
  return out;
}

}  // namespace torchleak::tests

// A piece of code, its tree, and what is found in it: on every `leak` TLK101, on every `mode`
// TLK203, on every `slow` TLK204.
#pragma once

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "findings/finding.h"
#include "suppress/suppressions.h"
#include "syntax/tree.h"
#include "text/source.h"

namespace torchleak::suppress {

inline constexpr std::array<KnownRule, 7> kRules{{{"TLK000", "syntax-error"},
                                                  {"TLK001", "unused-suppression"},
                                                  {"TLK002", "invalid-suppression"},
                                                  {"TLK101", "accumulated-tensor"},
                                                  {"TLK203", "eval-with-grad"},
                                                  {"TLK204", "slow-thing"},
                                                  {"TLK777", "opt-in", false}}};
inline constexpr std::array<std::string_view, 6> kAllCodes{"TLK000", "TLK001", "TLK002",
                                                           "TLK101", "TLK203", "TLK204"};

inline text::Source SourceOf(std::string code, std::string path = "a.py") {
  auto source = text::Source::FromBytes(std::move(path), std::move(code));
  REQUIRE(source);
  return *std::move(source);
}

// A notebook of these cells.
inline std::string Notebook(const std::vector<std::string>& cells) {
  nlohmann::json all = nlohmann::json::array();
  for (const std::string& cell : cells) {
    all.push_back({{"cell_type", "code"},
                   {"execution_count", nullptr},
                   {"metadata", nlohmann::json::object()},
                   {"outputs", nlohmann::json::array()},
                   {"source", cell}});
  }
  return nlohmann::json{{"cells", all},
                        {"metadata", {{"language_info", {{"name", "python"}}}}},
                        {"nbformat", 4},
                        {"nbformat_minor", 4}}
      .dump();
}

struct Code {
  explicit Code(std::string code, std::string path = "a.py")
      : source(SourceOf(std::move(code), std::move(path))), tree(syntax::Parse(source)) {}

  std::vector<findings::Finding> Findings() const {
    std::vector<findings::Finding> found;
    const std::array<std::pair<std::string_view, std::string_view>, 3> words{
        {{"leak", "TLK101"}, {"mode", "TLK203"}, {"slow", "TLK204"}}};
    for (const auto& [word, rule] : words) {
      for (std::size_t at = source.bytes().find(word); at != std::string_view::npos;
           at = source.bytes().find(word, at + 1)) {
        if (at > 0 && source.bytes()[at - 1] == 'h') continue;  // torchleak
        findings::Finding finding;
        finding.code = rule;
        const auto begin = static_cast<std::uint32_t>(at);
        finding.location = {source.path(), {begin, begin + 4}};
        found.push_back(std::move(finding));
      }
    }
    std::sort(found.begin(), found.end(), findings::Before);
    return found;
  }

  text::Source source;
  syntax::Tree tree;
};

// "TLK101:3 TLK203:4", by row.
inline std::string Told(const text::Source& source, const std::vector<findings::Finding>& found) {
  std::string told;
  for (const findings::Finding& f : found) {
    told += (told.empty() ? "" : " ") + std::string(f.code) + ":" +
            std::to_string(source.RowOf(f.location.span.begin));
  }
  return told;
}

// What is left when the comments have been honoured.
inline std::string Left(std::string code) {
  const Code c(std::move(code));
  std::vector<findings::Finding> found = c.Findings();
  Suppressions::Parse(c.source, c.tree, kRules).Apply(&found);
  return Told(c.source, found);
}

inline std::vector<findings::Finding> UnusedIn(const Code& c) {
  std::vector<findings::Finding> found = c.Findings();
  auto suppressions = Suppressions::Parse(c.source, c.tree, kRules);
  suppressions.Apply(&found);
  return suppressions.Unused(kAllCodes);
}

inline std::vector<findings::Finding> InvalidIn(const Code& c) {
  return Suppressions::Parse(c.source, c.tree, kRules).Invalid();
}

inline std::string With(const text::Source& source, std::vector<findings::Edit> edits) {
  std::sort(edits.begin(), edits.end(), [](const auto& a, const auto& b) {
    return a.location.span.begin < b.location.span.begin;
  });
  std::string text;
  std::uint32_t done = 0;
  for (const findings::Edit& edit : edits) {
    REQUIRE(edit.location.span.begin >= done);
    text += source.Text({done, edit.location.span.begin});
    text += edit.content;
    done = edit.location.span.end;
  }
  return text + std::string(source.bytes().substr(done));
}

// The code with the fixes of all that is unused, one after the other.
inline std::string Tidied(std::string code) {
  for (int round = 0; round < 10; ++round) {
    const Code c(code);
    const auto unused = UnusedIn(c);
    if (unused.empty()) return code;
    REQUIRE(unused.front().fix.has_value());
    code = With(c.source, unused.front().fix->edits);
  }
  FAIL("the fixes find no end");
  return code;
}

}  // namespace torchleak::suppress

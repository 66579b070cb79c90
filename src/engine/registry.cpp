// Rules by code or name, and the nearest one to a misspelt word.
#include <algorithm>
#include <cctype>
#include <string>

#include "engine/rule.h"
#include "findings/nearest.h"

namespace torchleak::engine {
namespace {

bool SameWord(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](unsigned char x, unsigned char y) {
    return std::tolower(x) == std::tolower(y);
  });
}

}  // namespace

const Rule* FindRule(std::string_view code_or_name) {
  for (const Rule* rule : AllRules()) {
    if (SameWord(rule->info().code, code_or_name) || SameWord(rule->info().name, code_or_name))
      return rule;
  }
  return nullptr;
}

std::string_view NearestRule(std::string_view misspelt) {
  std::vector<std::string_view> known;
  for (const Rule* rule : AllRules()) {
    known.push_back(rule->info().code);
    known.push_back(rule->info().name);
  }
  return findings::Nearest(misspelt, known);
}

}  // namespace torchleak::engine

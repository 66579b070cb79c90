#include "checker.h"

#include <fmt/format.h>

#include "belief.h"
#include "expectation.h"

namespace torchleak::tests {

std::vector<std::string> CheckBlock(std::string_view page, std::size_t row,
                                    const std::string& code) {
  std::vector<std::string> problems;
  const Expectations expected = ReadExpectations(code);
  for (const std::string& error : expected.errors)
    problems.push_back(fmt::format("{}: block at {}: {}", page, row, error));
  if (expected.all.empty())
    problems.push_back(fmt::format("{}:{}: the block expects nothing", page, row));
  const Beliefs beliefs(code);
  if (beliefs.HasSyntaxErrors())
    problems.push_back(fmt::format("{}:{}: the block does not parse", page, row));
  for (const Expectation& e : expected.all) {
    const std::string place = fmt::format("{}:{}", page, row + e.row - 1);
    const auto belief = beliefs.After(e.row, e.subject);
    if (!belief) {
      problems.push_back(fmt::format("{}: no value `{}` on this line", place, e.subject));
      continue;
    }
    std::string wrong;
    for (const auto& [key, value] : e.words) {
      if (belief->at(key) != value)
        wrong += fmt::format(" {}={} instead of {}", key, belief->at(key), value);
    }
    if (!e.gap && !wrong.empty()) {
      problems.push_back(fmt::format("{}: `{}` has{}", place, e.subject, wrong));
    } else if (e.gap && wrong.empty()) {
      problems.push_back(fmt::format("{}: `{}`: the gap is closed, expect it", place, e.subject));
    }
  }
  return problems;
}

}  // namespace torchleak::tests

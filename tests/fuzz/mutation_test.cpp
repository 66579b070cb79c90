// Mutated files through everything that reads Python. What is checked: README.md.
#include <doctest/doctest.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "corpus.h"
#include "engine/analyze.h"
#include "engine/rule.h"
#include "mutate.h"
#include "tests/rules/analysis.h"

namespace torchleak::tests {
namespace {

std::string Setting(const char* name, const std::string& otherwise) {
  const char* value = std::getenv(name);
  return value == nullptr ? otherwise : value;
}

bool Within(text::Span span, const text::Source& source) {
  return span.begin <= span.end && span.end <= source.bytes().size();
}

void CheckCode(const std::string& code, Random& random) {
  const auto source = text::Source::FromBytes("mutated.py", code);
  if (!source) return;  // NUL bytes: refused with a message
  const auto rules = engine::AllRules();
  const std::vector<findings::Finding> found = engine::Analyze(*source, rules).findings;
  for (const findings::Finding& finding : found) {
    CHECK(Within(finding.location.span, *source));
    for (const findings::Step& step : finding.flow) CHECK(Within(step.location.span, *source));
  }
  CHECK(engine::Analyze(*source, rules).findings.size() == found.size());
  for (int i = 0; i < 2; ++i) {
    const auto row = static_cast<std::uint32_t>(1 + random.Below(source->line_count()));
    CHECK_FALSE(engine::Explain(*source, row, rules).empty());
  }
}

TEST_CASE("mutated code has findings within it, the same each time, and every row an answer") {
  const std::vector<CorpusFile> files = Corpus();
  REQUIRE(files.size() > 1);
  const unsigned long rounds = std::stoul(Setting("TORCHLEAK_FUZZ_ROUNDS", "2"));
  for (std::size_t i = 0; i < files.size(); ++i) {
    for (unsigned long round = 0; round < rounds; ++round) {
      Random random(i * 1'000'003 + round);
      const CorpusFile& other = files[random.Below(files.size())];
      const std::string code = Mutate(files[i].code, other.code, random);
      INFO(files[i].path, " round ", round, ":\n", code);
      CheckCode(code, random);
    }
  }
}

}  // namespace
}  // namespace torchleak::tests

#include "findings/finding.h"

#include <algorithm>
#include <vector>

#include <doctest/doctest.h>

namespace torchleak::findings {
namespace {

TEST_CASE("names and parsing agree") {
  for (const auto severity : {Severity::kNote, Severity::kWarning, Severity::kError}) {
    CHECK(ParseSeverity(Name(severity)) == severity);
  }
  for (const auto confidence : {Confidence::kLow, Confidence::kMedium, Confidence::kHigh}) {
    CHECK(ParseConfidence(Name(confidence)) == confidence);
  }
  CHECK(Name(Severity::kWarning) == "warning");
  CHECK(Name(Confidence::kHigh) == "high");
  CHECK(Name(Applicability::kSafe) == "safe");
  CHECK(Name(Applicability::kUnsafe) == "unsafe");
  CHECK_FALSE(ParseSeverity("Error").has_value());
  CHECK_FALSE(ParseSeverity("").has_value());
  CHECK_FALSE(ParseConfidence("error").has_value());
}

TEST_CASE("a normalised line has no white space and no comment") {
  CHECK(NormalizedLine("    losses.append( loss )  # keep it\r") == "losses.append(loss)");
  CHECK(NormalizedLine("x\t=\t1") == "x=1");
  CHECK(NormalizedLine("# only a comment") == "");
  CHECK(NormalizedLine("d['#a'] = \"#b\" # c") == "d['#a']=\"#b\"");
  CHECK(NormalizedLine(R"(s = 'it\'s # in' # out)") == R"(s='it\'s#in')");
  CHECK(NormalizedLine(R"(s = "'" # out)") == R"(s="'")");
  CHECK(NormalizedLine("trailing \\") == "trailing\\");
}

TEST_CASE("a fingerprint is 16 hex digits and its value is pinned") {
  // Stored in baselines and by code-scanning services: a new value orphans all of them.
  CHECK(Fingerprint("TLK101", "src/train.py", "Trainer.fit", "  losses.append(loss)  # x", 0) ==
        "88131299ea309d38");
}

TEST_CASE("a fingerprint depends on each of its parts, and on nothing else") {
  const auto base = Fingerprint("TLK101", "a.py", "f", "xs.append(x)", 0);
  CHECK(base == Fingerprint("TLK101", "a.py", "f", "\t xs.append( x )  # why", 0));
  CHECK(base != Fingerprint("TLK102", "a.py", "f", "xs.append(x)", 0));
  CHECK(base != Fingerprint("TLK101", "b.py", "f", "xs.append(x)", 0));
  CHECK(base != Fingerprint("TLK101", "a.py", "g", "xs.append(x)", 0));
  CHECK(base != Fingerprint("TLK101", "a.py", "f", "xs.append(y)", 0));
  CHECK(base != Fingerprint("TLK101", "a.py", "f", "xs.append(x)", 1));
  // Fields do not run into each other.
  CHECK(Fingerprint("T", "ab", "c", "", 0) != Fingerprint("T", "a", "bc", "", 0));
}

Finding At(std::string path, std::uint32_t begin, std::uint32_t end, std::string_view code) {
  Finding finding;
  finding.code = code;
  finding.location = {std::move(path), {begin, end}};
  finding.function = "f";
  return finding;
}

TEST_CASE("findings are ordered by path, position, code") {
  std::vector<Finding> expected = {At("a.py", 5, 9, "TLK101"), At("a.py", 5, 9, "TLK103"),
                                   At("a.py", 5, 12, "TLK101"), At("a.py", 7, 8, "TLK101"),
                                   At("b.py", 0, 1, "TLK101")};
  auto shuffled = expected;
  std::reverse(shuffled.begin(), shuffled.end());
  std::sort(shuffled.begin(), shuffled.end(), Before);
  for (std::size_t i = 0; i < expected.size(); ++i) {
    CHECK(shuffled[i].location == expected[i].location);
    CHECK(shuffled[i].code == expected[i].code);
  }
  CHECK_FALSE(Before(expected[0], expected[0]));
}

TEST_CASE("equal lines get different fingerprints, numbered from the top") {
  const auto source = text::Source::FromBytes("a.py", "xs.append(x)\n\n  xs.append(x) # again\n");
  REQUIRE(static_cast<bool>(source));
  std::vector<Finding> findings = {At("a.py", 0, 12, "TLK101"), At("a.py", 0, 12, "TLK102"),
                                   At("a.py", 16, 28, "TLK101")};
  SetFingerprints(findings, "a.py", *source);
  CHECK(findings[0].fingerprint == Fingerprint("TLK101", "a.py", "f", "xs.append(x)", 0));
  CHECK(findings[1].fingerprint == Fingerprint("TLK102", "a.py", "f", "xs.append(x)", 0));
  CHECK(findings[2].fingerprint == Fingerprint("TLK101", "a.py", "f", "xs.append(x)", 1));
}

}  // namespace
}  // namespace torchleak::findings

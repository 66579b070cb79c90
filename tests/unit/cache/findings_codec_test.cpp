// A finding with something else in each field comes back the same; the codec itself does not
// compile when a member is not named in it.
#include "cache/findings_codec.h"

#include <doctest/doctest.h>

namespace torchleak::cache {
namespace {

using findings::Finding;

constexpr std::string_view kCode = "TLK901", kName = "made-up";

std::optional<RuleNames> OnlyOurs(std::string_view code) {
  if (code != kCode) return std::nullopt;
  return RuleNames{kCode, kName};
}

Finding Full() {
  Finding f;
  f.code = kCode;
  f.name = kName;
  f.severity = findings::Severity::kError;
  f.confidence = findings::Confidence::kHigh;
  f.message = "a message";
  f.help = "help";
  f.location = {"pkg/a.py", {3, 70000}};
  f.function = "Class.method";
  f.flow = {{{"pkg/b.py", {1, 2}}, "first"}, {{"", {5, 6}}, "second"}};
  f.fix = findings::Fix{findings::Applicability::kSafe,
                        "detach it",
                        {{{"pkg/a.py", {7, 7}}, ".item()"}, {{"", {9, 10}}, ""}}};
  f.fingerprint = "0123456789abcdef";
  return f;
}

void CheckSame(const Finding& a, const Finding& b) {
  CHECK(a.code.data() == b.code.data());  // the constant, not a copy
  CHECK(a.name.data() == b.name.data());
  CHECK(a.severity == b.severity);
  CHECK(a.confidence == b.confidence);
  CHECK(a.message == b.message);
  CHECK(a.help == b.help);
  CHECK(a.location == b.location);
  CHECK(a.function == b.function);
  CHECK(a.fingerprint == b.fingerprint);
  REQUIRE(a.flow.size() == b.flow.size());
  for (std::size_t i = 0; i < a.flow.size(); ++i) {
    CHECK(a.flow[i].location == b.flow[i].location);
    CHECK(a.flow[i].message == b.flow[i].message);
  }
  REQUIRE(a.fix.has_value() == b.fix.has_value());
  if (!a.fix) return;
  CHECK(a.fix->applicability == b.fix->applicability);
  CHECK(a.fix->message == b.fix->message);
  REQUIRE(a.fix->edits.size() == b.fix->edits.size());
  for (std::size_t i = 0; i < a.fix->edits.size(); ++i) {
    CHECK(a.fix->edits[i].location == b.fix->edits[i].location);
    CHECK(a.fix->edits[i].content == b.fix->edits[i].content);
  }
}

std::string Bytes(const std::vector<Finding>& findings) {
  Writer writer;
  Write(findings, &writer);
  return writer.bytes();
}

TEST_CASE("every field of a finding comes back") {
  Finding bare;
  bare.code = kCode;
  bare.name = kName;
  const std::vector<Finding> before = {Full(), bare, Full()};
  const std::string bytes = Bytes(before);
  Reader reader(bytes);
  const auto after = ReadFindings(OnlyOurs, &reader);
  CHECK(reader.AtEnd());
  REQUIRE(after.size() == before.size());
  for (std::size_t i = 0; i < before.size(); ++i) CheckSame(before[i], after[i]);
}

TEST_CASE("what is suppressed comes back with its comment") {
  const std::vector<findings::Suppressed> before = {{Full(), {"pkg/a.py", {4, 9}}, "for a reason"},
                                                    {Full(), {}, ""}};
  Writer writer;
  Write(before, &writer);
  Reader reader(writer.bytes());
  const auto after = ReadSuppressed(OnlyOurs, &reader);
  CHECK(reader.AtEnd());
  REQUIRE(after.size() == before.size());
  for (std::size_t i = 0; i < before.size(); ++i) {
    CheckSame(before[i].finding, after[i].finding);
    CHECK(after[i].comment == before[i].comment);
    CHECK(after[i].reason == before[i].reason);
  }
}

TEST_CASE("a rule that is not there any more fails") {
  Finding other = Full();
  other.code = "TLK902";
  const std::string bytes = Bytes({other});
  Reader reader(bytes);
  ReadFindings(OnlyOurs, &reader);
  CHECK(reader.failed());
}

TEST_CASE("any damage is read without harm") {
  const std::string good = Bytes({Full(), Full()});
  for (std::size_t cut = 0; cut < good.size(); ++cut) {
    Reader reader(std::string_view(good).substr(0, cut));
    ReadFindings(OnlyOurs, &reader);
    CHECK(!reader.AtEnd());
  }
  for (std::size_t at = 0; at < good.size(); ++at) {
    for (const char byte : {'\0', '\x7f', '\xff'}) {
      std::string bad = good;
      bad[at] = byte;
      Reader reader(bad);
      CHECK(ReadFindings(OnlyOurs, &reader).size() <= bad.size());
    }
  }
}

}  // namespace
}  // namespace torchleak::cache

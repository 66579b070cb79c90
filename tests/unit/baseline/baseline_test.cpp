#include "baseline/baseline.h"

#include <doctest/doctest.h>

#include <string>

namespace torchleak::baseline {
namespace {

Baseline Sample() {
  Baseline baseline;
  baseline.comment = "why \"these\"";
  baseline.confidence = findings::Confidence::kHigh;
  baseline.entries = {{"b.py", "TLK101", "f", "0123456789abcdef", "fedcba9876543210", 0},
                      {"a.py", "TLK102", "<module>", "0123456789abcdef", "fedcba9876543210", 1}};
  return baseline;
}

std::string ErrorOf(std::string_view json) {
  const auto parsed = Parse(json, "base.json");
  REQUIRE(!parsed);
  return parsed.error().message;
}

std::string Replaced(std::string text, std::string_view from, std::string_view to) {
  const std::size_t at = text.find(from);
  REQUIRE(at != std::string::npos);
  return text.replace(at, from.size(), to);
}

void CheckStart(const std::string& message, std::string_view start) {
  INFO(message);
  CHECK(message.starts_with(start));
}

TEST_CASE("what is written is read again, sorted, one entry a line") {
  const Baseline before = Sample();
  const std::string text = Render(before);
  const auto after = Parse(text, "base.json");
  REQUIRE(after);
  CHECK(after->comment == before.comment);
  CHECK(after->confidence == before.confidence);
  REQUIRE(after->entries.size() == 2);
  CHECK(after->entries[0] == before.entries[1]);
  CHECK(after->entries[1] == before.entries[0]);
  CHECK(Render(*after) == text);
  CHECK(text.find("\n    {\"path\": \"a.py\"") < text.find("\n    {\"path\": \"b.py\""));
  CHECK(Parse(Render(Baseline{}), "base.json"));
}

TEST_CASE("a path that is no UTF-8 does not break the file") {
  Baseline baseline = Sample();
  baseline.entries[0].path = "\xff.py";
  CHECK(Parse(Render(baseline), "base.json"));
}

TEST_CASE("what is wrong is named with its place") {
  const std::string good = Render(Sample());
  CheckStart(ErrorOf(""), "base.json:1:1: not valid JSON: ");
  CheckStart(ErrorOf("{"), "base.json:1:1: not valid JSON: ");
  CheckStart(ErrorOf(good.substr(0, good.size() / 2)), "base.json:6:");
  CheckStart(ErrorOf("[]"), "base.json:1:1: a list, where a baseline begins with {");
  CheckStart(ErrorOf("{}"), "base.json:1:2: no \"version\"");
  CheckStart(ErrorOf("{\"findings\": [{}]}"), "base.json:1:15: no \"version\"");
  CheckStart(ErrorOf(Replaced(good, "\"version\": 1", "\"version\": 2")),
             "base.json:2:14: a baseline of version 2, and this torchleak reads version 1");
  CheckStart(ErrorOf(Replaced(good, "\"rule\"", "\"role\"")), "base.json:6:22: unknown key 'role'");
  CheckStart(ErrorOf(Replaced(good, "\"comment\"", "\"remark\"")),
             "base.json:3:3: unknown key 'remark'");
  CheckStart(ErrorOf(Replaced(good, "\"high\"", "\"huge\"")), "base.json:4:");
  CheckStart(ErrorOf(Replaced(good, ", \"occurrence\": 1", "")),
             "base.json:6:5: this entry has no 'occurrence'");
  CheckStart(ErrorOf(Replaced(good, "\"occurrence\": 1", "\"occurrence\": -1")), "base.json:6:");
  CheckStart(ErrorOf(Replaced(good, "0123456789abcdef", "0123")), "base.json:6:");
  CheckStart(ErrorOf(Replaced(good, "\"b.py\"", "{}")), "base.json:7:14: an object is nothing");
  CheckStart(ErrorOf(good + "x"), "base.json:10:1: not valid JSON");
}

TEST_CASE("what a merge leaves behind is named") {
  const std::string good = Render(Sample());
  CheckStart(
      ErrorOf(Replaced(good, "    {\"path\": \"b.py\"", "<<<<<<< HEAD\n    {\"path\": \"b.py\"")),
      "base.json:7:1: a merge conflict");
  const std::size_t at = good.find("    {\"path\": \"b.py\"");
  const std::string entry = good.substr(at, good.find('\n', at) - at);
  CheckStart(ErrorOf(Replaced(good, entry, entry + ",\n" + entry)),
             "base.json:8:5: the same entry as in line 7");
}

TEST_CASE("deep nesting ends at once") {
  CheckStart(ErrorOf("{\"version\": 1, \"findings\": " + std::string(1000000, '[')),
             "base.json:1:29: a list is nothing");
}

}  // namespace
}  // namespace torchleak::baseline

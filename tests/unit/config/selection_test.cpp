#include "config/selection.h"

#include <doctest/doctest.h>

#include <array>
#include <utility>

namespace torchleak::config {
namespace {

class Named : public engine::Rule {
 public:
  Named(std::string_view code, std::string_view name, bool on_by_default = true) {
    info_.code = code;
    info_.on_by_default = on_by_default;
    info_.name = name;
  }
  const engine::RuleInfo& info() const override { return info_; }
  void Check(const flow::FileEvents&, engine::RuleContext&) const override {}

 private:
  engine::RuleInfo info_;
};

const Named kSyntax("TLK000", "syntax-error"), kTensor("TLK101", "accumulated-tensor"),
    kGpu("TLK102", "gpu-accumulation"), kZero("TLK201", "missing-zero-grad"),
    kShy("TLK300", "shy-rule", false);
const std::array<const engine::Rule*, 5> kAll = {&kSyntax, &kTensor, &kGpu, &kZero, &kShy};

using Words = std::vector<std::string>;

std::string Codes(const std::vector<Selection>& layers) {
  auto rules = SelectRules(layers, kAll);
  if (!rules) return rules.error().message;
  std::string codes;
  for (const engine::Rule* rule : *rules) codes += std::string(rule->info().code.substr(3)) + " ";
  return codes;
}

Selection Select(Words select, Words extend = {}, Words ignore = {}) {
  return {std::move(select), std::move(extend), std::move(ignore)};
}
Selection Add(Words extend, Words ignore = {}) {
  return {std::nullopt, std::move(extend), std::move(ignore)};
}

TEST_CASE("codes, beginnings, names and ALL, in any letter case") {
  CHECK(Codes({}) == "000 101 102 201 ");
  CHECK(Codes({Select({"ALL"})}) == "000 101 102 201 300 ");
  CHECK(Codes({Select({})}) == "");
  CHECK(Codes({Select({"TLK1"})}) == "101 102 ");
  CHECK(Codes({Select({"tlk101"})}) == "101 ");
  CHECK(Codes({Select({"Missing-Zero-Grad", "TLK102"})}) == "102 201 ");
  CHECK(Codes({Add({}, {"TLK1"})}) == "000 201 ");
  CHECK(Codes({Select({"TLK101"}, {"TLK2"})}) == "101 201 ");
}

TEST_CASE("what is off by default is used when something names it") {
  CHECK(Codes({Add({"TLK300"})}) == "000 101 102 201 300 ");
  CHECK(Codes({Select({"TLK3"})}) == "300 ");
  CHECK(Codes({Add({}, {"TLK1"})}) == "000 201 ");
}

TEST_CASE("the more exact selector wins, between equals ignore") {
  CHECK(Codes({Select({"TLK101"}, {}, {"TLK1"})}) == "101 ");
  CHECK(Codes({Select({"TLK1"}, {}, {"TLK101"})}) == "102 ");
  CHECK(Codes({Select({"TLK101"}, {}, {"accumulated-tensor"})}) == "");
  CHECK(Codes({Select({"TLK1"}, {}, {"ALL"})}) == "101 102 ");
  CHECK(Codes({Add({"TLK101"}, {"TLK"})}) == "101 ");
}

TEST_CASE("a later layer with select starts afresh, one without changes what is there") {
  CHECK(Codes({Select({"TLK1"}), Select({"TLK2"})}) == "201 ");
  CHECK(Codes({Select({"TLK1"}, {"TLK201"}), Select({"TLK000"})}) == "000 ");
  CHECK(Codes({Select({"TLK1"}), Add({"TLK2"})}) == "101 102 201 ");
  CHECK(Codes({Select({"TLK101"}), Add({}, {"TLK1"})}) == "");
  CHECK(Codes({Add({}, {"TLK101"}), Add({"TLK1"})}) == "000 101 102 201 ");
}

TEST_CASE("what an earlier layer ignores stays ignored, unless it is selected as exactly") {
  CHECK(Codes({Add({}, {"TLK101"}), Select({"TLK1"})}) == "102 ");
  CHECK(Codes({Add({}, {"TLK101"}), Select({"TLK101"})}) == "101 ");
  CHECK(Codes({Add({}, {"TLK1"}), Select({"TLK101"})}) == "101 ");
  CHECK(Codes({Add({}, {"TLK101"}), Select({"TLK1"}), Select({"TLK"})}) == "000 102 201 300 ");
}

TEST_CASE("an unknown selector is an error that names it") {
  CHECK(Codes({Select({"TLK9"})}).find("unknown rule 'TLK9'") == 0);
  CHECK(Codes({Add({}, {"zzz-nothing-like-it"})}).find("unknown rule 'zzz-nothing") == 0);
  CHECK(Codes({Select({""})}).find("unknown rule ''") == 0);
}

TEST_CASE("what one selector means") {
  CHECK(Matching("TLK1", kAll).size() == 2);
  CHECK(Matching("gpu-accumulation", kAll).size() == 1);
  CHECK(Matching("TLK7", kAll).empty());
  CHECK(SelectorProblem("TLK1", kAll).empty());
}

}  // namespace
}  // namespace torchleak::config

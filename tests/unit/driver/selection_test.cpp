#include "driver/selection.h"

#include <doctest/doctest.h>

#include <array>

namespace torchleak::driver {
namespace {

class Named : public engine::Rule {
 public:
  Named(std::string_view code, std::string_view name) {
    info_.code = code;
    info_.name = name;
  }
  const engine::RuleInfo& info() const override { return info_; }
  void Check(const flow::FileEvents&, engine::RuleContext&) const override {}

 private:
  engine::RuleInfo info_;
};

const Named kSyntax("TLK000", "syntax-error"), kTensor("TLK101", "accumulated-tensor"),
    kGpu("TLK102", "gpu-accumulation"), kZero("TLK201", "missing-zero-grad");
const std::array<const engine::Rule*, 4> kAll = {&kSyntax, &kTensor, &kGpu, &kZero};

std::string Codes(const RuleSelection& selection) {
  auto rules = SelectRules(selection, kAll);
  if (!rules) return rules.error().message;
  std::string codes;
  for (const engine::Rule* rule : *rules) codes += std::string(rule->info().code.substr(3)) + " ";
  return codes;
}

TEST_CASE("codes, beginnings, names and ALL, in any letter case") {
  CHECK(Codes({}) == "000 101 102 201 ");
  CHECK(Codes({{"ALL"}, {}, {}}) == "000 101 102 201 ");
  CHECK(Codes({{"TLK1"}, {}, {}}) == "101 102 ");
  CHECK(Codes({{"tlk101"}, {}, {}}) == "101 ");
  CHECK(Codes({{"Missing-Zero-Grad", "TLK102"}, {}, {}}) == "102 201 ");
  CHECK(Codes({{}, {}, {"TLK1"}}) == "000 201 ");
  CHECK(Codes({{"TLK101"}, {"TLK2"}, {}}) == "101 201 ");
}

TEST_CASE("the more exact selector wins, between equals --ignore") {
  CHECK(Codes({{"TLK101"}, {}, {"TLK1"}}) == "101 ");
  CHECK(Codes({{"TLK1"}, {}, {"TLK101"}}) == "102 ");
  CHECK(Codes({{"TLK101"}, {}, {"accumulated-tensor"}}) == "");
  CHECK(Codes({{"TLK1"}, {}, {"ALL"}}) == "101 102 ");
  CHECK(Codes({{}, {"TLK101"}, {"TLK"}}) == "101 ");
}

TEST_CASE("an unknown selector is an error that names it") {
  CHECK(Codes({{"TLK9"}, {}, {}}).find("unknown rule 'TLK9'") == 0);
  CHECK(Codes({{}, {}, {"zzz-nothing-like-it"}}).find("unknown rule 'zzz-nothing") == 0);
  CHECK(Codes({{""}, {}, {}}).find("unknown rule ''") == 0);
}

}  // namespace
}  // namespace torchleak::driver

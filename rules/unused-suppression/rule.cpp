#include <array>

#include "rules/all_rules.h"
#include "rules/pages.h"

namespace torchleak::rules {
namespace {

constexpr std::array<std::string_view, 1> kTags{"correctness"};
// A rule's code, and torchleak's own comments. What says neither is not parsed for this rule.
constexpr std::array<std::string_view, 2> kNeedles{"TLK", "torchleak:"};

// Comments are no events: src/suppress makes these findings when all others are known.
class UnusedSuppressionRule final : public engine::Rule {
 public:
  const engine::RuleInfo& info() const override {
    static const engine::RuleInfo kInfo{"TLK001",
                                        "unused-suppression",
                                        "A comment suppresses a finding that is not there",
                                        findings::Severity::kWarning,
                                        kTags,
                                        kNeedles,
                                        Page("unused-suppression")};
    return kInfo;
  }

  void Check(const flow::FileEvents&, engine::RuleContext&) const override {}
};

}  // namespace

const engine::Rule& UnusedSuppression() {
  static const UnusedSuppressionRule kRule;
  return kRule;
}

}  // namespace torchleak::rules

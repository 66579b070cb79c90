#include <array>

#include "rules/all_rules.h"
#include "rules/pages.h"

namespace torchleak::rules {
namespace {

constexpr std::array<std::string_view, 1> kTags{"correctness"};
// A rule's code, and torchleak's own comments. What says neither is not parsed for this rule.
constexpr std::array<std::string_view, 2> kNeedles{"TLK", "torchleak:"};

// Comments are no events: src/suppress makes these findings when all others are known.
class InvalidSuppressionRule final : public engine::Rule {
 public:
  const engine::RuleInfo& info() const override {
    static const engine::RuleInfo kInfo{
        "TLK002",
        "invalid-suppression",
        "A suppression comment that is not understood suppresses nothing",
        findings::Severity::kWarning,
        kTags,
        kNeedles,
        Page("invalid-suppression")};
    return kInfo;
  }

  void Check(const flow::FileEvents&, engine::RuleContext&) const override {}
};

}  // namespace

const engine::Rule& InvalidSuppression() {
  static const InvalidSuppressionRule kRule;
  return kRule;
}

}  // namespace torchleak::rules

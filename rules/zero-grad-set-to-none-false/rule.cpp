#include <array>

#include "engine/report_event.h"
#include "patterns/old_defaults.h"
#include "patterns/optimizer_use.h"
#include "rules/all_rules.h"
#include "rules/pages.h"

namespace torchleak::rules {
namespace {

constexpr std::array<std::string_view, 2> kTags{"performance", "memory"};
constexpr std::array<std::string_view, 1> kNeedles{"zero_grad"};

class ZeroGradSetToNoneFalseRule final : public engine::Rule {
 public:
  const engine::RuleInfo& info() const override {
    static const engine::RuleInfo kInfo{"TLK307",
                                        "zero-grad-set-to-none-false",
                                        "Gradients are filled with zeros instead of dropped",
                                        findings::Severity::kNote,
                                        kTags,
                                        kNeedles,
                                        Page("zero-grad-set-to-none-false")};
    return kInfo;
  }

  void Check(const flow::FileEvents& events, engine::RuleContext& context) const override {
    const patterns::Sight sight(events);

    for (const patterns::ClearToZerosEvent& e : patterns::ClearsToZeros(sight)) {
      if (e.in_test) continue;
      context.Report(engine::MakeFinding(
          *this, e, events,
          "gradients filled with zeros stay allocated: as much as the parameters once more",
          "leave `set_to_none=False` away: the default drops them"));
    }
    if (!context.RunsBefore({2, 0})) return;
    for (const patterns::ClearByDefaultEvent& e : patterns::ClearsByDefault(sight)) {
      if (e.in_test) continue;
      context.Report(engine::MakeFinding(
          *this, e, events, "before PyTorch 2.0 `zero_grad()` fills gradients with zeros",
          "pass `set_to_none=True`, which drops them in every version"));
    }
  }
};

}  // namespace

const engine::Rule& ZeroGradSetToNoneFalse() {
  static const ZeroGradSetToNoneFalseRule kRule;
  return kRule;
}

}  // namespace torchleak::rules

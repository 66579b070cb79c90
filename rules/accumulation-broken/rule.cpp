#include <array>
#include <string>

#include "engine/report_event.h"
#include "patterns/accumulation.h"
#include "rules/all_rules.h"
#include "rules/pages.h"

namespace torchleak::rules {
namespace {

constexpr std::array<std::string_view, 1> kTags{"correctness"};
constexpr std::array<std::string_view, 1> kNeedles{"zero_grad"};

class AccumulationBrokenRule final : public engine::Rule {
 public:
  const engine::RuleInfo& info() const override {
    static const engine::RuleInfo kInfo{
        "TLK207",
        "accumulation-broken",
        "Gradients gathered over several batches are cleared or stepped at the wrong time",
        findings::Severity::kWarning,
        kTags,
        kNeedles,
        Page("accumulation-broken")};
    return kInfo;
  }

  void Check(const flow::FileEvents& events, engine::RuleContext& context) const override {
    const patterns::Sight sight(events);
    for (const patterns::BrokenAccumulationEvent& e : patterns::BrokenAccumulations(sight)) {
      if (e.in_test) continue;
      const char* what = "";
      switch (e.misfit) {
        case patterns::Misfit::kClearedEachBatch:
          what =
              "gradients are cleared for each batch, but used only every few: all but the last are "
              "lost";
          break;
        case patterns::Misfit::kSteppedEachBatch:
          what =
              "gradients are cleared every few batches, but used for each: old ones are used again";
          break;
        case patterns::Misfit::kClearedEachEpoch:
          what = "a new epoch clears what was gathered at the end of the one before";
          break;
        case patterns::Misfit::kModuleCleared:
          what = "the module's `zero_grad()` clears in each batch what `accumulate()` gathers";
          break;
        case patterns::Misfit::kClearedTooEarly:
          what =
              "cleared before `backward()`: the batch that steps loses what was gathered before it";
          break;
      }
      context.Report(engine::MakeFinding(*this, e, events, what,
                                         "clear right after the step, under the same condition"));
    }
  }
};

}  // namespace

const engine::Rule& AccumulationBroken() {
  static const AccumulationBrokenRule kRule;
  return kRule;
}

}  // namespace torchleak::rules

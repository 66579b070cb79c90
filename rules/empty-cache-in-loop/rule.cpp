#include <array>
#include <string>

#include "engine/report_event.h"
#include "patterns/repeated_calls.h"
#include "rules/all_rules.h"
#include "rules/pages.h"

namespace torchleak::rules {
namespace {

constexpr std::array<std::string_view, 1> kTags{"performance"};
constexpr std::array<std::string_view, 1> kNeedles{"_cache"};
constexpr std::array<std::string_view, 4> kFunctions{
    "torch.cuda.empty_cache", "torch.mps.empty_cache", "torch.xpu.empty_cache",
    "torch.accelerator.empty_cache"};
constexpr std::array<std::string_view, 3> kHelpers{"empty_cache", "clear_device_cache",
                                                   "clear_cuda_cache"};

class EmptyCacheInLoopRule final : public engine::Rule {
 public:
  const engine::RuleInfo& info() const override {
    static const engine::RuleInfo kInfo{"TLK301",
                                        "empty-cache-in-loop",
                                        "empty_cache() in each step returns memory that the next "
                                        "step asks for again",
                                        findings::Severity::kWarning,
                                        kTags,
                                        kNeedles,
                                        Page("empty-cache-in-loop")};
    return kInfo;
  }

  void Check(const flow::FileEvents& events, engine::RuleContext& context) const override {
    const patterns::Sight sight(events);
    for (const patterns::RepeatedCallEvent& e :
         patterns::RepeatedCalls(sight, kFunctions, kHelpers)) {
      if (e.in_test || e.measures || e.often != patterns::Often::kEachStep) continue;
      context.Report(engine::MakeFinding(
          *this, e, events,
          "`empty_cache()` in every step makes the next step allocate it all again",
          "call it once after the loop, or not at all"));
    }
  }
};

}  // namespace

const engine::Rule& EmptyCacheInLoop() {
  static const EmptyCacheInLoopRule kRule;
  return kRule;
}

}  // namespace torchleak::rules

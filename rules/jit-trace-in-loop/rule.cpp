#include <array>
#include <string>

#include "engine/report_event.h"
#include "patterns/made_in_place.h"
#include "rules/all_rules.h"
#include "rules/pages.h"

namespace torchleak::rules {
namespace {

constexpr std::array<std::string_view, 2> kTags{"performance", "memory"};
constexpr std::array<std::string_view, 1> kNeedles{"torch"};

class JitTraceInLoopRule final : public engine::Rule {
 public:
  const engine::RuleInfo& info() const override {
    static const engine::RuleInfo kInfo{"TLK308",
                                        "jit-trace-in-loop",
                                        "The same module is compiled again in each turn",
                                        findings::Severity::kWarning,
                                        kTags,
                                        kNeedles,
                                        Page("jit-trace-in-loop")};
    return kInfo;
  }

  void Check(const flow::FileEvents& events, engine::RuleContext& context) const override {
    const patterns::Sight sight(events);

    for (const patterns::CompiledAgainEvent& e : patterns::CompiledAgain(sight)) {
      if (e.in_test) continue;
      context.Report(
          engine::MakeFinding(*this, e, events, "`" + e.what + "` is compiled again in every turn",
                              "call `" + e.call + "` once before the loop and use its result"));
    }
  }
};

}  // namespace

const engine::Rule& JitTraceInLoop() {
  static const JitTraceInLoopRule kRule;
  return kRule;
}

}  // namespace torchleak::rules

#include <array>
#include <string>
#include <utility>

#include "engine/report_event.h"
#include "patterns/optimizer_use.h"
#include "rules/all_rules.h"
#include "rules/pages.h"

namespace torchleak::rules {
namespace {

constexpr std::array<std::string_view, 2> kTags{"correctness", "memory"};
constexpr std::array<std::string_view, 1> kNeedles{"optim"};

class OptimizerInLoopRule final : public engine::Rule {
 public:
  const engine::RuleInfo& info() const override {
    static const engine::RuleInfo kInfo{
        "TLK212",
        "optimizer-in-loop",
        "An optimizer is made anew in each turn, and its state is lost",
        findings::Severity::kWarning,
        kTags,
        kNeedles,
        Page("optimizer-in-loop")};
    return kInfo;
  }

  void Check(const flow::FileEvents& events, engine::RuleContext& context) const override {
    const patterns::Sight sight(events);

    for (const patterns::NewOptimizerEvent& e : patterns::NewOptimizers(sight)) {
      if (e.in_test) continue;
      std::string message =
          "`" + e.name + "` is made anew in every turn: its moments start at zero";
      if (e.in_helper)
        message = "each call makes a new `" + e.name + "`: its moments start at zero";
      context.Report(engine::MakeFinding(*this, e, events, std::move(message),
                                         "make it once before the loop and hand it in"));
    }
  }
};

}  // namespace

const engine::Rule& OptimizerInLoop() {
  static const OptimizerInLoopRule kRule;
  return kRule;
}

}  // namespace torchleak::rules

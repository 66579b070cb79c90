#include <array>
#include <string>

#include "engine/report_event.h"
#include "patterns/collectives.h"
#include "rules/all_rules.h"
#include "rules/pages.h"

namespace torchleak::rules {
namespace {

constexpr std::array<std::string_view, 2> kTags{"performance", "memory"};
constexpr std::array<std::string_view, 3> kNeedles{"torch.distributed", "distributed as",
                                                   "import distributed"};

class CollectiveWithGradRule final : public engine::Rule {
 public:
  const engine::RuleInfo& info() const override {
    static const engine::RuleInfo kInfo{
        "TLK313",
        "collective-with-grad",
        "A collective on parameters outside no_grad is recorded by autograd",
        findings::Severity::kWarning,
        kTags,
        kNeedles,
        Page("collective-with-grad")};
    return kInfo;
  }

  void Check(const flow::FileEvents& events, engine::RuleContext& context) const override {
    const patterns::Sight sight(events);
    for (const patterns::CollectiveEvent& e : patterns::CollectivesWithGrad(sight)) {
      if (e.in_test) continue;
      const char* what = e.of_graph ? "` on a tensor that carries its graph" : "` on a parameter";
      context.Report(engine::MakeFinding(*this, e, events,
                                         "`" + e.collective + what + ", with grad on",
                                         "run it under `torch.no_grad()`, or on `" + e.what +
                                             (e.of_graph ? ".detach().clone()`" : ".data`")));
    }
  }
};

}  // namespace

const engine::Rule& CollectiveWithGrad() {
  static const CollectiveWithGradRule kRule;
  return kRule;
}

}  // namespace torchleak::rules

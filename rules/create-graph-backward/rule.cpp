#include <array>
#include <string>

#include "engine/report_event.h"
#include "patterns/create_graph.h"
#include "rules/all_rules.h"
#include "rules/pages.h"

namespace torchleak::rules {
namespace {

constexpr std::array<std::string_view, 2> kTags{"performance", "memory"};
constexpr std::array<std::string_view, 1> kNeedles{"create_graph"};

class CreateGraphBackwardRule final : public engine::Rule {
 public:
  const engine::RuleInfo& info() const override {
    static const engine::RuleInfo kInfo{"TLK108",
                                        "create-graph-backward",
                                        "backward(create_graph=True) ties parameters and gradients "
                                        "into a cycle that nothing breaks",
                                        findings::Severity::kWarning,
                                        kTags,
                                        kNeedles,
                                        Page("create-graph-backward")};
    return kInfo;
  }

  void Check(const flow::FileEvents& events, engine::RuleContext& context) const override {
    const patterns::Sight sight(events);
    for (const patterns::CreateGraphEvent& e : patterns::CreateGraphBackwards(sight)) {
      if (e.in_test || e.reset) continue;
      context.Report(engine::MakeFinding(
          *this, e, events,
          "`backward(create_graph=True)` ties each parameter to its gradient; " +
              std::string(e.zeroed ? "zeros do not untie them" : "nothing unties them"),
          "use `torch.autograd.grad(…, create_graph=True)`, or set the gradients to None after "
          "use"));
    }
  }
};

}  // namespace

const engine::Rule& CreateGraphBackward() {
  static const CreateGraphBackwardRule kRule;
  return kRule;
}

}  // namespace torchleak::rules

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

class CreateGraphAtInferenceRule final : public engine::Rule {
 public:
  const engine::RuleInfo& info() const override {
    static const engine::RuleInfo kInfo{
        "TLK314",
        "create-graph-at-inference",
        "autograd.grad keeps a graph for a second derivative at inference as well",
        findings::Severity::kWarning,
        kTags,
        kNeedles,
        Page("create-graph-at-inference")};
    return kInfo;
  }

  void Check(const flow::FileEvents& events, engine::RuleContext& context) const override {
    const patterns::Sight sight(events);
    for (const patterns::InferenceGraphEvent& e : patterns::InferenceGraphs(sight)) {
      if (e.in_test) continue;
      context.Report(engine::MakeFinding(
          *this, e, events,
          e.in_forward
              ? "`create_graph=True` holds at inference too, where no second derivative is taken"
              : "`create_graph=True` in evaluation, where no second derivative is taken",
          e.in_forward ? "pass `create_graph=self.training`" : "leave it out"));
    }
  }
};

}  // namespace

const engine::Rule& CreateGraphAtInference() {
  static const CreateGraphAtInferenceRule kRule;
  return kRule;
}

}  // namespace torchleak::rules

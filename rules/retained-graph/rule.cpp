#include <array>
#include <string>

#include "engine/report_event.h"
#include "repair/repair.h"
#include "rules/all_rules.h"
#include "rules/pages.h"

namespace torchleak::rules {
namespace {

constexpr std::array<std::string_view, 2> kTags{"performance", "memory"};
constexpr std::array<std::string_view, 1> kNeedles{"retain_graph"};

class RetainedGraphRule final : public engine::Rule {
 public:
  const engine::RuleInfo& info() const override {
    static const engine::RuleInfo kInfo{
        "TLK107",
        "retained-graph",
        "retain_graph=True keeps a graph that no later backward walks",
        findings::Severity::kWarning,
        kTags,
        kNeedles,
        Page("retained-graph")};
    return kInfo;
  }

  void Check(const flow::FileEvents& events, engine::RuleContext& context) const override {
    for (const flow::RetainedEvent& e : events.retained) {
      if (e.in_test) continue;
      auto finding = engine::MakeFinding(
          *this, e, events,
          "`retain_graph=True` keeps the whole graph, and no later backward uses it",
          "drop `retain_graph=True`");
      if (e.kept) finding.severity = findings::Severity::kError;
      finding.fix = repair::DropRetainGraph(events, e);
      context.Report(std::move(finding));
    }
  }
};

}  // namespace

const engine::Rule& RetainedGraph() {
  static const RetainedGraphRule kRule;
  return kRule;
}

}  // namespace torchleak::rules

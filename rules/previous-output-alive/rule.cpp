#include <array>
#include <string>

#include "engine/report_event.h"
#include "patterns/previous_output.h"
#include "rules/all_rules.h"
#include "rules/pages.h"

namespace torchleak::rules {
namespace {

constexpr std::array<std::string_view, 3> kTags{"performance", "memory", "external/cwe/cwe-401"};
constexpr std::array<std::string_view, 1> kNeedles{"backward"};

class PreviousOutputAliveRule final : public engine::Rule {
 public:
  const engine::RuleInfo& info() const override {
    static const engine::RuleInfo kInfo{
        "TLK119",
        "previous-output-alive",
        "The last turn's graph is alive while the next one is built",
        findings::Severity::kNote,
        kTags,
        kNeedles,
        Page("previous-output-alive"),
        false};
    return kInfo;
  }

  void Check(const flow::FileEvents& events, engine::RuleContext& context) const override {
    const patterns::Sight sight(events);
    for (const patterns::PreviousOutputEvent& e : patterns::PreviousOutputs(sight)) {
      if (e.in_test) continue;
      context.Report(engine::MakeFinding(
          *this, e, events,
          "`" + e.variable + "` holds the last turn's graph while the next one is built",
          "`del " + e.variable + "` at the end of the turn, or detach it"));
    }
  }
};

}  // namespace

const engine::Rule& PreviousOutputAlive() {
  static const PreviousOutputAliveRule kRule;
  return kRule;
}

}  // namespace torchleak::rules

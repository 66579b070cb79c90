#include <array>
#include <string>

#include "engine/report_event.h"
#include "patterns/figures.h"
#include "rules/all_rules.h"
#include "rules/pages.h"

namespace torchleak::rules {
namespace {

constexpr std::array<std::string_view, 1> kTags{"memory"};
constexpr std::array<std::string_view, 3> kNeedles{"plt", "pyplot", "pylab"};

class FigureNotClosedRule final : public engine::Rule {
 public:
  const engine::RuleInfo& info() const override {
    static const engine::RuleInfo kInfo{"TLK311",
                                        "figure-not-closed",
                                        "pyplot keeps every figure until it is closed",
                                        findings::Severity::kWarning,
                                        kTags,
                                        kNeedles,
                                        Page("figure-not-closed")};
    return kInfo;
  }

  void Check(const flow::FileEvents& events, engine::RuleContext& context) const override {
    const patterns::Sight sight(events);

    for (const patterns::FigureEvent& e : patterns::OpenFigures(sight)) {
      if (e.in_test) continue;
      context.Report(engine::MakeFinding(
          *this, e, events, "pyplot keeps every figure of `" + e.call + "` until it is closed",
          "call `plt.close(fig)` when it has been saved"));
    }
  }
};

}  // namespace

const engine::Rule& FigureNotClosed() {
  static const FigureNotClosedRule kRule;
  return kRule;
}

}  // namespace torchleak::rules

#include <array>
#include <string>

#include "engine/report_event.h"
#include "patterns/closures.h"
#include "rules/all_rules.h"
#include "rules/pages.h"

namespace torchleak::rules {
namespace {

constexpr std::array<std::string_view, 2> kTags{"performance", "memory"};
constexpr std::array<std::string_view, 2> kNeedles{"torch", "mpl_connect"};

class ClosureCapturesTensorRule final : public engine::Rule {
 public:
  const engine::RuleInfo& info() const override {
    static const engine::RuleInfo kInfo{
        "TLK123",
        "closure-captures-tensor",
        "A function that is kept for later keeps a tensor of the call that made it",
        findings::Severity::kWarning,
        kTags,
        kNeedles,
        Page("closure-captures-tensor")};
    return kInfo;
  }

  void Check(const flow::FileEvents& events, engine::RuleContext& context) const override {
    const patterns::Sight sight(events);
    for (const patterns::KeptClosure& e : patterns::KeptClosures(sight)) {
      if (e.in_test) continue;
      context.Report(engine::MakeFinding(
          *this, e, events,
          "`" + e.into + "` keeps a function that captures the tensor `" + e.tensor +
              "`, one more each time",
          "disconnect the one before, and capture what it needs as an array or a number"));
    }
  }
};

}  // namespace

const engine::Rule& ClosureCapturesTensor() {
  static const ClosureCapturesTensorRule kRule;
  return kRule;
}

}  // namespace torchleak::rules

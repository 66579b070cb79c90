#include <array>
#include <string>

#include "engine/report_event.h"
#include "patterns/alive_in_backward.h"
#include "rules/all_rules.h"
#include "rules/pages.h"

namespace torchleak::rules {
namespace {

constexpr std::array<std::string_view, 2> kTags{"performance", "memory"};
constexpr std::array<std::string_view, 1> kNeedles{"backward"};

class LargeTensorAliveInBackwardRule final : public engine::Rule {
 public:
  const engine::RuleInfo& info() const override {
    static const engine::RuleInfo kInfo{"TLK316",
                                        "large-tensor-alive-in-backward",
                                        "A variable holds logits through a backward() that does "
                                        "not need them",
                                        findings::Severity::kNote,
                                        kTags,
                                        kNeedles,
                                        Page("large-tensor-alive-in-backward"),
                                        false};
    return kInfo;
  }

  void Check(const flow::FileEvents& events, engine::RuleContext& context) const override {
    const patterns::Sight sight(events);
    for (const patterns::AliveInBackwardEvent& e : patterns::AliveInBackward(sight)) {
      if (e.in_test) continue;
      const std::string del = "`del " + e.name + "` before the backward";
      context.Report(engine::MakeFinding(
          *this, e, events,
          "`" + e.name + "` stays in memory during `backward()`, which does not need it",
          e.read_later ? "take what is read later before the backward, then " + del : del));
    }
  }
};

}  // namespace

const engine::Rule& LargeTensorAliveInBackward() {
  static const LargeTensorAliveInBackwardRule kRule;
  return kRule;
}

}  // namespace torchleak::rules

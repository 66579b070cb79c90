#include <array>
#include <string>

#include "engine/report_event.h"
#include "patterns/open_queues.h"
#include "rules/all_rules.h"
#include "rules/pages.h"

namespace torchleak::rules {
namespace {

constexpr std::array<std::string_view, 2> kTags{"performance", "memory"};
constexpr std::array<std::string_view, 1> kNeedles{"torch"};

class UnboundedQueueRule final : public engine::Rule {
 public:
  const engine::RuleInfo& info() const override {
    static const engine::RuleInfo kInfo{"TLK126",
                                        "unbounded-queue",
                                        "Tensors wait in a queue without a limit",
                                        findings::Severity::kWarning,
                                        kTags,
                                        kNeedles,
                                        Page("unbounded-queue")};
    return kInfo;
  }

  void Check(const flow::FileEvents& events, engine::RuleContext& context) const override {
    const patterns::Sight sight(events);
    for (const patterns::UnboundedJobs& e : patterns::UnboundedQueues(sight)) {
      if (e.in_test) continue;
      context.Report(engine::MakeFinding(
          *this, e, events, "tensors pile up in `" + e.queue + "`, which is filled without a limit",
          e.submitted ? "wait for the oldest job when a few are pending" : "give it a `maxsize`"));
    }
  }
};

}  // namespace

const engine::Rule& UnboundedQueue() {
  static const UnboundedQueueRule kRule;
  return kRule;
}

}  // namespace torchleak::rules

#include <array>
#include <string>

#include "engine/report_event.h"
#include "patterns/running_buffer.h"
#include "rules/all_rules.h"
#include "rules/pages.h"

namespace torchleak::rules {
namespace {

constexpr std::array<std::string_view, 3> kTags{"performance", "memory", "external/cwe/cwe-401"};
constexpr std::array<std::string_view, 2> kNeedles{"forward(", "training_step("};

class BufferUpdateWithGradRule final : public engine::Rule {
 public:
  const engine::RuleInfo& info() const override {
    static const engine::RuleInfo kInfo{
        "TLK112",
        "buffer-update-with-grad",
        "A running statistic is renewed with its graph, and refers to every batch so far",
        findings::Severity::kWarning,
        kTags,
        kNeedles,
        Page("buffer-update-with-grad")};
    return kInfo;
  }

  void Check(const flow::FileEvents& events, engine::RuleContext& context) const override {
    const patterns::Sight sight(events);
    for (const patterns::RunningBufferEvent& e : patterns::RunningBuffers(sight).Updates()) {
      if (e.in_test) continue;
      context.Report(engine::MakeFinding(
          *this, e, events,
          "`" + e.where + "` is renewed with its graph, which reaches back to the first batch",
          "update it under `torch.no_grad()`, or from `.detach()` of the batch's statistic"));
    }
  }
};

}  // namespace

const engine::Rule& BufferUpdateWithGrad() {
  static const BufferUpdateWithGradRule kRule;
  return kRule;
}

}  // namespace torchleak::rules

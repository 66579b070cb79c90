#include <array>
#include <string>

#include "engine/report_event.h"
#include "repair/repair.h"
#include "rules/all_rules.h"
#include "rules/pages.h"

namespace torchleak::rules {
namespace {

constexpr std::array<std::string_view, 3> kTags{"performance", "memory", "external/cwe/cwe-770"};
constexpr std::array<std::string_view, 3> kNeedles{"cuda", "device", "gpu"};

class GpuAccumulationRule final : public engine::Rule {
 public:
  const engine::RuleInfo& info() const override {
    static const engine::RuleInfo kInfo{
        "TLK102",
        "gpu-accumulation",
        "Tensors without a graph pile up on the device, one for each iteration",
        findings::Severity::kWarning,
        kTags,
        kNeedles,
        Page("gpu-accumulation")};
    return kInfo;
  }

  void Check(const flow::FileEvents& events, engine::RuleContext& context) const override {
    for (const flow::KeptEvent& e : events.kept) {
      if (e.graph != flow::Graph::kNone || e.growth != flow::Growth::kGrows) continue;
      if (e.residency != flow::Residency::kDevice || e.bounded ||
          e.cleared == flow::Cleared::kEachTurn)
        continue;
      if (e.in_hook || e.in_forward || e.in_test) continue;
      if (!e.over_data) continue;  // the parts of one batch, gathered and used
      const std::string where = e.where.empty() ? std::string("a container") : "`" + e.where + "`";
      auto finding = engine::MakeFinding(
          *this, e, events,
          "`" + e.what + "` stays on the device, and " + where + " keeps one more each time",
          "move it to the host before keeping it: `.cpu()`, or `.item()` when it is one number");
      const bool inputs = e.of_batch && e.place == flow::Place::kLocalContainer;
      if (e.size == flow::Size::kScalar || e.small || inputs)
        finding.severity = findings::Severity::kNote;
      finding.fix = repair::KeepLess(events, e);
      context.Report(std::move(finding));
    }
  }
};

}  // namespace

const engine::Rule& GpuAccumulation() {
  static const GpuAccumulationRule kRule;
  return kRule;
}

}  // namespace torchleak::rules

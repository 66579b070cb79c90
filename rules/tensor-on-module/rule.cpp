#include <array>
#include <string>

#include "engine/report_event.h"
#include "patterns/running_buffer.h"
#include "repair/repair.h"
#include "rules/all_rules.h"
#include "rules/pages.h"

namespace torchleak::rules {
namespace {

constexpr std::array<std::string_view, 3> kTags{"performance", "memory", "external/cwe/cwe-401"};
constexpr std::array<std::string_view, 2> kNeedles{"forward(", "training_step("};

class TensorOnModuleRule final : public engine::Rule {
 public:
  const engine::RuleInfo& info() const override {
    static const engine::RuleInfo kInfo{
        "TLK103",
        "tensor-on-module",
        "forward leaves an activation on its module, where it outlives the call with its graph",
        findings::Severity::kWarning,
        kTags,
        kNeedles,
        Page("tensor-on-module")};
    return kInfo;
  }

  void Check(const flow::FileEvents& events, engine::RuleContext& context) const override {
    for (const flow::KeptEvent& e : events.kept) {
      if (e.in_test || !e.in_forward || !e.module_attribute || e.graph == flow::Graph::kNone)
        continue;
      const bool slot = e.growth == flow::Growth::kSlot;
      if (slot && (e.bare_argument || e.read_elsewhere || e.needed ||
                   e.size == flow::Size::kScalar || e.documented))
        continue;
      if (!slot &&
          (e.in_training_step || e.cache || e.bounded || e.cleared == flow::Cleared::kEachTurn))
        continue;
      const bool state = e.growth == flow::Growth::kChain || e.needed;
      if (!slot && state && e.cleared != flow::Cleared::kNever) continue;
      const bool recorded = !slot && e.switched;  // only while somebody asks for it
      if (patterns::IsRunningBuffer(events, e)) continue;
      std::string message =
          slot       ? "`" + e.where + "` holds an activation and its graph until the next call"
          : recorded ? "`" + e.where +
                           "` keeps one more activation, with its graph, in every recorded call"
                     : "`" + e.where + "` keeps one more activation, with its graph, in every call";
      auto finding = engine::MakeFinding(
          *this, e, events, std::move(message),
          slot ? "return the value, or store `.detach()` of it"
               : "store `.detach().cpu()`, or empty the list at the start of the call");
      finding.severity =
          slot || recorded ? findings::Severity::kWarning : findings::Severity::kError;
      const bool weak = e.strength == flow::Strength::kWeak;  // nothing says that it has a graph
      const bool emptied = recorded && e.cleared != flow::Cleared::kNever;
      if (slot ? weak || e.graph == flow::Graph::kFreed : emptied)
        finding.severity = findings::Severity::kNote;
      finding.fix = repair::KeepLess(events, e);
      context.Report(std::move(finding));
    }
  }
};

}  // namespace

const engine::Rule& TensorOnModule() {
  static const TensorOnModuleRule kRule;
  return kRule;
}

}  // namespace torchleak::rules

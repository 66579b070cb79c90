#include <array>
#include <string>

#include "engine/report_event.h"
#include "repair/repair.h"
#include "rules/all_rules.h"
#include "rules/pages.h"

namespace torchleak::rules {
namespace {

constexpr std::array<std::string_view, 3> kTags{"performance", "memory", "external/cwe/cwe-401"};
constexpr std::array<std::string_view, 1> kNeedles{"register_"};

class HookKeepsOutputRule final : public engine::Rule {
 public:
  const engine::RuleInfo& info() const override {
    static const engine::RuleInfo kInfo{
        "TLK106",
        "hook-keeps-output",
        "A hook stores what passes through its module beyond the call",
        findings::Severity::kWarning,
        kTags,
        kNeedles,
        Page("hook-keeps-output")};
    return kInfo;
  }

  void Check(const flow::FileEvents& events, engine::RuleContext& context) const override {
    for (const flow::KeptEvent& e : events.kept) {
      if (e.in_test || !e.in_hook || !e.tensor || e.bounded ||
          e.cleared == flow::Cleared::kEachTurn)
        continue;
      const bool local =
          e.place == flow::Place::kLocalContainer || e.place == flow::Place::kLocalVariable;
      // dies with the call of the hook, or is what the hook was called with
      if (local || e.place == flow::Place::kParameter) continue;
      if (e.graph == flow::Graph::kNone && e.cleared != flow::Cleared::kNever)
        continue;  // collected, then emptied
      const bool slot = e.growth == flow::Growth::kSlot;
      if (slot && e.cleared != flow::Cleared::kNever)
        continue;  // read, graph and all, then dropped
      if (e.graph == flow::Graph::kNone && (slot || e.residency == flow::Residency::kHost))
        continue;
      const std::string where =
          e.where.empty() ? std::string("a place that outlives the call") : "`" + e.where + "`";
      std::string message =
          slot ? "the hook leaves `" + e.what + "` with its graph in " + where
               : "the hook keeps one more `" + e.what + "` in " + where + " in every forward pass";
      auto finding =
          engine::MakeFinding(*this, e, events, std::move(message),
                              "store `.detach().cpu()`, and clear it when it has been read");
      if (!slot && e.graph == flow::Graph::kLive) finding.severity = findings::Severity::kError;
      if (slot) finding.severity = findings::Severity::kNote;  // one activation, overwritten
      finding.fix = repair::KeepLess(events, e);
      context.Report(std::move(finding));
    }
  }
};

}  // namespace

const engine::Rule& HookKeepsOutput() {
  static const HookKeepsOutputRule kRule;
  return kRule;
}

}  // namespace torchleak::rules

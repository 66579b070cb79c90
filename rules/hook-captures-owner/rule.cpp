#include <array>
#include <string>

#include "engine/report_event.h"
#include "patterns/owner_hooks.h"
#include "rules/all_rules.h"
#include "rules/pages.h"

namespace torchleak::rules {
namespace {

constexpr std::array<std::string_view, 2> kTags{"performance", "memory"};
constexpr std::array<std::string_view, 1> kNeedles{"register_"};

class HookCapturesOwnerRule final : public engine::Rule {
 public:
  const engine::RuleInfo& info() const override {
    static const engine::RuleInfo kInfo{
        "TLK118",
        "hook-captures-owner",
        "A tensor hook that refers back to the owner of its tensor is never collected",
        findings::Severity::kWarning,
        kTags,
        kNeedles,
        Page("hook-captures-owner")};
    return kInfo;
  }

  void Check(const flow::FileEvents& events, engine::RuleContext& context) const override {
    const patterns::Sight sight(events);
    for (const patterns::OwnerHook& e : patterns::HooksOnOwners(sight)) {
      if (e.in_test) continue;
      const std::string held = "the hook on `" + e.tensor + "` holds `" + e.owner + "`, ";
      auto finding = engine::MakeFinding(
          *this, e, events,
          e.on_module ? held + "which holds the module: each one waits for the garbage collector"
                      : held + "which holds the tensor: none of them is ever freed",
          "capture a `weakref.ref` of it, or only what the hook needs");
      if (e.on_module) finding.severity = findings::Severity::kNote;
      context.Report(std::move(finding));
    }
  }
};

}  // namespace

const engine::Rule& HookCapturesOwner() {
  static const HookCapturesOwnerRule kRule;
  return kRule;
}

}  // namespace torchleak::rules

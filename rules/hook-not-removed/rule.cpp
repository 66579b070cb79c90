#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

#include "engine/report_event.h"
#include "repair/repair.h"
#include "rules/all_rules.h"
#include "rules/pages.h"

namespace torchleak::rules {
namespace {

constexpr std::array<std::string_view, 3> kTags{"correctness", "memory", "external/cwe/cwe-772"};
constexpr std::array<std::string_view, 1> kNeedles{"register_"};

class HookNotRemovedRule final : public engine::Rule {
 public:
  const engine::RuleInfo& info() const override {
    static const engine::RuleInfo kInfo{
        "TLK105",
        "hook-not-removed",
        "A hook is registered again and again, and its handle is never removed",
        findings::Severity::kWarning,
        kTags,
        kNeedles,
        Page("hook-not-removed")};
    return kInfo;
  }

  void Check(const flow::FileEvents& events, engine::RuleContext& context) const override {
    struct Group {  // a row of hooks is one mistake
      std::vector<const flow::HookEvent*> hooks;
      findings::Finding finding;
    };
    std::vector<Group> groups;
    for (const flow::HookEvent& e : events.hooks) {
      if (!IsLeak(e)) continue;
      findings::Finding finding = FindingOf(e, events);
      const auto same = std::find_if(groups.begin(), groups.end(), [&](const Group& group) {
        const flow::HookEvent& first = *group.hooks.front();
        return first.function == e.function && first.row == e.row &&
               group.finding.message == finding.message;
      });
      if (same == groups.end()) {
        groups.push_back({{&e}, std::move(finding)});
        continue;
      }
      same->hooks.push_back(&e);
      same->finding.flow.push_back({finding.location, std::string(findings::kAndHere)});
    }
    for (Group& group : groups) {
      group.finding.fix = repair::RemoveHooks(events, group.hooks);
      context.Report(std::move(group.finding));
    }
  }

 private:
  // Registered again and again, as opposed to once for an object's life.
  static bool IsAgain(const flow::HookEvent& e) {
    return e.in_loop || e.in_forward || e.owner_made_in_loop;
  }

  static bool IsLeak(const flow::HookEvent& e) {
    if (e.in_test || e.removed || e.returned || e.handed_on || e.on_short_lived_tensor)
      return false;
    if (e.opt_in && !e.in_loop) return false;  // a tool for debugging, used by who asks for it
    const bool again = IsAgain(e);
    // The object holds the node, the node its hook, the hook the object: out of the collector's
    // sight, so that none of them is ever freed.
    const bool cycle = e.on_kept_node && e.dropped;
    // Registered once for an object that lives as long as its module: nothing piles up.
    if (e.in_init && !again && !cycle && !(e.keeps_output && e.dropped && !e.on_own_module))
      return false;
    if (e.stored && !again) return false;
    return again || e.captures || cycle;  // makes_inputs_require_grad and its kin: meant to stay
  }

  findings::Finding FindingOf(const flow::HookEvent& e, const flow::FileEvents& events) const {
    auto finding = engine::MakeFinding(
        *this, e, events,
        e.dropped ? "the handle of this hook is thrown away, so that nobody can remove it"
        : e.replaced
            ? "the next forward replaces this handle: only the hooks of the last one are removed"
            : "this hook is never removed",
        "keep the handle and call its `remove()` when the work is done, or use it as a context "
        "manager");
    if (e.in_loop || e.in_forward) finding.severity = findings::Severity::kError;
    if (!IsAgain(e)) finding.confidence = findings::Confidence::kMedium;
    return finding;
  }
};

}  // namespace

const engine::Rule& HookNotRemoved() {
  static const HookNotRemovedRule kRule;
  return kRule;
}

}  // namespace torchleak::rules

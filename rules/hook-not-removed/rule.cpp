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
    using Row = std::pair<sema::FunctionId, std::uint32_t>;
    std::vector<std::pair<Row, findings::Finding>> found;
    for (const flow::HookEvent& e : events.hooks) {
      if (e.in_test || e.removed || e.returned || e.handed_on || e.on_short_lived_tensor) continue;
      if (e.opt_in && !e.in_loop) continue;  // a tool for debugging, used by who asks for it
      const bool again = e.in_loop || e.in_forward || e.owner_made_in_loop;
      // The object holds the node, the node its hook, the hook the object: out of the collector's
      // sight, so that none of them is ever freed.
      const bool cycle = e.on_kept_node && e.dropped;
      // Registered once for an object that lives as long as its module: nothing piles up.
      if (e.in_init && !again && !cycle && !(e.keeps_output && e.dropped && !e.on_own_module))
        continue;
      if (e.stored && !again) continue;
      // makes_inputs_require_grad and its kin: meant to stay
      if (!again && !e.captures && !cycle) continue;
      auto finding = engine::MakeFinding(
          *this, e, events,
          e.dropped ? "the handle of this hook is thrown away, so that nobody can remove it"
          : e.replaced
              ? "the next forward replaces this handle: only the hooks of the last one are removed"
              : "this hook is never removed",
          "keep the handle and call its `remove()` when the work is done, or use it as a context "
          "manager");
      if (e.in_loop || e.in_forward) finding.severity = findings::Severity::kError;
      finding.fix = repair::RemoveHook(events, e);
      if (!again) finding.confidence = findings::Confidence::kMedium;
      // A row of hooks is one mistake.
      const auto same = std::find_if(found.begin(), found.end(), [&](const auto& other) {
        return other.first == Row{e.function, e.row} && other.second.message == finding.message;
      });
      if (same == found.end()) {
        found.emplace_back(Row{e.function, e.row}, std::move(finding));
        continue;
      }
      same->second.flow.push_back({finding.location, "and here"});
    }
    for (auto& entry : found) context.Report(std::move(entry.second));
  }
};

}  // namespace

const engine::Rule& HookNotRemoved() {
  static const HookNotRemovedRule kRule;
  return kRule;
}

}  // namespace torchleak::rules

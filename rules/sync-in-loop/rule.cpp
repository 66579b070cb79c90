#include <array>
#include <string>
#include <utility>

#include "engine/report_event.h"
#include "patterns/sync_points.h"
#include "rules/all_rules.h"
#include "rules/pages.h"

namespace torchleak::rules {
namespace {

constexpr std::array<std::string_view, 1> kTags{"performance"};
constexpr std::array<std::string_view, 4> kNeedles{"item(", "cpu(", "tolist(", "synchronize("};

class SyncInLoopRule final : public engine::Rule {
 public:
  const engine::RuleInfo& info() const override {
    static const engine::RuleInfo kInfo{
        "TLK306",
        "sync-in-loop",
        "The program waits for the device once for each element or turn",
        findings::Severity::kWarning,
        kTags,
        kNeedles,
        Page("sync-in-loop")};
    return kInfo;
  }

  void Check(const flow::FileEvents& events, engine::RuleContext& context) const override {
    const patterns::Sight sight(events);

    using What = patterns::SyncEvent::What;
    for (const patterns::SyncEvent& e : patterns::SyncPoints(sight)) {
      if (e.in_test) continue;
      std::string message = "`" + e.call + "` waits for the device in every turn";
      const char* help = "collect on the device and copy once after the loop";
      if (e.what == What::kElements) {
        message = "`" + e.call + "` on each element copies them one by one";
        help = "copy all at once with `.tolist()`";
      } else if (e.what == What::kDebugText) {
        message = "`" + e.call + "` waits for the device for a text that is thrown away";
        help = "ask `isEnabledFor(logging.DEBUG)` first, or hand over the detached tensor with %s";
      } else if (e.what == What::kRarelyUsed) {
        message = "`" + e.call + "` waits for the device in every step, for a value used in a few";
        help = "move it under the condition that uses it";
      } else if (e.what == What::kBarrier) {
        message = "`synchronize()` in every step lets the device run idle";
        help = "remove it: operations on a stream run in order without it";
      }
      auto finding = engine::MakeFinding(*this, e, events, std::move(message), help);
      if (!e.in_step) finding.severity = findings::Severity::kNote;
      context.Report(std::move(finding));
    }
  }
};

}  // namespace

const engine::Rule& SyncInLoop() {
  static const SyncInLoopRule kRule;
  return kRule;
}

}  // namespace torchleak::rules

#include <array>
#include <string>

#include "engine/report_event.h"
#include "flow/world.h"
#include "patterns/oom_retries.h"
#include "rules/all_rules.h"
#include "rules/pages.h"

namespace torchleak::rules {
namespace {

constexpr std::array<std::string_view, 2> kTags{"performance", "memory"};
constexpr std::array<std::string_view, 5> kNeedles{"OutOfMemory", "out of memory", "oom", "OOM",
                                                   "empty_cache"};

class OomRetryInExceptRule final : public engine::Rule {
 public:
  const engine::RuleInfo& info() const override {
    static const engine::RuleInfo kInfo{"TLK115",
                                        "oom-retry-in-except",
                                        "The retry after an out-of-memory error runs while the "
                                        "failed attempt is still alive",
                                        findings::Severity::kError,
                                        kTags,
                                        kNeedles,
                                        Page("oom-retry-in-except")};
    return kInfo;
  }

  void Check(const flow::FileEvents& events, engine::RuleContext& context) const override {
    if (!events.world->torch_file) return;
    const patterns::Sight sight(events);
    for (const patterns::RetryInHandler& e : patterns::RetriesInHandlers(sight)) {
      if (e.in_test) continue;
      context.Report(engine::MakeFinding(
          *this, e, events,
          "`" + e.callee + "` is tried again inside `except`, where the failed attempt still " +
              "holds its memory" + (e.recursive ? ", and each retry nests in the one before" : ""),
          "note the failure in the handler, and retry after the block"));
    }
  }
};

}  // namespace

const engine::Rule& OomRetryInExcept() {
  static const OomRetryInExceptRule kRule;
  return kRule;
}

}  // namespace torchleak::rules

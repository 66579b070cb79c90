#include <array>

#include "engine/report_event.h"
#include "patterns/debug_tools.h"
#include "rules/all_rules.h"
#include "rules/pages.h"

namespace torchleak::rules {
namespace {

constexpr std::array<std::string_view, 2> kTags{"performance", "memory"};
constexpr std::array<std::string_view, 3> kNeedles{"profile", "snapshot", "export_chrome_trace"};

class ProfilerLeftOnRule final : public engine::Rule {
 public:
  const engine::RuleInfo& info() const override {
    static const engine::RuleInfo kInfo{"TLK304",
                                        "profiler-left-on",
                                        "A profiler or a memory snapshot runs in every step",
                                        findings::Severity::kWarning,
                                        kTags,
                                        kNeedles,
                                        Page("profiler-left-on")};
    return kInfo;
  }

  void Check(const flow::FileEvents& events, engine::RuleContext& context) const override {
    const patterns::Sight sight(events);

    using What = patterns::ProfilerEvent::What;
    for (const patterns::ProfilerEvent& e : patterns::Profilers(sight)) {
      if (e.in_test) continue;
      const char* message = "the profiler keeps an event of every operation of all steps";
      const char* help = "give it a schedule and call `prof.step()`, or leave the loop early";
      if (e.what == What::kEachStep) {
        message = "a profiler is started in every step";
        help = "profile a few steps, when an argument asks for it";
      } else if (e.what == What::kSnapshot) {
        message = "a snapshot is written in every step";
        help = "write it every few hundred steps, or when memory has run out";
      }
      context.Report(engine::MakeFinding(*this, e, events, message, help));
    }
  }
};

}  // namespace

const engine::Rule& ProfilerLeftOn() {
  static const ProfilerLeftOnRule kRule;
  return kRule;
}

}  // namespace torchleak::rules

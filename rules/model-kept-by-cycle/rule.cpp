#include <array>
#include <string>

#include "engine/report_event.h"
#include "patterns/closures.h"
#include "rules/all_rules.h"
#include "rules/pages.h"

namespace torchleak::rules {
namespace {

constexpr std::array<std::string_view, 2> kTags{"performance", "memory"};
constexpr std::array<std::string_view, 1> kNeedles{"torch"};

class ModelKeptByCycleRule final : public engine::Rule {
 public:
  const engine::RuleInfo& info() const override {
    static const engine::RuleInfo kInfo{
        "TLK124",
        "model-kept-by-cycle",
        "An object that refers to itself waits for the garbage collector with its tensors",
        findings::Severity::kNote,
        kTags,
        kNeedles,
        Page("model-kept-by-cycle"),
        false};
    return kInfo;
  }

  void Check(const flow::FileEvents& events, engine::RuleContext& context) const override {
    const patterns::Sight sight(events);
    for (const patterns::SelfCycle& e : patterns::SelfCycles(sight)) {
      if (e.in_test) continue;
      context.Report(engine::MakeFinding(
          *this, e, events,
          "`" + e.attribute + "` " +
              (e.bound_method ? "holds a method of its own object" : "captures its own object") +
              ": its tensors wait for the garbage collector",
          "make it a method, or capture only what it needs, or a `weakref.ref`"));
    }
  }
};

}  // namespace

const engine::Rule& ModelKeptByCycle() {
  static const ModelKeptByCycleRule kRule;
  return kRule;
}

}  // namespace torchleak::rules

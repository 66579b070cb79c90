#include <array>
#include <string>

#include "engine/report_event.h"
#include "patterns/state_alias.h"
#include "rules/all_rules.h"
#include "rules/pages.h"

namespace torchleak::rules {
namespace {

constexpr std::array<std::string_view, 1> kTags{"correctness"};
constexpr std::array<std::string_view, 1> kNeedles{"state_dict"};

class StateDictAliasRule final : public engine::Rule {
 public:
  const engine::RuleInfo& info() const override {
    static const engine::RuleInfo kInfo{
        "TLK211",
        "state-dict-alias",
        "A state_dict() that is kept for later is the live weights, not a copy",
        findings::Severity::kError,
        kTags,
        kNeedles,
        Page("state-dict-alias")};
    return kInfo;
  }

  void Check(const flow::FileEvents& events, engine::RuleContext& context) const override {
    const patterns::Sight sight(events);
    for (const patterns::StateAliasEvent& e : patterns::StateAliases(sight)) {
      if (e.in_test) continue;
      context.Report(engine::MakeFinding(
          *this, e, events,
          "`" + e.place + "` holds the live weights of `" + e.module + "`" +
              (e.loads_back ? ", so loading it back changes nothing"
                            : ", not those of this moment"),
          "keep `copy.deepcopy(" + e.module + ".state_dict())`, or clones on the CPU"));
    }
  }
};

}  // namespace

const engine::Rule& StateDictAlias() {
  static const StateDictAliasRule kRule;
  return kRule;
}

}  // namespace torchleak::rules

#include <array>

#include "engine/report_event.h"
#include "patterns/optimizer_use.h"
#include "rules/all_rules.h"
#include "rules/pages.h"

namespace torchleak::rules {
namespace {

constexpr std::array<std::string_view, 1> kTags{"performance"};
constexpr std::array<std::string_view, 1> kNeedles{"params"};

class ParamGroupPerTensorRule final : public engine::Rule {
 public:
  const engine::RuleInfo& info() const override {
    static const engine::RuleInfo kInfo{"TLK309",
                                        "param-group-per-tensor",
                                        "Each parameter gets an optimizer group of its own",
                                        findings::Severity::kNote,
                                        kTags,
                                        kNeedles,
                                        Page("param-group-per-tensor")};
    return kInfo;
  }

  void Check(const flow::FileEvents& events, engine::RuleContext& context) const override {
    const patterns::Sight sight(events);

    for (const patterns::SingleGroupEvent& e : patterns::SingleGroups(sight)) {
      if (e.in_test) continue;
      context.Report(engine::MakeFinding(
          *this, e, events,
          "a group for each parameter: the optimizer launches its kernels for each",
          "put parameters with equal settings into one group"));
    }
  }
};

}  // namespace

const engine::Rule& ParamGroupPerTensor() {
  static const ParamGroupPerTensorRule kRule;
  return kRule;
}

}  // namespace torchleak::rules

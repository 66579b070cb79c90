#include <array>

#include "engine/report_event.h"
#include "patterns/transfers.h"
#include "rules/all_rules.h"
#include "rules/pages.h"

namespace torchleak::rules {
namespace {

constexpr std::array<std::string_view, 2> kTags{"performance", "memory"};
constexpr std::array<std::string_view, 1> kNeedles{"tensor("};

class ScalarTensorsInBulkRule final : public engine::Rule {
 public:
  const engine::RuleInfo& info() const override {
    static const engine::RuleInfo kInfo{"TLK310",
                                        "scalar-tensors-in-bulk",
                                        "A list holds many tensors of one number each",
                                        findings::Severity::kNote,
                                        kTags,
                                        kNeedles,
                                        Page("scalar-tensors-in-bulk"),
                                        false};
    return kInfo;
  }

  void Check(const flow::FileEvents& events, engine::RuleContext& context) const override {
    const patterns::Sight sight(events);

    for (const patterns::ScalarTensorsEvent& e : patterns::ScalarTensors(sight)) {
      if (e.in_test) continue;
      context.Report(engine::MakeFinding(*this, e, events,
                                         "a tensor for each number: most of its memory is overhead",
                                         "collect numbers, and make one tensor of them"));
    }
  }
};

}  // namespace

const engine::Rule& ScalarTensorsInBulk() {
  static const ScalarTensorsInBulkRule kRule;
  return kRule;
}

}  // namespace torchleak::rules

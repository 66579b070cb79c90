#include <array>
#include <string>

#include "engine/report_event.h"
#include "patterns/unsharded_loaders.h"
#include "rules/all_rules.h"
#include "rules/pages.h"

namespace torchleak::rules {
namespace {

constexpr std::array<std::string_view, 2> kTags{"correctness", "performance"};
constexpr std::array<std::string_view, 1> kNeedles{"DistributedDataParallel"};

class DistributedSamplerMissingRule final : public engine::Rule {
 public:
  const engine::RuleInfo& info() const override {
    static const engine::RuleInfo kInfo{"TLK404",
                                        "distributed-sampler-missing",
                                        "Each process of a distributed run trains on all the data",
                                        findings::Severity::kWarning,
                                        kTags,
                                        kNeedles,
                                        Page("distributed-sampler-missing")};
    return kInfo;
  }

  void Check(const flow::FileEvents& events, engine::RuleContext& context) const override {
    const patterns::Sight sight(events);
    for (const patterns::UnshardedLoaderEvent& e : patterns::UnshardedLoaders(sight)) {
      if (e.in_test) continue;
      context.Report(engine::MakeFinding(
          *this, e, events, "without a DistributedSampler every process trains on the whole data",
          "pass `sampler=DistributedSampler(dataset)`, and call its `set_epoch()` in every epoch"));
    }
  }
};

}  // namespace

const engine::Rule& DistributedSamplerMissing() {
  static const DistributedSamplerMissingRule kRule;
  return kRule;
}

}  // namespace torchleak::rules

#include <array>
#include <string>

#include "engine/report_event.h"
#include "patterns/dataset_lists.h"
#include "rules/all_rules.h"
#include "rules/pages.h"

namespace torchleak::rules {
namespace {

constexpr std::array<std::string_view, 1> kTags{"memory"};
constexpr std::array<std::string_view, 1> kNeedles{"DataLoader"};

class CowDatasetRule final : public engine::Rule {
 public:
  const engine::RuleInfo& info() const override {
    static const engine::RuleInfo kInfo{
        "TLK403",
        "cow-dataset",
        "Workers copy a long list of Python objects page by page, each for itself",
        findings::Severity::kNote,
        kTags,
        kNeedles,
        Page("cow-dataset"),
        /*on_by_default=*/false};
    return kInfo;
  }

  void Check(const flow::FileEvents& events, engine::RuleContext& context) const override {
    const patterns::Sight sight(events);
    for (const patterns::DatasetListEvent& e : patterns::DatasetLists(sight)) {
      if (e.in_test) continue;
      context.Report(engine::MakeFinding(
          *this, e, events,
          "each worker gets its own copy of `" + e.where + "`, object by object as it reads it",
          "hold the data in NumPy arrays or tensors, or as one buffer of bytes with offsets"));
    }
  }
};

}  // namespace

const engine::Rule& CowDataset() {
  static const CowDatasetRule kRule;
  return kRule;
}

}  // namespace torchleak::rules

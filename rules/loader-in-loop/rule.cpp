#include <array>
#include <string>

#include "engine/report_event.h"
#include "patterns/repeated_loaders.h"
#include "rules/all_rules.h"
#include "rules/pages.h"

namespace torchleak::rules {
namespace {

constexpr std::array<std::string_view, 1> kTags{"performance"};
constexpr std::array<std::string_view, 1> kNeedles{"DataLoader"};

std::string Message(const patterns::RepeatedLoaderEvent& e) {
  using Form = patterns::RepeatedLoaderEvent::Form;
  if (e.form == Form::kOneBatch)
    return "`next(iter(loader))` starts all workers again for every batch";
  return e.form == Form::kMadeByFunction
             ? "each call starts the workers of a new loader over the same data"
             : "each turn of the loop starts the workers of a new loader over the same data";
}

class LoaderInLoopRule final : public engine::Rule {
 public:
  const engine::RuleInfo& info() const override {
    static const engine::RuleInfo kInfo{
        "TLK305",
        "loader-in-loop",
        "Workers of a data loader are started again in every turn of a loop",
        findings::Severity::kWarning,
        kTags,
        kNeedles,
        Page("loader-in-loop")};
    return kInfo;
  }

  void Check(const flow::FileEvents& events, engine::RuleContext& context) const override {
    const patterns::Sight sight(events);
    for (const patterns::RepeatedLoaderEvent& e : patterns::RepeatedLoaders(sight)) {
      if (e.in_test) continue;
      const bool one_batch = e.form == patterns::RepeatedLoaderEvent::Form::kOneBatch;
      context.Report(engine::MakeFinding(
          *this, e, events, Message(e),
          one_batch ? "make the iterator once, before the loop, and a new one on StopIteration"
                    : "make the loader once, with `persistent_workers=True`"));
    }
  }
};

}  // namespace

const engine::Rule& LoaderInLoop() {
  static const LoaderInLoopRule kRule;
  return kRule;
}

}  // namespace torchleak::rules

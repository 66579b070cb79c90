#include <array>
#include <string>

#include "engine/report_event.h"
#include "patterns/entered_loaders.h"
#include "rules/all_rules.h"
#include "rules/pages.h"

namespace torchleak::rules {
namespace {

constexpr std::array<std::string_view, 1> kTags{"correctness"};
constexpr std::array<std::string_view, 1> kNeedles{"DataLoader"};

class LoaderAsContextManagerRule final : public engine::Rule {
 public:
  const engine::RuleInfo& info() const override {
    static const engine::RuleInfo kInfo{
        "TLK402",
        "loader-as-context-manager",
        "`with DataLoader(…)` raises TypeError: a loader is no context manager",
        findings::Severity::kError,
        kTags,
        kNeedles,
        Page("loader-as-context-manager")};
    return kInfo;
  }

  void Check(const flow::FileEvents& events, engine::RuleContext& context) const override {
    const patterns::Sight sight(events);
    if (!sight.Mentions("with ")) return;
    for (const patterns::EnteredLoaderEvent& e : patterns::EnteredLoaders(sight)) {
      context.Report(engine::MakeFinding(
          *this, e, events, "a DataLoader is no context manager: `with` raises TypeError",
          "assign it to a name; its workers end when its iterator is gone"));
    }
  }
};

}  // namespace

const engine::Rule& LoaderAsContextManager() {
  static const LoaderAsContextManagerRule kRule;
  return kRule;
}

}  // namespace torchleak::rules

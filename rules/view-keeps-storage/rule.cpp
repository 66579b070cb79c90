#include <array>
#include <string>

#include "engine/report_event.h"
#include "patterns/kept_view.h"
#include "rules/all_rules.h"
#include "rules/pages.h"

namespace torchleak::rules {
namespace {

constexpr std::array<std::string_view, 3> kTags{"performance", "memory", "external/cwe/cwe-401"};
constexpr std::array<std::string_view, 1> kNeedles{"torch"};

class ViewKeepsStorageRule final : public engine::Rule {
 public:
  const engine::RuleInfo& info() const override {
    static const engine::RuleInfo kInfo{
        "TLK117",
        "view-keeps-storage",
        "A small view that is kept holds the whole tensor that it is a view of",
        findings::Severity::kWarning,
        kTags,
        kNeedles,
        Page("view-keeps-storage")};
    return kInfo;
  }

  void Check(const flow::FileEvents& events, engine::RuleContext& context) const override {
    const patterns::Sight sight(events);
    for (const patterns::KeptViewEvent& e : patterns::KeptViews(sight)) {
      if (e.in_test) continue;
      context.Report(engine::MakeFinding(
          *this, e, events,
          e.saved
              ? "`" + e.what + "` is a view: the file gets the whole tensor behind it"
              : "`" + e.what + "` is a view: `" + e.where + "` keeps the whole tensor behind it",
          "keep a copy of the part: `.clone()`"));
    }
  }
};

}  // namespace

const engine::Rule& ViewKeepsStorage() {
  static const ViewKeepsStorageRule kRule;
  return kRule;
}

}  // namespace torchleak::rules

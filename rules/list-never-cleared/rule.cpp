#include <array>
#include <string>

#include "engine/report_event.h"
#include "patterns/uncleared_list.h"
#include "rules/all_rules.h"
#include "rules/pages.h"

namespace torchleak::rules {
namespace {

constexpr std::array<std::string_view, 3> kTags{"performance", "memory", "external/cwe/cwe-770"};
constexpr std::array<std::string_view, 3> kNeedles{"torch", "lightning", "forward"};

class ListNeverClearedRule final : public engine::Rule {
 public:
  const engine::RuleInfo& info() const override {
    static const engine::RuleInfo kInfo{
        "TLK104",
        "list-never-cleared",
        "A list on an object takes one more tensor each step, and nobody empties it",
        findings::Severity::kWarning,
        kTags,
        kNeedles,
        Page("list-never-cleared")};
    return kInfo;
  }

  void Check(const flow::FileEvents& events, engine::RuleContext& context) const override {
    const patterns::Sight sight(events);
    for (const patterns::UnclearedListEvent& e : patterns::UnclearedLists(sight)) {
      if (e.in_test) continue;
      auto finding = engine::MakeFinding(
          *this, e, events,
          "`" + e.where + "` keeps one more tensor each step" +
              (e.needed ? std::string(", with its graph,") : std::string()) +
              " and is never cleared",
          "empty it where its content has been used: `" + e.where + ".clear()`");
      if (e.needed) finding.severity = findings::Severity::kError;
      context.Report(std::move(finding));
    }
  }
};

}  // namespace

const engine::Rule& ListNeverCleared() {
  static const ListNeverClearedRule kRule;
  return kRule;
}

}  // namespace torchleak::rules

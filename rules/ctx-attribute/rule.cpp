#include <array>
#include <string>

#include "engine/report_event.h"
#include "patterns/ctx_attribute.h"
#include "rules/all_rules.h"
#include "rules/pages.h"

namespace torchleak::rules {
namespace {

constexpr std::array<std::string_view, 3> kTags{"performance", "memory", "external/cwe/cwe-401"};
constexpr std::array<std::string_view, 1> kNeedles{"Function"};

class CtxAttributeRule final : public engine::Rule {
 public:
  const engine::RuleInfo& info() const override {
    static const engine::RuleInfo kInfo{
        "TLK110",
        "ctx-attribute",
        "A tensor on ctx outlives backward(), and an output there makes a cycle",
        findings::Severity::kWarning,
        kTags,
        kNeedles,
        Page("ctx-attribute")};
    return kInfo;
  }

  void Check(const flow::FileEvents& events, engine::RuleContext& context) const override {
    const patterns::Sight sight(events);
    for (const patterns::CtxAttributeEvent& e : patterns::CtxAttributes(sight)) {
      if (e.in_test) continue;
      auto finding = engine::MakeFinding(
          *this, e, events,
          e.output ? "`" + e.where +
                         "` refers to an output whose graph refers back: only the garbage "
                         "collector frees it"
                   : "`" + e.where + "` keeps a tensor as long as the graph, also after backward()",
          "hand it to `ctx.save_for_backward()`");
      if (!e.output) finding.severity = findings::Severity::kNote;
      context.Report(std::move(finding));
    }
  }
};

}  // namespace

const engine::Rule& CtxAttribute() {
  static const CtxAttributeRule kRule;
  return kRule;
}

}  // namespace torchleak::rules

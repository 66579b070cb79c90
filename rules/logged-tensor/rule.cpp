#include <array>
#include <string>

#include "engine/report_event.h"
#include "patterns/logged_entry.h"
#include "rules/all_rules.h"
#include "rules/pages.h"

namespace torchleak::rules {
namespace {

constexpr std::array<std::string_view, 3> kTags{"performance", "memory", "external/cwe/cwe-401"};
constexpr std::array<std::string_view, 2> kNeedles{"torch", "loss"};

class LoggedTensorRule final : public engine::Rule {
 public:
  const engine::RuleInfo& info() const override {
    static const engine::RuleInfo kInfo{
        "TLK122",
        "logged-tensor",
        "An entry for the log carries its graph, and whoever collects it keeps one for each step",
        findings::Severity::kWarning,
        kTags,
        kNeedles,
        Page("logged-tensor")};
    return kInfo;
  }

  void Check(const flow::FileEvents& events, engine::RuleContext& context) const override {
    const patterns::Sight sight(events);
    for (const patterns::LoggedEntryEvent& e : patterns::LoggedEntries(sight)) {
      if (e.in_test) continue;
      const char* where = e.how == patterns::Collected::kAtEpochEnd
                              ? " with its graph until `training_epoch_end()`"
                          : e.how == patterns::Collected::kByFramework
                              ? " with its graph in the log's collected outputs"
                              : " with its graph, while other entries for the log are detached";
      context.Report(
          engine::MakeFinding(*this, e, events, "`" + e.what + "` is kept" + where,
                              "return `.detach()` of it, or `.item()` when it is one number"));
    }
  }
};

}  // namespace

const engine::Rule& LoggedTensor() {
  static const LoggedTensorRule kRule;
  return kRule;
}

}  // namespace torchleak::rules

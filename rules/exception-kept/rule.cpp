#include <array>
#include <string>

#include "engine/report_event.h"
#include "flow/world.h"
#include "patterns/kept_exceptions.h"
#include "rules/all_rules.h"
#include "rules/pages.h"

namespace torchleak::rules {
namespace {

constexpr std::array<std::string_view, 2> kTags{"performance", "memory"};
constexpr std::array<std::string_view, 4> kNeedles{"torch", "tensor", "layer", "cuda"};

// A file without torch may run what has tensors: jobs over layers or tensors.
bool HandlesTensors(const patterns::Sight& sight) {
  if (sight.world().torch_file) return true;
  if (sight.world().foreign_file) return false;
  for (std::string_view word : {"tensor", "layer", "cuda"})
    if (sight.Mentions(word)) return true;
  return false;
}

class ExceptionKeptRule final : public engine::Rule {
 public:
  const engine::RuleInfo& info() const override {
    static const engine::RuleInfo kInfo{"TLK114",
                                        "exception-kept",
                                        "A stored exception keeps the tensors of all frames that "
                                        "it went through",
                                        findings::Severity::kWarning,
                                        kTags,
                                        kNeedles,
                                        Page("exception-kept")};
    return kInfo;
  }

  void Check(const flow::FileEvents& events, engine::RuleContext& context) const override {
    const patterns::Sight sight(events);
    if (!HandlesTensors(sight)) return;
    for (const patterns::KeptException& e : patterns::KeptExceptions(sight)) {
      if (e.in_test) continue;
      context.Report(engine::MakeFinding(
          *this, e, events,
          "`" + e.where + "` keeps `" + e.what +
              "`, and with it the tensors of every frame that failed",
          "keep the text: `str(e)` or `traceback.format_exc()`; or `e.with_traceback(None)`"));
    }
  }
};

}  // namespace

const engine::Rule& ExceptionKept() {
  static const ExceptionKeptRule kRule;
  return kRule;
}

}  // namespace torchleak::rules

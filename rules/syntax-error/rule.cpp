#include <algorithm>
#include <array>
#include <cstddef>
#include <string>

#include "engine/report_event.h"
#include "rules/all_rules.h"
#include "rules/pages.h"

namespace torchleak::rules {
namespace {

constexpr std::array<std::string_view, 1> kTags{"correctness"};
constexpr std::array<std::string_view, 1> kNeedles{"torch"};

class SyntaxErrorRule final : public engine::Rule {
 public:
  const engine::RuleInfo& info() const override {
    static const engine::RuleInfo kInfo{"TLK000",
                                        "syntax-error",
                                        "A part of the file does not parse; the rest was analysed",
                                        findings::Severity::kWarning,
                                        kTags,
                                        kNeedles,
                                        Page("syntax-error")};
    return kInfo;
  }

  void Check(const flow::FileEvents& events, engine::RuleContext& context) const override {
    // One finding a file, or a cell: a broken bracket can leave dozens of marks behind it.
    std::size_t known = 0;
    for (const text::Span& error : events.syntax_errors) {
      const auto after = std::upper_bound(events.parts.begin(), events.parts.end(), error.begin);
      const auto part = static_cast<std::size_t>(after - events.parts.begin());
      if (part == known && known != 0) continue;
      known = part;
      flow::EventBase event;
      event.function = sema::FunctionId{0};
      event.span = error;
      event.strength = flow::Strength::kStrong;
      context.Report(engine::MakeFinding(
          *this, event, events, "this does not parse as Python 3; what does was analysed", ""));
    }
  }
};

}  // namespace

const engine::Rule& SyntaxError() {
  static const SyntaxErrorRule kRule;
  return kRule;
}

}  // namespace torchleak::rules

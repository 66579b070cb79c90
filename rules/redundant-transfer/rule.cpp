#include <array>
#include <utility>

#include "engine/report_event.h"
#include "patterns/transfers.h"
#include "rules/all_rules.h"
#include "rules/pages.h"

namespace torchleak::rules {
namespace {

constexpr std::array<std::string_view, 1> kTags{"performance"};
constexpr std::array<std::string_view, 2> kNeedles{"cuda", "to("};

class RedundantTransferRule final : public engine::Rule {
 public:
  const engine::RuleInfo& info() const override {
    static const engine::RuleInfo kInfo{"TLK312",
                                        "redundant-transfer",
                                        "A copy between host and device that need not be",
                                        findings::Severity::kWarning,
                                        kTags,
                                        kNeedles,
                                        Page("redundant-transfer")};
    return kInfo;
  }

  void Check(const flow::FileEvents& events, engine::RuleContext& context) const override {
    const patterns::Sight sight(events);

    using What = patterns::TransferEvent::What;
    for (const patterns::TransferEvent& e : patterns::RedundantTransfers(sight)) {
      if (e.in_test) continue;
      const char* message = "to the host and back to the device in one expression";
      const char* help = "leave it on the device";
      if (e.what == What::kTwice) {
        message = "it is on the device already";
        help = "remove one of the two calls";
      } else if (e.what == What::kSameAgain) {
        message = "the same tensor is copied to the device in every step";
        help = "copy it once before the loop";
      } else if (e.what == What::kModuleAgain) {
        message = "every step walks through the module to move what has been moved";
        help = "move it once before the loop";
      } else if (e.what == What::kMadeOnHost) {
        message = "made on the host and copied to the device in every step";
        help = "make it there, with `device=`";
      }
      findings::Finding finding = engine::MakeFinding(*this, e, events, message, help);
      if (e.what == What::kMadeOnHost) finding.severity = findings::Severity::kNote;
      context.Report(std::move(finding));
    }
  }
};

}  // namespace

const engine::Rule& RedundantTransfer() {
  static const RedundantTransferRule kRule;
  return kRule;
}

}  // namespace torchleak::rules

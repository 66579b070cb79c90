#include <array>
#include <string>

#include "engine/report_event.h"
#include "patterns/copied_weights.h"
#include "patterns/loaded_weights.h"
#include "rules/all_rules.h"
#include "rules/pages.h"

namespace torchleak::rules {
namespace {

constexpr std::array<std::string_view, 2> kTags{"performance", "memory"};
constexpr std::array<std::string_view, 2> kNeedles{"torch.load", "state_dict"};

std::string Message(const patterns::LoadedWeights& e) {
  const std::string where = e.to == patterns::LoadedWeights::To::kDevice
                                ? "the checkpoint is loaded onto the device"
                                : "the checkpoint is loaded to the device that it was saved from";
  if (!e.kept) return where + ", beside the model's own weights";
  return where + ", and `" + e.name + "` keeps this second copy";
}

class CheckpointOnGpuRule final : public engine::Rule {
 public:
  const engine::RuleInfo& info() const override {
    static const engine::RuleInfo kInfo{
        "TLK116",
        "checkpoint-on-gpu",
        "A checkpoint lies on the device beside the model's weights",
        findings::Severity::kWarning,
        kTags,
        kNeedles,
        Page("checkpoint-on-gpu")};
    return kInfo;
  }

  void Check(const flow::FileEvents& events, engine::RuleContext& context) const override {
    const patterns::Sight sight(events);
    for (const patterns::LoadedWeights& e : patterns::LoadsOfWeights(sight)) {
      if (e.in_test) continue;
      auto finding = engine::MakeFinding(
          *this, e, events, Message(e),
          e.kept ? "load with `map_location=\"cpu\"`, and delete it when the weights are copied"
                 : "load with `map_location=\"cpu\"`");
      if (!e.kept) finding.severity = findings::Severity::kNote;
      context.Report(std::move(finding));
    }
    for (const patterns::CopiedWeights& e : patterns::CopiesOfWeights(sight)) {
      if (e.in_test) continue;
      context.Report(engine::MakeFinding(
          *this, e, events,
          "a copy of the weights of `" + e.model + "` is kept on the device" +
              (e.grows ? ", one more each time" : ""),
          "copy each entry to the host: `{k: v.detach().cpu().clone() for k, v in …}`"));
    }
  }
};

}  // namespace

const engine::Rule& CheckpointOnGpu() {
  static const CheckpointOnGpuRule kRule;
  return kRule;
}

}  // namespace torchleak::rules

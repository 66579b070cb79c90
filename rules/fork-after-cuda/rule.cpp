#include <array>
#include <string>

#include "engine/report_event.h"
#include "patterns/cuda_in_children.h"
#include "rules/all_rules.h"
#include "rules/pages.h"

namespace torchleak::rules {
namespace {

constexpr std::array<std::string_view, 2> kTags{"correctness", "memory"};
constexpr std::array<std::string_view, 3> kNeedles{"multiprocessing", "DataLoader", "Process"};

using Form = patterns::CudaInChildEvent::Form;

class ForkAfterCudaRule final : public engine::Rule {
 public:
  const engine::RuleInfo& info() const override {
    static const engine::RuleInfo kInfo{
        "TLK401",
        "fork-after-cuda",
        "CUDA is used in a process that was forked after CUDA had started, or in every worker",
        findings::Severity::kError,
        kTags,
        kNeedles,
        Page("fork-after-cuda")};
    return kInfo;
  }

  void Check(const flow::FileEvents& events, engine::RuleContext& context) const override {
    const patterns::Sight sight(events);
    for (const patterns::CudaInChildEvent& e : patterns::CudaInChildren(sight)) {
      if (e.in_test) continue;
      if (e.form == Form::kForked) {
        context.Report(engine::MakeFinding(
            *this, e, events,
            "the child uses CUDA, which this process has started before: a fork cannot",
            "start it by `torch.multiprocessing.spawn` or the context \"spawn\""));
        continue;
      }
      context.Report(engine::MakeFinding(
          *this, e, events,
          e.form == Form::kKeptByDataset
              ? "the dataset holds CUDA tensors, which the workers of its loader cannot use"
              : "CUDA in a worker of the loader: it fails after a fork, and else each worker has "
                "a context of its own",
          "leave the data on the host, and move the batch where it is used"));
    }
  }
};

}  // namespace

const engine::Rule& ForkAfterCuda() {
  static const ForkAfterCudaRule kRule;
  return kRule;
}

}  // namespace torchleak::rules

#include "patterns/grad_line.h"

#include <algorithm>

#include "flow/grad_clearing.h"
#include "flow/names.h"
#include "flow/world.h"

namespace torchleak::patterns {

using flow::GradOpKind;
using flow::Op;

namespace {

// `zero_grad(False)`, `zero_grad(set_to_none=False)`, or a write of zeros.
bool KeepsTensors(const Sight& sight, const CallSite& site) {
  if (sight.module().Text(site.call->method) != "zero_grad") return true;
  const flow::Argument* flag = sight.ArgumentOf(site, "set_to_none", 0);
  return flag != nullptr && sight.IsConstant(*site.r, flag->value, Op::kFalse);
}

}  // namespace

std::vector<GradAct> GradLine(const Sight& sight, const flow::FunctionResult& r) {
  std::vector<GradAct> line;
  for (const flow::GradOp& op : r.grad_ops) {
    GradAct act{op.kind, op.value, op.key, {}, false, false, nullptr};
    const flow::Instr& in = r.body[op.value];
    if (op.kind == GradOpKind::kCallee) act.callee = &sight.world().result(op.callee).summary;
    if (in.op == Op::kCall) {
      const flow::Call& call = r.body.calls[in.aux];
      act.of = flow::StepText(sight.module(), r.body, op.value);
      if (act.MayClear() && sight.module().Text(call.method) == "zero_grad")
        act.kind = op.kind == GradOpKind::kMayClear ? GradOpKind::kClear : GradOpKind::kClearAll;
      const bool clears = act.Clears();
      if (clears) act.of = flow::SlotText(sight.module(), r.body, call.receiver_slot);
      const std::string_view last = std::string_view(act.of).substr(act.of.rfind('.') + 1);
      act.of_module =
          clears && act.kind == GradOpKind::kClearAll && !flow::LooksLikeOptimizer(last);
      act.keeps_tensors = clears && KeepsTensors(sight, {&r, op.value, &call});
    }
    line.push_back(std::move(act));
  }
  std::ranges::stable_sort(line, {}, [](const GradAct& a) { return sema::Index(a.value); });
  return line;
}

}  // namespace torchleak::patterns

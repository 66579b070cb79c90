// After the step, under whatever condition it stands: then accumulation over several batches stays
// what it is.
#include <algorithm>

#include <fmt/format.h>

#include "flow/names.h"
#include "flow/world.h"
#include "repair/repair.h"
#include "repair/source_edits.h"

namespace torchleak::repair {
namespace {

using flow::Op;
using flow::ValueId;
using syntax::Field;
using syntax::Kind;
using syntax::kNoNode;
using syntax::NodeId;

bool IsPath(const syntax::Tree& tree, NodeId node) {
  for (int depth = 0; depth < 8 && node != kNoNode; ++depth) {
    if (tree.kind(node) == Kind::kIdentifier) return true;
    if (tree.kind(node) == Kind::kSubscript) {
      node = tree.Child(node, Field::kValue);
    } else if (tree.kind(node) == Kind::kAttribute) {
      node = tree.Child(node, Field::kObject);
    } else {
      return false;
    }
  }
  return false;
}

// `optimizer` of self.optimizer.
std::string_view LastName(const syntax::Tree& tree, NodeId path) {
  if (path == kNoNode) return {};
  if (tree.kind(path) == Kind::kAttribute) path = tree.Child(path, Field::kAttribute);
  return path == kNoNode ? std::string_view{} : tree.Text(path);
}

// The optimizer of `opt.step()`, `scaler.step(opt)`, `xm.optimizer_step(opt)`; kNoNode for others.
NodeId Optimizer(const sema::Module& module, const flow::FunctionResult& r, ValueId step) {
  if (r.body[step].op != Op::kCall) return kNoNode;
  const syntax::Tree& tree = module.tree();
  const flow::Call& call = r.body.calls[r.body[step].aux];
  const NodeId function = tree.Child(call.node, Field::kFunction);
  const NodeId receiver = function != kNoNode && tree.kind(function) == Kind::kAttribute
                              ? tree.Child(function, Field::kObject)
                              : kNoNode;
  const NodeId argument =
      call.argc == 0 ? kNoNode : r.body[r.body.Arguments(call).front().value].node;
  const bool is_scaler = call.receiver != flow::kNoValue &&
                         r.values[sema::Index(call.receiver)].Is(flow::Kind::kScaler);
  NodeId node = receiver;
  if (argument != kNoNode && IsPath(tree, argument)) {
    const flow::Value& given = r.values[sema::Index(r.body.Arguments(call).front().value)];
    const bool names = flow::LooksLikeOptimizer(LastName(tree, argument)) &&
                       !flow::LooksLikeOptimizer(LastName(tree, receiver));
    if (is_scaler || call.qualified || given.Is(flow::Kind::kOptimizer) || names) node = argument;
  }
  return IsPath(tree, node) ? node : kNoNode;
}

// The call at that place of this file, with the function that makes it.
const flow::FunctionResult* CallAt(const flow::FileEvents& events, text::Span span,
                                   ValueId* value) {
  for (const flow::FunctionResult& r : events.world->results()) {
    for (std::uint32_t i = 0; i < r.body.instrs.size(); ++i) {
      const flow::Instr& in = r.body.instrs[i];
      if (in.op != Op::kCall || !(events.module->tree().Span(in.node) == span)) continue;
      *value = ValueId{i};
      return &r;
    }
  }
  return nullptr;
}

// It is cleared in the same turn, but at the wrong time.
bool ClearsToo(const flow::FunctionResult& r, ValueId step) {
  return std::any_of(r.grad_ops.begin(), r.grad_ops.end(), [&](const flow::GradOp& op) {
    return (op.kind == flow::GradOpKind::kClear || op.kind == flow::GradOpKind::kClearAll) &&
           r.body.Within(r.body.LoopOf(op.value), r.body.LoopOf(step));
  });
}

findings::Fix Clearing(std::string_view optimizer, SourceEdits* edits) {
  findings::Fix fix;
  fix.applicability = findings::Applicability::kUnsafe;  // it changes what training computes
  fix.message = fmt::format("clear the gradients of `{}` once for every step", optimizer);
  fix.edits = edits->Take();
  return fix;
}

}  // namespace

std::optional<findings::Fix> ClearGradients(const flow::FileEvents& events,
                                            const flow::StaleStepEvent& event) {
  if (event.record == flow::kNoKey || events.world == nullptr || event.flow.empty())
    return std::nullopt;
  const sema::Module& module = *events.module;
  const syntax::Tree& tree = module.tree();
  // The step itself: here, or at the end of the way through helpers of this file.
  text::Span at = event.span;
  for (const flow::Step& step : event.flow) {
    if (step.message != "the step is here") continue;
    if (!step.path.empty()) return std::nullopt;
    at = step.span;
  }
  ValueId value{};
  const flow::FunctionResult* r = CallAt(events, at, &value);
  const NodeId node = r == nullptr ? kNoNode : Optimizer(module, *r, value);
  if (node == kNoNode) return std::nullopt;
  const std::string optimizer(tree.Text(node));
  const std::string clear = fmt::format("{}.zero_grad(set_to_none=True)", optimizer);
  SourceEdits edits(module);
  if (event.left_over) {
    const flow::FunctionResult& here = events.world->result(event.function);
    const NodeId backward = edits.StatementOf(here.body[ValueId{event.record}].node);
    if (backward == kNoNode || !edits.LineBefore(backward, clear)) return std::nullopt;
    return Clearing(optimizer, &edits);
  }
  if (ClearsToo(*r, value)) return std::nullopt;
  const NodeId statement = edits.StatementOf(r->body[value].node);
  const bool simple = statement != kNoNode && (tree.kind(statement) == Kind::kExpressionStatement);
  if (!simple || !edits.LineAfter(statement, clear)) return std::nullopt;
  return Clearing(optimizer, &edits);
}

}  // namespace torchleak::repair

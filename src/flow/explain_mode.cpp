// Whether gradients are on at a place, and who says so.
#include <fmt/format.h>

#include "flow/explain_internal.h"
#include "flow/names.h"

namespace torchleak::flow {

using syntax::kNoNode;
using syntax::NodeId;

namespace {

bool SpeaksOfGrad(std::string_view text) {
  return TurnsGradOff(text) || text.find("grad") != text.npos;
}

}  // namespace

// The innermost `with` around the node that is about gradients.
std::string Explainer::WithAround(NodeId node, bool off) const {
  for (NodeId n = tree().Parent(node); n != kNoNode; n = tree().Parent(n)) {
    if (tree().kind(n) == syntax::Kind::kFunctionDefinition ||
        tree().kind(n) == syntax::Kind::kLambda)
      break;
    if (tree().kind(n) != syntax::Kind::kWithStatement) continue;
    const text::Span header = HeaderOf(n);
    if (tree().Span(node).end <= header.end) continue;  // part of the header: not entered yet
    const std::string_view text = source_.Text(header);
    if (off ? SpeaksOfGrad(text) && text.find("enable_grad") == text.npos : SpeaksOfGrad(text))
      return Header(n);
  }
  return {};
}

std::string Explainer::GradModeAt(const FunctionResult& r, ValueId at) const {
  const GradMode mode = r.modes[Index(at)];
  const NodeId node = r.body[at].node;
  const std::string with = WithAround(node, mode == GradMode::kOff);
  std::string statement;  // torch.set_grad_enabled(…) as a statement, above
  for (const Instr& in : r.body.instrs) {
    if (in.op != Op::kCall || syntax::Index(in.node) >= syntax::Index(node)) continue;
    const Call& call = r.body.calls[in.aux];
    const NodeId parent = tree().Parent(in.node);
    if (call.fact == nullptr || !(call.fact->effects & facts::kGradSet) || parent == kNoNode)
      continue;
    if (tree().kind(parent) == syntax::Kind::kExpressionStatement)
      statement = Code(in.node) + " (" + Line(in.node) + ")";
  }
  const std::string by = !with.empty() ? with : statement;
  switch (mode) {
    case GradMode::kOff:
      if (!by.empty()) return "off, by " + by;
      break;
    case GradMode::kOn:
      if (!by.empty()) return "on, by " + by;
      break;
    case GradMode::kUnknown:
      if (!by.empty())
        return fmt::format("on or off: it depends on {}; the rules take that for a guard", by);
      return "on or off: paths with grad on and with grad off meet here; the rules take that for a "
             "guard";
    case GradMode::kInherit:
      break;
  }
  return GradModeOf(r);
}

std::string Explainer::GradModeOf(const FunctionResult& r) const {
  const sema::FunctionId id = r.body.function;
  const GradMode decorated = world_.DecoratedMode(id);
  if (decorated != GradMode::kInherit) {
    for (NodeId d : module()[id].decorators) {
      if (!SpeaksOfGrad(tree().Text(d))) continue;
      return fmt::format("{}, by the decorator `@{}` ({})",
                         decorated == GradMode::kOff ? "off" : "on", builder_.Short(d), Line(d));
    }
    return fmt::format("off: the framework turns it off around {}", Name(id));
  }
  const std::string callers = CallPlaces(id);
  if (r.entry_mode == GradMode::kOff) {
    if (callers.empty()) {
      return fmt::format("off: every call of a method with the name of {} is made with grad off",
                         Name(id));
    }
    return fmt::format("off: every call of {} in sight is made with grad off ({})", Name(id),
                       callers);
  }
  if (Index(id) == 0) return "on: nothing here turns it off";
  if (callers.empty()) {
    return fmt::format("on: nothing in {} turns it off, and no call of it is in sight", Name(id));
  }
  std::vector<NodeId> on;
  for (const FunctionResult& caller : world_.results()) {
    for (const CallEdge& e : caller.calls) {
      const GradMode mode = e.mode == GradMode::kInherit ? caller.entry_mode : e.mode;
      if (e.callee == id && mode != GradMode::kOff && mode != GradMode::kUnknown)
        on.push_back(caller.body[e.value].node);
    }
  }
  if ((world_.Around(id) & facts::kResultDifferentiated) != 0) {
    return fmt::format("on: the framework runs {}, and differentiates its result", Name(id));
  }
  if (on.empty() && !CallersOf(id).empty()) {
    return fmt::format(
        "on: nothing in {} turns it off; the calls in sight ({}) do, but it is also handed on as a "
        "value",
        Name(id), callers);
  }
  return fmt::format("on: nothing in {} turns it off, nor around its call at {}", Name(id),
                     on.empty() ? callers : Lines(on));
}

}  // namespace torchleak::flow

#include "flow/known_code.h"

#include <algorithm>

#include "flow/names.h"

namespace torchleak::flow {
namespace {

// What the method does is known from what it is called on.
bool IsKnownMethod(const Value& receiver, std::string_view method) {
  if (receiver.Is(Kind::kModule))
    return facts::FindListed("torch.nn.Module", method) != nullptr;  // model.adapt(x): its own
  return !receiver.Is(Kind::kUnknown) && !receiver.Is(Kind::kInstance) &&
         !receiver.Is(Kind::kEngine) && !receiver.Is(Kind::kBottom);
}

// What is a module most likely may be a function as well.
bool IsModuleForSure(const Value& v) {
  return v.Is(Kind::kModule) && v.strength == Strength::kStrong;
}

// Runs where a module is called, or data is iterated, without a call in sight.
bool RunsUnasked(const sema::Function& function, std::string_view name) {
  return function.is_generator || name == "forward" || name == "__call__" || name == "__iter__" ||
         name == "__next__" || name == "__getitem__";
}

}  // namespace

bool RunsUnknownCode(const World& world, const FunctionResult& r, ValueId value) {
  const Instr& in = r.body[value];
  if (in.op != Op::kCall) return false;
  const Call& call = r.body.calls[in.aux];
  if (call.fact != nullptr || call.of_torch || call.of_numpy || call.is_super) return false;
  const World::Target target = world.Resolve(r.body, call);
  if (target.function != sema::kNoFunction || target.class_id != sema::kNoClass) return false;
  const bool method = call.receiver != kNoValue && !call.qualified;
  if (method && IsKnownMethod(r.values[Index(call.receiver)], world.module().Text(call.method)))
    return false;
  if (call.callee != kNoValue && IsModuleForSure(r.values[Index(call.callee)])) return false;
  std::string_view name = world.module().Text(call.method);
  if (name.empty() && call.callee != kNoValue && r.body[call.callee].node != syntax::kNoNode)
    name = world.module().tree().Text(r.body[call.callee].node);
  if (LooksLikeLoss(name) || name.ends_with("loss")) return false;
  if (std::any_of(r.forwards.begin(), r.forwards.end(),
                  [&](const Forward& f) { return f.value == value && f.direct; }))
    return false;
  if (method) return true;  // what its object holds, it has at hand
  const auto arguments = r.body.Arguments(call);
  return std::any_of(arguments.begin(), arguments.end(), [&](const Argument& a) {
    const Value& given = r.values[Index(a.value)];
    return !IsPlain(given) && !given.Is(Kind::kBottom);
  });
}

namespace {

bool DoesMore(const Summary& forward) {
  const bool keeps_argument =
      std::any_of(forward.stores.begin(), forward.stores.end(), [](const StoreSummary& s) {
        return s.sink.root == Sink::Root::kParam && s.sink.index == 0 && s.sink.depth > 0 &&
               s.params != 0;
      });
  return forward.differentiates || forward.leaves_graph || keeps_argument;
}

}  // namespace

bool ForwardsDoMore(const World& world) {
  const sema::Module& module = world.module();
  for (std::uint32_t i = 0; i < module.function_count() && i < world.results().size(); ++i) {
    const sema::FunctionId id{i};
    if (RunsUnasked(module[id], module.Text(module[id].name)) && DoesMore(world.result(id).summary))
      return true;
  }
  return false;
}

}  // namespace torchleak::flow

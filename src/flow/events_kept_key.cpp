// Dicts that loops write into: do they get one more key in each turn?
#include <bit>

#include "flow/arguments.h"
#include "flow/events_internal.h"
#include "flow/varying_key.h"

namespace torchleak::flow {

namespace {

// The key that a callee makes of the arguments of this call.
bool VariesAtCall(const World& world, const FunctionResult& r, const Store& store, LoopId loop) {
  const sema::Module& module = world.module();
  const StoreSummary& summary = world.result(store.callee).summary.stores[store.inner];
  if (summary.key_varies || r.body[store.value].op != Op::kCall) return true;
  const Call& call = r.body.calls[r.body[store.value].aux];
  const World::Target target = world.Resolve(r.body, call);
  if (target.class_id != sema::kNoClass) return true;
  const bool bound = target.function == store.callee ? target.bound : call.receiver != kNoValue;
  const auto& params = module[store.callee].params;
  for (std::uint64_t left = summary.key_params; left != 0; left &= left - 1) {
    const auto index = static_cast<std::uint32_t>(std::countr_zero(left));
    if (index >= params.size()) return true;
    // name=value makes the name a key
    const bool keywords = params[index].kind == sema::ParamKind::kKwArgs;
    std::uint32_t position = bound ? 1 : 0;
    for (const Argument& a : r.body.Arguments(call)) {
      if (a.stars != 0) return true;
      if (!keywords && StandsFor(a, params, index, &position) &&
          KeyVaries(module, r.body, a.value, loop, nullptr))
        return true;
    }
  }
  return false;
}

}  // namespace

bool EventBuilder::GainsKeys(const FunctionResult& r, const Store& store, LoopId growing) const {
  const Body& body = r.body;
  bool over_data = false;
  for (LoopId l = growing; l != kNoLoop; l = body.loops[Index(l)].parent) {
    bool made_inside = store.sinks != 0;
    for (Objects left = store.sinks; left != 0; left &= left - 1) {
      const auto o = static_cast<std::size_t>(std::countr_zero(left));
      made_inside &= o < r.objects.size() && r.objects[o].kind != ObjectKind::kEntry &&
                     body.Within(r.objects[o].loop, l);
    }
    if (made_inside) break;
    if (!OverData(r, l, false)) continue;  // over names, layers: as many keys as there are
    over_data = true;
    const bool here = store.callee == sema::kNoFunction;
    if (here && body[store.value].op != Op::kSetItem) return true;
    if (here ? KeyVaries(module(), body, body.Operand(body[store.value], 1), l, nullptr)
             : VariesAtCall(world_, r, store, l))
      return true;
  }
  return !over_data;
}

}  // namespace torchleak::flow

// Trace: what lies beyond the function itself, in attributes, callers and enclosing functions.
#include <algorithm>

#include "flow/world.h"
#include "patterns/trace.h"

namespace torchleak::patterns {

using flow::Body;
using flow::FunctionResult;
using flow::Instr;
using flow::kNoValue;
using flow::Op;
using flow::ValueId;
using sema::Index;

std::span<const Trace::Place> Trace::StoresOfAttribute(sema::NameId name) const {
  if (attributes_.empty()) {
    attributes_.resize(sight_.module().name_count() + 1);
    for (const FunctionResult& r : sight_.world().results()) {
      for (const Instr& in : r.body.instrs) {
        if (in.op == Op::kStore && r.body.slots[in.aux].depth > 0)
          attributes_[Index(r.body.slots[in.aux].attribute)].push_back({&r, r.body.Operand(in, 0)});
      }
    }
  }
  return attributes_[Index(name)];
}

std::vector<Trace::Place> Trace::Beyond(const Place& place) const {
  const Instr& in = place.r->body[place.value];
  if (in.op == Op::kGetAttr) {
    const auto stores = StoresOfAttribute(sema::NameId{in.aux});
    return stores.size() == 1 ? std::vector{stores[0]} : std::vector<Place>{};
  }
  if (in.op != Op::kLoad) return {};
  const flow::Slot& slot = place.r->body.slots[in.aux];
  const sema::Module& module = sight_.module();
  if (slot.depth > 0) {
    const auto stores = StoresOfAttribute(slot.attribute);
    return stores.size() == 1 ? std::vector{stores[0]} : std::vector<Place>{};
  }
  const sema::Binding& binding = module[slot.root];
  if (binding.scope == sema::kNoScope) return {};
  const sema::FunctionId owner = module[binding.scope].function;
  std::vector<Place> places;
  if (binding.is_param) {
    const auto& params = module[owner].params;
    const auto callers = CallersOf(owner);
    for (std::uint32_t i = 0; binding.assignments == 0 && i < params.size(); ++i) {
      if (params[i].binding != slot.root) continue;
      for (const Caller& caller : callers.first(std::min<std::size_t>(callers.size(), 16))) {
        const ValueId given = Given(caller, owner, i);
        if (given != kNoValue) places.push_back({caller.r, given});
      }
    }
  } else if (owner != place.r->body.function && !module.IsForeign(owner)) {
    const FunctionResult& outer = sight_.world().result(owner);
    const auto stores = StoresTo(outer, outer.body.RootSlot(slot.root));
    if (stores.size() == 1)
      places.push_back({&outer, outer.body.Operand(outer.body[stores[0]], 0)});
  }
  return places;
}

std::span<const Trace::Caller> Trace::CallersOf(sema::FunctionId function) const {
  if (callers_.empty()) {
    callers_.resize(sight_.module().function_count());
    for (const FunctionResult& r : sight_.world().results()) {
      for (const flow::CallEdge& edge : r.calls)
        callers_[Index(edge.callee)].push_back({&r, edge.value});
    }
  }
  return callers_[Index(function)];
}

ValueId Trace::Given(const Caller& caller, sema::FunctionId callee, std::uint32_t param) const {
  const Body& body = caller.r->body;
  if (body[caller.call].op != Op::kCall) return kNoValue;
  const flow::Call& call = body.calls[body[caller.call].aux];
  const sema::Function& f = sight_.module()[callee];
  std::uint32_t at = sight_.world().Resolve(body, call).bound ? 1 : 0;
  for (const flow::Argument& argument : body.Arguments(call)) {
    if (argument.stars != 0) return kNoValue;
    if (argument.keyword != sema::kNoName) {
      if (argument.keyword == f.params[param].name) return argument.value;
    } else if (at++ == param) {
      return argument.value;
    }
  }
  return kNoValue;
}

}  // namespace torchleak::patterns

// Kept values that are kept on purpose: outputs that a class documents, logs that somebody turns
// on.
#include <algorithm>
#include <bit>

#include "flow/arguments.h"
#include "flow/events_internal.h"
#include "flow/names.h"

namespace torchleak::flow {

// self.aux_loss, l_aux, or an attribute that the class's docstring reads: `x = module.l_aux`.
bool EventBuilder::IsDocumented(const FunctionResult& r, sema::NameId attribute) const {
  const std::string_view name = module().Text(attribute);
  if (LooksLikeLoss(name) || name == "aux" || name.ends_with("_aux")) return true;
  const sema::ClassId cls = module()[r.body.function].class_id;
  if (cls == sema::kNoClass || module().IsForeign(cls)) return false;
  std::string_view text = Text(module()[cls].node);
  text = text.substr(0, text.find("def "));
  const std::size_t begin = text.find("\"\"\"");
  if (begin == text.npos) return false;
  const std::size_t end = text.find("\"\"\"", begin + 3);
  if (end == text.npos) return false;
  const std::string_view doc = text.substr(begin + 3, end - begin - 3);
  for (std::size_t at = doc.find(name); at != doc.npos; at = doc.find(name, at + 1)) {
    const std::size_t after = at + name.size();
    const char next = after < doc.size() ? doc[after] : ' ';
    const bool whole = next != '_' && (next < 'a' || next > 'z') && next != '(';
    if (whole && at > 1 && doc[at - 1] == '.' && doc[at - 2] != ' ' && doc[at - 2] != '\n')
      return true;
  }
  return false;
}

// if self.logging: self.log.append(x), with self.logging = False in the constructor.
bool EventBuilder::BehindSwitch(const FunctionResult& r, const Store& store) const {
  const Body& body = r.body;
  const sema::ClassId cls = module()[body.function].class_id;
  if (cls == sema::kNoClass) return false;
  const sema::FunctionId init = module().FindMethod(cls, std::string_view("__init__"));
  if (init == sema::kNoFunction || module().IsForeign(cls)) return false;
  const Body& made = world_.result(init).body;
  for (std::uint32_t g = body.BlockOf(store.value).guard; g != kNoKey; g = body.guards[g].parent) {
    const std::string_view text = Text(body.guards[g].condition);
    if (body.guards[g].negated || !text.starts_with("self.")) continue;
    const bool off = std::any_of(made.instrs.begin(), made.instrs.end(), [&](const Instr& in) {
      return in.op == Op::kStore && made.slots[in.aux].depth == 1 &&
             module().Text(made.slots[in.aux].attribute) == text.substr(5) &&
             made[made.Operand(in, 0)].op == Op::kFalse;
    });
    if (off) return true;
  }
  return false;
}

// Keys and values that the next call reads: a class named *Cache with a method that empties it, or
// an attribute named so that forward() fills. What nothing reads is no cache.
bool EventBuilder::IsCache(const FunctionResult& r, const Store& store, const KeptEvent& e) const {
  if (store.attribute == sema::kNoName) return false;
  auto named = [](std::string_view name) {
    return name.find("cache") != name.npos || name.find("Cache") != name.npos;
  };
  const sema::ClassId cls = StoreClass(r, store);
  const bool object = cls != sema::kNoClass && named(module().Text(module()[cls].name)) &&
                      e.cleared != Cleared::kNever;
  if (!object && !(e.in_forward && named(module().Text(store.attribute)))) return false;
  return ReadsParts(store.attribute);
}

// Is the attribute read as part of a value, not only to append to it or to ask for its length?
bool EventBuilder::ReadsParts(sema::NameId attribute) const {
  const auto [it, fresh] = reads_parts_.try_emplace(Index(attribute), false);
  if (!fresh) return it->second;
  for (const FunctionResult& r : world_.results()) {
    const Body& body = r.body;
    it->second |= std::any_of(body.instrs.begin(), body.instrs.end(), [&](const Instr& in) {
      if (in.op != Op::kGetItem && in.op != Op::kReturn) return false;
      const Instr& from = body[body.Operand(in, 0)];
      return (from.op == Op::kGetAttr && sema::NameId{from.aux} == attribute) ||
             (from.op == Op::kLoad && body.slots[from.aux].attribute == attribute);
    });
  }
  return it->second;
}

// def update(self, x): if self.keep: self.values.append(x), of an object made with keep=False.
bool EventBuilder::TurnedOff(const FunctionResult& r, const Store& store) const {
  if (store.callee == sema::kNoFunction || store.sinks == 0) return false;
  const sema::ClassId cls = module()[store.callee].class_id;
  if (cls == sema::kNoClass || module().IsForeign(cls)) return false;
  const FunctionResult& callee = world_.result(store.callee);
  const auto& trail = callee.summary.stores[store.inner].trail;
  if (trail.size() != 1 || trail.front().path != nullptr) return false;
  std::string_view flag;
  for (const Store& inner : callee.stores) {
    const text::Span span = Span(inner.node);
    if (span.begin != trail.front().span.begin || span.end != trail.front().span.end) continue;
    const Body& body = callee.body;
    const std::uint32_t g = body.BlockOf(inner.value).guard;
    if (g == kNoKey || body.guards[g].negated) return false;
    flag = Text(body.guards[g].condition);
  }
  if (!flag.starts_with("self.")) return false;
  for (Objects left = store.sinks; left != 0; left &= left - 1) {
    const auto o = static_cast<std::size_t>(std::countr_zero(left));
    if (o >= r.objects.size()) return false;
    const Object& object = r.objects[o];
    if (object.kind != ObjectKind::kInstance || object.class_id != cls ||
        !MadeWithout(r, object.value, cls, flag.substr(5)))
      return false;
  }
  return true;
}

// Does this constructor call leave the attribute False, by argument or by default?
bool EventBuilder::MadeWithout(const FunctionResult& r, ValueId made, sema::ClassId cls,
                               std::string_view flag) const {
  const sema::FunctionId init = module().FindMethod(cls, std::string_view("__init__"));
  if (init == sema::kNoFunction || made == kNoValue || r.body[made].op != Op::kCall) return false;
  const Body& body = world_.result(init).body;
  const auto& params = module()[init].params;
  auto index = static_cast<std::uint32_t>(params.size());
  for (const Instr& in : body.instrs) {
    if (in.op != Op::kStore || body.slots[in.aux].depth != 1 ||
        module().Text(body.slots[in.aux].attribute) != flag)
      continue;
    const Instr& given = body[body.Operand(in, 0)];
    if (given.op == Op::kFalse) return true;
    if (given.op != Op::kLoad) return false;
    for (index = 0; index < params.size(); ++index)
      if (params[index].binding == body.slots[given.aux].root) break;
  }
  if (index == 0 || index >= params.size()) return false;
  std::uint32_t position = 1;
  for (const Argument& a : r.body.Arguments(r.body.calls[r.body[made].aux])) {
    if (a.stars != 0) return false;
    if (StandsFor(a, params, index, &position)) return r.body[a.value].op == Op::kFalse;
  }
  const syntax::NodeId by_default = params[index].default_value;
  return by_default != syntax::kNoNode && Text(by_default) == "False";
}

}  // namespace torchleak::flow

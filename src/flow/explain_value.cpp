// What is known of one value, and how surely.
#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "flow/explain_internal.h"
#include "flow/names.h"

namespace torchleak::flow {

using syntax::kNoNode;
using syntax::NodeId;

namespace {

constexpr std::uint32_t kOfFacts =
    0x80000000u;  // of Value::ref: an index into the facts, not a class

std::string_view SizeWords(Size size) {
  return size == Size::kScalar ? ", one number" : size == Size::kSized ? ", many numbers" : "";
}

std::string_view PlaceWords(Residency residency) {
  return residency == Residency::kHost     ? ", on the host"
         : residency == Residency::kDevice ? ", on the device"
                                           : "";
}

std::string_view Simple(Kind kind) {
  switch (kind) {
    case Kind::kBottom:
      return "never reached";
    case Kind::kNumber:
      return "a plain value (number, text, array): no graph";
    case Kind::kNone:
      return "None";
    case Kind::kScaler:
      return "a gradient scaler";
    case Kind::kHandle:
      return "the handle of a hook";
    case Kind::kContext:
      return "a context for `with`";
    case Kind::kParameters:
      return "parameters of a module";
    case Kind::kEngine:
      return "a training engine, which may run backward() and clear gradients by itself";
    case Kind::kWriter:
      return "a logger, which turns what it is given into numbers at once";
    default:
      return {};
  }
}

}  // namespace

// The first use of the same variable or attribute whose method tells what it is.
std::string Explainer::TellingUse(const FunctionResult& r, ValueId id,
                                  std::uint16_t evidence) const {
  const Instr& in = r.body[id];
  if (in.op != Op::kLoad && in.op != Op::kParam) return {};
  const SlotId slot =
      in.op == Op::kLoad ? SlotId{in.aux} : SlotId{r.body.instrs[Index(id) + 1].aux};
  const Slot& mine = r.body.slots[Index(slot)];
  for (const FunctionResult& other : world_.results()) {
    for (const Call& call : other.body.calls) {
      if (call.receiver_slot == kNoSlot || call.method == sema::kNoName) continue;
      const Slot& s = other.body.slots[Index(call.receiver_slot)];
      const bool same =
          mine.depth == 0 ? s.depth == 0 && s.root == mine.root : s.attribute == mine.attribute;
      if (!same || !(facts::EvidenceOfMethod(Text(call.method)) & evidence)) continue;
      return Code(call.node) + " (" + Line(call.node) + ")";
    }
  }
  return {};
}

std::string Explainer::ModuleWords(const FunctionResult& r, ValueId id, const Value& v) const {
  std::string out = v.Is(Kind::kOptimizer)   ? "an optimizer"
                    : v.Is(Kind::kScheduler) ? "a learning-rate scheduler"
                    : v.Is(Kind::kLoader)    ? "a loader: its batches come without a graph"
                                             : "a module";
  const std::uint16_t bit = v.Is(Kind::kOptimizer)   ? facts::kIsOptimizer
                            : v.Is(Kind::kScheduler) ? facts::kIsScheduler
                            : v.Is(Kind::kLoader)    ? facts::kIsLoader
                                                     : facts::kIsModule;
  if (v.ref != kNoRef && v.ref < kOfFacts && v.ref < module().class_count() &&
      v.Is(Kind::kModule)) {
    const sema::ClassId cls{v.ref};
    out += fmt::format(", of class `{}` ({})", Text(module()[cls].name), Place(cls));
  } else if (v.ref != kNoRef && v.ref >= kOfFacts && (v.ref & ~kOfFacts) < facts::All().size() &&
             v.Is(Kind::kModule)) {
    out += fmt::format(", `{}`", facts::All()[v.ref & ~kOfFacts].name);
  } else if (std::string use = TellingUse(r, id, bit); !use.empty()) {
    out += "; " + use + " tells";
  } else if (v.strength == Strength::kWeak) {
    out += ", judged by its name alone";
  } else if (v.strength == Strength::kMedium) {
    out += ", most likely: its name and its use fit";
  }
  if (v.Has(kInEvalMode)) out += "; in eval mode on every path";
  if (v.Has(kFrozen)) out += "; its parameters need no gradient";
  return out;
}

std::string Explainer::Container(const FunctionResult& r, const Value& v) const {
  std::string out = "a container";
  for (Objects left = v.objects; left != 0; left &= left - 1) {
    const auto i = static_cast<std::size_t>(std::countr_zero(left));
    if (i >= r.objects.size())
      return "a container, among more than can be followed in one function";
    const Object& o = r.objects[i];
    if (o.generator) return "a generator: one element at a time, nothing is kept";
    if (o.kind == ObjectKind::kEntry) {
      out += " from outside this call";
    } else if (o.value != kNoValue) {
      out +=
          fmt::format(" made by {} ({})", Code(r.body[o.value].node), Line(r.body[o.value].node));
    }
    if (o.bounded) out += " that drops old elements by itself";
    break;
  }
  const std::string holds = HoldsWords(r, v);
  return out + (holds.empty() ? "; nothing with a graph is known to be put in" : "; " + holds);
}

Explainer::Description Explainer::Describe(const FunctionResult& r, ValueId id) const {
  const Value& v = r.values[Index(id)];
  if (std::string_view simple = Simple(v.kind); !simple.empty()) return {std::string(simple), {}};
  switch (v.kind) {
    case Kind::kModule:
    case Kind::kOptimizer:
    case Kind::kScheduler:
    case Kind::kLoader:
      return {ModuleWords(r, id, v), {}};
    case Kind::kContainer:
      return {Container(r, v), {}};
    case Kind::kFunction:
    case Kind::kClass:
    case Kind::kInstance:
      return {OfThisFile(v), {}};
    case Kind::kTensor:
      return {fmt::format("a tensor{}{}", SizeWords(v.size), PlaceWords(v.residency)),
              GraphWords(r, id, v)};
    default:
      break;
  }
  std::string what = Unknown(r, id);
  if (v.residency == Residency::kDevice) what += "; on the device";
  if ((v.origins & r.graph_mask).any())
    return {std::move(what), "if it is a tensor, it " + GraphWords(r, id, v)};
  if (std::string holds = HoldsWords(r, v); !holds.empty())
    what += "; values are put into it: it " + holds;
  return {std::move(what), {}};
}

std::string Explainer::Unknown(const FunctionResult& r, ValueId id) const {
  if (r.body[id].op == Op::kParam || r.values[Index(id)].Has(kBareParam)) {
    return fmt::format("argument of {}; nothing here tells what it is", Name(r.body.function));
  }
  const Instr* made = &r.body[Definition(r, id)];
  const bool part = made->op == Op::kUnpack;
  if (part) made = &r.body[r.body.Operand(*made, 0)];
  if (made->op == Op::kIterate) {
    return (part ? "a part of an element of " : "an element of ") +
           Code(r.body[r.body.Operand(*made, 0)].node);
  }
  return "not known: nothing in this file tells what it is";
}

// Functions, classes and instances of the project.
std::string Explainer::OfThisFile(const Value& v) const {
  if (v.Is(Kind::kFunction)) {
    if (v.ref >= module().function_count()) return "a function";
    const sema::FunctionId id{v.ref};
    if (module()[id].is_lambda) return "a lambda (" + Line(module()[id].node) + ")";
    return fmt::format("the function {} ({})", Name(id), Place(id));
  }
  if (v.ref >= module().class_count()) return v.Is(Kind::kClass) ? "a class" : "an object";
  const sema::ClassId cls{v.ref};
  return fmt::format("{} `{}` ({})", v.Is(Kind::kClass) ? "the class" : "an object of class",
                     Text(module()[cls].name), Place(cls));
}

Remark::About Explainer::AboutOf(const FunctionResult& r, ValueId id) const {
  using About = Remark::About;
  const Value& v = r.values[Index(id)];
  const bool has_graph = (Deep(r, v).origins & r.graph_mask).any();
  switch (v.kind) {
    case Kind::kTensor:
      return has_graph ? About::kGraph : About::kPlain;
    case Kind::kContainer:
      return has_graph ? About::kGraph : About::kOwner;
    case Kind::kModule:
    case Kind::kOptimizer:
    case Kind::kHandle:
      return About::kOwner;
    default:
      return About::kUnknown;
  }
}

}  // namespace torchleak::flow

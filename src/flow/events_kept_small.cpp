// Kept values that are small beside what a model makes of a batch, or no new tensors at all.
//
// What is stored is followed back through the function, over assignments, subscripts and moves, to
// the elements of the loops that hand it out. Whatever is computed on the way ends the walk.
#include <algorithm>
#include <array>

#include "flow/events_internal.h"
#include "flow/names.h"

namespace torchleak::flow {
namespace {

// The walks below go over the function once for each variable; generated code has thousands.
constexpr std::size_t kMaxWalked = 4'000;

template <std::size_t N>
bool Among(std::string_view name, const std::array<std::string_view, N>& names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// Methods whose result is what they are called on, elsewhere or in another form.
bool KeepsWhatItIs(std::string_view method) {
  static constexpr std::array<std::string_view, 24> kSame{
      "to",    "cuda",      "cpu",        "view",   "reshape", "flatten", "long",   "float",
      "int",   "half",      "bool",       "double", "squeeze", "permute", "expand", "detach",
      "clone", "unsqueeze", "contiguous", "type",   "items",   "values",  "get",    "transpose"};
  return Among(method, kSame);
}

bool Repacks(std::string_view function) {
  static constexpr std::array<std::string_view, 9> kRepack{
      "tuple", "list", "dict", "enumerate", "zip", "iter", "next", "tqdm", "islice"};
  return Among(function, kRepack);
}

// tqdm in tqdm.tqdm(loader)
std::string_view Callee(std::string_view call) {
  call = call.substr(0, call.find('('));
  return call.substr(call.rfind('.') + 1);
}

}  // namespace

// pred == target, out.argmax(dim=1), pred.eq(y): truth values and class numbers.
bool EventBuilder::IsLabels(const Body& body, ValueId value) const {
  for (int hops = 0; hops < 8; ++hops) {
    const Instr& in = body[value];
    if (in.op == Op::kCompare) return true;
    if (in.op == Op::kLoad) {  // the only assignment of a local
      ValueId made = kNoValue;
      for (const Instr& store : body.instrs) {
        if (store.op != Op::kStore || store.aux != in.aux) continue;
        if (made != kNoValue) return false;
        made = body.Operand(store, 0);
      }
      if (made == kNoValue) return false;
      value = made;
      continue;
    }
    if (in.op != Op::kCall) return false;
    const Call& call = body.calls[in.aux];
    const std::string_view name = CalleeName(call);
    static constexpr std::array<std::string_view, 8> kTells{"eq", "ne", "gt",     "lt",
                                                            "ge", "le", "argmax", "isclose"};
    if (Among(name, kTells)) return true;
    static constexpr std::array<std::string_view, 8> kSame{"cpu",  "view",    "reshape", "flatten",
                                                           "long", "squeeze", "detach",  "float"};
    if (!Among(name, kSame) || call.receiver == kNoValue) return false;
    value = call.receiver;
  }
  return false;
}

std::string_view EventBuilder::CalleeName(const Call& call) const {
  if (call.method != sema::kNoName) return module().Text(call.method);
  if (call.fact == nullptr) return {};
  const std::string_view name = call.fact->name;
  return name.substr(name.rfind('.') + 1);
}

// mae, loss, criterion(out, y): one number, or a few, for each sample of the batch.
bool EventBuilder::IsMeasure(const Body& body, ValueId value) const {
  const Instr& in = body[value];
  if (in.op == Op::kTuple && in.argc > 0) return IsMeasure(body, body.Operand(in, 0));
  if (in.op != Op::kLoad || body.slots[in.aux].depth > 0) return false;
  const std::string_view name = Text(in.node);
  return LooksLikeLoss(name) || LooksLikeMetric(name) || name.ends_with("mae");
}

// The values that `value` is made of when nothing is computed: false when something is. Adds
// whether an element of a loop's iterable was reached, whether it was called on the way.
bool EventBuilder::WalkBack(const FunctionResult& r, ValueId value, bool* called) const {
  const Body& body = r.body;
  if (body.instrs.size() > kMaxWalked) return false;
  struct At {
    ValueId value;
    bool source;  // handed out by a loop from here on
  };
  std::vector<bool> seen(body.instrs.size());
  std::vector<At> work{{value, false}};
  bool element = false;
  auto stored_in = [&](SlotId slot, bool source) {  // all that a variable is given, or holds
    bool any = false;
    for (std::uint32_t i = 0; i < body.instrs.size(); ++i) {
      const Instr& in = body.instrs[i];
      if (in.op == Op::kStore && SlotId{in.aux} == slot) {
        work.push_back({body.Operand(in, 0), source});
        any = true;
      } else if (in.op == Op::kCall && body.calls[in.aux].receiver_slot == slot) {
        const Call& call = body.calls[in.aux];
        const std::string_view name = CalleeName(call);
        if ((name != "append" && name != "extend") || call.argc == 0) continue;
        for (const Argument& a : body.Arguments(call)) work.push_back({a.value, source});
      }
    }
    return any;
  };
  while (!work.empty()) {
    const At at = work.back();
    work.pop_back();
    if (seen[Index(at.value)]) continue;
    seen[Index(at.value)] = true;
    const Instr& in = body[at.value];
    switch (in.op) {
      case Op::kNumber:
      case Op::kString:
      case Op::kNone:
      case Op::kTrue:
      case Op::kFalse:
      case Op::kFormat:
        break;
      case Op::kLoad: {
        SlotId slot{in.aux};
        if (stored_in(slot, at.source)) break;
        while (body.slots[Index(slot)].depth > 0) slot = body.slots[Index(slot)].parent;
        if (slot != SlotId{in.aux} && stored_in(slot, at.source)) break;
        if (!at.source || r.values[Index(at.value)].Is(Kind::kTensor)) return false;
        break;
      }
      case Op::kParam:
        if (!at.source || r.values[Index(at.value)].Is(Kind::kTensor)) return false;
        break;
      case Op::kIterate:
        element = true;
        work.push_back({body.Operand(in, 0), true});
        break;
      case Op::kUnpack:
      case Op::kGetItem:
      case Op::kGetAttr:
        work.push_back({body.Operand(in, 0), at.source});
        break;
      case Op::kSelect:
      case Op::kTuple:
      case Op::kList:
      case Op::kDict:
      case Op::kSet:
        for (const ValueId part : body.Operands(in)) work.push_back({part, at.source});
        for (const Instr& more : body.instrs) {
          if (more.op == Op::kAppend && body.Operand(more, 0) == at.value)
            work.push_back({body.Operand(more, 1), at.source});
        }
        break;
      case Op::kCall: {
        const Call& call = body.calls[in.aux];
        const std::string_view name =
            call.receiver == kNoValue ? Callee(Text(call.node)) : CalleeName(call);
        if (call.receiver != kNoValue && KeepsWhatItIs(name)) {
          *called |= name != "items" && name != "values";
          work.push_back({call.receiver, at.source});
        } else if (Repacks(name)) {
          element |= name == "next";
          for (const Argument& a : body.Arguments(call))
            work.push_back({a.value, at.source || name == "next"});
        } else if (!at.source || !LooksLikeLoader(name)) {
          return false;
        }
        break;
      }
      default:
        return false;
    }
  }
  return element;
}

// Entries of the batch, moved to the device and kept: ids, labels, the inputs themselves.
bool EventBuilder::OfBatch(const FunctionResult& r, ValueId value) const {
  bool called = false;
  return WalkBack(r, value, &called);
}

// [pair[i] for pair in self.pairs]: a list of what is there already.
bool EventBuilder::OnlyRearranges(const FunctionResult& r, ValueId value) const {
  const Body& body = r.body;
  bool called = false;
  if (!WalkBack(r, value, &called) || called) return false;
  ValueId at = value;
  for (int hops = 0; hops < 8 && body[at].op != Op::kIterate; ++hops) {
    const Instr& in = body[at];
    if (in.op == Op::kLoad) {
      ValueId made = kNoValue;
      for (const Instr& store : body.instrs) {
        if (store.op == Op::kStore && store.aux == in.aux) made = body.Operand(store, 0);
      }
      if (made == kNoValue) return false;
      at = made;
    } else if (in.op == Op::kGetItem || in.op == Op::kUnpack) {
      at = body.Operand(in, 0);
    } else {
      return false;
    }
  }
  if (body[at].op != Op::kIterate) return false;
  const ValueId source = body.Operand(body[at], 0);
  return body[source].op == Op::kLoad &&
         Text(body[source].node).find("oader") == std::string_view::npos;
}

// for i in range(0, n, size): … x[i : i + size]: one computation in pieces that fit, if no model
// runs there and nothing is moved to the device for it.
bool EventBuilder::OverChunks(const FunctionResult& r, LoopId loop) const {
  const Body& body = r.body;
  const std::string_view over = Text(body.loops[Index(loop)].iterable);
  if (over.find(".chunk(") != over.npos || over.find(".split(") != over.npos) return true;
  if (!over.starts_with("range(") || body.instrs.size() > kMaxWalked) return false;
  const bool runs = std::any_of(r.forwards.begin(), r.forwards.end(), [&](const Forward& f) {
    return body.Within(body.LoopOf(f.value), loop);
  });
  if (runs) return false;
  const std::string_view header = Text(body.loops[Index(loop)].node);
  if (!header.starts_with("for ")) return false;
  const std::string_view index = header.substr(4, header.find(" in ") - 4);
  bool slices = false;
  for (std::uint32_t i = 0; i < body.instrs.size(); ++i) {
    const Instr& in = body.instrs[i];
    if (!body.Within(body.LoopOf(ValueId{i}), loop)) continue;
    if (in.op == Op::kCall) {
      const std::string_view name = CalleeName(body.calls[in.aux]);
      if (name == "to" || name == "cuda") return false;
    }
    if (in.op != Op::kGetItem) continue;
    const std::string_view text = Text(in.node);
    const std::size_t bracket = text.find('[');
    if (bracket == text.npos) continue;
    const std::string_view subscript = text.substr(bracket);
    slices |= subscript.find(':') != text.npos && subscript.find(index) != text.npos;
  }
  return slices;
}

}  // namespace torchleak::flow

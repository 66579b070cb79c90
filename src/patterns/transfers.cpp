#include "patterns/transfers.h"
#include "patterns/words.h"

#include <algorithm>
#include <array>

namespace torchleak::patterns {

using flow::Body;
using flow::FunctionResult;
using flow::LoopId;
using flow::Op;
using flow::ValueId;
using sema::Index;
using syntax::Field;
using syntax::Kind;
using syntax::kNoNode;
using syntax::NodeId;
using What = TransferEvent::What;

namespace {

std::string_view MethodOf(const Sight& sight, const flow::Call& call) {
  return sight.module().Text(call.method);
}

// `.cuda()`, `.to(device)`, `.to("cuda:0")`; not `.to(torch.float16)`, `.to(other)`, `.to("cpu")`.
bool ToDevice(const Sight& sight, const flow::Call& call, std::string_view method) {
  if (method == "cuda") return true;
  if (method != "to" || call.argc == 0) return false;
  const NodeId arguments = sight.module().tree().Child(call.node, Field::kArguments);
  const NodeId first = arguments == kNoNode ? kNoNode : sight.module().tree().FirstChild(arguments);
  if (first == kNoNode) return false;
  const std::string_view text = sight.Text(first);
  return (Has(text, "device") || Has(text, "cuda")) && !Has(text, "cpu");
}

// Steps that only change the form on the way through the host.
bool OnlyPasses(std::string_view method) {
  static constexpr std::array<std::string_view, 14> kMethods{
      "detach", "numpy",     "clone", "float",   "half",    "view",       "reshape",
      "double", "unsqueeze", "long",  "squeeze", "flatten", "contiguous", "copy"};
  return std::ranges::find(kMethods, method) != kMethods.end();
}

// From a transfer back through its expression to the `.cpu()` that it undoes, or to a transfer that
// it repeats; kNoValue when there is neither.
ValueId Undone(const Sight& sight, const FunctionResult& r, ValueId at, bool* twice) {
  const Body& body = r.body;
  for (int hops = 0; hops < 8; ++hops) {
    const flow::Instr& in = body[at];
    if (in.op != Op::kCall) return flow::kNoValue;
    const flow::Call& call = body.calls[in.aux];
    const std::string_view method = MethodOf(sight, call);
    if (call.receiver != flow::kNoValue && hops > 0) {
      if (method == "cpu") return at;
      *twice = hops == 1 && ToDevice(sight, call, method);
      if (*twice) return at;
      if (!OnlyPasses(method)) return flow::kNoValue;
    }
    if (call.receiver != flow::kNoValue) {
      at = call.receiver;
    } else if (call.fact != nullptr && call.argc >= 1 &&
               (call.fact->name == "torch.from_numpy" || call.fact->name == "torch.tensor" ||
                call.fact->name == "torch.as_tensor")) {
      at = body.Arguments(call)[0].value;
    } else {
      return flow::kNoValue;
    }
  }
  return flow::kNoValue;
}

TransferEvent Make(const Sight& sight, const CallSite& site, What what) {
  TransferEvent e;
  Place(sight, site, &e);
  e.what = what;
  const bool method = site.call->receiver != flow::kNoValue;
  const NodeId node = method ? site.r->body[site.call->receiver].node : site.call->node;
  if (node != kNoNode) e.value = sight.Short(node);
  e.flow.push_back({e.span, "copied to the device here"});
  return e;
}

// torch.zeros(n, m).to(device)
bool MadeOnHost(const FunctionResult& r, ValueId value) {
  static constexpr std::array<std::string_view, 10> kMakers{
      "torch.zeros", "torch.ones",   "torch.randn", "torch.rand",    "torch.empty",
      "torch.full",  "torch.arange", "torch.eye",   "torch.randint", "torch.randperm"};
  const flow::Instr& in = r.body[value];
  if (in.op != Op::kCall) return false;
  const flow::Call& call = r.body.calls[in.aux];
  return call.fact != nullptr && std::ranges::find(kMakers, call.fact->name) != kMakers.end();
}

// A variable with one value in this function, which is made without a device.
bool HoldsHostTensor(const Sight& sight, const FunctionResult& r, ValueId load) {
  const flow::Instr& in = r.body[load];
  if (in.op != Op::kLoad) return false;
  ValueId stored = flow::kNoValue;
  for (const flow::Instr& other : r.body.instrs) {
    if (other.op != Op::kStore || other.aux != in.aux) continue;
    if (stored != flow::kNoValue) return false;
    stored = r.body.Operand(other, 0);
  }
  if (stored == flow::kNoValue || r.body[stored].op != Op::kCall) return false;
  const flow::Call& call = r.body.calls[r.body[stored].aux];
  const CallSite site{&r, stored, &call};
  return call.fact != nullptr && call.fact->residency == facts::Residency::kArgument &&
         call.fact->result == facts::Result::kTensor && call.receiver == flow::kNoValue &&
         sight.ArgumentOf(site, "device") == nullptr;
}

// A variable that stands for the same thing in each turn of the step loop.
bool SameAgain(const Sight& sight, const CallSite& site, LoopId* loop) {
  const FunctionResult& r = *site.r;
  if (site.call->receiver == flow::kNoValue) return false;
  const flow::Instr& receiver = r.body[site.call->receiver];
  *loop = sight.LoopAround(r, site.value);
  if (receiver.op != Op::kLoad || receiver.node == kNoNode || *loop == flow::kNoLoop) return false;
  return sight.HowOften(r, site.value) == Often::kEachStep &&
         sight.SameInEachTurn(r, receiver.node, *loop);
}

void Add(const Sight& sight, const CallSite& site, std::vector<TransferEvent>* out) {
  const FunctionResult& r = *site.r;
  if (site.call->receiver == flow::kNoValue ||
      !ToDevice(sight, *site.call, MethodOf(sight, *site.call)))
    return;
  bool twice = false;
  if (const ValueId undone = Undone(sight, r, site.value, &twice); undone != flow::kNoValue) {
    const bool numbered = site.call->argc != 0 && MethodOf(sight, *site.call) == "cuda";
    const bool known = r.values[Index(r.body.calls[r.body[undone].aux].receiver)].residency ==
                       flow::Residency::kHost;
    if (numbered || known) return;
    TransferEvent e = Make(sight, site, twice ? What::kTwice : What::kRoundTrip);
    e.flow.insert(e.flow.begin(), {sight.Span(r.body[undone].node),
                                   twice ? "copied to the device already" : "copied to the host"});
    out->push_back(std::move(e));
    return;
  }
  if (MadeOnHost(r, site.call->receiver)) {
    const bool often = sight.HowOftenInAll(r, site.value).often == Often::kEachStep ||
                       sight.world().role(r.body.function) == flow::Role::kForward;
    if (often) out->push_back(Make(sight, site, What::kMadeOnHost));
    return;
  }
  LoopId loop = flow::kNoLoop;
  const flow::Value& value = r.values[Index(site.call->receiver)];
  const bool module = value.Is(flow::Kind::kModule);
  const bool host_tensor =
      (value.Is(flow::Kind::kTensor) && value.residency == flow::Residency::kHost) ||
      HoldsHostTensor(sight, r, site.call->receiver);
  if ((!module && !host_tensor) || !SameAgain(sight, site, &loop)) return;
  const std::string_view code = sight.Text(r.body.loops[Index(loop)].node);
  if (module && (Has(code, "cpu") || Has(code, "save"))) return;  // it goes to and fro
  TransferEvent e = Make(sight, site, module ? What::kModuleAgain : What::kSameAgain);
  e.flow.push_back({sight.HeaderSpan(loop, r.body), "once more in every turn of this loop"});
  out->push_back(std::move(e));
}

}  // namespace

std::vector<TransferEvent> RedundantTransfers(const Sight& sight) {
  std::vector<TransferEvent> events;
  for (const std::string_view method : {"cuda", "to"})
    for (const CallSite& site : sight.calls().OfMethod(method)) Add(sight, site, &events);
  std::ranges::sort(events, {}, [](const auto& e) { return e.span.begin; });
  return events;
}

namespace {

// del name, name = None: within the loop.
bool Dropped(const FunctionResult& r, flow::SlotId slot, LoopId loop) {
  for (std::uint32_t i = 0; i < r.body.instrs.size(); ++i) {
    const flow::Instr& in = r.body.instrs[i];
    if (in.op != Op::kStore && in.op != Op::kDelete) continue;
    if (flow::SlotId{in.aux} != slot || !r.body.Within(r.body.LoopOf(ValueId{i}), loop)) continue;
    if (in.op == Op::kDelete || r.body[r.body.Operand(in, 0)].op == Op::kNone) return true;
  }
  return false;
}

}  // namespace

namespace {

// A whole model, not a layer of one: it goes to the device at once, or is loaded.
bool IsWhole(const Sight& sight, const FunctionResult& r, ValueId made) {
  const flow::Call& call = r.body.calls[r.body[made].aux];
  if (call.fact != nullptr && call.fact->name == "torch.load") return true;
  const std::string_view method = MethodOf(sight, call);
  if (call.receiver == flow::kNoValue || !ToDevice(sight, call, method)) return false;
  if (r.body[call.receiver].op != Op::kCall) return false;  // model = model.cuda()
  const bool used_as_module = (r.evidence.of_value[Index(made)] & facts::kIsModule) != 0;
  return r.values[Index(made)].Is(flow::Kind::kModule) || used_as_module;
}

}  // namespace

std::vector<ReboundEvent> Rebound(const Sight& sight) {
  std::vector<ReboundEvent> events;
  for (const FunctionResult& r : sight.world().results()) {
    if (!r.analyzed || sight.world().role(r.body.function) == flow::Role::kForward) continue;
    for (std::uint32_t i = 0; i < r.body.instrs.size(); ++i) {
      const flow::Instr& in = r.body.instrs[i];
      const LoopId loop = in.op == Op::kStore ? sight.LoopAround(r, ValueId{i}) : flow::kNoLoop;
      if (loop == flow::kNoLoop || r.body.loops[Index(loop)].is_short) continue;
      const ValueId made = r.body.Operand(in, 0);
      const flow::Slot& slot = r.body.slots[in.aux];
      if (slot.depth != 0 || r.body[made].op != Op::kCall) continue;
      const std::string_view name = sight.module().Text(sight.module()[slot.root].name);
      if (!IsWhole(sight, r, made)) continue;
      const flow::Call& call = r.body.calls[r.body[made].aux];
      if (sight.Refers(call.node, slot.root)) continue;  // model = wrap(model).cuda()
      if (sight.HowOften(r, ValueId{i}) == Often::kNowAndThen) continue;
      if (Dropped(r, flow::SlotId{in.aux}, loop)) continue;
      ReboundEvent e;
      Place(sight, {&r, made, &call}, &e);
      e.name = name;
      e.checkpoint = call.fact != nullptr && call.fact->name == "torch.load";
      e.flow.push_back({e.span, "made while the one of the last turn is alive"});
      e.flow.push_back({sight.HeaderSpan(loop, r.body), "in every turn of this loop"});
      events.push_back(std::move(e));
    }
  }
  return events;
}

namespace {

// Lists of what is one number each, by their name; labels may be sequences.
bool NamesNumbers(std::string_view list) {
  for (const std::string_view word : {"rewards", "scores", "ages", "prices", "ratings", "costs"})
    if (list.ends_with(word)) return true;
  return false;
}

// torch.tensor(3.0), torch.tensor(label): of one number, as far as value and name tell.
bool MakesScalar(const Sight& sight, const FunctionResult& r, ValueId value) {
  if (r.body[value].op != Op::kCall) return false;
  const flow::Call& call = r.body.calls[r.body[value].aux];
  if (call.fact == nullptr || call.argc == 0) return false;
  if (call.fact->name != "torch.tensor" && call.fact->name != "torch.as_tensor") return false;
  ValueId what = r.body.Arguments(call)[0].value;
  if (r.body[what].op == Op::kList && r.body[what].argc == 1)  // torch.tensor([reward])
    what = r.body.Operand(r.body[what], 0);
  else if (r.body[what].op == Op::kNumber)
    return true;
  const NodeId node = r.body[what].node;
  const std::string_view text = node == kNoNode ? "" : sight.Text(node);
  for (const std::string_view maker : {"float(", "int(", "len("})
    if (text.starts_with(maker)) return true;
  if (r.body[what].op != Op::kLoad) return false;
  if (text == "reward" || text == "score" || text == "idx") return true;
  const LoopId loop = r.body.LoopOf(value);
  if (loop == flow::kNoLoop) return false;
  const flow::Loop& at = r.body.loops[Index(loop)];
  const sema::BindingId root = r.body.slots[r.body[what].aux].root;
  return at.iterable != kNoNode && NamesNumbers(sight.Text(at.iterable)) &&
         sight.Refers(sight.TargetOf(r.body, loop), root);
}

// self.rewards.append(torch.tensor(reward)) in push() of a buffer: once for each step.
bool FillsBuffer(const Sight& sight, const FunctionResult& r, const flow::Store& store) {
  const sema::Function& f = sight.module()[r.body.function];
  if (f.class_id == sema::kNoClass || store.slot == flow::kNoSlot) return false;
  if (r.body.slots[Index(store.slot)].depth == 0) return false;
  const std::string_view name = sight.module().Text(f.name);
  const bool filling = std::ranges::any_of(
      std::array<std::string_view, 8>{"push", "append", "add", "store", "remember", "record",
                                      "insert", "observe"},
      [&](std::string_view word) {
        return name == word || (name.starts_with(word) && name[word.size()] == '_');
      });
  return filling && MakesScalar(sight, r, store.stored);
}

void Note(const Sight& sight, const FunctionResult& r, const flow::Store& store,
          std::vector<ScalarTensorsEvent>* out) {
  ScalarTensorsEvent e;
  e.function = r.body.function;
  e.span = sight.Span(r.body[store.value].node);
  e.strength = flow::Strength::kStrong;
  e.in_test = sight.InTest(e.function);
  e.record = Index(store.value);
  e.where = flow::SlotText(sight.module(), r.body, store.slot);
  e.flow.push_back({sight.Span(r.body[store.stored].node), "a tensor of one number"});
  const LoopId loop = r.body.LoopOf(store.value);
  if (loop != flow::kNoLoop)
    e.flow.push_back({sight.HeaderSpan(loop, r.body), "one for each turn of this loop"});
  out->push_back(std::move(e));
}

}  // namespace

std::vector<ScalarTensorsEvent> ScalarTensors(const Sight& sight) {
  std::vector<ScalarTensorsEvent> events;
  for (const FunctionResult& r : sight.world().results()) {
    if (!r.analyzed) continue;
    for (const flow::Store& store : r.stores) {
      const LoopId loop = r.body.LoopOf(store.value);
      if (store.kind != flow::StoreKind::kGrow) continue;
      if (loop == flow::kNoLoop) {
        if (FillsBuffer(sight, r, store)) Note(sight, r, store, &events);
        continue;
      }
      if (sight.module().tree().kind(r.body.loops[Index(loop)].node) ==
          Kind::kDictionaryComprehension)
        continue;
      if (r.body.loops[Index(loop)].is_short || !MakesScalar(sight, r, store.stored)) continue;
      Note(sight, r, store, &events);
    }
  }
  return events;
}

}  // namespace torchleak::patterns

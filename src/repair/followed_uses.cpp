// A worklist over instructions: each value is taken to all instructions that have it as an operand.
// Where elements are told from their container does not matter: both answer to the same questions.
#include "repair/followed_uses.h"

#include <algorithm>
#include <array>
#include <cctype>

#include "flow/world.h"

namespace torchleak::repair {
namespace {

using flow::FunctionResult;
using flow::Instr;
using flow::Op;
using flow::ValueId;
using sema::Index;

constexpr std::size_t kMostValues = 300;

bool IsOneOf(std::string_view name, std::span<const std::string_view> names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// Builtins are known with and without their module.
std::string_view LastPart(std::string_view name) { return name.substr(name.rfind('.') + 1); }

// Of containers; none of them is a tensor's.
constexpr std::array<std::string_view, 12> kOnlyContainer{
    "append", "extend", "insert", "clear", "sort",       "reverse",
    "remove", "update", "index",  "count", "appendleft", "setdefault"};
constexpr std::array<std::string_view, 7> kGivesElements{"pop",  "popleft", "popitem", "get",
                                                         "copy", "values",  "items"};
// Of a tensor, and pointless once it is a number.
constexpr std::array<std::string_view, 8> kDroppable{"item",  "detach", "cpu",   "numpy",
                                                     "clone", "tolist", "float", "double"};
// Of a tensor, and right wherever it is.
constexpr std::array<std::string_view, 7> kToPlain{"cpu",  "numpy",     "item", "tolist",
                                                   "size", "__float__", "dim"};
constexpr std::array<std::string_view, 14> kStaysTensor{
    "detach", "float",  "double",  "mean",    "sum",     "view",    "reshape",
    "argmax", "argmin", "squeeze", "flatten", "softmax", "sigmoid", "clone"};
constexpr std::array<std::string_view, 6> kJoins{"torch.cat",    "torch.stack",
                                                 "torch.concat", "torch.vstack",
                                                 "torch.hstack", "torch.concatenate"};

}  // namespace

// locals()["total"], eval("total")
bool FollowedUses::ReadsByName(const FunctionResult& r) const {
  static constexpr std::array<std::string_view, 5> kReaders{"locals", "vars", "eval", "exec",
                                                            "globals"};
  return std::any_of(r.body.calls.begin(), r.body.calls.end(), [](const flow::Call& call) {
    return call.fact != nullptr && IsOneOf(LastPart(call.fact->name), kReaders);
  });
}

// max(losses, key=lambda loss: loss.item())
bool FollowedUses::HasKey(const FunctionResult& r, const flow::Call& call) const {
  const auto arguments = r.body.Arguments(call);
  return std::any_of(arguments.begin(), arguments.end(), [&](const flow::Argument& a) {
    return a.keyword != sema::kNoName && events_.module->Text(a.keyword) == "key";
  });
}

// `total.data`, but not the function of total.item().
bool FollowedUses::ReadsAttribute(const FunctionResult& r, flow::SlotId slot) const {
  const sema::BindingId root = r.body.slots[Index(slot)].root;
  for (std::uint32_t i = 0; i < r.body.instrs.size(); ++i) {
    const Instr& in = r.body.instrs[i];
    if (in.op != Op::kLoad || flow::SlotId{in.aux} == slot || r.body.slots[in.aux].root != root)
      continue;
    const bool called =
        std::any_of(r.body.calls.begin(), r.body.calls.end(), [&](const flow::Call& call) {
          return call.callee == ValueId{i} && call.receiver_slot == slot;
        });
    if (!called) return true;
  }
  return false;
}

void FollowedUses::FollowSlot(const FunctionResult& r, flow::SlotId slot) {
  if (!slots_.emplace(&r, slot).second) return;
  const flow::Slot& s = r.body.slots[Index(slot)];
  const sema::Module& module = *events_.module;
  if (!flow::IsPrivate(module, s) || ReadsByName(r)) return Unknown();
  // An assert has no instructions of its own.
  const std::string asked = "isinstance(" + std::string(module.Text(module[s.root].name));
  if (module.tree().Text(module[r.body.function].node).find(asked) != std::string_view::npos)
    return Unknown();
  for (std::uint32_t i = 0; i < r.body.instrs.size(); ++i) {
    const Instr& in = r.body.instrs[i];
    if (in.op == Op::kLoad && flow::SlotId{in.aux} == slot) Push(r, ValueId{i});
  }
  if (s.first_child != flow::kNoKey && ReadsAttribute(r, slot)) Unknown();
  Drain();
}

// `for v in losses: …; for v in model.state_dict().values(): …`: one name, two kinds of things.
bool FollowedUses::all_known(const FunctionResult& r,
                             std::span<const flow::ValueId> changed) const {
  if (!all_known_) return false;
  for (const auto& [result, slot] : slots_) {
    for (const Instr& in : result->body.instrs) {
      if (in.op != Op::kStore || flow::SlotId{in.aux} != slot) continue;
      const ValueId source = result->body.Operand(in, 0);
      const Op made = result->body[source].op;
      const bool empty = (made == Op::kList || made == Op::kDict) && result->body[source].argc == 0;
      const bool ours =
          result == &r && std::find(changed.begin(), changed.end(), source) != changed.end();
      if (!empty && !ours && !seen_.contains({result, source}) &&
          !flow::IsPlain(result->values[Index(source)]) &&
          !result->values[Index(source)].Is(flow::Kind::kContainer))
        return false;
    }
  }
  return true;
}

void FollowedUses::Push(const FunctionResult& r, ValueId value) {
  if (seen_.size() >= kMostValues) return Unknown();
  if (seen_.emplace(&r, value).second) work_.emplace_back(&r, value);
}

void FollowedUses::Edit(text::Span span, std::string_view text) {
  edits_.emplace(span.begin, findings::Edit{{{}, span}, std::string(text)});
}

const FollowedUses::Users& FollowedUses::UsersIn(const FunctionResult& r) {
  const auto [entry, is_new] = users_.try_emplace(&r);
  Users& users = entry->second;
  if (!is_new) return users;
  const flow::Body& body = r.body;
  users.resize(body.instrs.size());
  for (std::uint32_t i = 0; i < body.instrs.size(); ++i) {
    const auto add = [&](ValueId used) {
      if (Index(used) >= users.size()) return;
      auto& list = users[Index(used)];
      if (list.empty() || list.back() != ValueId{i}) list.push_back(ValueId{i});
    };
    const Instr& in = body.instrs[i];
    for (const ValueId operand : body.Operands(in)) add(operand);
    if (in.op != Op::kCall) continue;
    const flow::Call& call = body.calls[in.aux];
    add(call.receiver);
    add(call.callee);
    for (const flow::Argument& argument : body.Arguments(call)) add(argument.value);
  }
  return users;
}

void FollowedUses::Drain() {
  while (!work_.empty()) {
    const auto [r, value] = work_.back();
    work_.pop_back();
    for (const ValueId user : UsersIn(*r)[Index(value)]) Use(*r, user, value);
  }
}

void FollowedUses::Use(const FunctionResult& r, ValueId user, ValueId value) {
  const Instr& in = r.body[user];
  switch (in.op) {
    case Op::kFormat:
    case Op::kDelete:
      return;
    case Op::kCompare:  // of tensors it is a tensor, too: `done = total < 1; done.item()`
    case Op::kBinary:
    case Op::kAugment:
      return Arithmetic(r, user, value);
    case Op::kUnary:
      // ~True is -2
      if (events_.module->tree().Text(in.node).starts_with("~")) return Unknown();
      return Push(r, user);
    case Op::kTuple:
    case Op::kList:
    case Op::kDict:  // {"ce": ce, "kd": kd}: which of the two is read there?
      if (less_ == Less::kNumber && !HoldsAlike(r, in)) return Unknown();
      return Push(r, user);
    case Op::kSelect:
    case Op::kIterate:
    case Op::kUnpack:
      return Push(r, user);
    case Op::kGetItem:
      if (r.body.Operand(in, 0) != value) return;
      // An index on the device does not go with a tensor on the host.
      if (less_ == Less::kHost && in.argc > 1 &&
          !flow::IsPlain(r.values[Index(r.body.Operand(in, 1))]))
        Unknown();
      return Push(r, user);
    case Op::kSetItem: {
      const Instr& base = r.body[r.body.Operand(in, 0)];
      if (r.body.Operand(in, 0) == value) return;  // filled
      if (base.op != Op::kLoad) return Unknown();
      return FollowSlot(r, flow::SlotId{base.aux});
    }
    case Op::kAppend:
      return Push(r, r.body.Operand(in, 0));
    case Op::kStore: {
      const flow::Slot& slot = r.body.slots[in.aux];
      if (!slot.is_local || slot.depth > 0) return Unknown();
      return FollowSlot(r, flow::SlotId{in.aux});
    }
    case Op::kReturn:
      return Returned(r);
    case Op::kCall:
      return Call(r, user, value);
    default:
      return Unknown();
  }
}

bool FollowedUses::HoldsAlike(const FunctionResult& r, const Instr& display) const {
  const auto parts = r.body.Operands(display);
  return std::all_of(parts.begin(), parts.end(), [&](ValueId part) {
    return seen_.contains({&r, part}) || flow::IsPlain(r.values[Index(part)]);
  });
}

// With a tensor on the other side the result is one, as before: where it lies may matter.
void FollowedUses::Arithmetic(const FunctionResult& r, ValueId user, ValueId value) {
  const Instr& in = r.body[user];
  for (const ValueId operand : r.body.Operands(in)) {
    if (operand == value || seen_.contains({&r, operand})) continue;
    const flow::Value& other = r.values[Index(operand)];
    if (flow::IsPlain(other)) continue;
    if (less_ == Less::kNumber && other.Is(flow::Kind::kTensor)) return;
    return Unknown();
  }
  Push(r, user);
}

bool FollowedUses::Method(const FunctionResult& r, ValueId user, const flow::Call& call) {
  const std::string_view name = events_.module->Text(call.method);
  if (HasKey(r, call)) return false;  // what it is sorted by is code of its own
  if (IsOneOf(name, kOnlyContainer)) return true;
  if (IsOneOf(name, kGivesElements)) {
    Push(r, user);
    return true;
  }
  if (less_ == Less::kHost) {
    if (IsOneOf(name, kToPlain)) return true;
    if (!IsOneOf(name, kStaysTensor)) return false;
    const auto arguments = r.body.Arguments(call);
    const bool plain = std::all_of(
        arguments.begin(), arguments.end(),
        [&](const flow::Argument& a) { return flow::IsPlain(r.values[Index(a.value)]); });
    if (plain) Push(r, user);
    return plain;
  }
  if (!IsOneOf(name, kDroppable) || call.argc != 0) {
    wants_tensor_ |= facts::FindListed("torch.Tensor", name) != nullptr;
    return false;
  }
  const syntax::Tree& tree = events_.module->tree();
  const syntax::NodeId function = tree.Child(call.node, syntax::Field::kFunction);
  const syntax::NodeId object =
      function == syntax::kNoNode ? syntax::kNoNode : tree.Child(function, syntax::Field::kObject);
  if (object == syntax::kNoNode) return false;
  // `total.item()else` is Python; `totalelse` is another.
  const std::uint32_t end = tree[call.node].end;
  const std::string_view rest = tree.Text(tree.root()).substr(end, 1);
  const bool joins = !rest.empty() && (std::isalnum(static_cast<unsigned char>(rest[0])) != 0);
  Edit({tree[object].end, end}, joins ? " " : "");
  if (name != "item" && name != "tolist") Push(r, user);
  return true;
}

void FollowedUses::Call(const FunctionResult& r, ValueId user, ValueId value) {
  const flow::Call& call = r.body.calls[r.body[user].aux];
  if (call.receiver == value) {
    if (!Method(r, user, call)) Unknown();
    return;
  }
  const facts::Fact* fact = call.fact;
  if (call.of_numpy) return;
  const std::string_view name = fact == nullptr ? std::string_view{} : fact->name;
  if (name.starts_with("torch.distributed.")) return WantsTensor();
  // Whoever loads it again may want tensors.
  if (name.find("save") != name.npos || name.find("dump") != name.npos || HasKey(r, call))
    return Unknown();
  const bool takes_numbers = name == "torch.tensor" || name == "torch.stack";
  if (less_ == Less::kNumber && call.of_torch && !takes_numbers) return WantsTensor();
  if (fact != nullptr && (fact->effects & facts::kHarmless) != 0) return;
  static constexpr std::array<std::string_view, 7> kAskForType{
      "isinstance", "issubclass", "type", "hasattr", "id", "dir", "callable"};
  if (IsOneOf(LastPart(name), kAskForType)) return Unknown();
  if (fact != nullptr && fact->result == facts::Result::kNumber) return;
  const std::string_view method = events_.module->Text(call.method);
  if (fact == nullptr || (call.receiver != flow::kNoValue && !call.qualified)) {
    // put into another container of this function
    const bool stores =
        method == "append" || method == "extend" || method == "insert" || method == "appendleft";
    if (!stores || r.body[call.receiver].op != Op::kLoad) return Unknown();
    return FollowSlot(r, flow::SlotId{r.body[call.receiver].aux});
  }
  const auto arguments = r.body.Arguments(call);
  const bool mixed = std::any_of(arguments.begin(), arguments.end(), [&](const flow::Argument& a) {
    return a.value != value && r.values[Index(a.value)].Is(flow::Kind::kTensor);
  });
  if (mixed) return Unknown();  // max(total, limit): one or the other
  switch (fact->result) {
    case facts::Result::kElement:  // sum, max, min, next
    case facts::Result::kArgument:
    case facts::Result::kList:
    case facts::Result::kDict:
    case facts::Result::kSet:
    case facts::Result::kSelf:
      return Push(r, user);
    case facts::Result::kTensor:
      if (name == "torch.tensor") return;
      if (less_ == Less::kHost && IsOneOf(name, kJoins)) return Push(r, user);
      if (less_ == Less::kHost && call.argc == 1) return Push(r, user);
      if (less_ == Less::kNumber && name == "torch.stack" && call.argc == 1) {
        Stack(call);
        return Unknown();
      }
      return WantsTensor();
    case facts::Result::kUnknown:
      if (LastPart(name) == "abs" || LastPart(name) == "round") return Push(r, user);
      return Unknown();
    default:
      return Unknown();
  }
}

// A list of numbers is made a tensor otherwise. Where it lies is another matter.
void FollowedUses::Stack(const flow::Call& call) {
  const syntax::Tree& tree = events_.module->tree();
  const syntax::NodeId function = tree.Child(call.node, syntax::Field::kFunction);
  if (tree.kind(function) != syntax::Kind::kAttribute) return;
  const syntax::NodeId name = tree.Child(function, syntax::Field::kAttribute);
  if (name != syntax::kNoNode) Edit(tree.Span(name), "tensor");
}

// The callers of this file, when no other can be.
void FollowedUses::Returned(const FunctionResult& r) {
  const sema::Module& module = *events_.module;
  const sema::FunctionId function = r.body.function;
  const bool plain = module[function].class_id == sema::kNoClass &&
                     module[function].decorators.empty();  // a decorator sees the result first
  if (!r.has_callers || r.has_unknown_callers || !plain) return Unknown();
  if (!events_.callers_known) return Unknown();
  for (const FunctionResult& other : events_.world->results()) {
    for (const flow::CallEdge& edge : other.calls) {
      if (edge.callee == function) Push(other, edge.value);
    }
  }
}

}  // namespace torchleak::repair

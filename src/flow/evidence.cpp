// One backward sweep over the blocks in postorder, repeated until nothing changes (loops need a
// second sweep). Between instructions the bits of a slot are those of its later uses until it is
// rebound.
#include "flow/evidence.h"

#include "flow/names.h"

namespace torchleak::flow {
namespace {

constexpr std::uint16_t kValueBits = facts::kIsTensor | facts::kIsDifferentiated | kThroughUnknown |
                                     kIsWeightless | kIsArray | kIsLayer;

std::uint16_t Part(std::uint16_t bits) {
  bits &= kValueBits;
  const bool only_layer = (bits & ~kIsLayer) == 0;  // says the same of a list of them
  return only_layer ? bits : static_cast<std::uint16_t>(bits | kThroughElement);
}

// What is given to these becomes a part of a module.
bool HoldsLayers(std::string_view maker) {
  return maker == "torch.nn.Sequential" || maker == "torch.nn.ModuleList" ||
         maker == "torch.nn.ModuleDict";
}

// A container of what it is given.
bool Gathers(std::string_view function) {
  return function == "list" || function == "tuple" || function == "dict" ||
         function == "OrderedDict" || function == "reversed";
}

class Sweep {
 public:
  Sweep(const sema::Module& module, const Body& body, MethodEvidence& methods,
        const ParamEvidence& params)
      : module_(module), body_(body), methods_(methods), params_(params) {
    out_.of_value.resize(body.instrs.size());
    out_.of_slot.resize(body.slots.size());
    at_start_.resize(body.blocks.size());
    of_layers_.resize(body.slots.size());
    for (const Instr& in : body.instrs) {
      if (in.op != Op::kStore) continue;
      const Instr& made = body[body.Operand(in, 0)];
      if (made.op != Op::kCall) continue;
      const facts::Fact* maker = body.calls[made.aux].fact;
      if (maker != nullptr && HoldsLayers(maker->name)) of_layers_[in.aux] = true;
    }
  }

  Evidence Run() {
    constexpr int kMaxSweeps = 4;
    for (int i = 0; i < kMaxSweeps && changed_; ++i) {
      changed_ = false;
      for (auto it = body_.order.rbegin(); it != body_.order.rend(); ++it) Block(*it);
    }
    if (!body_.order.empty()) {
      const auto& entry = at_start_[Index(body_.order.front())];
      for (std::size_t i = 0; i < entry.size(); ++i) out_.of_slot[i] = entry[i];
    }
    return std::move(out_);
  }

 private:
  void Add(ValueId v, std::uint16_t bits) {
    if (v != kNoValue) out_.of_value[Index(v)] |= bits;
  }

  void Block(BlockId id) {
    const auto& block = body_.blocks[Index(id)];
    state_.assign(body_.slots.size(), 0);
    for (BlockId s : block.successors) {
      const auto& in = at_start_[Index(s)];
      for (std::size_t i = 0; i < in.size(); ++i) state_[i] |= in[i];
    }
    for (std::uint32_t i = block.last; i > block.first; --i) Step(ValueId{i - 1});
    auto& start = at_start_[Index(id)];
    if (start != state_) {
      start = state_;
      changed_ = true;
    }
  }

  void Step(ValueId id) {
    const Instr& in = body_[id];
    const std::uint16_t d = out_.of_value[Index(id)];
    switch (in.op) {
      case Op::kLoad:
        state_[in.aux] |= d;
        break;
      case Op::kStore:
        if (in.aux8 == 5) break;
        Add(body_.Operand(in, 0), state_[in.aux]);
        if (body_.slots[in.aux].is_local && in.aux8 != 4) state_[in.aux] = 0;
        break;
      case Op::kAugment:
      case Op::kBinary:
        Arithmetic(in, d);
        break;
      case Op::kUnary:
      case Op::kSelect:
      case Op::kEnterWith:
        for (ValueId v : body_.Operands(in)) Add(v, d);
        break;
      case Op::kGetAttr:
      case Op::kGetItem:
      case Op::kIterate:
      case Op::kUnpack:
        Add(body_.Operand(in, 0), Part(d));
        break;
      case Op::kTuple:
      case Op::kList:
      case Op::kDict:
      case Op::kSet:
        for (ValueId v : body_.Operands(in)) Add(v, Part(d));
        break;
      case Op::kSetItem:
        PutIn(body_.Operand(in, 0), body_.Operand(in, 2));
        break;
      case Op::kAppend:
        Add(body_.Operand(in, 1), Part(out_.of_value[Index(body_.Operand(in, 0))]));
        break;
      case Op::kCall:
        CallOf(body_.calls[in.aux], d);
        break;
      default:
        break;
    }
  }

  // layers.append(block(8)); layers[name] = block(8)
  void PutIn(ValueId container, ValueId what) {
    if (container == kNoValue || body_[container].op != Op::kLoad) return;
    const std::uint32_t slot = body_[container].aux;
    if (of_layers_[slot] || (state_[slot] & kIsLayer)) Add(what, kIsLayer);
  }

  // Puts its last argument into its receiver, by what the receiver is needed for or by itself.
  void Put(const Call& call, std::string_view method, std::span<const Argument> args) {
    if (args.empty()) return;
    const ValueId last = args.back().value;
    if (method == "append" || method == "extend" || method == "insert") {
      PutIn(call.receiver, last);
    } else if ((method == "add_module" || method == "register_module") && args.size() == 2) {
      Add(last, kIsLayer);
    }
  }

  void Arithmetic(const Instr& in, std::uint16_t d) {
    d &= kValueBits;
    if (d == 0) return;
    const auto op = static_cast<BinaryOp>(in.aux8);
    const bool sum = op == BinaryOp::kAddSub;
    for (unsigned i = 0; i < 2; ++i) {
      Op other = body_[body_.Operand(in, 1 - i)].op;
      std::uint16_t bits = d;
      const bool divided =
          op == BinaryOp::kDiv && i == 0;  // loss / steps: the loss, whatever the steps are
      if (!sum && !divided && other != Op::kNumber) bits |= kIsWeightless;
      Add(body_.Operand(in, i), bits);
    }
  }

  void CallOf(const Call& call, std::uint16_t d) {
    auto args = body_.Arguments(call);
    if (call.callee != kNoValue) Add(call.callee, kIsCalled);
    std::string_view method =
        call.method == sema::kNoName ? std::string_view{} : module_.Text(call.method);
    const std::uint16_t value = d & kValueBits;
    if (call.of_numpy && !args.empty()) Add(args[0].value, kIsArray);
    if (call.fact != nullptr) return FactCall(*call.fact, args, value);
    if (call.receiver != kNoValue) {
      const bool engine = method == "backward" && !args.empty() && call.receiver_slot != kNoSlot &&
                          RunsBackward(SlotName(call.receiver_slot));
      if (engine || method == "manual_backward") {
        if (!args.empty()) Add(args[0].value, facts::kIsTensor | facts::kIsDifferentiated);
        return;
      }
      if (method == "scale" || method == "scale_loss") {
        if (!args.empty()) Add(args[0].value, value);
        return;
      }
      Put(call, method, args);
      if (method == "step" && args.empty()) Add(call.receiver, kIsStepped);
      std::uint16_t of_method = methods_.Of(call.method);
      Add(call.receiver, of_method);
      // Its graph goes on, unless the method ends it: y = f(x).detach(); y.sum().backward()
      // differentiates no f.
      const bool goes_on = (of_method & facts::kIsTensor) && !methods_.Drops(call.method);
      if (goes_on || methods_.OfTensor(call.method)) Add(call.receiver, value);
    }
    // A backward() through criterion(out, y) says that `out` has a graph; through net(x) it says
    // nothing of x.
    const std::string_view name = call.callee_slot != kNoSlot ? SlotName(call.callee_slot) : method;
    const bool loss = LooksLikeLoss(name);
    for (unsigned i = 0; i < args.size(); ++i) {
      std::uint16_t bits = params_.Of(body_, call, i);
      if ((value & kIsLayer) && Gathers(name)) bits |= kIsLayer;
      if (loss && (value & facts::kIsDifferentiated)) bits |= value | kThroughUnknown;
      Add(args[i].value, bits);
    }
  }

  void FactCall(const facts::Fact& fact, std::span<const Argument> args, std::uint16_t value) {
    const bool torch = fact.name.starts_with("torch.");
    const bool holds_layers =
        HoldsLayers(fact.name) ||
        ((value & kIsLayer) && Gathers(fact.name.substr(fact.name.rfind('.') + 1)));
    for (unsigned i = 0; i < args.size(); ++i) {
      std::uint16_t bits = holds_layers ? kIsLayer : 0;
      if (args[i].keyword != sema::kNoName) {
        std::string_view k = module_.Text(args[i].keyword);
        if (torch && (k == "logits" || k == "probs" || k == "input" || k == "loc")) {
          Add(args[i].value, static_cast<std::uint16_t>(facts::kIsTensor));
        }
        continue;
      }
      if (fact.loss == static_cast<int>(i)) {
        if (fact.effects & (facts::kBackward | facts::kGradOfInputs))
          bits |= facts::kIsTensor | facts::kIsDifferentiated;
      }
      if (fact.subject == static_cast<int>(i)) {
        if (fact.effects & (facts::kStep | facts::kZeroGrad)) bits |= facts::kIsOptimizer;
      }
      const bool keeps = fact.graph == facts::Graph::kKeeps && fact.target != static_cast<int>(i);
      const bool first = i == 0 || fact.target != facts::Fact::kNoTarget;
      if (keeps && first && value != 0)
        bits |= fact.result == facts::Result::kTensor ? value : Part(value);
      // torch.arange(n), torch.eye(n): a size, no tensor
      const bool makes = fact.residency == facts::Residency::kArgument;
      if (torch && fact.result == facts::Result::kTensor && i == 0 && !makes &&
          fact.size != facts::Size::kSized) {
        bits |= static_cast<std::uint16_t>(facts::kIsTensor) |
                static_cast<std::uint16_t>(kThroughElement);
      }
      Add(args[i].value, bits);
    }
  }

  std::string_view SlotName(SlotId id) const {
    const Slot& s = body_.slots[Index(id)];
    return module_.Text(s.attribute == sema::kNoName ? module_[s.root].name : s.attribute);
  }

  const sema::Module& module_;
  const Body& body_;
  MethodEvidence& methods_;
  const ParamEvidence& params_;
  Evidence out_;
  std::vector<std::vector<std::uint16_t>> at_start_;
  std::vector<std::uint16_t> state_;
  std::vector<bool> of_layers_;  // by slot: assigned a Sequential, a ModuleList, here
  bool changed_ = true;
};

}  // namespace

std::uint16_t MethodEvidence::Of(sema::NameId method) {
  if (method == sema::kNoName) return 0;
  std::uint16_t& cached = cache_[Index(method)];
  if (cached == kUnset) cached = facts::EvidenceOfMethod(module_.Text(method));
  return cached;
}

bool MethodEvidence::OfTensor(sema::NameId method) {
  if (method == sema::kNoName) return false;
  std::uint8_t& cached = tensor_[Index(method)];
  if (cached == 2) {
    const facts::Fact* f = facts::FindMethod("torch.Tensor", module_.Text(method));
    cached = f != nullptr && !f->name.ends_with("__getattr__") &&
             f->graph == facts::Graph::kKeeps &&
             (f->result == facts::Result::kTensor || f->result == facts::Result::kTensors ||
              f->result == facts::Result::kSelf);
  }
  return cached == 1;
}

bool MethodEvidence::Drops(sema::NameId method) {
  if (method == sema::kNoName) return false;
  std::uint8_t& cached = drops_[Index(method)];
  if (cached == 2) {
    const facts::Fact* f = facts::FindMethod("torch.Tensor", module_.Text(method));
    cached = f != nullptr && f->graph == facts::Graph::kDrops;
  }
  return cached == 1;
}

Evidence CollectEvidence(const sema::Module& module, const Body& body, MethodEvidence& methods,
                         const ParamEvidence& params) {
  if (body.TooLarge()) {
    return {std::vector<std::uint16_t>(body.instrs.size()),
            std::vector<std::uint16_t>(body.slots.size())};
  }
  return Sweep(module, body, methods, params).Run();
}

}  // namespace torchleak::flow

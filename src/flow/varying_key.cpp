#include "flow/varying_key.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

namespace torchleak::flow {

namespace {

constexpr int kMaxSteps = 64;
constexpr std::size_t kMaxVariables = 4;  // each is looked for in the whole function

class KeyWalk {
 public:
  KeyWalk(const sema::Module& module, const Body& body, LoopId loop, std::uint64_t* params)
      : module_(module), body_(body), loop_(loop), params_(params) {}

  bool Varies(ValueId key) {
    work_.push_back(key);
    for (int steps = 0; !work_.empty(); ++steps) {
      if (steps >= kMaxSteps) return true;
      const ValueId at = work_.back();
      work_.pop_back();
      if (Step(at)) return true;
    }
    return false;
  }

 private:
  bool Step(ValueId at) {
    const Instr& in = body_[at];
    switch (in.op) {
      case Op::kNumber:
      case Op::kString:
      case Op::kNone:
      case Op::kTrue:
      case Op::kFalse:
      case Op::kFunction:
      case Op::kClass:
        return false;
      case Op::kParam:
        if (params_ == nullptr) return false;
        if (in.aux >= 64) return true;
        *params_ |= 1ull << in.aux;
        return false;
      case Op::kLoad:
        return Variable(in.aux);
      case Op::kDict:  // what one iterates over is its keys
        for (std::uint32_t i = 0; i < in.argc; ++i)
          if (body_.keys[in.aux + i] == kNoKey) return true;
        return false;
      case Op::kUnpack:
      case Op::kIterate:
        return Element(at);
      case Op::kGetAttr:
      case Op::kGetItem:
      case Op::kBinary:
      case Op::kUnary:
      case Op::kSelect:
      case Op::kFormat:
      case Op::kTuple:
      case Op::kList:
      case Op::kSet:
        for (ValueId o : body_.Operands(in)) work_.push_back(o);
        return false;
      case Op::kCall:
        return Result(body_.calls[in.aux]);
      default:
        return true;
    }
  }

  // What it is made of within the loop; nothing when it is older.
  bool Variable(std::uint32_t slot) {
    const Slot& s = body_.slots[slot];
    if (s.depth > 0) return true;  // of an object, which others may change
    const bool again = std::find(seen_.begin(), seen_.end(), slot) != seen_.end();  // n = n + 1
    if (again || seen_.size() >= kMaxVariables) return true;
    seen_.push_back(slot);
    for (std::uint32_t i = 0; i < body_.instrs.size(); ++i) {
      const Instr& in = body_.instrs[i];
      if (in.op != Op::kStore || in.aux != slot || !body_.Within(body_.LoopOf(ValueId{i}), loop_))
        continue;
      work_.push_back(body_.Operand(in, 0));
    }
    return false;
  }

  // An element of what is iterated over, or a part of one.
  bool Element(ValueId at) {
    std::vector<std::uint32_t> path;
    for (; body_[at].op == Op::kUnpack; at = body_.Operand(body_[at], 0)) {
      if (body_[at].aux8 != 0) return true;
      path.push_back(body_[at].aux);
    }
    if (body_[at].op != Op::kIterate) {
      work_.push_back(at);
      return false;
    }
    if (body_.LoopOf(at) == loop_) return true;
    const bool counts = loop_ == kNoLoop;  // else it begins anew in each turn
    ValueId source = body_.Operand(body_[at], 0);
    while (body_[source].op == Op::kCall) {
      const Call& call = body_.calls[body_[source].aux];
      const auto args = body_.Arguments(call);
      const std::string_view name = call.fact == nullptr ? std::string_view{} : call.fact->name;
      if (name == "builtins.range") return counts;
      if (name == "builtins.enumerate" && !path.empty() && !args.empty()) {
        if (path.back() == 0) return counts;
        path.pop_back();
        source = args[0].value;
      } else if (name == "builtins.zip" && !path.empty() && path.back() < args.size()) {
        source = args[path.back()].value;
        path.pop_back();
      } else {
        break;
      }
    }
    if (body_[source].op == Op::kCall && IsNames(body_.calls[body_[source].aux], path))
      return false;
    work_.push_back(source);
    return false;
  }

  // The names in a dict are the same ones in each turn, as in loss_dict.items(): the code that
  // makes it has them written in it.
  bool IsNames(const Call& call, const std::vector<std::uint32_t>& path) const {
    const std::string_view method = module_.Text(call.method);
    if (method == "keys") return true;
    return (method == "items" || method.starts_with("named_")) && !path.empty() && path.back() == 0;
  }

  bool Result(const Call& call) {
    static constexpr std::array<std::string_view, 5> kFunctions{
        "builtins.str", "builtins.int", "builtins.repr", "builtins.tuple", "builtins.list"};
    static constexpr std::array<std::string_view, 12> kMethods{
        "format", "item", "lower",  "upper", "replace", "split",
        "strip",  "join", "tolist", "items", "keys",    "values"};
    const bool function = call.fact != nullptr && std::find(kFunctions.begin(), kFunctions.end(),
                                                            call.fact->name) != kFunctions.end();
    const std::string_view method =
        call.method == sema::kNoName ? std::string_view{} : module_.Text(call.method);
    const bool of_receiver = call.receiver != kNoValue &&
                             std::find(kMethods.begin(), kMethods.end(), method) != kMethods.end();
    if (!function && !of_receiver) return true;
    if (of_receiver) work_.push_back(call.receiver);
    for (const Argument& a : body_.Arguments(call)) work_.push_back(a.value);
    return false;
  }

  const sema::Module& module_;
  const Body& body_;
  LoopId loop_;
  std::uint64_t* params_;
  std::vector<ValueId> work_;
  std::vector<std::uint32_t> seen_;
};

}  // namespace

bool KeyVaries(const sema::Module& module, const Body& body, ValueId key, LoopId loop,
               std::uint64_t* params) {
  return KeyWalk(module, body, loop, params).Varies(key);
}

}  // namespace torchleak::flow

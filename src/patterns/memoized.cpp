// What a memoizing decorator is asked: how many entries stay, and what an argument or a result
// holds.
#include "patterns/memoized.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "flow/names.h"
#include "flow/world.h"
#include "patterns/uses.h"
#include "patterns/words.h"
#include "syntax/views.h"

namespace torchleak::patterns {

using flow::Body;
using flow::Call;
using flow::FunctionResult;
using flow::Instr;
using flow::Op;
using flow::SlotId;
using flow::Strength;
using flow::ValueId;
using sema::FunctionId;
using sema::Index;
using syntax::Field;
using syntax::Kind;
using syntax::kNoNode;
using syntax::NodeId;

namespace {

constexpr unsigned kDefaultSize = 128;  // of functools.lru_cache
constexpr unsigned kSmallSize = 16;
// Results of plain arguments are tables: that many, if somebody has counted them, are meant.
constexpr unsigned kMeantSize = kDefaultSize;

class Memoized {
 public:
  explicit Memoized(const Sight& sight) : sight_(sight), module_(sight.module()) {}

  std::vector<MemoizedFunction> Find() {
    std::vector<MemoizedFunction> events;
    for (std::uint32_t i = 0; i < module_.functions().size(); ++i) {
      const sema::Function& f = module_.functions()[i];
      for (NodeId decorator : f.decorators) {
        MemoizedFunction e;
        if (!IsCache(decorator, &e) || !Keeps(FunctionId{i}, &e)) continue;
        e.function = f.parent == sema::kNoFunction ? FunctionId{0} : f.parent;
        const NodeId def = module_.tree().Child(f.node, Field::kName);
        e.span = sight_.Span(def == kNoNode ? decorator : def);
        e.name = std::string(module_.Text(f.name));
        e.in_test = sight_.InTest(FunctionId{i});
        e.flow.push_back({sight_.Span(decorator), "its cache lives as long as the program"});
        events.push_back(std::move(e));
        break;
      }
    }
    for (const FunctionResult& r : sight_.world().results())
      if (r.analyzed) Wrapped(r, &events);
    std::ranges::sort(events, {}, [](const auto& e) { return e.span.begin; });
    return events;
  }

 private:
  const Sight& sight_;
  const sema::Module& module_;

  // encode = lru_cache(maxsize=None)(self.encode)
  void Wrapped(const FunctionResult& r, std::vector<MemoizedFunction>* events) const {
    for (std::uint32_t i = 0; i < r.body.instrs.size(); ++i) {
      if (r.body.instrs[i].op != Op::kCall) continue;
      const Call& call = r.body.calls[r.body.instrs[i].aux];
      if (call.argc != 1) continue;
      const NodeId callee = syntax::CallView{module_.tree(), call.node}.function();
      MemoizedFunction e;
      const bool plain = callee != kNoNode && module_.QualifiedName(callee) == "functools.cache";
      const bool given = callee != kNoNode && module_.tree().kind(callee) == Kind::kCall;
      if (!(plain || given) || !IsCache(callee, &e)) continue;
      for (FunctionId f : sight_.world().FunctionsOf(r.body, r.body.Arguments(call)[0].value)) {
        if (module_.IsForeign(f) || module_[f].is_lambda || !Keeps(f, &e)) continue;
        if (e.keeps == MemoizedFunction::Keeps::kOwner) continue;  // the cache is the object's own
        Place(sight_, CallSite{&r, ValueId{i}, &call}, &e);
        e.name = std::string(module_.Text(module_[f].name));
        e.flow.push_back({e.span, "keeps arguments and results as long as it lives itself"});
        events->push_back(std::move(e));
        break;
      }
    }
  }

  bool IsCache(NodeId decorator, MemoizedFunction* e) const {
    const syntax::Tree& tree = module_.tree();
    const bool called = tree.kind(decorator) == Kind::kCall;
    const NodeId callee = called ? syntax::CallView{tree, decorator}.function() : decorator;
    if (callee == kNoNode) return false;
    const std::string qualified = module_.QualifiedName(callee);
    const std::string_view name = LastName(sight_.Text(callee));
    e->bounded = true;
    e->size = kDefaultSize;
    if (qualified == "functools.cache") {
      e->bounded = false;
      return true;
    }
    if (name.find("lru_cache") == name.npos || qualified.starts_with("methodtools")) return false;
    if (HoldsAny(name, {"instance", "method", "weak"})) return false;  // the object's own
    if (called) Size(syntax::CallView{tree, decorator}.arguments(), e);
    return true;
  }

  void Size(NodeId arguments, MemoizedFunction* e) const {
    const syntax::Tree& tree = module_.tree();
    if (arguments == kNoNode) return;
    for (NodeId a : tree.Children(arguments)) {
      NodeId value = a;
      if (tree.kind(a) == Kind::kKeywordArgument) {
        const syntax::KeywordArgumentView keyword{tree, a};
        if (sight_.Text(keyword.name()) != "maxsize") continue;
        value = keyword.value();
      }
      if (value == kNoNode) return;
      const std::string_view text = sight_.Text(value);
      if (text == "None") e->bounded = false;
      unsigned size = 0;
      const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), size);
      if (error == std::errc{} && end == text.data() + text.size()) e->size = size;
      return;
    }
  }

  bool Keeps(FunctionId id, MemoizedFunction* e) const {
    const sema::Function& f = module_[id];
    const flow::World& world = sight_.world();
    const bool method =
        f.class_id != sema::kNoClass && !f.is_static && !f.is_classmethod && !f.params.empty();
    const bool large = !e->bounded || e->size > kSmallSize;
    e->strength = Strength::kStrong;
    if (method && (world.IsModuleClass(f.class_id) || (large && world.ShowsWeights(f.class_id)))) {
      e->keeps = MemoizedFunction::Keeps::kOwner;
      e->what = std::string(module_.Text(module_[f.class_id].name));
      return true;
    }
    e->keeps = MemoizedFunction::Keeps::kResult;
    const std::uint32_t first = method ? 1 : 0;
    const bool many = !e->bounded || e->size > kMeantSize;
    if (many && GivesTensor(id) && ManyKeys(id, first)) return true;
    e->keeps = MemoizedFunction::Keeps::kArgument;
    for (std::uint32_t i = first; i < f.params.size(); ++i) {
      if (!IsModule(id, i) && !(large && IsTensor(id, i))) continue;
      e->what = std::string(module_.Text(f.params[i].name));
      return true;
    }
    return false;
  }

  bool IsModule(FunctionId id, std::uint32_t index) const {
    const sema::Param& p = module_[id].params[index];
    if (p.annotation != kNoNode) return HoldsWord(sight_.Text(p.annotation), "Module");
    if (index >= flow::kMaxParams) return false;
    const std::uint16_t evidence = sight_.world().ParameterEvidence(id, index);
    return ((evidence & facts::kIsModule) != 0 && flow::LooksLikeModule(module_.Text(p.name))) ||
           AskedAsModule(id, p.binding);
  }

  bool IsTensor(FunctionId id, std::uint32_t index) const {
    const sema::Param& p = module_[id].params[index];
    if (p.annotation != kNoNode) return HoldsWord(sight_.Text(p.annotation), "Tensor");
    return index < flow::kMaxParams &&
           (sight_.world().ParameterEvidence(id, index) & facts::kIsTensor) != 0;
  }

  // for m in net.modules(): what only modules have is asked of the parameter.
  bool AskedAsModule(FunctionId id, sema::BindingId param) const {
    constexpr std::array<std::string_view, 6> kOfModules{
        "modules", "named_modules", "children", "named_children", "parameters", "named_parameters"};
    const Body& body = sight_.world().result(id).body;
    const SlotId slot = body.RootSlot(param);
    return std::ranges::any_of(body.calls, [&](const Call& call) {
      return call.method != sema::kNoName && call.receiver_slot == slot && slot != flow::kNoSlot &&
             std::ranges::find(kOfModules, module_.Text(call.method)) != kOfModules.end();
    });
  }

  bool GivesTensor(FunctionId id) const {
    const NodeId type = module_.tree().Child(module_[id].node, Field::kReturnType);
    if (type != kNoNode) return HoldsWord(sight_.Text(type), "Tensor");
    const FunctionResult& r = sight_.world().result(id);
    if (!r.analyzed) return false;
    return std::ranges::any_of(r.body.instrs, [&](const Instr& in) {
      if (in.op != Op::kReturn || in.argc == 0) return false;
      const ValueId value = r.body.Operand(in, 0);
      if (value == flow::kNoValue) return false;
      if (r.values[Index(value)].Is(flow::Kind::kTensor)) return true;
      if (std::ranges::any_of(r.forwards, [&](const auto& f) { return f.value == value; }))
        return true;
      const Instr& made = r.body[value];
      return made.op == Op::kTuple && std::ranges::any_of(r.body.Operands(made), [&](ValueId o) {
               return r.values[Index(o)].Is(flow::Kind::kTensor);
             });
    });
  }

  // Some parameter goes into the result, and is not one of a few by its name. What is only compared
  // or put into a text picks one of a few.
  bool ManyKeys(FunctionId id, std::uint32_t first) const {
    const sema::Function& f = module_[id];
    const FunctionResult& r = sight_.world().result(id);
    if (!r.analyzed) return false;
    const Uses uses(module_, r);
    for (std::uint32_t i = 0; i < r.body.instrs.size(); ++i) {
      const Instr& in = r.body.instrs[i];
      if (in.op != Op::kLoad) continue;
      const flow::Slot& slot = r.body.slots[in.aux];
      if (slot.depth != 0) continue;
      bool key = false;
      for (std::uint32_t p = first; p < f.params.size(); ++p)
        key |= f.params[p].binding == slot.root && !IsFewValued(module_.Text(f.params[p].name));
      if (!key) continue;
      for (ValueId by : uses.Of(ValueId{i})) {
        const Op op = r.body[by].op;
        if (op != Op::kFormat && op != Op::kCompare) return true;
      }
    }
    return false;
  }
};

}  // namespace

std::vector<MemoizedFunction> MemoizedFunctions(const Sight& sight) {
  if (!sight.Mentions("cache")) return {};
  return Memoized(sight).Find();
}

}  // namespace torchleak::patterns

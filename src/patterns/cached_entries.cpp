// A dict is a cache when the function that fills it asks first whether the key is there. It is
// bounded when anything in the file takes entries out of a dict of that name.
#include "patterns/cached_entries.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "flow/names.h"
#include "flow/world.h"
#include "patterns/words.h"

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

constexpr unsigned kMaxLooks = 200;  // stores to items in one function

class Entries {
 public:
  explicit Entries(const Sight& sight) : sight_(sight), module_(sight.module()) {}

  std::vector<CachedEntry> Find() {
    std::vector<CachedEntry> events;
    for (const FunctionResult& r : sight_.world().results()) {
      if (!r.analyzed || r.body.function == FunctionId{0}) continue;
      if (module_.Text(module_[r.body.function].name) == "__init__") continue;
      unsigned looked_at = 0;  // each look goes through the function
      for (std::uint32_t i = 0; i < r.body.instrs.size() && looked_at < kMaxLooks; ++i) {
        const Instr& in = r.body.instrs[i];
        if (in.op != Op::kSetItem || in.argc != 3) continue;
        ++looked_at;
        CachedEntry e;
        if (!Fills(r, in, &e)) continue;
        e.function = r.body.function;
        const NodeId statement = sight_.Around(in.node, Kind::kAssignment);
        e.span = sight_.Span(statement == kNoNode ? in.node : statement);
        e.in_test = sight_.InTest(r.body.function);
        e.record = i;
        e.flow.push_back({e.span, "kept for its key here; nothing removes it"});
        events.push_back(std::move(e));
      }
    }
    std::ranges::sort(events, {}, [](const auto& e) { return e.span.begin; });
    return events;
  }

 private:
  const Sight& sight_;
  const sema::Module& module_;
  // Names of containers that something empties, with the class whose objects have it: kNoClass for
  // variables and for objects that nobody knows.
  std::optional<std::vector<std::pair<std::string_view, sema::ClassId>>> emptied_;

  bool Fills(const FunctionResult& r, const Instr& in, CachedEntry* e) {
    const Body& body = r.body;
    const ValueId container = body.Operand(in, 0), key = body.Operand(in, 1),
                  value = body.Operand(in, 2);
    ValueId table = container;  // tables[name][size] = …
    for (int i = 0; i < 2 && body[table].op == Op::kGetItem; ++i)
      table = body.Operand(body[table], 0);
    const Instr& from = body[table];
    if (from.op != Op::kLoad || value == flow::kNoValue || key == flow::kNoValue) return false;
    const flow::Slot& slot = body.slots[from.aux];
    if (slot.depth == 0 ? !OfModule(slot.root) : !OnObject(body, SlotId{from.aux})) return false;
    e->cache = flow::SlotText(module_, body, SlotId{from.aux});
    e->key = sight_.Short(body[key].node);
    e->by_identity = IsIdentity(body, key);
    if (!Holds(r, value, e)) return false;
    if (!e->by_identity && (!IsManyValued(body, key) || !AsksFirst(body, e->cache))) return false;
    const sema::ClassId cls =
        slot.depth == 1 ? sight_.world().SelfClass(slot.root) : sema::kNoClass;
    return !Emptied(LastName(e->cache), cls);
  }

  bool OfModule(sema::BindingId binding) const {
    const sema::Binding& b = module_[binding];
    if (b.qualified.size() > 0 || module_[b.scope].kind != sema::ScopeKind::kModule) return false;
    return b.sole_value == kNoNode || !IsSpecial(sight_.Text(b.sole_value));
  }

  // Weak dicts and caches that evict.
  static bool IsSpecial(std::string_view made) {
    return HoldsAny(made, {"weak", "lru", "ttlcache", "maxsize", "bounded", "maxlen"});
  }

  bool OnObject(const Body& body, SlotId id) const {
    const flow::Slot& slot = body.slots[Index(id)];
    const bool object = sight_.world().SelfClass(slot.root) != sema::kNoClass || OfClass(slot.root);
    const bool through =
        slot.depth == 2 && module_.Text(body.slots[Index(slot.parent)].attribute) ==
                               "__class__";  // self.__class__.tables
    if (!object || (slot.depth != 1 && !through)) return false;
    const std::string_view name = module_.Text(slot.attribute);
    return !HoldsAny(name, {"state", "shadow", "param", "buffer", "grad", "weak"});
  }

  // `Encoder.tables`, `cls.tables`.
  bool OfClass(sema::BindingId root) const {
    const sema::Binding& b = module_[root];
    if (b.class_id != sema::kNoClass) return true;
    const FunctionId f = module_[b.scope].function;
    return b.is_param && f != sema::kNoFunction && module_[f].is_classmethod &&
           !module_[f].params.empty() && module_[f].params[0].binding == root;
  }

  bool IsIdentity(const Body& body, ValueId key) const {
    const Instr* in = &body[key];
    if (in->op == Op::kLoad) {
      for (const Instr& store : body.instrs) {
        if (store.op == Op::kStore && store.aux == in->aux) in = &body[body.Operand(store, 0)];
        if (in->op == Op::kCall) break;
      }
    }
    return in->op == Op::kCall && CalledText(sight_, body.calls[in->aux]) == "id";
  }

  // A tensor: known to be one, the output of a module; by identity also an argument as it came.
  bool Holds(const FunctionResult& r, ValueId value, CachedEntry* e) const {
    const Instr& in = r.body[value];
    e->strength = Strength::kStrong;
    if (r.values[Index(value)].Is(flow::Kind::kTensor)) return true;
    if (in.op == Op::kTuple || in.op == Op::kList || in.op == Op::kDict) {
      return std::ranges::any_of(r.body.Operands(in), [&](ValueId o) {
        return o != flow::kNoValue && r.values[Index(o)].Is(flow::Kind::kTensor);
      });
    }
    e->strength = Strength::kMedium;
    if (IsOutput(r, value)) return true;
    if (in.op == Op::kCall &&
        flow::LooksLikeModule(LastName(CalledText(sight_, r.body.calls[in.aux])))) {
      const auto arguments = r.body.Arguments(r.body.calls[in.aux]);
      return std::ranges::any_of(arguments, [&](const auto& a) {
        return r.values[Index(a.value)].Is(flow::Kind::kTensor);
      });
    }
    if (!e->by_identity || in.op != Op::kLoad) return false;
    const flow::Slot& slot = r.body.slots[in.aux];
    if (slot.depth != 0) return false;
    for (const sema::Param& p : module_[r.body.function].params) {
      if (p.binding == slot.root && p.annotation != kNoNode)
        return HoldsWord(sight_.Text(p.annotation), "Tensor");
    }
    return (r.evidence.of_slot[in.aux] & facts::kIsTensor) != 0;
  }

  // What a module gave, or a part of it: encoder(ids)[0], encoder(ids).last_hidden_state.
  bool IsOutput(const FunctionResult& r, ValueId value) const {
    for (int hops = 0; hops < 3 && value != flow::kNoValue; ++hops) {
      if (std::ranges::any_of(r.forwards, [&](const auto& f) { return f.value == value; }))
        return true;
      const Instr& in = r.body[value];
      if (in.op != Op::kGetItem && in.op != Op::kGetAttr && in.op != Op::kUnpack) return false;
      value = r.body.Operand(in, 0);
    }
    return false;
  }

  // No constant, no variable of a loop over what is there anyhow, no name of one of a few.
  bool IsManyValued(const Body& body, ValueId key) const {
    const Instr& in = body[key];
    if (in.op == Op::kString || in.op == Op::kNumber || in.op == Op::kNone) return false;
    if (in.op == Op::kTuple) {
      return std::ranges::any_of(body.Operands(in), [&](ValueId o) {
        return o != flow::kNoValue && IsManyValuedPart(body, o);
      });
    }
    return IsManyValuedPart(body, key);
  }

  // A switch such as `requires_grad` has two values.
  bool IsManyValuedWord(const Body& body, ValueId part) const {
    if (part == flow::kNoValue || body[part].op == Op::kString || body[part].op == Op::kNumber)
      return false;
    const std::string_view text = sight_.Text(body[part].node);
    return !IsFewValued(text) && !HoldsAny(text, {"grad", "train", "causal", "is_", "use_"});
  }

  bool IsManyValuedPart(const Body& body, ValueId key) const {
    const Instr& in = body[key];
    if (in.op == Op::kString || in.op == Op::kNumber || IsFewValued(sight_.Text(in.node)))
      return false;
    if (in.op != Op::kLoad) return in.op != Op::kTrue && in.op != Op::kFalse;
    const flow::Slot& slot = body.slots[in.aux];
    if (slot.depth > 0) return false;
    if (module_[slot.root].is_param) return true;
    return std::ranges::none_of(body.instrs, [&](const Instr& store) {
      if (store.op != Op::kStore || store.aux != in.aux) return false;
      const Instr* made = &body[body.Operand(store, 0)];
      for (int i = 0; i < 4 && made->op == Op::kUnpack; ++i) made = &body[body.Operand(*made, 0)];
      if (made->op == Op::kTuple)  // key = (length, x.device): by its parts
        return std::ranges::none_of(body.Operands(*made),
                                    [&](ValueId o) { return IsManyValuedWord(body, o); });
      return made->op == Op::kIterate || IsFewValued(sight_.Text(made->node));
    });
  }

  // `key not in cache`, `cache.get(key)`, or a handler of KeyError.
  bool AsksFirst(const Body& body, std::string_view cache) const {
    for (const Instr& in : body.instrs) {
      if (in.op != Op::kCompare || in.node == kNoNode) continue;
      const std::string_view text = sight_.Text(in.node);
      if (text.find(" in ") != text.npos && HoldsWord(text, cache)) return true;
    }
    const std::string_view whole = sight_.Text(module_[body.function].node);
    if (whole.find("except KeyError") != whole.npos) return true;
    return std::ranges::any_of(body.calls, [&](const Call& call) {
      const std::string_view callee = CalledText(sight_, call);
      return callee.ends_with(".get") && callee.substr(0, callee.size() - 4) == cache;
    });
  }

  // Somewhere in the file entries leave a container of that name, are counted, or it starts anew.
  // Another class's attribute of the same name is its own business, unless one inherits the other.
  bool Emptied(std::string_view name, sema::ClassId cls) {
    if (!emptied_) FindEmptied();
    return std::ranges::any_of(*emptied_, [&](const auto& emptied) {
      if (emptied.first != name) return false;
      if (cls == sema::kNoClass || emptied.second == sema::kNoClass) return true;
      return IsKin(module_, cls, emptied.second);
    });
  }

  void FindEmptied() {
    emptied_.emplace();
    constexpr std::array<std::string_view, 5> kTakers{"pop", "popitem", "clear", "move_to_end",
                                                      "remove"};
    for (const FunctionResult& r : sight_.world().results()) {
      const bool init = module_.Text(module_[r.body.function].name) == "__init__";
      for (const Instr& in : r.body.instrs) {
        if (in.op == Op::kDelItem) Note(r.body, r.body.Operand(in, 0));
        const bool again = r.body.function != FunctionId{0} && !init;
        if (in.op == Op::kStore && again) NoteSlot(r.body, SlotId{in.aux});
        if (in.op == Op::kDelete) NoteSlot(r.body, SlotId{in.aux});
        if (in.op != Op::kCall) continue;
        const Call& call = r.body.calls[in.aux];
        const bool counts = CalledText(sight_, call) == "len" && call.argc == 1;
        if (counts) Note(r.body, r.body.Arguments(call)[0].value);
        if (call.method == sema::kNoName || call.receiver == flow::kNoValue) continue;
        if (std::ranges::find(kTakers, module_.Text(call.method)) != kTakers.end())
          Note(r.body, call.receiver);
      }
      for (const Instr& in : r.body.instrs) {
        if (in.op != Op::kStore || r.body.slots[in.aux].depth == 0) continue;
        const ValueId made = r.body.Operand(in, 0);
        if (made != flow::kNoValue && r.body[made].node != kNoNode &&
            r.body[made].op == Op::kCall && IsSpecial(sight_.Text(r.body[made].node)))
          NoteSlot(r.body, SlotId{in.aux});
      }
    }
  }

  void Note(const Body& body, ValueId value) {
    if (value == flow::kNoValue) return;
    const Instr& in = body[value];
    if (in.op == Op::kLoad) NoteSlot(body, SlotId{in.aux});
    if (in.op == Op::kGetAttr)
      emptied_->emplace_back(module_.Text(sema::NameId{in.aux}), sema::kNoClass);
  }

  void NoteSlot(const Body& body, SlotId id) {
    const flow::Slot& slot = body.slots[Index(id)];
    if (slot.depth > 0) {
      const sema::ClassId cls =
          slot.depth == 1 ? sight_.world().SelfClass(slot.root) : sema::kNoClass;
      emptied_->emplace_back(module_.Text(slot.attribute), cls);
    } else if (!slot.is_local || body.function == FunctionId{0}) {
      emptied_->emplace_back(module_.Text(module_[slot.root].name), sema::kNoClass);
    }
  }
};

}  // namespace

std::vector<CachedEntry> CachedEntries(const Sight& sight) { return Entries(sight).Find(); }

}  // namespace torchleak::patterns

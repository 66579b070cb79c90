// flow's kept events say what grows; here is asked, class by class, who empties it and how often it
// grows.
#include "patterns/uncleared_list.h"

#include <algorithm>
#include <array>
#include <bit>
#include <optional>

#include "flow/world.h"
#include "patterns/attribute_resets.h"
#include "patterns/frameworks.h"

namespace torchleak::patterns {

using flow::Body;
using flow::FunctionResult;
using flow::KeptEvent;
using flow::LoopId;
using flow::Op;
using sema::ClassId;
using sema::Index;

namespace {

bool IsFrameworks(const sema::Module& module, ClassId cls) {
  return IsLightningModule(module, cls) || IsLightningCallback(module, cls);
}

bool IsStepHook(std::string_view name) {
  // Not those of test and predict, which run once.
  constexpr std::array<std::string_view, 6> kHooks{
      "training_step",           "validation_step",      "on_train_batch_end",
      "on_validation_batch_end", "on_train_batch_start", "training_step_end"};
  return std::ranges::find(kHooks, name) != kHooks.end();
}

class Theme {
 public:
  explicit Theme(const Sight& sight)
      : sight_(sight), world_(sight.world()), module_(sight.module()), resets_(sight) {}
  std::optional<UnclearedListEvent> Judge(const KeptEvent& e) const;
  void Rows(const FunctionResult& r, std::vector<UnclearedListEvent>* out) const;
  void Forgotten(const FunctionResult& r, std::vector<UnclearedListEvent>* out) const;

 private:
  bool IsEmptied(const FunctionResult& r, const flow::Store& store) const;
  bool HoldsTensors(const FunctionResult& r, const flow::Value& row) const;
  Stepped How(const KeptEvent& e, const FunctionResult& r) const;
  bool CalledEachEpoch(sema::FunctionId function) const;
  bool IsStacked(ClassId cls, sema::NameId attribute) const;
  bool LivesOn(const FunctionResult& caller, const flow::Call& call, LoopId epochs) const;

  const Sight& sight_;
  const flow::World& world_;
  const sema::Module& module_;
  AttributeResets resets_;
};

bool Theme::IsEmptied(const FunctionResult& r, const flow::Store& store) const {
  const flow::Slot& slot = r.body.slots[Index(store.slot)];
  const ClassId cls = slot.depth == 1 ? resets_.ClassOf(slot.root) : sema::kNoClass;
  return resets_.Any(store.attribute, cls, r.body.function);
}

// Is the object of the call made before the loop over epochs begins?
bool Theme::LivesOn(const FunctionResult& caller, const flow::Call& call, LoopId epochs) const {
  if (call.receiver_slot == flow::kNoSlot) return false;
  const Body& body = caller.body;
  const sema::BindingId root = body.slots[Index(call.receiver_slot)].root;
  for (std::uint32_t i = 0; i < body.instrs.size(); ++i) {
    if (body.instrs[i].op != Op::kStore) continue;
    const flow::Slot& slot = body.slots[body.instrs[i].aux];
    const bool same = slot.root == root &&
                      (slot.depth == 0 || flow::SlotId{body.instrs[i].aux} == call.receiver_slot);
    if (same && body.Within(body.LoopOf(flow::ValueId{i}), epochs)) return false;
  }
  return true;
}

bool Theme::CalledEachEpoch(sema::FunctionId function) const {
  const std::string_view name = module_.Text(module_[function].name);
  for (const CallSite& site : sight_.calls().OfMethod(name)) {
    if (world_.Resolve(site.r->body, *site.call).function != function) continue;
    const LoopId steps = sight_.LoopAround(*site.r, site.value);
    if (steps == flow::kNoLoop || !sight_.IsStepLoop(*site.r, steps)) continue;
    const LoopId epochs = site.r->body.loops[Index(steps)].parent;
    if (epochs == flow::kNoLoop || site.r->body.loops[Index(epochs)].is_short) continue;
    if (LivesOn(*site.r, *site.call, epochs)) return true;
  }
  return false;
}

Stepped Theme::How(const KeptEvent& e, const FunctionResult& r) const {
  const sema::Function& f = module_[r.body.function];
  if (f.class_id == sema::kNoClass || e.in_loop) return Stepped::kNotSeen;
  const bool framework = IsFrameworks(module_, f.class_id);
  if (framework && IsStepHook(module_.Text(f.name))) return Stepped::kByFramework;
  return CalledEachEpoch(r.body.function) ? Stepped::kByLoop : Stepped::kNotSeen;
}

std::optional<UnclearedListEvent> Theme::Judge(const KeptEvent& e) const {
  if (e.place != flow::Place::kAttribute || e.growth != flow::Growth::kGrows) return std::nullopt;
  if (e.bounded || e.cache || e.in_hook || e.cleared == flow::Cleared::kEachTurn)
    return std::nullopt;
  const FunctionResult& r = world_.result(e.function);
  const flow::Store& store = r.stores[e.record];
  if (store.callee != sema::kNoFunction || store.slot == flow::kNoSlot) return std::nullopt;
  if (store.kind != flow::StoreKind::kGrow) return std::nullopt;
  const bool graph = e.graph != flow::Graph::kNone;
  if (graph && !e.needed) return std::nullopt;  // accumulated-tensor, tensor-on-module
  if (graph && e.in_forward && e.module_attribute && !e.in_training_step) return std::nullopt;
  if (!graph && e.residency == flow::Residency::kDevice && e.over_data) return std::nullopt;
  if (IsEmptied(r, store)) return std::nullopt;
  UnclearedListEvent out;
  static_cast<flow::EventBase&>(out) = e;
  out.what = e.what;
  out.where = e.where;
  out.needed = graph;
  out.stepped = How(e, r);
  if (out.stepped == Stepped::kNotSeen && !(graph && e.need == flow::Need::kAttributeBackward))
    return std::nullopt;
  return out;
}

// self.rows.append({"loss": loss.detach().cpu(), …}): flow makes no event of a container without a
// graph.
bool Theme::HoldsTensors(const FunctionResult& r, const flow::Value& row) const {
  for (flow::Objects left = row.objects; left != 0; left &= left - 1) {
    const auto o = static_cast<std::size_t>(std::countr_zero(left));
    if (o >= r.objects.size() || r.objects[o].kind != flow::ObjectKind::kAllocation) return false;
    if (r.contents[o].Is(flow::Kind::kTensor)) return true;
    for (const auto& field : r.fields[o])
      if (field.second.Is(flow::Kind::kTensor)) return true;
  }
  return false;
}

void Theme::Rows(const FunctionResult& r, std::vector<UnclearedListEvent>* out) const {
  if (!IsFrameworks(module_, module_[r.body.function].class_id)) return;
  for (std::uint32_t i = 0; i < r.body.instrs.size(); ++i) {
    const flow::Instr& in = r.body.instrs[i];
    if (in.op != Op::kCall || r.body.LoopOf(flow::ValueId{i}) != flow::kNoLoop) continue;
    const flow::Call& call = r.body.calls[in.aux];
    if (call.receiver_slot == flow::kNoSlot || call.argc != 1) continue;
    const flow::Slot& slot = r.body.slots[Index(call.receiver_slot)];
    const flow::Value& list = r.values[Index(call.receiver)];
    const bool appends = module_.Text(call.method) == "append" && slot.depth == 1;
    if (!appends || !list.Is(flow::Kind::kContainer) || list.Has(flow::kBounded)) continue;
    const flow::Value& row = r.values[Index(r.body.Arguments(call)[0].value)];
    const bool plain = row.Is(flow::Kind::kContainer) && row.origins.none();
    if (!plain || !HoldsTensors(r, row)) continue;
    if (resets_.Any(slot.attribute, resets_.ClassOf(slot.root), r.body.function)) continue;
    UnclearedListEvent e;
    e.function = r.body.function;
    e.span = sight_.Span(call.node);
    e.strength = flow::Strength::kStrong;
    e.in_test = sight_.InTest(e.function);
    e.what = sight_.Short(r.body[r.body.Arguments(call)[0].value].node);
    e.where = flow::SlotText(module_, r.body, call.receiver_slot);
    e.stepped = Stepped::kByFramework;
    e.flow.push_back({e.span, "stored here"});
    const bool known = std::ranges::any_of(
        *out, [&](const auto& other) { return other.span.begin == e.span.begin; });
    if (!known) out->push_back(std::move(e));
  }
}

// torch.stack(self.values): what the list holds are tensors.
bool Theme::IsStacked(ClassId cls, sema::NameId attribute) const {
  for (std::string_view joins : {"torch.stack", "torch.cat"}) {
    for (const CallSite& site : sight_.calls().Of(joins)) {
      if (module_[site.r->body.function].class_id != cls || site.call->argc == 0) continue;
      const flow::Instr& in = site.r->body[site.r->body.Arguments(*site.call)[0].value];
      if (in.op == Op::kLoad && site.r->body.slots[in.aux].attribute == attribute) return true;
    }
  }
  return false;
}

// A method fills several lists, side by side, and what empties the others leaves this one out:
//   self.obs.append(obs); self.values.append(value)      …      self.obs = []
void Theme::Forgotten(const FunctionResult& r, std::vector<UnclearedListEvent>* out) const {
  const sema::Function& f = module_[r.body.function];
  if (!r.called_in_loop || module_.Text(f.name) == "__init__") return;
  struct Append {
    const flow::Call* call;
    bool emptied;
  };
  std::vector<Append> appends;
  for (const flow::Call& call : r.body.calls) {
    if (call.receiver_slot == flow::kNoSlot || call.argc != 1) continue;
    const flow::Slot& slot = r.body.slots[Index(call.receiver_slot)];
    if (slot.depth != 1 || module_.Text(call.method) != "append") continue;
    if (world_.SelfClass(slot.root) != f.class_id) continue;
    if (r.values[Index(call.receiver)].Has(flow::kBounded)) continue;
    appends.push_back({&call, resets_.Any(slot.attribute, f.class_id, r.body.function)});
  }
  if (std::ranges::none_of(appends, &Append::emptied)) return;
  for (const Append& a : appends) {
    const sema::NameId attribute = r.body.slots[Index(a.call->receiver_slot)].attribute;
    if (a.emptied || !IsStacked(f.class_id, attribute)) continue;
    UnclearedListEvent e;
    e.function = r.body.function;
    e.span = sight_.Span(a.call->node);
    e.strength = flow::Strength::kMedium;
    e.in_test = sight_.InTest(e.function);
    e.what = sight_.Short(r.body[r.body.Arguments(*a.call)[0].value].node);
    e.where = flow::SlotText(module_, r.body, a.call->receiver_slot);
    e.stepped = Stepped::kByLoop;
    e.flow.push_back({e.span, "stored here; what empties the lists beside it leaves it out"});
    const bool known = std::ranges::any_of(
        *out, [&](const auto& other) { return other.span.begin == e.span.begin; });
    if (!known) out->push_back(std::move(e));
  }
}

}  // namespace

std::vector<UnclearedListEvent> UnclearedLists(const Sight& sight) {
  std::vector<UnclearedListEvent> out;
  std::optional<Theme> theme;
  for (const KeptEvent& e : sight.events().kept) {
    if (e.place != flow::Place::kAttribute || e.growth != flow::Growth::kGrows) continue;
    if (!theme.has_value()) theme.emplace(sight);
    if (auto event = theme->Judge(e)) out.push_back(std::move(*event));
  }
  for (const FunctionResult& r : sight.world().results()) {
    if (!r.analyzed) continue;
    const sema::Function& f = sight.module()[r.body.function];
    if (f.class_id == sema::kNoClass) continue;
    const bool hook = IsStepHook(sight.module().Text(f.name));
    if (!hook && !r.called_in_loop) continue;
    if (!theme.has_value()) theme.emplace(sight);
    if (hook) theme->Rows(r, &out);
    theme->Forgotten(r, &out);
  }
  std::ranges::sort(out, {}, [](const auto& e) { return e.span.begin; });
  return out;
}

}  // namespace torchleak::patterns

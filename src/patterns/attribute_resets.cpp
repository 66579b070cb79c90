#include "patterns/attribute_resets.h"

#include <algorithm>
#include <bit>

#include "flow/world.h"

namespace torchleak::patterns {

using flow::FunctionResult;
using sema::ClassId;
using sema::FunctionId;
using sema::Index;

AttributeResets::AttributeResets(const Sight& sight) : sight_(sight) {
  FindResets();
  FindInstances();
}

ClassId AttributeResets::ClassOf(sema::BindingId root) const {
  const ClassId cls = sight_.world().SelfClass(root);
  return cls != sema::kNoClass ? cls : sight_.world().ClassOfBinding(root);
}

void AttributeResets::FindResets() {
  const sema::Module& m = sight_.module();
  for (const FunctionResult& r : sight_.world().results()) {
    if (r.body.instrs.empty() || m.Text(m[r.body.function].name) == "__init__") continue;
    auto note = [&](flow::SlotId at) {
      const flow::Slot& slot = r.body.slots[Index(at)];
      if (slot.attribute == sema::kNoName) return;
      const ClassId owner = slot.depth == 1 ? ClassOf(slot.root) : sema::kNoClass;
      all_[Index(slot.attribute)].emplace_back(owner, r.body.function);
    };
    for (const flow::Reset& x : r.resets) {
      const flow::Instr& in = r.body[x.value];
      const bool callees =
          in.op == flow::Op::kCall &&
          sight_.world().Resolve(r.body, r.body.calls[in.aux]).function != sema::kNoFunction;
      if (callees) continue;  // noted there, unless it is __init__
      bool known = x.slot != flow::kNoSlot;
      if (known) note(x.slot);
      // self.xs.clear(); xs = self.xs; xs.clear(). A variable that is bound anew, as the `o` of
      // `for o in self.xs` is in each turn, leaves what it held as it was.
      const bool in_place = in.op != flow::Op::kStore && in.op != flow::Op::kDelete;
      for (flow::Objects left = in_place ? x.objects : 0; left != 0; left &= left - 1) {
        const auto o = static_cast<std::size_t>(std::countr_zero(left));
        const bool entry = o < r.objects.size() && r.objects[o].kind == flow::ObjectKind::kEntry;
        if (!entry || r.objects[o].slot == flow::kNoSlot || r.objects[o].slot == x.slot) continue;
        known = true;
        note(r.objects[o].slot);
      }
      if (!known && x.attribute != sema::kNoName)
        all_[Index(x.attribute)].emplace_back(sema::kNoClass, r.body.function);
    }
  }
}

void AttributeResets::FindInstances() {
  const sema::Module& m = sight_.module();
  instances_.assign(m.class_count(), false);
  for (const FunctionResult& r : sight_.world().results()) {
    for (const flow::Call& call : r.body.calls) {
      const ClassId cls = sight_.world().Resolve(r.body, call).class_id;
      if (cls != sema::kNoClass) instances_[Index(cls)] = true;
    }
  }
  for (const sema::Function& f : m.functions()) {
    for (const sema::Param& p : f.params) {
      if (p.annotation == syntax::kNoNode || p.binding == sema::kNoBinding) continue;
      const ClassId cls = sight_.world().ClassOfBinding(p.binding);
      if (cls != sema::kNoClass) instances_[Index(cls)] = true;
    }
  }
}

bool AttributeResets::Empties(ClassId owner, ClassId cls, FunctionId filler) const {
  const sema::Module& m = sight_.module();
  if (owner == sema::kNoClass || cls == sema::kNoClass) return true;
  const std::vector<ClassId> up = m.Linearize(cls);
  if (std::ranges::find(up, owner) != up.end()) return true;
  if (instances_[Index(cls)]) return false;
  const std::vector<ClassId> down = m.Linearize(owner);
  if (std::ranges::find(down, cls) == down.end()) return false;
  return m.FindMethod(owner, m[filler].name) == filler;  // it fills the list in the base's way
}

bool AttributeResets::Any(sema::NameId attribute, ClassId cls, FunctionId filler,
                          Resets which) const {
  const sema::Module& m = sight_.module();
  if (flow::AttributeUses::Has(sight_.world().outside.reset, m.Text(attribute))) return true;
  const auto it = all_.find(Index(attribute));
  if (it == all_.end()) return false;
  return std::ranges::any_of(it->second, [&](const auto& reset) {
    if (which != Resets::kAll && reset.second == filler) return false;
    if (which == Resets::kBetweenCalls) {
      const std::string_view name = m.Text(m[reset.second].name);
      if (name.find("epoch") != name.npos) return false;
    }
    return Empties(reset.first, cls, filler);
  });
}

}  // namespace torchleak::patterns

#include "flow/attribute_uses.h"

#include <algorithm>

#include "flow/world.h"

namespace torchleak::flow {
std::uint64_t NameHash(std::string_view name) {
  std::uint64_t h = 14695981039346656037ull;
  for (const char c : name) h = (h ^ static_cast<unsigned char>(c)) * 1099511628211ull;
  return h;
}

bool AttributeUses::Has(const Names& names, std::string_view name) {
  return !names.empty() && std::binary_search(names.begin(), names.end(), NameHash(name));
}

void AttributeUses::Add(const AttributeUses& other) {
  auto append = [](Names& to, const Names& from) { to.insert(to.end(), from.begin(), from.end()); };
  append(read, other.read);
  append(reset, other.reset);
  append(removed, other.removed);
  append(differentiated, other.differentiated);
  append(escaping, other.escaping);
}

void AttributeUses::Sort() {
  for (Names* names : {&read, &reset, &removed, &differentiated, &escaping}) {
    std::sort(names->begin(), names->end());
    names->erase(std::unique(names->begin(), names->end()), names->end());
  }
}

AttributeUses UsesOf(const World& world) {
  const sema::Module& module = world.module();
  AttributeUses out;
  for (const FunctionResult& r : world.results()) {
    if (!r.analyzed) continue;
    const std::string_view function = module.Text(module[r.body.function].name);
    if (function != "__init__") {
      for (const Reset& reset : r.resets) {
        if (reset.attribute != sema::kNoName)
          out.reset.push_back(NameHash(module.Text(reset.attribute)));
      }
    }
    for (const Instr& in : r.body.instrs) {
      sema::NameId name = sema::kNoName;
      if (in.op == Op::kGetAttr) name = sema::NameId{in.aux};
      if (in.op == Op::kLoad && r.body.slots[in.aux].depth > 0) {
        const Slot& s = r.body.slots[in.aux];
        // self.model.features is the model's, not one's own.
        if (s.depth > 1 || world.SelfClass(s.root) == sema::kNoClass) name = s.attribute;
      }
      if (name != sema::kNoName) out.read.push_back(NameHash(module.Text(name)));
    }
    for (std::size_t i = 0; i < r.origins.size(); ++i) {
      const Origin& o = r.origins[i];
      if (o.kind != OriginKind::kEntry || o.ref >= r.body.slots.size()) continue;
      const Slot& s = r.body.slots[o.ref];
      if (s.depth == 0) continue;
      const std::uint64_t name = NameHash(module.Text(s.attribute));
      if (r.differentiated.test(i)) out.differentiated.push_back(name);
      if (r.removed.test(i)) out.removed.push_back(name);
      const bool self = world.SelfClass(s.root) != sema::kNoClass;
      if (self && (r.escaped.test(i) || (r.returned.test(i) && r.result_leaves())))
        out.escaping.push_back(name);
    }
  }
  out.Sort();
  return out;
}

}  // namespace torchleak::flow

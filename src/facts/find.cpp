// Lookup: one hash probe for an exact name. When that misses, the last component is tried as a
// method of the class before it ("torch.nn.Linear.eval" is inherited from torch.nn.Module), and
// then the nearest enclosing module or class that declares __getattr__ answers for all it does not
// list.
#include <algorithm>
#include <string>

#include "facts/facts.h"
#include "facts/table.h"

namespace torchleak::facts {
namespace {

using table::kNoIndex;
using table::kTables;

constexpr std::string_view kWildcard = "__getattr__";

bool Equals(std::string_view text, std::string_view owner, std::string_view member) {
  return text.size() == owner.size() + 1 + member.size() && text.starts_with(owner) &&
         text[owner.size()] == '.' && text.ends_with(member);
}

template <typename Match>
const table::Name* Probe(std::uint64_t hash, Match match) {
  const std::size_t mask = kTables.slots.size() - 1;
  for (std::size_t slot = table::Slot(hash, mask);; slot = (slot + 1) & mask) {
    const std::uint16_t index = kTables.slots[slot];
    if (index == kNoIndex) return nullptr;
    if (match(kTables.names[index].text)) return &kTables.names[index];
  }
}

const table::Name* FindName(std::string_view qualified) {
  return Probe(table::Hash(qualified), [&](std::string_view text) { return text == qualified; });
}

// "owner.member" without building the string.
const table::Name* FindMember(std::string_view owner, std::string_view member) {
  const std::uint64_t hash = table::Hash(member, table::Hash(".", table::Hash(owner)));
  return Probe(hash, [&](std::string_view text) { return Equals(text, owner, member); });
}

const Fact* FactOf(const table::Name* name) {
  return name && name->fact != kNoIndex ? &kTables.facts[name->fact] : nullptr;
}

const table::Class* FindClass(std::string_view qualified) {
  const table::Name* name = FindName(qualified);
  return name && name->class_index != kNoIndex ? &kTables.classes[name->class_index] : nullptr;
}

std::span<const std::uint16_t> Ancestors(const table::Class& cls) {
  return kTables.ancestors.subspan(cls.ancestors_begin, cls.ancestors_end - cls.ancestors_begin);
}

const Fact* ListedMethod(const table::Class& cls, std::string_view method) {
  for (std::uint16_t ancestor : Ancestors(cls)) {
    const std::string_view owner = kTables.classes[ancestor].name;
    if (const Fact* fact = FactOf(FindMember(owner, method))) return fact;
  }
  return nullptr;
}

const Fact* MethodOf(const table::Class& cls, std::string_view method) {
  if (const Fact* fact = ListedMethod(cls, method)) return fact;
  if (method.starts_with("__")) return nullptr;  // protocol methods are never guessed
  for (std::uint16_t ancestor : Ancestors(cls)) {
    const std::string_view owner = kTables.classes[ancestor].name;
    if (const Fact* fact = FactOf(FindMember(owner, kWildcard))) return fact;
  }
  return nullptr;
}

}  // namespace

const Fact* Find(std::string_view qualified) {
  const table::Name* exact = FindName(qualified);
  if (exact) return FactOf(exact);
  std::size_t dot = qualified.rfind('.');
  if (dot == std::string_view::npos) return nullptr;
  if (const table::Class* cls = FindClass(qualified.substr(0, dot)))
    return MethodOf(*cls, qualified.substr(dot + 1));
  for (; dot != std::string_view::npos; dot = qualified.substr(0, dot).rfind('.')) {
    const std::string_view owner = qualified.substr(0, dot);
    if (const Fact* fact = FactOf(FindMember(owner, kWildcard))) return fact;
  }
  return nullptr;
}

const Fact* FindCall(const Fact& maker) {
  const Fact* call = Find(std::string(maker.name) + ".__call__");
  return call != nullptr && call->name.ends_with(".__call__") ? call : nullptr;
}

const Fact* FindMethod(std::string_view class_name, std::string_view method) {
  const table::Class* cls = FindClass(class_name);
  return cls ? MethodOf(*cls, method) : nullptr;
}

const AttributeFact* FindAttribute(std::string_view class_name, std::string_view attribute) {
  const auto own = [&](std::string_view owner) -> const AttributeFact* {
    const table::Name* name = FindMember(owner, attribute);
    return name && name->attribute != kNoIndex ? &kTables.attributes[name->attribute] : nullptr;
  };
  const table::Class* cls = FindClass(class_name);
  if (!cls) return own(class_name);  // a module: torch.float32
  for (std::uint16_t ancestor : Ancestors(*cls))
    if (const AttributeFact* fact = own(kTables.classes[ancestor].name)) return fact;
  return nullptr;
}

std::string_view BaseClass(std::string_view qualified) {
  const table::Class* cls = FindClass(qualified);
  if (!cls || cls->receiver == kNoIndex) return {};
  return kTables.classes[cls->receiver].name;
}

bool IsSubclass(std::string_view qualified, std::string_view ancestor) {
  if (qualified == ancestor) return true;
  const table::Class* cls = FindClass(qualified);
  const table::Class* wanted = FindClass(ancestor);
  if (!cls || !wanted) return false;
  const auto wanted_index = static_cast<std::uint16_t>(wanted - kTables.classes.data());
  return std::ranges::find(Ancestors(*cls), wanted_index) != Ancestors(*cls).end();
}

std::string_view ClassByName(std::string_view qualified) {
  if (const table::Class* cls = FindClass(qualified)) return cls->name;
  const std::string_view last = qualified.substr(qualified.rfind('.') + 1);
  const table::Class* best = nullptr;  // the longest suffix
  for (const table::Class& cls : kTables.classes) {
    const bool fits = !cls.suffix.empty() && last.ends_with(cls.suffix);
    if (fits && (best == nullptr || cls.suffix.size() > best->suffix.size())) best = &cls;
  }
  return best == nullptr ? std::string_view{} : best->name;
}

const Fact* FindListed(std::string_view class_name, std::string_view method) {
  const table::Class* cls = FindClass(class_name);
  return cls == nullptr ? nullptr : ListedMethod(*cls, method);
}

std::uint16_t EvidenceOfMethod(std::string_view method) {
  const auto& all = kTables.evidence;
  const auto it = std::ranges::lower_bound(all, method, {}, &table::EvidenceEntry::method);
  return it != all.end() && it->method == method ? it->bits : std::uint16_t{kNoEvidence};
}

std::span<const Fact> All() { return kTables.facts; }

}  // namespace torchleak::facts

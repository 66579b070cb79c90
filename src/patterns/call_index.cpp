#include "patterns/call_index.h"

#include <algorithm>

#include "flow/world.h"

namespace torchleak::patterns {

CallIndex::CallIndex(const flow::FileEvents& events) : module_(events.module) {
  for (const flow::FunctionResult& r : events.world->results()) {
    if (!r.analyzed) continue;
    for (std::uint32_t i = 0; i < r.body.instrs.size(); ++i) {
      const flow::Instr& in = r.body.instrs[i];
      if (in.op != flow::Op::kCall) continue;
      const CallSite site{&r, flow::ValueId{i}, &r.body.calls[in.aux]};
      if (site.fact() != nullptr) by_fact_.push_back(site);
      if (site.call->method != sema::kNoName) by_method_.push_back(site);
      if (LastName(site) != sema::kNoName) by_name_.push_back(site);
    }
  }
  std::ranges::stable_sort(by_fact_, {}, [](const CallSite& s) { return s.fact()->name; });
  std::ranges::stable_sort(by_method_, {}, [](const CallSite& s) { return s.call->method; });
  std::ranges::stable_sort(by_name_, {}, [&](const CallSite& s) { return LastName(s); });
}

sema::NameId CallIndex::LastName(const CallSite& site) const {
  const syntax::Tree& tree = module_->tree();
  syntax::NodeId name = tree.Child(site.call->node, syntax::Field::kFunction);
  if (name != syntax::kNoNode && tree.kind(name) == syntax::Kind::kAttribute)
    name = tree.Child(name, syntax::Field::kAttribute);
  return name == syntax::kNoNode ? sema::kNoName : module_->NameOf(name);
}

std::span<const CallSite> CallIndex::OfName(std::string_view text) const {
  const sema::NameId name = module_->FindName(text);
  if (name == sema::kNoName) return {};
  const auto found =
      std::ranges::equal_range(by_name_, name, {}, [&](const CallSite& s) { return LastName(s); });
  return {found.begin(), found.end()};
}

std::span<const CallSite> CallIndex::Of(std::string_view qualified) const {
  const facts::Fact* fact = facts::Find(qualified);
  if (fact == nullptr || fact->name.ends_with("__getattr__")) return {};  // one for all the others
  const auto found = std::ranges::equal_range(by_fact_, fact->name, {},
                                              [](const CallSite& s) { return s.fact()->name; });
  return {found.begin(), found.end()};
}

std::span<const CallSite> CallIndex::OfMethod(std::string_view method) const {
  const sema::NameId name = module_->FindName(method);
  if (name == sema::kNoName) return {};
  const auto found = std::ranges::equal_range(by_method_, name, {},
                                              [](const CallSite& s) { return s.call->method; });
  return {found.begin(), found.end()};
}

}  // namespace torchleak::patterns

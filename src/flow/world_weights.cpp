// Filter banks: modules of buffers and numbers, as far as the class shows. What goes through them
// has a graph only when it comes with one. (A module without buffers may be any layer of a net.)
#include <algorithm>
#include <array>

#include "flow/names.h"
#include "flow/world.h"

namespace torchleak::flow {

using sema::ClassId;

// Does the class, by itself, keep anything that may hold parameters? Buffers do not.
bool World::KeepsParameters(ClassId cls) const {
  static constexpr std::array<std::string_view, 4> kAdds{"register_parameter", "add_module",
                                                         "register_module", "__setattr__"};
  if (module_.IsForeign(cls)) return true;
  const std::string_view text = module_.tree().Text(module_[cls].node);
  if (text.find("Parameter(") != text.npos || text.find("setattr(") != text.npos) return true;
  for (const auto& [name, method] : module_[cls].methods) {
    for (const Call& call : results_[Index(method)].body.calls) {
      const std::string_view called = module_.Text(call.method);
      if (std::find(kAdds.begin(), kAdds.end(), called) != kAdds.end()) return true;
    }
  }
  return false;
}

void World::FindParameterless() {
  constexpr std::uint16_t kRuns = std::uint16_t{kIsCalled} | std::uint16_t{facts::kIsModule};
  std::unordered_set<std::uint32_t> holding;
  for (const auto& [key, value] : attributes_) {
    const sema::NameId name{static_cast<std::uint32_t>(key)};
    const bool may_be_module = !value.Is(Kind::kFunction) && (AttributeEvidence(name) & kRuns) != 0;
    if (value.Is(Kind::kModule) ? HoldsWeights(value)
                                : value.Is(Kind::kParameters) || may_be_module)
      holding.insert(static_cast<std::uint32_t>(key >> 32));
  }
  for (std::uint32_t i = 0; i < module_.classes().size(); ++i) {
    const ClassId cls{i};
    const auto& bases = module_[cls].external_bases;
    if (bases.size() != 1 || bases.front() != "torch.nn.Module") continue;
    const auto line = module_.Linearize(cls);
    const bool without = std::none_of(line.begin(), line.end(), [&](ClassId c) {
      return holding.contains(Index(c)) || KeepsParameters(c);
    });
    const bool buffers = without && std::any_of(line.begin(), line.end(), [&](ClassId c) {
                           return module_.tree().Text(module_[c].node).find("register_buffer(") !=
                                  std::string_view::npos;
                         });
    if (buffers) parameterless_.insert(i);
  }
}

}  // namespace torchleak::flow

#include "patterns/frameworks.h"

#include <algorithm>
#include <string>
#include <string_view>

#include "facts/facts.h"

namespace torchleak::patterns {

namespace {

constexpr std::string_view kModule = "lightning.pytorch.LightningModule";

bool OfLightning(std::string_view qualified) {
  return qualified.starts_with("lightning.") || qualified.starts_with("pytorch_lightning.");
}

}  // namespace

bool IsLightningModule(const sema::Module& module, sema::ClassId cls) {
  if (cls == sema::kNoClass) return false;
  return std::ranges::any_of(module[cls].external_bases, [](const std::string& base) {
    if (OfLightning(base)) return base.ends_with(".LightningModule");
    const std::string_view known = facts::ClassByName(base);
    return known == kModule || facts::IsSubclass(known, kModule);
  });
}

bool IsLightningCallback(const sema::Module& module, sema::ClassId cls) {
  if (cls == sema::kNoClass) return false;
  return std::ranges::any_of(module[cls].external_bases, [](const std::string& base) {
    return OfLightning(base) && base.ends_with(".Callback");
  });
}

}  // namespace torchleak::patterns

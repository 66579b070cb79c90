// Classes of one file through their bases. A chain of single bases, which most are, is walked
// without memory; only several bases need the linearization.
#include "sema/module.h"

#include <algorithm>

namespace torchleak::sema {
namespace {

constexpr std::size_t kMaxLinearized = 1000;

FunctionId OwnMethod(const Class& cls, NameId name) {
  for (const auto& [own, function] : cls.methods) {
    if (own == name) return function;
  }
  return kNoFunction;
}

}  // namespace

// Reverse postorder of a depth-first walk that takes bases right to left: every class stands before
// its bases, bases from left to right, and one reached twice at its last place. Python's C3 differs
// only where it rejects the hierarchy or orders unrelated bases by a later constraint.
std::vector<ClassId> Module::Linearize(ClassId cls) const {
  struct Open {
    ClassId cls;
    std::size_t left;  // bases still to visit
  };
  std::vector<ClassId> order;
  if (cls == kNoClass) return order;
  std::vector<bool> seen(classes_.size());
  std::vector<Open> stack{{cls, (*this)[cls].project_bases.size()}};
  seen[Index(cls)] = true;
  std::size_t visited = 1;
  while (!stack.empty()) {
    Open& top = stack.back();
    if (top.left == 0) {
      order.push_back(top.cls);
      stack.pop_back();
      continue;
    }
    const ClassId base = (*this)[top.cls].project_bases[--top.left];
    if (seen[Index(base)] || visited == kMaxLinearized) continue;
    seen[Index(base)] = true;
    ++visited;
    stack.push_back({base, (*this)[base].project_bases.size()});
  }
  std::reverse(order.begin(), order.end());
  return order;
}

FunctionId Module::FindMethod(ClassId cls, std::string_view name) const {
  return FindMethod(cls, FindName(name));
}

FunctionId Module::FindMethod(ClassId cls, NameId name) const {
  if (cls == kNoClass || name == kNoName) return kNoFunction;
  for (std::size_t steps = 0; steps < kMaxLinearized; ++steps) {
    const Class& c = (*this)[cls];
    if (const FunctionId own = OwnMethod(c, name); own != kNoFunction) return own;
    if (c.project_bases.empty()) return kNoFunction;
    if (c.project_bases.size() > 1) return FindSuperMethod(cls, name);
    cls = c.project_bases.front();
  }
  return kNoFunction;
}

FunctionId Module::FindSuperMethod(ClassId cls, NameId name) const {
  if (cls == kNoClass || name == kNoName) return kNoFunction;
  const std::vector<ClassId> order = Linearize(cls);
  for (std::size_t i = 1; i < order.size(); ++i) {
    const FunctionId found = OwnMethod((*this)[order[i]], name);
    if (found != kNoFunction) return found;
  }
  return kNoFunction;
}

bool Module::DerivesFrom(ClassId cls, std::span<const std::string_view> qualified) const {
  if (cls == kNoClass) return false;
  for (const std::string& base : (*this)[cls].external_bases) {
    if (std::find(qualified.begin(), qualified.end(), base) != qualified.end()) return true;
  }
  return false;
}

}  // namespace torchleak::sema

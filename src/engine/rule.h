// Rule: what a finding means to people, and a predicate over the flow layer's events.
//
// A rule is a stateless constant. It never walks the tree: flow::Analyze has already turned the
// file into events (a value was kept, a module ran, an optimizer stepped, …), and the rule decides
// which of them deserve a finding. rules/all_rules.def lists every rule.
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/torch_version.h"
#include "findings/finding.h"

namespace torchleak::flow {
struct FileEvents;
}

namespace torchleak::engine {

struct RuleInfo {
  std::string_view code;                   // "TLK101"
  std::string_view name;                   // "accumulated-tensor"
  std::string_view summary;                // one sentence, no full stop
  findings::Severity severity;             // the usual one; a finding may carry another
  std::span<const std::string_view> tags;  // "performance", "external/cwe/cwe-401", …
  // The rule can fire only in a file that contains one of these byte strings: files with none of
  // any selected rule's strings are never parsed. Empty: every file.
  std::span<const std::string_view> needles;
  std::string_view page;      // rules/<name>/rule.md, embedded at build time
  bool on_by_default = true;  // else it is used only when a selector names it, or ALL
};

class RuleContext;

class Rule {
 public:
  virtual ~Rule() = default;
  virtual const RuleInfo& info() const = 0;
  virtual void Check(const flow::FileEvents& events, RuleContext& context) const = 0;
};

// Collects the findings of one rule over one file. `target` is the oldest torch that the file must
// run with (the option target-version), when somebody said so.
class RuleContext {
 public:
  explicit RuleContext(std::vector<findings::Finding>* out, std::optional<TorchVersion> target = {})
      : out_(out), target_(target) {}
  void Report(findings::Finding finding) { out_->push_back(std::move(finding)); }

  // Must it run with a torch older than this one? Without a word on it, it need not: what only an
  // old torch does wrong is of no concern to most.
  bool RunsBefore(TorchVersion version) const { return target_ && *target_ < version; }

 private:
  std::vector<findings::Finding>* out_;
  std::optional<TorchVersion> target_;
};

// All rules, sorted by code; made of rules/all_rules.def.
std::span<const Rule* const> AllRules();
// By code or name, in any letter case; nullptr when unknown.
const Rule* FindRule(std::string_view code_or_name);
// The known code or name nearest to a misspelt one, for "did you mean"; empty when none is near.
std::string_view NearestRule(std::string_view misspelt);

}  // namespace torchleak::engine

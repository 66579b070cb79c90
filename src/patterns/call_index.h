// CallIndex: where a file calls what. One pass over the lowered functions; lookups are log n.
//
//   const CallIndex calls(events);
//   for (const CallSite& site : calls.Of("torch.cuda.empty_cache")) …
//   for (const CallSite& site : calls.OfMethod("item")) …
#pragma once

#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "flow/events.h"
#include "flow/result.h"

namespace torchleak::patterns {

// A call, in the function whose body holds it. Lives as long as the events it was made from.
struct CallSite {
  const flow::FunctionResult* r = nullptr;
  flow::ValueId value = flow::kNoValue;  // the kCall instruction
  const flow::Call* call = nullptr;
  const facts::Fact* fact() const { return call->fact; }
};

class CallIndex {
 public:
  explicit CallIndex(const flow::FileEvents& events);
  // Calls of a function or class that the stubs list by this qualified name, aliases included.
  std::span<const CallSite> Of(std::string_view qualified) const;
  // All calls of what the stubs list.
  std::span<const CallSite> OfFacts() const { return by_fact_; }
  // Calls of any receiver's method of this name; whether the receiver fits is the asker's business.
  std::span<const CallSite> OfMethod(std::string_view method) const;
  // Calls of anything by this last name: `empty_cache()`, `utils.empty_cache()`.
  std::span<const CallSite> OfName(std::string_view name) const;

 private:
  sema::NameId LastName(const CallSite& site) const;

  const sema::Module* module_;
  std::vector<CallSite> by_fact_, by_method_, by_name_;  // sorted by fact or name, then by place
};

}  // namespace torchleak::patterns

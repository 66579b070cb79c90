// CudaUse: where code starts or uses CUDA in the process that runs it.
//
//   const CudaUse cuda(sight, trace);
//   if (const auto use = cuda.Within(function)) …   // here, or in a function of this file it calls
#pragma once

#include <optional>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "patterns/trace.h"

namespace torchleak::patterns {

class CudaUse {
 public:
  CudaUse(const Sight& sight, const Trace& trace) : sight_(sight), trace_(trace) {}

  // `x.cuda()`, `x.to("cuda")`, `torch.zeros(1, device=device)`, `torch.cuda.set_device(0)`.
  // Whether there is a device at all is not asked: `.is_available()` starts nothing.
  bool Starts(const flow::FunctionResult& r, flow::ValueId at) const { return Starts(r, at, {}); }
  // The same, when the function is called so.
  bool Starts(const flow::FunctionResult& r, flow::ValueId at, const Trace::Caller& caller) const;

  struct Use {
    flow::ValueId at = flow::kNoValue;  // in the function itself
    text::Span inner;                   // where it happens, in it or in what it calls
  };
  std::optional<Use> Within(sema::FunctionId function) const;
  // The same of what runs before an instruction of it.
  std::optional<Use> Before(const flow::FunctionResult& r, flow::ValueId at) const;
  // The same of module-level code that runs on no condition.
  std::optional<Use> AtImport(const flow::FunctionResult& top) const;
  // The value that names a device: is it, or may it be, a CUDA device?
  bool IsCuda(const flow::FunctionResult& r, flow::ValueId value,
              const Trace::Caller& caller) const;

 private:
  using Place = Trace::Place;
  void FollowName(const Place& place, const Trace::Caller& caller, std::vector<Place>* work,
                  bool* cuda) const;
  const std::vector<flow::ValueId>& DirectUses(const flow::FunctionResult& r) const;
  sema::FunctionId Callee(const Trace::Caller& caller) const;
  std::optional<text::Span> Inside(sema::FunctionId function) const;

  const Sight& sight_;
  const Trace& trace_;
  mutable std::unordered_map<const flow::FunctionResult*, std::vector<flow::ValueId>> direct_;
  mutable std::unordered_map<std::uint32_t, std::optional<text::Span>> inside_;  // by function
};

}  // namespace torchleak::patterns

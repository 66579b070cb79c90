// Evidence: what a value must be, judged by what is done with it later.
//
// Training code has few annotations, but `x.backward()` makes x a graph-carrying tensor and
// `m.parameters()` makes m a module. A backward pass over the body (bits only grow, so it ends)
// gives each instruction the uses that its value meets, and each slot the uses of the value it
// enters with.
//
//   loss = crit(out, y)      # value of the call: kIsTensor | kIsDifferentiated
//   loss.backward()
#pragma once

#include <cstdint>
#include <vector>

#include "flow/ir.h"

namespace torchleak::flow {

// Bits beyond facts::Evidence.
enum LocalEvidence : std::uint16_t {
  kThroughUnknown = 1u << 9,   // differentiated only through a call that nobody knows
  kThroughElement = 1u << 10,  // seen on an element, attribute or part of the value
  kIsCalled = 1u << 11,
  kIsStepped = 1u << 12,     // .step() without positional arguments: an optimizer or a scheduler
  kIsArray = 1u << 14,       // handed to numpy as it is: no tensor with a graph
  kIsWeightless = 1u << 13,  // differentiated only as one factor of a product
  kIsLayer = 1u << 15,       // becomes a part of a Sequential, a ModuleList: a module, or some
};

struct Evidence {
  std::vector<std::uint16_t> of_value;  // by instruction
  std::vector<std::uint16_t> of_slot;   // by slot: uses of the value at entry
};

// Evidence that callees give about their arguments, by (function, parameter index).
class ParamEvidence {
 public:
  virtual ~ParamEvidence() = default;
  virtual std::uint16_t Of(const Body& body, const Call& call, unsigned argument) const = 0;
};

// Evidence of a method name on its receiver; cached by name for one file.
class MethodEvidence {
 public:
  explicit MethodEvidence(const sema::Module& module)
      : module_(module),
        cache_(module.name_count(), kUnset),
        tensor_(module.name_count(), std::uint8_t{2}),
        drops_(module.name_count(), std::uint8_t{2}) {}
  std::uint16_t Of(sema::NameId method);
  // A tensor has a method of this name that returns a tensor with its graph: square, mean, view.
  bool OfTensor(sema::NameId method);
  // … that returns one without: detach, item, argmax.
  bool Drops(sema::NameId method);

 private:
  static constexpr std::uint16_t kUnset = 0xFFFF;
  const sema::Module& module_;
  std::vector<std::uint16_t> cache_;
  std::vector<std::uint8_t> tensor_;  // 2: not asked yet
  std::vector<std::uint8_t> drops_;
};

Evidence CollectEvidence(const sema::Module& module, const Body& body, MethodEvidence& methods,
                         const ParamEvidence& params);

}  // namespace torchleak::flow

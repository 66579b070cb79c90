// FollowedUses: could a value be something less, for all that is done with it? Inner to this layer.
//
// `total += loss` makes `total` a tensor, and `total += loss.item()` a number. That changes nothing
// where it is printed, divided or given to numpy; `total.item()` has to become `total`;
// `torch.stack(losses)` or code that is not in sight may want tensors. Values are followed through
// variables, containers, arithmetic, and into the callers of this file.
//
//   FollowedUses uses(events, Less::kNumber);
//   uses.FollowSlot(r, slot);
//   uses.all_known();    // whatever is done with it works with a number, once uses.edits() are
//   made
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "findings/finding.h"
#include "flow/events.h"
#include "flow/result.h"

namespace torchleak::repair {

enum class Less : std::uint8_t {
  kNumber,  // a number instead of a tensor
  kHost,    // a tensor on the host instead of one on the device
};

class FollowedUses {
 public:
  FollowedUses(const flow::FileEvents& events, Less less) : events_(events), less_(less) {}

  // Everything that is read from a variable of this function.
  void FollowSlot(const flow::FunctionResult& r, flow::SlotId slot);

  // False: some use may not do with less, or is out of sight, or a variable on the way holds other
  // things as well. `changed`: the values that become less.
  bool all_known(const flow::FunctionResult& r, std::span<const flow::ValueId> changed) const;
  // Some use is for tensors alone: all_reduce(total).
  bool wants_tensor() const { return wants_tensor_; }
  // What has to change with it: the `.item()` of `total.item()` goes, `torch.stack(losses)` becomes
  // `torch.tensor(losses)`.
  const std::map<std::uint32_t, findings::Edit>& edits() const { return edits_; }

 private:
  using Item = std::pair<const flow::FunctionResult*, flow::ValueId>;

  // Who uses each value of a body: asked for one value after the other, in functions of thousands.
  using Users = std::vector<std::vector<flow::ValueId>>;
  const Users& UsersIn(const flow::FunctionResult& r);
  void Push(const flow::FunctionResult& r, flow::ValueId value);
  void Drain();
  void Use(const flow::FunctionResult& r, flow::ValueId user, flow::ValueId value);
  void Call(const flow::FunctionResult& r, flow::ValueId user, flow::ValueId value);
  bool ReadsByName(const flow::FunctionResult& r) const;
  bool HoldsAlike(const flow::FunctionResult& r, const flow::Instr& display) const;
  bool HasKey(const flow::FunctionResult& r, const flow::Call& call) const;
  bool ReadsAttribute(const flow::FunctionResult& r, flow::SlotId slot) const;
  void Stack(const flow::Call& call);
  bool Method(const flow::FunctionResult& r, flow::ValueId user, const flow::Call& call);
  void Returned(const flow::FunctionResult& r);
  void Arithmetic(const flow::FunctionResult& r, flow::ValueId user, flow::ValueId value);
  void Unknown() { all_known_ = false; }
  void WantsTensor() { all_known_ = false, wants_tensor_ = true; }
  void Edit(text::Span span, std::string_view text);

  const flow::FileEvents& events_;
  Less less_;
  bool all_known_ = true, wants_tensor_ = false;
  std::map<std::uint32_t, findings::Edit> edits_;  // by position
  std::map<const flow::FunctionResult*, Users> users_;
  std::vector<Item> work_;
  std::set<Item> seen_;
  std::set<std::pair<const flow::FunctionResult*, flow::SlotId>> slots_;
};

}  // namespace torchleak::repair

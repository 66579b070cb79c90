// Keys of dicts by what the file stores under them. A dict goes through calls and other dicts on
// its way to the reader; its keys are the same everywhere.
#include "flow/world.h"

namespace torchleak::flow {
namespace {

enum class Stored : std::uint8_t { kNeutral, kNumber, kOther };

// int(found), len(batch), loss.item(). A literal is what a running sum starts with, and says
// nothing.
Stored Judge(const sema::Module& module, const Body& body, ValueId value) {
  const Instr& in = body[value];
  if (in.op == Op::kNumber || in.op == Op::kNone) return Stored::kNeutral;
  if (in.op != Op::kCall) return Stored::kOther;
  const Call& call = body.calls[in.aux];
  if (call.method != sema::kNoName && module.Text(call.method) == "item") return Stored::kNumber;
  const bool number = call.fact != nullptr && call.fact->result == facts::Result::kNumber;
  return number ? Stored::kNumber : Stored::kOther;
}

}  // namespace

void World::FindNumberKeys() {
  std::unordered_set<std::uint32_t> others;
  auto note = [&](std::uint32_t key, Stored stored) {
    constexpr std::uint32_t kText = 0x80000000;
    if (key == kNoKey || (key & kText) == 0) return;
    if (stored == Stored::kNumber) number_keys_.insert(key);
    if (stored == Stored::kOther) others.insert(key);
  };
  for (const FunctionResult& r : results_) {
    for (const Instr& in : r.body.instrs) {
      if (in.op == Op::kSetItem) note(in.aux, Judge(module_, r.body, r.body.Operand(in, 2)));
      if (in.op != Op::kDict) continue;
      for (std::uint32_t i = 0; i < in.argc && in.aux + i < r.body.keys.size(); ++i)
        note(r.body.keys[in.aux + i], Judge(module_, r.body, r.body.Operand(in, i)));
    }
  }
  for (const std::uint32_t key : others) number_keys_.erase(key);
}

}  // namespace torchleak::flow

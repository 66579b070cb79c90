// Kept values that are kept on purpose: outputs that a class documents, logs that somebody turns
// on.
#include <algorithm>

#include "flow/events_internal.h"
#include "flow/names.h"

namespace torchleak::flow {

// self.aux_loss, l_aux, or an attribute that the class's docstring reads: `x = module.l_aux`.
bool EventBuilder::IsDocumented(const FunctionResult& r, sema::NameId attribute) const {
  const std::string_view name = module().Text(attribute);
  if (LooksLikeLoss(name) || name == "aux" || name.ends_with("_aux")) return true;
  const sema::ClassId cls = module()[r.body.function].class_id;
  if (cls == sema::kNoClass || module().IsForeign(cls)) return false;
  const std::string_view text = Text(module()[cls].node);
  const std::size_t begin = text.find("\"\"\"");
  if (begin == text.npos || begin > text.find("def ")) return false;
  const std::size_t end = text.find("\"\"\"", begin + 3);
  if (end == text.npos) return false;
  const std::string_view doc = text.substr(begin + 3, end - begin - 3);
  for (std::size_t at = doc.find(name); at != doc.npos; at = doc.find(name, at + 1)) {
    const std::size_t after = at + name.size();
    const char next = after < doc.size() ? doc[after] : ' ';
    const bool whole = next != '_' && (next < 'a' || next > 'z') && next != '(';
    if (whole && at > 1 && doc[at - 1] == '.' && doc[at - 2] != ' ' && doc[at - 2] != '\n')
      return true;
  }
  return false;
}

// if self.logging: self.log.append(x), with self.logging = False in the constructor.
bool EventBuilder::BehindSwitch(const FunctionResult& r, const Store& store) const {
  const Body& body = r.body;
  const sema::ClassId cls = module()[body.function].class_id;
  if (cls == sema::kNoClass) return false;
  const sema::FunctionId init = module().FindMethod(cls, std::string_view("__init__"));
  if (init == sema::kNoFunction || module().IsForeign(cls)) return false;
  const Body& made = world_.result(init).body;
  for (std::uint32_t g = body.BlockOf(store.value).guard; g != kNoKey; g = body.guards[g].parent) {
    const std::string_view text = Text(body.guards[g].condition);
    if (body.guards[g].negated || !text.starts_with("self.")) continue;
    const bool off = std::any_of(made.instrs.begin(), made.instrs.end(), [&](const Instr& in) {
      return in.op == Op::kStore && made.slots[in.aux].depth == 1 &&
             module().Text(made.slots[in.aux].attribute) == text.substr(5) &&
             made[made.Operand(in, 0)].op == Op::kFalse;
    });
    if (off) return true;
  }
  return false;
}

}  // namespace torchleak::flow

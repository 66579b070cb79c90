#include "flow/arguments.h"

#include <algorithm>
#include <array>

#include "flow/names.h"

namespace torchleak::flow {

bool FedByLoader(const sema::Module& module, const Body& body, ValueId id) {
  if (body[id].op != Op::kCall) return false;
  const auto arguments = body.Arguments(body.calls[body[id].aux]);
  const bool variable = std::any_of(arguments.begin(), arguments.end(), [&](const Argument& a) {
    return body[a.value].op == Op::kLoad || body[a.value].op == Op::kUnpack;
  });
  for (LoopId l = variable ? body.LoopOf(id) : kNoLoop; l != kNoLoop;
       l = body.loops[Index(l)].parent) {
    const syntax::NodeId n = body.loops[Index(l)].iterable;
    if (n == syntax::kNoNode) continue;
    const std::string_view text = module.tree().Text(n);
    if (text.size() < 100 && LooksLikeLoader(text)) return true;
  }
  return false;
}

Size SizeOfLoss(const sema::Module& module, const Body& body, const Call& call) {
  static constexpr std::array<std::string_view, 4> kKeywords{"reduction", "average", "reduce",
                                                             "size_average"};
  static constexpr std::array<std::string_view, 7> kReducing{
      "mean", "sum", "batchmean", "macro", "micro", "weighted", "True"};
  const auto is_one_of = [](std::string_view word, auto& words) {
    return std::find(words.begin(), words.end(), word) != words.end();
  };
  for (const Argument& a : body.Arguments(call)) {
    if (a.keyword == sema::kNoName || !is_one_of(module.Text(a.keyword), kKeywords)) continue;
    std::string_view text = module.tree().Text(body[a.value].node);
    if (text.size() >= 2 && (text.front() == '"' || text.front() == '\''))
      text = text.substr(1, text.size() - 2);
    const bool sums_anyway = module.Text(a.keyword) == "size_average" && text == "False";
    if (is_one_of(text, kReducing) || sums_anyway) continue;
    const bool many = text == "none" || text == "None" || text == "False";
    return many ? Size::kSized : Size::kUnknown;
  }
  return Size::kScalar;
}

}  // namespace torchleak::flow

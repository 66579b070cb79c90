#include "flow/arguments.h"

#include <algorithm>
#include <array>

namespace torchleak::flow {

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

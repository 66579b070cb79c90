#include "patterns/words.h"

#include <algorithm>

#include "syntax/views.h"

namespace torchleak::patterns {
namespace {

constexpr char Lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; }
constexpr bool IsNameChar(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

}  // namespace

bool HoldsAny(std::string_view text, std::initializer_list<std::string_view> words) {
  return std::ranges::any_of(words, [&](std::string_view word) {
    return std::search(text.begin(), text.end(), word.begin(), word.end(),
                       [](char a, char b) { return Lower(a) == b; }) != text.end();
  });
}

bool HoldsWord(std::string_view text, std::string_view word) {
  for (std::size_t at = text.find(word); at != text.npos; at = text.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    if ((at == 0 || !IsNameChar(text[at - 1])) && (end == text.size() || !IsNameChar(text[end])))
      return true;
  }
  return false;
}

bool IsFewValued(std::string_view name) {
  return HoldsAny(
      name, {"device", "dtype", "name", "layer", "idx", "index", "rank", "group", "module", "mode",
             "stage", "level", "kind", "type", "cls", "param", "degree"});
}

bool IsSmallState(std::string_view text) {
  return HoldsAny(
      text, {"scaler", "sched", "rng", "random", "sampler", "metric", "tracker", "grad_state"});
}

std::string_view LastName(std::string_view dotted) {
  const std::size_t dot = dotted.rfind('.');
  return dot == dotted.npos ? dotted : dotted.substr(dot + 1);
}

std::string_view NameOf(const Sight& sight, const flow::Body& body, flow::SlotId id) {
  if (id == flow::kNoSlot) return {};
  const flow::Slot& slot = body.slots[sema::Index(id)];
  return sight.module().Text(slot.depth > 0 ? slot.attribute : sight.module()[slot.root].name);
}

std::string_view CalledText(const Sight& sight, const flow::Call& call) {
  const syntax::NodeId callee = syntax::CallView{sight.module().tree(), call.node}.function();
  return callee == syntax::kNoNode ? std::string_view{} : sight.Text(callee);
}

bool IsKin(const sema::Module& module, sema::ClassId a, sema::ClassId b) {
  if (a == b) return true;
  const std::vector<sema::ClassId> above_a = module.Linearize(a), above_b = module.Linearize(b);
  return std::ranges::find(above_a, b) != above_a.end() ||
         std::ranges::find(above_b, a) != above_b.end();
}

}  // namespace torchleak::patterns

#include "patterns/handlers.h"

#include <algorithm>

#include "patterns/words.h"

namespace torchleak::patterns {

using syntax::Kind;
using syntax::NodeId;

std::string_view Caught(const Sight& sight, NodeId clause) {
  const syntax::Tree& tree = sight.module().tree();
  std::uint32_t end = tree[clause].end;
  for (NodeId part : tree.Children(clause)) {
    if (tree.kind(part) == Kind::kBlock) end = tree[part].begin;
  }
  const std::string_view text = sight.Text(clause).substr(0, end - tree[clause].begin);
  return text.substr(std::min(text.find_first_not_of(" *", 6), text.size()));
}

bool MayHoldTensors(std::string_view caught) {
  if (caught.empty() || caught.front() == ':') return true;
  for (std::string_view type : {"Exception", "BaseException", "RuntimeError", "OutOfMemoryError",
                                "CudaError", "AcceleratorError"}) {
    if (HoldsWord(caught, type)) return true;
  }
  return false;
}

text::Span HandlerHeader(const Sight& sight, NodeId clause) {
  text::Span span = sight.Span(clause);
  const std::string_view text = sight.Text(clause);
  span.end = span.begin + static_cast<std::uint32_t>(std::min(text.find(':'), text.size()));
  return span;
}

}  // namespace torchleak::patterns

#include "suppress/enclosing.h"

#include <string_view>
#include <vector>

namespace torchleak::suppress {

using syntax::Kind;
using syntax::NodeId;

std::string EnclosingFunction(const syntax::Tree& tree, std::uint32_t offset) {
  std::vector<std::string_view> parts;  // from the inside out
  for (NodeId at = tree.At(offset); at != syntax::kNoNode; at = tree.Parent(at)) {
    const Kind kind = tree.kind(at);
    const bool is_function = kind == Kind::kFunctionDefinition;
    // A class inside no function of its own: its body runs with what is around it.
    if (!is_function && (kind != Kind::kClassDefinition || parts.empty())) continue;
    const NodeId name = tree.Child(at, syntax::Field::kName);
    if (name == syntax::kNoNode) continue;
    if (is_function && !parts.empty()) parts.push_back("<locals>");
    parts.push_back(tree.Text(name));
  }
  if (parts.empty()) return "<module>";
  std::string name;
  for (auto part = parts.rbegin(); part != parts.rend(); ++part) {
    if (!name.empty()) name += '.';
    name += *part;
  }
  return name;
}

}  // namespace torchleak::suppress

// The small words of `why`: lines, names, and where a value comes from.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "flow/explain_internal.h"
#include "text/notebook.h"

namespace torchleak::flow {

using syntax::kNoNode;
using syntax::NodeId;

std::vector<ValueId> Explainer::StoresTo(const FunctionResult& r, SlotId slot) const {
  constexpr std::uint8_t kParameter = 4, kNarrowing = 5;
  std::vector<ValueId> out;
  for (std::uint32_t i = 0; i < r.body.instrs.size(); ++i) {
    const Instr& in = r.body.instrs[i];
    if (in.op != Op::kStore || in.aux != Index(slot) || in.aux8 >= kParameter) continue;
    if (in.aux8 != kNarrowing) out.push_back(ValueId{i});
  }
  return out;
}

ValueId Explainer::Definition(const FunctionResult& r, ValueId id) const {
  constexpr int kMaxSteps = 8;
  for (int i = 0; i < kMaxSteps && r.body[id].op == Op::kLoad; ++i) {
    const auto stores = StoresTo(r, SlotId{r.body[id].aux});
    if (stores.size() != 1) break;
    id = r.body.Operand(r.body[stores.front()], 0);
  }
  return id;
}

// The fact that the analysis used for the call, looked up again by what the receiver is.
const facts::Fact* Explainer::FactOf(const FunctionResult& r, const Call& call) const {
  if (call.fact != nullptr || call.receiver == kNoValue || call.method == sema::kNoName)
    return call.fact;
  static constexpr std::array<std::string_view, 5> kContainers{
      "builtins.list", "builtins.dict", "collections.deque", "builtins.set", "builtins.tuple"};
  const Value& receiver = r.values[Index(call.receiver)];
  const std::string_view name = Text(call.method);
  switch (receiver.kind) {
    case Kind::kTensor:
      return facts::FindMethod("torch.Tensor", name);
    case Kind::kModule:
      return facts::FindMethod("torch.nn.Module", name);
    case Kind::kOptimizer:
      return facts::FindMethod("torch.optim.Optimizer", name);
    case Kind::kHandle:
      return facts::FindMethod("torch.utils.hooks.RemovableHandle", name);
    case Kind::kWriter:
      return facts::FindMethod("torch.utils.tensorboard.SummaryWriter", name);
    case Kind::kEngine:
      return facts::FindMethod("accelerate.Accelerator", name);
    case Kind::kContainer:
    case Kind::kNone:
      break;
    case Kind::kUnknown:
      if (facts::EvidenceOfMethod(name) & facts::kIsTensor)
        return facts::FindMethod("torch.Tensor", name);
      break;
    default:
      return nullptr;
  }
  for (std::string_view c : kContainers) {
    const facts::Fact* fact = facts::FindMethod(c, name);
    if (fact != nullptr &&
        (receiver.Is(Kind::kContainer) || (fact->effects & (facts::kStores | facts::kStoresAll)))) {
      return fact;
    }
  }
  return nullptr;
}

const flow::Store* Explainer::StoreAt(const FunctionResult& r, ValueId id) const {
  auto it = std::find_if(r.stores.begin(), r.stores.end(),
                         [&](const flow::Store& s) { return s.value == id; });
  return it == r.stores.end() ? nullptr : &*it;
}

std::string Explainer::Line(text::Span span) const { return text::LineName(source_, span.begin); }

std::string Explainer::Lines(const std::vector<NodeId>& nodes) const {
  constexpr std::size_t kMax = 4;
  std::vector<std::uint32_t> rows;
  for (NodeId n : nodes) rows.push_back(source_.RowOf(tree().Span(n).begin));
  std::sort(rows.begin(), rows.end());
  rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
  if (rows.empty()) return {};
  if (rows.size() == 1) return text::LineName(source_, source_.LineSpan(rows[0]).begin);
  std::vector<std::string> names;
  for (const std::uint32_t row : rows) names.push_back(text::RowName(source_, row));
  // Cells are told apart by "cell 3:2".
  const std::string_view lines = source_.notebook() == nullptr ? "lines " : "";
  if (names.size() > kMax) {
    const std::size_t more = names.size() - kMax;
    names.resize(kMax);
    return fmt::format("{}{} and {} more", lines, fmt::join(names, ", "), more);
  }
  const std::string last = std::move(names.back());
  names.pop_back();
  return fmt::format("{}{} and {}", lines, fmt::join(names, ", "), last);
}

std::string Explainer::Code(NodeId node) const {
  return node == kNoNode ? std::string("something") : "`" + builder_.Short(node) + "`";
}

std::string Explainer::Header(NodeId statement) const {
  constexpr std::size_t kMax = 60;
  std::string text(source_.Text(HeaderOf(statement)));
  if (std::size_t line = text.find_first_of("\r\n"); line != std::string::npos)
    text = text.substr(0, line) + " …";
  if (text.size() > kMax) return Code(statement) + " (" + Line(statement) + ")";
  return "`" + text + "` (" + Line(statement) + ")";
}

std::string Explainer::Name(sema::FunctionId id) const {
  if (module().IsForeign(id)) {
    const sema::Function& f = module()[id];
    std::string_view name = Text(f.name);
    if (f.class_id == sema::kNoClass) return fmt::format("`{}()`", name);
    return fmt::format("`{}.{}()`", Text(module()[f.class_id].name), name);
  }
  std::string name = module().DisplayName(id);
  if (name == "<module>") return "the top level of the file";
  if (module()[id].is_lambda) return "a lambda";
  if (std::size_t nested = name.rfind("<locals>."); nested != std::string::npos)
    name = name.substr(nested + 9);
  return "`" + name + "()`";
}

std::string Explainer::Place(sema::FunctionId id) const {
  if (!module().IsForeign(id)) return Line(module()[id].node);
  const auto& from = world_.links().functions[Index(id) - module().functions().size()];
  return fmt::format("{}:{}", *from.file->path, from.file->functions[from.index].row);
}

std::string Explainer::Place(sema::ClassId id) const {
  if (!module().IsForeign(id)) return Line(module()[id].node);
  const auto& from = world_.links().classes[Index(id) - module().classes().size()];
  return fmt::format("{}:{}", *from.file->path, from.file->classes[from.index].row);
}

std::string Explainer::CallPlaces(sema::FunctionId id) const {
  const std::vector<NodeId> callers = CallersOf(id);
  std::string out = callers.empty() ? std::string{} : Lines(callers);
  if (Index(id) >= world_.outside_calls.size()) return out;
  const auto& outside = world_.outside_calls[Index(id)];
  constexpr std::size_t kMost = 3;
  for (std::size_t i = 0; i < outside.size() && i < kMost; ++i) {
    const bool last = i + 1 == std::min(outside.size(), kMost);
    out += (out.empty() ? "" : last && outside.size() <= kMost ? " and " : ", ") + outside[i];
  }
  if (outside.size() > kMost) out += fmt::format(" and {} more", outside.size() - kMost);
  return out;
}

std::vector<NodeId> Explainer::CallersOf(sema::FunctionId id) const {
  std::vector<NodeId> out;
  for (const FunctionResult& r : world_.results()) {
    for (const CallEdge& e : r.calls) {
      if (e.callee == id) out.push_back(r.body[e.value].node);
    }
  }
  return out;
}

}  // namespace torchleak::flow

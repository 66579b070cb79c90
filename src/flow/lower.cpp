// Instructions are appended to the current block; a block is filled in one go, so that its
// instructions are contiguous. Blocks that nothing jumps to never enter `order`.
#include <algorithm>

#include "flow/lowering.h"

namespace torchleak::flow {

std::uint32_t KeyOf(std::string_view literal) {
  if (literal.empty()) return kNoKey;
  if (literal[0] >= '0' && literal[0] <= '9') {
    std::uint32_t n = 0;
    for (char c : literal) {
      if (c < '0' || c > '9' || n > 100000) return kNoKey;
      n = n * 10 + static_cast<std::uint32_t>(c - '0');
    }
    return n;
  }
  char quote = literal.back();
  if (quote != '"' && quote != '\'') return kNoKey;
  std::size_t first = literal.find(quote);
  const bool formatted = literal.substr(0, first).find_first_of("fF") != literal.npos;
  if (formatted && literal.find('{') != literal.npos) return kNoKey;  // f"step {n}"
  std::uint32_t h = 2166136261u;
  for (char c : literal.substr(first + 1, literal.size() - first - 2)) {
    h = (h ^ static_cast<unsigned char>(c)) * 16777619u;
  }
  std::uint32_t key = h | 0x80000000u;
  return key == kNoKey ? key - 1 : key;
}

std::string SlotText(const sema::Module& module, const Body& body, SlotId slot) {
  if (slot == kNoSlot) return {};
  const Slot& s = body.slots[Index(slot)];
  if (s.depth == 0) return std::string(module.Text(module[s.root].name));
  return SlotText(module, body, s.parent) + "." + std::string(module.Text(s.attribute));
}

SlotId Body::RootSlot(sema::BindingId binding) const {
  auto it = std::lower_bound(roots.begin(), roots.end(), std::pair(binding, SlotId{0}));
  return it == roots.end() || it->first != binding ? kNoSlot : it->second;
}

Lowering::Lowering(const sema::Module& module, sema::FunctionId function)
    : module_(module), tree_(module.tree()) {
  const sema::Function& f = module[function];
  body_.function = function;
  base_ = syntax::Index(f.node);
  value_of_.assign(syntax::Index(tree_.End(f.node)) - base_, kNoValue);
}

ValueId Lowering::EmitMany(Op op, NodeId node, const std::vector<ValueId>& operands,
                           std::uint32_t aux, std::uint8_t aux8) {
  Instr instr;
  instr.op = op;
  instr.aux8 = aux8;
  instr.args = static_cast<std::uint32_t>(body_.operands.size());
  instr.argc = static_cast<std::uint16_t>(std::min<std::size_t>(operands.size(), 0xFFFF));
  instr.aux = aux;
  instr.node = node;
  body_.operands.insert(body_.operands.end(), operands.begin(), operands.begin() + instr.argc);
  body_.instrs.push_back(instr);
  body_.block_of.push_back(Index(current_));
  return ValueId{static_cast<std::uint32_t>(body_.instrs.size() - 1)};
}

ValueId Lowering::Emit(Op op, NodeId node, std::initializer_list<ValueId> operands,
                       std::uint32_t aux, std::uint8_t aux8) {
  Instr instr;
  instr.op = op;
  instr.aux8 = aux8;
  instr.args = static_cast<std::uint32_t>(body_.operands.size());
  instr.argc = static_cast<std::uint16_t>(operands.size());
  instr.aux = aux;
  instr.node = node;
  body_.operands.insert(body_.operands.end(), operands);
  body_.instrs.push_back(instr);
  body_.block_of.push_back(Index(current_));
  return ValueId{static_cast<std::uint32_t>(body_.instrs.size() - 1)};
}

SlotId Lowering::SlotOf(sema::BindingId binding) {
  auto [it, fresh] = slots_.try_emplace(std::uint64_t{Index(binding)} << 1 | 1, kNoSlot);
  if (!fresh) return it->second;
  SlotId id{static_cast<std::uint32_t>(body_.slots.size())};
  it->second = id;
  Slot slot;
  slot.root = binding;
  slot.is_local = !module_[binding].linked &&
                  module_[module_[binding].scope].function == body_.function &&
                  module_[module_[binding].scope].kind != sema::ScopeKind::kClass;
  body_.slots.push_back(slot);
  return id;
}

SlotId Lowering::ChildSlot(SlotId parent, sema::NameId attribute) {
  std::uint64_t key = std::uint64_t{Index(parent)} << 33 | std::uint64_t{Index(attribute)} << 1;
  auto [it, fresh] = slots_.try_emplace(key, kNoSlot);
  if (!fresh) return it->second;
  SlotId id{static_cast<std::uint32_t>(body_.slots.size())};
  it->second = id;
  Slot slot;
  Slot& up = body_.slots[Index(parent)];
  slot.root = up.root;
  slot.parent = parent;
  slot.attribute = attribute;
  slot.depth = up.depth + 1;
  slot.next_child = up.first_child;
  up.first_child = Index(id);
  body_.slots.push_back(slot);
  return id;
}

SlotId Lowering::SlotOfPath(NodeId node) {
  NodeId chain[kMaxPath];
  unsigned depth = 0;
  sema::BindingId binding = sema::kNoBinding;
  while (tree_.kind(node) == syntax::Kind::kAttribute) {
    binding = module_.LinkedAt(node);
    if (binding != sema::kNoBinding) break;
    if (depth == kMaxPath) return kNoSlot;
    chain[depth++] = node;
    node = tree_.Child(node, syntax::Field::kObject);
    if (node == syntax::kNoNode) return kNoSlot;
  }
  if (binding == sema::kNoBinding) {
    if (tree_.kind(node) != syntax::Kind::kIdentifier) return kNoSlot;
    binding = module_.BindingOf(node);
    if (binding == sema::kNoBinding) binding = module_.LinkedAt(node);
  }
  if (binding == sema::kNoBinding) return kNoSlot;
  if (!module_[binding].qualified.empty() && !module_[binding].linked) return kNoSlot;
  SlotId slot = SlotOf(binding);
  while (depth > 0) {
    NodeId name = tree_.Child(chain[--depth], syntax::Field::kAttribute);
    if (name == syntax::kNoNode || module_.NameOf(name) == sema::kNoName) return kNoSlot;
    slot = ChildSlot(slot, module_.NameOf(name));
  }
  return slot;
}

BlockId Lowering::NewBlock() {
  body_.blocks.emplace_back();
  return BlockId{static_cast<std::uint32_t>(body_.blocks.size() - 1)};
}

void Lowering::Start(BlockId block) {
  auto here = static_cast<std::uint32_t>(body_.instrs.size());
  body_.blocks[Index(current_)].last = here;
  current_ = block;
  Block& b = body_.blocks[Index(block)];
  b.first = b.last = here;
  b.loop = loop_;
  b.guard = guard_;
}

void Lowering::Edge(BlockId to) {
  auto& out = body_.blocks[Index(current_)].successors;
  if (std::find(out.begin(), out.end(), to) == out.end()) out.push_back(to);
}

void Lowering::Goto(BlockId to) {
  Edge(to);
  Start(NewBlock());
}

void Lowering::Params() {
  const sema::Function& f = module_[body_.function];
  for (std::size_t i = 0; i < f.params.size(); ++i) {
    if (f.params[i].binding == sema::kNoBinding) continue;
    ValueId v = Emit(Op::kParam, f.node, {}, static_cast<std::uint32_t>(i));
    Emit(Op::kStore, f.node, {v}, Index(SlotOf(f.params[i].binding)), 4);
  }
}

// Reverse postorder by depth-first search with an explicit stack.
void Lowering::Finish() {
  body_.blocks[Index(current_)].last = static_cast<std::uint32_t>(body_.instrs.size());
  for (std::uint32_t i = 0; i < body_.slots.size(); ++i) {
    if (body_.slots[i].depth == 0) body_.roots.emplace_back(body_.slots[i].root, SlotId{i});
  }
  std::sort(body_.roots.begin(), body_.roots.end());
  std::vector<std::uint8_t> seen(body_.blocks.size());
  std::vector<std::pair<BlockId, std::size_t>> stack{{BlockId{0}, 0}};
  seen[0] = 1;
  while (!stack.empty()) {
    auto& [block, next] = stack.back();
    const auto& out = body_.blocks[Index(block)].successors;
    if (next == out.size()) {
      body_.order.push_back(block);
      stack.pop_back();
      continue;
    }
    BlockId to = out[next++];
    if (!seen[Index(to)]) {
      seen[Index(to)] = 1;
      stack.emplace_back(to, 0);
    }
  }
  std::reverse(body_.order.begin(), body_.order.end());
}

Body Lowering::Run() {
  const sema::Function& f = module_[body_.function];
  current_ = NewBlock();
  Params();
  if (f.is_lambda) {
    ValueId v = Expression(f.body);
    Emit(Op::kReturn, f.body, {v});
  } else {
    Statements(f.body);
  }
  Finish();
  return std::move(body_);
}

Body Lower(const sema::Module& module, sema::FunctionId function) {
  return Lowering(module, function).Run();
}

}  // namespace torchleak::flow

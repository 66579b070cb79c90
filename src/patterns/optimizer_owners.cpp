#include "patterns/optimizer_owners.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <vector>

#include "flow/grad_clearing.h"
#include "flow/world.h"

namespace torchleak::patterns {

using flow::Body;
using flow::FunctionResult;
using flow::Op;
using flow::ValueId;
using sema::Index;

namespace {

bool IsOneOf(std::string_view word, std::initializer_list<std::string_view> words) {
  return std::ranges::find(words, word) != words.end();
}

void AddWord(std::string word, std::set<std::string>* out) {
  for (char& c : word) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  if (word.empty() ||
      IsOneOf(word, {"opt", "optim", "optims", "optimizer", "optimizers", "optimiser", "self",
                     "net", "model", "module", "adam", "sgd", "solver", "the", "for", "of"}))
    return;
  if (IsOneOf(word, {"d", "dis", "disc", "discr", "discrim", "discriminator", "critic", "netd"}))
    word = "discriminator";
  if (IsOneOf(word, {"g", "gen", "generator", "netg"})) word = "generator";
  out->insert(std::move(word));
}

// What a name is about: {discriminator, a} of `optimizer_D_A`, `netD_A` and `self.d_a_optim`.
std::set<std::string> Words(std::string_view name) {
  std::set<std::string> out;
  std::string word;
  char before = 0;
  for (const char c : name) {
    const auto u = static_cast<unsigned char>(c);
    const bool camel = std::isupper(u) && std::islower(static_cast<unsigned char>(before));
    const bool number =
        (std::isdigit(u) != 0) != (std::isdigit(static_cast<unsigned char>(before)) != 0);
    if (!std::isalnum(u) || camel || number) {
      AddWord(std::move(word), &out);
      word.clear();
    }
    if (std::isalnum(u)) word += c;
    before = c;
  }
  AddWord(std::move(word), &out);
  return out;
}

// `enc` of `encoder`, `cls` of `classifier`.
bool Abbreviates(std::string_view a, std::string_view b) {
  if (a.size() > b.size()) std::swap(a, b);
  if (a == b) return true;
  if (a.size() < 3 || a[0] != b[0]) return false;
  std::size_t at = 0;
  for (const char c : a) {
    at = b.find(c, at);
    if (at++ == b.npos) return false;
  }
  return true;
}

bool SameWords(const std::set<std::string>& a, const std::set<std::string>& b) {
  return !a.empty() && a.size() == b.size() && std::ranges::equal(a, b, Abbreviates);
}

// Walks back from the first argument of an optimizer to the modules whose parameters they are.
struct Sources {
  const Sight& sight;
  const FunctionResult& r;
  std::set<std::string>* modules;
  bool complete = true;

  void Walk(ValueId from) {
    constexpr std::size_t kMaxValues = 200;
    std::vector<ValueId> todo{from};
    std::set<std::uint32_t> seen;
    while (!todo.empty()) {
      const ValueId value = todo.back();
      todo.pop_back();
      if (value == flow::kNoValue || !seen.insert(Index(value)).second) continue;
      if (seen.size() > kMaxValues) {
        complete = false;
        return;
      }
      One(value, &todo);
    }
  }

 private:
  void One(ValueId value, std::vector<ValueId>* todo) {
    const Body& body = r.body;
    const flow::Instr& in = body[value];
    switch (in.op) {
      case Op::kCall:
        return OfCall(body.calls[in.aux], todo);
      case Op::kLoad:
        return OfVariable(flow::SlotId{in.aux}, todo);
      case Op::kNumber:
      case Op::kString:
      case Op::kNone:
      case Op::kTrue:
      case Op::kFalse:
      case Op::kFunction:
        return;
      case Op::kList:
        Appended(value, todo);
        [[fallthrough]];
      case Op::kTuple:
      case Op::kDict:
      case Op::kSet:
      case Op::kBinary:
      case Op::kSelect:
      case Op::kIterate:
      case Op::kUnpack:
        for (const ValueId operand : body.Operands(in)) todo->push_back(operand);
        return;
      default:
        complete = false;
    }
  }

  void OfCall(const flow::Call& call, std::vector<ValueId>* todo) {
    const std::string_view method = sight.module().Text(call.method);
    if (IsOneOf(method, {"parameters", "named_parameters"})) {
      const std::string text = flow::SlotText(sight.module(), r.body, call.receiver_slot);
      if (text.empty()) complete = false;
      modules->insert(text);
      return;
    }
    for (const flow::Argument& argument : r.body.Arguments(call)) todo->push_back(argument.value);
    if (call.argc == 0) complete = false;
  }

  void OfVariable(flow::SlotId slot, std::vector<ValueId>* todo) {
    bool found = false;
    const Body& body = r.body;
    for (std::uint32_t i = 0; i < body.instrs.size(); ++i) {
      const flow::Instr& in = body.instrs[i];
      if (in.op != Op::kStore || flow::SlotId{in.aux} != slot) continue;
      found = true;
      todo->push_back(body.Operand(in, 0));
    }
    if (!found) complete = false;
  }

  void Appended(ValueId list, std::vector<ValueId>* todo) const {
    const Body& body = r.body;
    for (std::uint32_t i = 0; i < body.instrs.size(); ++i) {
      const flow::Instr& in = body.instrs[i];
      if (in.op == Op::kAppend && body.Operand(in, 0) == list) todo->push_back(body.Operand(in, 1));
    }
  }
};

}  // namespace

OptimizerOwners::OptimizerOwners(const Sight& sight) {
  for (const FunctionResult& r : sight.world().results()) {
    if (!r.analyzed) continue;
    for (const flow::GradOp& op : r.grad_ops) {
      if (op.kind != flow::GradOpKind::kStep) continue;
      const std::string text = flow::StepText(sight.module(), r.body, op.value);
      if (!text.empty()) optimizers_.insert(text);
    }
    for (std::uint32_t i = 0; i < r.body.instrs.size(); ++i) {
      const flow::Instr& in = r.body.instrs[i];
      if (in.op != Op::kCall || !r.values[i].Is(flow::Kind::kOptimizer)) continue;
      TakeConstruction(sight, r, ValueId{i});
    }
  }
}

void OptimizerOwners::TakeConstruction(const Sight& sight, const FunctionResult& r, ValueId call) {
  const Body& body = r.body;
  const flow::Call& made = body.calls[body[call].aux];
  if (made.argc == 0) return;
  std::string name;
  sema::FunctionId local = sema::kNoFunction;
  for (std::uint32_t i = Index(call) + 1; i < body.instrs.size() && i < Index(call) + 8; ++i) {
    const flow::Instr& in = body.instrs[i];
    if (in.op != Op::kStore || body.Operand(in, 0) != call) continue;
    name = flow::SlotText(sight.module(), body, flow::SlotId{in.aux});
    if (body.slots[in.aux].depth == 0 && body.slots[in.aux].is_local) local = body.function;
  }
  if (name.empty()) return;
  optimizers_.insert(name);
  std::vector<Made>& all = made_[name];
  auto entry = std::ranges::find(all, local, &Made::function);
  if (entry == all.end()) entry = all.insert(all.end(), {{}, true, local});
  Sources sources{sight, r, &entry->modules};
  sources.Walk(body.Arguments(made)[0].value);
  entry->complete = entry->complete && sources.complete && !entry->modules.empty();
  modules_.insert(entry->modules.begin(), entry->modules.end());
}

const OptimizerOwners::Made* OptimizerOwners::MadeOf(const FunctionResult& r,
                                                     std::string_view optimizer,
                                                     std::string_view module) const {
  const auto all = made_.find(optimizer);
  if (all == made_.end()) return nullptr;
  const Made* other = nullptr;
  for (const Made& made : all->second) {
    if (made.function == r.body.function) return &made;
    if (made.function == sema::kNoFunction || modules_.contains(module)) other = &made;
  }
  return other;
}

bool OptimizerOwners::Steps(const FunctionResult& r, std::string_view optimizer,
                            std::string_view module) const {
  const Made* made = MadeOf(r, optimizer, module);
  if (made != nullptr && !made->modules.empty()) return made->modules.contains(std::string(module));
  return SameWords(Words(optimizer), Words(module));
}

bool OptimizerOwners::MayStep(const FunctionResult& r, std::string_view optimizer,
                              std::string_view module) const {
  if (Steps(r, optimizer, module)) return true;
  const Made* made = MadeOf(r, optimizer, module);
  if (made == nullptr) return Words(optimizer).empty();
  if (!made->complete) return true;
  // Made of other modules, of which this may be a part: `self.gan.generator` of `self.gan`.
  return std::ranges::any_of(made->modules, [&](const std::string& m) {
    return module.starts_with(m) && module.size() > m.size() && module[m.size()] == '.';
  });
}

}  // namespace torchleak::patterns

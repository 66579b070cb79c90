// Who calls whom: what a call resolves to within the file, and the order that follows from it.
#include <algorithm>

#include "flow/names.h"
#include "flow/world.h"

namespace torchleak::flow {

using sema::ClassId;
using sema::FunctionId;
using sema::NameId;

namespace {

using Edges = std::vector<std::vector<std::uint32_t>>;

std::vector<bool> ReachedFrom(std::vector<std::uint32_t> work, const Edges& edges) {
  std::vector<bool> reached(edges.size());
  while (!work.empty()) {
    const std::uint32_t from = work.back();
    work.pop_back();
    for (std::uint32_t to : edges[from]) {
      if (reached[to]) continue;
      reached[to] = true;
      work.push_back(to);
    }
  }
  return reached;
}

}  // namespace

ClassId World::SelfClass(sema::BindingId binding) const {
  if (binding == sema::kNoBinding) return sema::kNoClass;
  const sema::Binding& b = module_[binding];
  if (!b.is_param) return sema::kNoClass;
  FunctionId id = module_[b.scope].function;
  if (id == sema::kNoFunction) return sema::kNoClass;
  const sema::Function& f = module_[id];
  if (f.class_id == sema::kNoClass || f.is_static || f.params.empty() ||
      f.params[0].binding != binding) {
    return sema::kNoClass;
  }
  return f.class_id;
}

ClassId World::ClassOfBinding(sema::BindingId id) const {
  const sema::Binding& b = module_[id];
  if (globals_[Index(id)].Is(Kind::kInstance)) return ClassId{globals_[Index(id)].ref};
  syntax::NodeId named = syntax::kNoNode;
  if (b.is_param) {
    FunctionId f = module_[b.scope].function;
    for (const sema::Param& p : module_[f].params) {
      if (p.binding == id) named = p.annotation;
    }
  } else if (b.sole_value != syntax::kNoNode &&
             module_.tree().kind(b.sole_value) == syntax::Kind::kCall) {
    named = module_.tree().Child(b.sole_value, syntax::Field::kFunction);
  }
  if (named == syntax::kNoNode || module_.tree().kind(named) != syntax::Kind::kIdentifier)
    return sema::kNoClass;
  sema::BindingId cls = module_.BindingOf(named);
  return cls == sema::kNoBinding ? sema::kNoClass : module_[cls].class_id;
}

World::Target World::Resolve(const Body& body, const Call& call) const {
  Target none;
  if (call.qualified) return none;
  auto method_of = [&](ClassId cls, NameId name, bool super) {
    Target t;
    t.function = super ? module_.FindSuperMethod(cls, name) : module_.FindMethod(cls, name);
    t.bound = t.function != sema::kNoFunction && !module_[t.function].is_static;
    return t;
  };
  if (call.is_super) {
    ClassId cls = module_[body.function].class_id;
    return cls == sema::kNoClass ? none : method_of(cls, call.method, true);
  }
  if (call.receiver_slot != kNoSlot && call.method != sema::kNoName) {
    const Slot& s = body.slots[Index(call.receiver_slot)];
    ClassId cls = sema::kNoClass;
    if (s.depth == 0) {
      cls = SelfClass(s.root);
      if (cls == sema::kNoClass) cls = module_[s.root].class_id;  // Class.method(instance)
      if (cls == sema::kNoClass) cls = ClassOfBinding(s.root);
    } else if (s.depth == 1) {
      ClassId owner = SelfClass(s.root);
      if (owner != sema::kNoClass) {
        Value v = Attribute(owner, s.attribute);
        if (v.Is(Kind::kInstance) || (v.Is(Kind::kModule) && v.ref < 0x80000000u))
          cls = ClassId{v.ref};
      }
    }
    if (cls != sema::kNoClass) {
      Target t = method_of(cls, call.method, false);
      if (module_[s.root].class_id == cls && s.depth == 0) t.bound = false;
      return t;
    }
    return none;
  }
  if (call.callee_slot != kNoSlot) {
    const Slot& s = body.slots[Index(call.callee_slot)];
    if (s.depth != 0) return none;
    const sema::Binding& b = module_[s.root];
    if (b.function != sema::kNoFunction) return {b.function, sema::kNoClass, false};
    if (b.class_id != sema::kNoClass) {
      Target t;
      t.class_id = b.class_id;
      t.function = module_.FindMethod(b.class_id, std::string_view("__init__"));
      t.bound = true;
      return t;
    }
  }
  return none;
}

std::uint16_t World::Of(const Body& body, const Call& call, unsigned argument) const {
  Target t = Resolve(body, call);
  if (t.function == sema::kNoFunction) return 0;
  const auto& params = module_[t.function].params;
  const Argument& a = body.Arguments(call)[argument];
  if (a.keyword != sema::kNoName) {
    for (std::size_t i = 0; i < params.size() && i < kMaxParams; ++i) {
      if (params[i].name == a.keyword) return param_evidence_[Index(t.function)][i];
    }
    return 0;
  }
  std::size_t index = argument + (t.bound ? 1 : 0);
  if (index >= params.size() || params[index].kind != sema::ParamKind::kPositional || a.stars != 0)
    return 0;
  return param_evidence_[Index(t.function)][index];
}

// Tarjan's algorithm with an explicit stack; components come out callees first.
void World::BuildOrder() {
  const auto n = static_cast<std::uint32_t>(module_.functions().size());
  Edges edges(n);
  calls_within_.assign(n, false);
  std::vector<std::uint32_t> forwards;
  for (std::uint32_t i = 0; i < n; ++i) {
    if (roles_[i] == Role::kForward) forwards.push_back(i);
  }
  for (std::uint32_t i = 0; i < n; ++i) {
    const Body& body = results_[i].body;
    for (const Call& call : body.calls) {
      Target t = Resolve(body, call);
      if (t.function == sema::kNoFunction || module_.IsForeign(t.function)) continue;
      edges[i].push_back(Index(t.function));
      calls_within_[i] = true;
    }
    for (const Instr& in : body.instrs) {
      if (in.op == Op::kFunction) edges[i].push_back(in.aux);
    }
    // Subclass methods come after the base class's, a class's __init__ first of all.
    const sema::Function& f = module_[FunctionId{i}];
    if (f.class_id != sema::kNoClass && i != 0) {
      FunctionId init = module_.FindMethod(f.class_id, std::string_view("__init__"));
      if (init != sema::kNoFunction && !module_.IsForeign(init) && Index(init) != i)
        edges[i].push_back(Index(init));
    }
  }
  // What a module returns is known before anybody runs it; what forward() itself calls comes first.
  const std::vector<bool> below = ReachedFrom(forwards, edges);
  for (std::uint32_t i = 0; i < n; ++i) {
    if (!below[i] && module_[FunctionId{i}].class_id == sema::kNoClass)
      edges[i].insert(edges[i].end(), forwards.begin(), forwards.end());
  }
  std::vector<std::uint32_t> index(n, 0), low(n, 0), stack;
  std::vector<bool> on_stack(n);
  std::uint32_t counter = 0;
  std::vector<std::pair<std::uint32_t, std::size_t>> frames;
  for (std::uint32_t root = 0; root < n; ++root) {
    if (index[root] != 0) continue;
    frames.emplace_back(root, 0);
    while (!frames.empty()) {
      auto& [v, next] = frames.back();
      if (next == 0 && index[v] == 0) {
        index[v] = low[v] = ++counter;
        stack.push_back(v);
        on_stack[v] = true;
      }
      if (next < edges[v].size()) {
        std::uint32_t w = edges[v][next++];
        if (index[w] == 0) {
          frames.emplace_back(w, 0);
        } else if (on_stack[w]) {
          low[v] = std::min(low[v], index[w]);
        }
        continue;
      }
      if (low[v] == index[v]) {
        std::uint32_t w;
        do {
          w = stack.back();
          stack.pop_back();
          on_stack[w] = false;
          order_.push_back(FunctionId{w});
        } while (w != v);
      }
      std::uint32_t done = v, done_low = low[v];
      frames.pop_back();
      if (!frames.empty()) {
        std::uint32_t up = frames.back().first;
        if (on_stack[done]) low[up] = std::min(low[up], done_low);
      }
    }
  }
}

std::vector<FunctionId> World::FunctionsOf(const Body& body, ValueId value) const {
  std::vector<FunctionId> out;
  std::vector<std::pair<const Body*, ValueId>> work{{&body, value}};
  for (int steps = 0; !work.empty() && steps < 32; ++steps) {
    auto [b, v] = work.back();
    work.pop_back();
    if (v == kNoValue) continue;
    const Instr& in = (*b)[v];
    if (in.op == Op::kFunction) {
      out.push_back(FunctionId{in.aux});
    } else if (in.op == Op::kSelect) {
      for (ValueId o : b->Operands(in)) work.emplace_back(b, o);
    } else if (in.op == Op::kLoad) {
      const Slot& s = b->slots[in.aux];
      if (s.depth == 0) {
        if (module_[s.root].function != sema::kNoFunction) {
          out.push_back(module_[s.root].function);
        } else {
          for (std::uint32_t i = 0; i < b->instrs.size(); ++i) {  // the local that was assigned
            const Instr& st = b->instrs[i];
            if (st.op == Op::kStore && st.aux == in.aux && st.aux8 != 4)
              work.emplace_back(b, b->Operand(st, 0));
          }
        }
      } else if (s.depth == 1) {
        ClassId cls = SelfClass(s.root);
        if (cls != sema::kNoClass) {
          FunctionId f = module_.FindMethod(cls, s.attribute);
          if (f != sema::kNoFunction) out.push_back(f);
        }
      }
    } else if (in.op == Op::kCall) {
      const Call& call = b->calls[in.aux];
      if (call.fact != nullptr && call.fact->name.ends_with("partial") && call.argc > 0) {
        work.emplace_back(b, b->Arguments(call)[0].value);
        continue;
      }
      Target t = Resolve(*b, call);
      if (t.function == sema::kNoFunction || t.class_id != sema::kNoClass) continue;
      if (module_.IsForeign(t.function)) continue;
      const Body& factory = results_[Index(t.function)].body;
      for (std::uint32_t i = 0; i < factory.instrs.size(); ++i) {
        if (factory.instrs[i].op == Op::kReturn)
          work.emplace_back(&factory, factory.Operand(factory.instrs[i], 0));
      }
    }
  }
  return out;
}

void World::FindHooks() {
  for (const FunctionResult& r : results_) {
    for (const Call& call : r.body.calls) {
      if (call.method == sema::kNoName || call.argc == 0 || call.receiver == kNoValue) continue;
      std::string_view m = module_.Text(call.method);
      if (!IsTorchHook(m)) continue;
      Role role = m == "register_forward_hook"       ? Role::kForwardHook
                  : m == "register_forward_pre_hook" ? Role::kForwardPreHook
                  : m == "register_hook"             ? Role::kTensorHook
                                                     : Role::kBackwardHook;
      for (FunctionId f : FunctionsOf(r.body, r.body.Arguments(call)[0].value))
        roles_[Index(f)] = role;
    }
  }
}

}  // namespace torchleak::flow

// Bodies first, then the call graph, then evidence (twice, so that what callees know of their
// parameters reaches callers), then the shallow values of attributes and globals.
#include "flow/world.h"

#include <algorithm>

#include "flow/names.h"

namespace torchleak::flow {

using sema::ClassId;
using sema::FunctionId;
using sema::NameId;

World::World(const sema::Module& module) : module_(module), methods_(module) {
  static constexpr std::array<std::string_view, 16> kTorch{
      "torch", "lightning", "pytorch_lightning", "accelerate", "transformers", "torchvision", "ignite", "fairseq",
      "deepspeed", "timm", "fastai", "horovod", "torchmetrics", "diffusers", "monai", "mmengine"};
  static constexpr std::array<std::string_view, 6> kForeign{"tensorflow", "jax", "mxnet", "paddle", "keras", "flax"};
  auto imports = [&](const auto& list) {
    return std::any_of(module.imported_modules().begin(), module.imported_modules().end(), [&](const std::string& m) {
      std::string_view root = std::string_view(m).substr(0, m.find('.'));
      return std::find(list.begin(), list.end(), root) != list.end();
    });
  };
  torch_file = imports(kTorch);
  static constexpr std::array<std::string_view, 3> kTesting{"pytest", "unittest", "parameterized"};
  test_file = imports(kTesting);
  foreign_file = !torch_file && imports(kForeign);
  const std::size_t names = module.name_count();
  for (auto* bits : {&attr_removed, &attr_eval, &attr_train}) bits->resize(names);
  attribute_evidence_.resize(names);
  binding_evidence_.resize(module.bindings().size());
  globals_.resize(module.bindings().size());
  LowerAll();
  BuildOrder();
  FindHooks();
  CollectEvidence();
  ShallowValues();
}

void World::LowerAll() {
  const auto n = static_cast<std::uint32_t>(module_.functions().size());
  results_.resize(n);
  roles_.resize(n, Role::kPlain);
  param_evidence_.resize(n);
  for (std::uint32_t i = 0; i < n; ++i) {
    FunctionId id{i};
    results_[i].body = Lower(module_, id);
    const sema::Function& f = module_[id];
    param_evidence_[i].resize(f.params.size());
    if (f.class_id == sema::kNoClass || f.name == sema::kNoName) continue;
    std::string_view name = module_.Text(f.name);
    if (name == "forward" && IsModuleClass(f.class_id)) roles_[i] = Role::kForward;
    if (name == "training_step" && IsLightning(f.class_id)) roles_[i] = Role::kTrainingStep;
  }
}

bool World::IsModuleClass(ClassId cls) const {
  // A class with a forward() and a base from elsewhere: FairseqEncoder, PreTrainedModel and their kin.
  const bool has_forward = module_.FindMethod(cls, std::string_view("forward")) != sema::kNoFunction;
  if (has_forward && !module_[cls].bases.empty()) return true;
  if (module_.DerivesFrom(cls, kModuleBases)) return true;
  const auto& bases = module_[cls].external_bases;
  return std::any_of(bases.begin(), bases.end(), [](const std::string& b) {
    return facts::IsSubclass(b, "torch.nn.Module");
  });
}

bool World::IsLightning(ClassId cls) const {
  const auto& bases = module_[cls].external_bases;
  return std::any_of(bases.begin(), bases.end(), [](const std::string& b) { return b.ends_with("LightningModule"); });
}

GradMode World::DecoratedMode(FunctionId id) const {
  const sema::Function& f = module_[id];
  for (syntax::NodeId d : f.decorators) {
    std::string_view text = module_.tree().Text(d);
    if (TurnsGradOff(text)) return GradMode::kOff;
    if (text.find("enable_grad") != std::string_view::npos) return GradMode::kOn;
  }
  if (f.class_id != sema::kNoClass && f.name != sema::kNoName && IsLightning(f.class_id)) {
    std::string_view name = module_.Text(f.name);
    static constexpr std::array<std::string_view, 3> kStages{"validation", "test", "predict"};
    for (std::string_view s : kStages) {
      if (name == std::string(s) + "_step" ||
          (name.starts_with("on_" + std::string(s)) && name.find("_epoch_") != std::string_view::npos)) {
        return GradMode::kOff;
      }
    }
  }
  return GradMode::kInherit;
}

ClassId World::SelfClass(sema::BindingId binding) const {
  if (binding == sema::kNoBinding) return sema::kNoClass;
  const sema::Binding& b = module_[binding];
  if (!b.is_param) return sema::kNoClass;
  FunctionId id = module_[b.scope].function;
  if (id == sema::kNoFunction) return sema::kNoClass;
  const sema::Function& f = module_[id];
  if (f.class_id == sema::kNoClass || f.is_static || f.params.empty() || f.params[0].binding != binding) {
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
  } else if (b.sole_value != syntax::kNoNode && module_.tree().kind(b.sole_value) == syntax::Kind::kCall) {
    named = module_.tree().Child(b.sole_value, syntax::Field::kFunction);
  }
  if (named == syntax::kNoNode || module_.tree().kind(named) != syntax::Kind::kIdentifier) return sema::kNoClass;
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
        if (v.Is(Kind::kInstance) || (v.Is(Kind::kModule) && v.ref < 0x80000000u)) cls = ClassId{v.ref};
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
  if (index >= params.size() || params[index].kind != sema::ParamKind::kPositional || a.stars != 0) return 0;
  return param_evidence_[Index(t.function)][index];
}

// Tarjan's algorithm with an explicit stack; components come out callees first.
void World::BuildOrder() {
  const auto n = static_cast<std::uint32_t>(results_.size());
  std::vector<std::vector<std::uint32_t>> edges(n);
  std::vector<std::uint32_t> forwards;
  for (std::uint32_t i = 0; i < n; ++i) {
    if (roles_[i] == Role::kForward) forwards.push_back(i);
  }
  for (std::uint32_t i = 0; i < n; ++i) {
    const Body& body = results_[i].body;
    for (const Call& call : body.calls) {
      Target t = Resolve(body, call);
      if (t.function != sema::kNoFunction) edges[i].push_back(Index(t.function));
    }
    for (const Instr& in : body.instrs) {
      if (in.op == Op::kFunction) edges[i].push_back(in.aux);
    }
    // What a module returns is known before anybody runs it.
    if (module_[FunctionId{i}].class_id == sema::kNoClass) {
      edges[i].insert(edges[i].end(), forwards.begin(), forwards.end());
    }
    // Subclass methods come after the base class's, a class's __init__ first of all.
    const sema::Function& f = module_[FunctionId{i}];
    if (f.class_id != sema::kNoClass && i != 0) {
      FunctionId init = module_.FindMethod(f.class_id, std::string_view("__init__"));
      if (init != sema::kNoFunction && Index(init) != i) edges[i].push_back(Index(init));
    }
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
            if (st.op == Op::kStore && st.aux == in.aux && st.aux8 != 4) work.emplace_back(b, b->Operand(st, 0));
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
      const Body& factory = results_[Index(t.function)].body;
      for (std::uint32_t i = 0; i < factory.instrs.size(); ++i) {
        if (factory.instrs[i].op == Op::kReturn) work.emplace_back(&factory, factory.Operand(factory.instrs[i], 0));
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
      for (FunctionId f : FunctionsOf(r.body, r.body.Arguments(call)[0].value)) roles_[Index(f)] = role;
    }
  }
}

void World::CollectEvidence() {
  for (int round = 0; round < 2; ++round) {
    for (FunctionId id : order_) {
      FunctionResult& r = results_[Index(id)];
      r.evidence = flow::CollectEvidence(module_, r.body, methods_, *this);
      const auto& params = module_[id].params;
      for (std::size_t i = 0; i < r.body.slots.size(); ++i) {
        const Slot& s = r.body.slots[i];
        std::uint16_t bits = r.evidence.of_slot[i];
        if (s.depth == 0) {
          binding_evidence_[Index(s.root)] |= bits;
        } else {
          attribute_evidence_[Index(s.attribute)] |= bits;
        }
      }
      for (std::uint32_t i = 0; i < r.body.instrs.size(); ++i) {
        const Instr& in = r.body.instrs[i];
        if (in.op == Op::kParam) param_evidence_[Index(id)][in.aux] |= r.evidence.of_value[i];
        if (in.op == Op::kLoad && r.body.slots[in.aux].depth > 0) {
          attribute_evidence_[Index(r.body.slots[in.aux].attribute)] |= r.evidence.of_value[i];
        }
        if (in.op == Op::kLoad && r.body.slots[in.aux].depth == 0) {
          binding_evidence_[Index(r.body.slots[in.aux].root)] |= r.evidence.of_value[i];
        }
      }
      (void)params;
    }
  }
}

Value World::OfFact(const facts::Fact& fact) const {
  using R = facts::Result;
  auto index = static_cast<std::uint32_t>(&fact - facts::All().data());
  Value v = Value::Unknown();
  v.strength = Strength::kStrong;
  switch (fact.result) {
    case R::kTensor: v.kind = Kind::kTensor; break;
    case R::kTensors: case R::kList: case R::kDict: case R::kSet: case R::kDeque: v.kind = Kind::kContainer; break;
    case R::kNumber: return Value::Number();
    case R::kModule: v.kind = Kind::kModule; v.ref = 0x80000000u | index; break;
    case R::kOptimizer: v.kind = Kind::kOptimizer; break;
    case R::kScheduler: v.kind = Kind::kScheduler; break;
    case R::kScaler: v.kind = Kind::kScaler; break;
    case R::kLoader: v.kind = Kind::kLoader; break;
    case R::kHandle: v.kind = Kind::kHandle; break;
    case R::kContext: v.kind = Kind::kContext; break;
    case R::kNone: v.kind = Kind::kNone; break;
    case R::kParameters: v.kind = Kind::kParameters; break;
    case R::kEngine: v.kind = Kind::kEngine; break;
    case R::kWriter: v.kind = Kind::kWriter; break;
    default: v.strength = Strength::kNone; break;
  }
  return v;
}

Value World::FromEvidence(std::uint16_t bits, std::string_view name) const {
  Value v = Value::Unknown();
  const bool whole = !(bits & kThroughElement);
  if (LooksLikeOptimizer(name) && (bits & (facts::kIsModule | facts::kIsOptimizer | kIsStepped))) {
    return Value::Of(Kind::kOptimizer, Strength::kMedium);  // load_state_dict is had by both
  }
  // .cuda() and .to() are had by modules and tensors alike.
  const bool either = (bits & facts::kIsModule) && (bits & facts::kIsTensor);
  if (either && !(bits & kIsCalled) && !LooksLikeModule(name)) {
    bits = static_cast<std::uint16_t>(bits & ~facts::kIsModule);
  }
  if ((bits & facts::kIsModule) && (bits & facts::kIsOptimizer) && (bits & kIsStepped)) {
    v = Value::Of(Kind::kOptimizer);
  } else if ((bits & facts::kIsModule) && !(bits & facts::kIsOptimizer)) {
    v = Value::Of(Kind::kModule);
  } else if ((bits & facts::kIsModule) && (bits & kIsCalled)) {
    v = Value::Of(Kind::kModule, Strength::kMedium);
  } else if ((bits & facts::kIsOptimizer) && LooksLikeOptimizer(name)) {
    v = Value::Of(Kind::kOptimizer, Strength::kMedium);
  } else if ((bits & facts::kIsOptimizer) && !(bits & facts::kIsModule)) {
    v = Value::Of(Kind::kOptimizer);
  } else if ((bits & kIsStepped) && LooksLikeOptimizer(name)) {
    v = Value::Of(Kind::kOptimizer, Strength::kMedium);
  } else if (bits & facts::kIsScaler) {
    v = Value::Of(Kind::kScaler);
  } else if ((bits & facts::kIsTensor) && whole && !(bits & kThroughUnknown)) {
    v = Value::Of(Kind::kTensor, Strength::kMedium);
  } else if (LooksLikeScheduler(name)) {
    v = Value::Of(Kind::kScheduler, Strength::kWeak);
  } else if (LooksLikeLoader(name)) {
    v = Value::Of(Kind::kLoader, Strength::kWeak);
  } else if ((bits & kIsCalled) && LooksLikeModule(name)) {
    v = Value::Of(Kind::kModule, Strength::kWeak);
  }
  return v;
}

void World::NoteAttribute(sema::BindingId root, NameId name, bool differentiated) {
  noted_[differentiated ? 0 : 1].insert(std::uint64_t{Index(SelfClass(root))} << 32 | Index(name));
}

bool World::Noted(ClassId cls, NameId name, int which) const {
  const auto has = [&](ClassId c) { return noted_[which].contains(std::uint64_t{Index(c)} << 32 | Index(name)); };
  if (has(sema::kNoClass)) return true;
  if (cls == sema::kNoClass) return false;
  const auto line = module_.Linearize(cls);
  return std::any_of(line.begin(), line.end(), has);
}

Value World::Attribute(ClassId cls, NameId name) const {
  for (ClassId c : module_.Linearize(cls)) {
    auto it = attributes_.find(std::uint64_t{Index(c)} << 32 | Index(name));
    if (it != attributes_.end()) return it->second;
  }
  return {};
}

Value World::Shallow(const Body& body, ValueId value, int depth) const {
  if (value == kNoValue || depth > 6) return Value::Unknown();
  const Instr& in = body[value];
  switch (in.op) {
    case Op::kNumber: case Op::kString: case Op::kFormat: case Op::kTrue: case Op::kFalse: return Value::Number();
    case Op::kCompare: return Value::Unknown();
    case Op::kNone: return Value::Of(Kind::kNone);
    case Op::kList: case Op::kDict: case Op::kSet: return Value::Of(Kind::kContainer);
    case Op::kFunction: {
      Value v = Value::Of(Kind::kFunction);
      v.ref = in.aux;
      return v;
    }
    case Op::kSelect: {
      Value v;
      for (ValueId o : body.Operands(in)) v = Join(v, Shallow(body, o, depth + 1));
      return v;
    }
    case Op::kLoad: {
      const Slot& s = body.slots[in.aux];
      if (s.depth != 0) return Value::Unknown();
      for (std::uint32_t i = 0; i < body.instrs.size() && s.is_local && !module_[s.root].is_param; ++i) {
        const Instr& st = body.instrs[i];
        if (st.op == Op::kStore && st.aux == in.aux) return Shallow(body, body.Operand(st, 0), depth + 1);
      }
      return FromEvidence(binding_evidence_[Index(s.root)], module_.Text(module_[s.root].name));
    }
    case Op::kCall: {
      const Call& call = body.calls[in.aux];
      if (call.fact != nullptr) {
        Value v = OfFact(*call.fact);
        if (call.fact->result == facts::Result::kArgument && call.argc > 0) {
          return Shallow(body, body.Arguments(call)[0].value, depth + 1);
        }
        return v;
      }
      Target t = Resolve(body, call);
      if (t.class_id != sema::kNoClass) {
        Value v = Value::Of(IsModuleClass(t.class_id) ? Kind::kModule : Kind::kInstance);
        v.ref = Index(t.class_id);
        return v;
      }
      if (call.receiver != kNoValue && call.method != sema::kNoName) {  // Net().to(device)
        std::string_view m = module_.Text(call.method);
        const facts::Fact* f = facts::FindMethod("torch.nn.Module", m);
        if (f != nullptr && f->result == facts::Result::kSelf) {
          Value v = Shallow(body, call.receiver, depth + 1);
          if (m == "eval") v.flags |= kInEvalMode;
          return v;
        }
      }
      return Value::Unknown();
    }
    default:
      return Value::Unknown();
  }
}

void World::ShallowValues() {
  for (const FunctionResult& r : results_) {
    if (r.body.TooLarge()) continue;
    for (std::uint32_t i = 0; i < r.body.instrs.size(); ++i) {
      const Instr& in = r.body.instrs[i];
      if (in.op != Op::kStore || in.aux8 == 4) continue;
      const Slot& s = r.body.slots[in.aux];
      if (s.depth == 0) {
        if (r.body.function == sema::FunctionId{0} || module_[module_[s.root].scope].kind == sema::ScopeKind::kClass) {
          Value v = Shallow(r.body, r.body.Operand(in, 0), 0);
          globals_[Index(s.root)] = Join(globals_[Index(s.root)], v);
          ClassId cls = module_[module_[s.root].scope].class_id;
          if (module_[module_[s.root].scope].kind == sema::ScopeKind::kClass && cls != sema::kNoClass) {
            Value& a = attributes_[std::uint64_t{Index(cls)} << 32 | Index(module_[s.root].name)];
            a = Join(a, v);
          }
        }
      } else if (s.depth == 1) {
        ClassId cls = SelfClass(s.root);
        if (cls == sema::kNoClass) continue;
        Value v = in.aux8 == 1 ? Value::Unknown() : Shallow(r.body, r.body.Operand(in, 0), 0);
        Value& a = attributes_[std::uint64_t{Index(cls)} << 32 | Index(s.attribute)];
        if (v.Is(Kind::kUnknown) && a.Reached()) continue;  // a later rebinding says nothing new
        a = a.Is(Kind::kUnknown) || a.Is(Kind::kNone) ? v : Join(a, v);
      }
    }
  }
}

}  // namespace torchleak::flow

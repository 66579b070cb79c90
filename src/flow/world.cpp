// Bodies first, then the call graph, then evidence (twice, so that what callees know of their
// parameters reaches callers), then the shallow values of attributes and globals.
#include "flow/world.h"

#include <algorithm>
#include <utility>

#include "flow/arguments.h"
#include "flow/names.h"

namespace torchleak::flow {

using sema::ClassId;
using sema::FunctionId;
using sema::NameId;

World::World(const sema::Module& module, Links links)
    : module_(module), links_(std::move(links)), methods_(module) {
  static constexpr std::array<std::string_view, 16> kTorch{
      "torch",       "lightning",     "pytorch_lightning", "accelerate", "transformers",
      "torchvision", "ignite",        "fairseq",           "deepspeed",  "timm",
      "fastai",      "horovod.torch", "torchmetrics",      "diffusers",  "monai",
      "mmengine"};
  static constexpr std::array<std::string_view, 6> kForeign{"tensorflow", "jax",   "mxnet",
                                                            "paddle",     "keras", "flax"};
  auto imports = [&](const auto& list) {
    return std::any_of(module.imported_modules().begin(), module.imported_modules().end(),
                       [&](const std::string& m) {
                         std::string_view root = std::string_view(m).substr(0, m.find('.'));
                         return std::any_of(list.begin(), list.end(), [&](std::string_view name) {
                           return name == root || name == m;  // horovod.mxnet is not torch's
                         });
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
  TakeLinks();
  BuildOrder();
  FindHooks();
  CollectEvidence();
  ShallowValues();
  FindParameterless();
  FindNumberKeys();
}

void World::LowerAll() {
  const auto n = static_cast<std::uint32_t>(module_.functions().size());
  results_.resize(module_.function_count());
  roles_.resize(module_.function_count(), Role::kPlain);
  param_evidence_.resize(module_.function_count());
  overridden_.resize(n);
  for (std::uint32_t i = 0; i < n; ++i) {
    FunctionId id{i};
    results_[i].body = Lower(module_, id);
    const sema::Function& f = module_[id];
    param_evidence_[i].resize(f.params.size());
    if (f.class_id == sema::kNoClass || f.name == sema::kNoName) continue;
    std::string_view name = module_.Text(f.name);
    if (name == "forward" && IsModuleClass(f.class_id)) roles_[i] = Role::kForward;
    overridden_[i] = InheritedFact(f.class_id, name);
    if (Around(id) & facts::kResultDifferentiated) roles_[i] = Role::kTrainingStep;
  }
}

// What other files define is known before anything here is analysed.
void World::TakeLinks() {
  auto id = static_cast<std::uint32_t>(module_.functions().size());
  for (std::size_t i = 0; i < links_.functions.size(); ++i, ++id) {
    const auto& [file, index] = links_.functions[i];
    const FunctionInterface& from = file->functions[index];
    results_[id].body.function = FunctionId{id};
    results_[id].summary = std::move(links_.summaries[i]);
    roles_[id] = from.role;
    param_evidence_[id] = from.evidence;
    param_evidence_[id].resize(module_[FunctionId{id}].params.size());
    if (from.decorated != GradMode::kInherit) foreign_modes_.emplace(id, from.decorated);
  }
  auto cls = static_cast<std::uint32_t>(module_.classes().size());
  for (std::size_t i = 0; i < links_.classes.size(); ++i, ++cls) {
    const auto& [file, index] = links_.classes[i];
    if (file->classes[index].frozen) frozen_classes_.insert(cls);
    if (file->classes[index].weightless) weightless_.insert(cls);
    for (const AttributeInterface& a : links_.attributes[i])
      attributes_.emplace(std::uint64_t{cls} << 32 | Index(a.name), a.value);
  }
  std::unordered_set<const Interface*> seen;
  for (const auto& from : links_.classes) {
    if (seen.insert(from.file.get()).second) outside.Add(from.file->uses);
  }
  for (const auto& [binding, value] : links_.globals) globals_[Index(binding)] = value;
}

std::vector<World::AttributeValue> World::Attributes() const {
  std::vector<AttributeValue> out;
  out.reserve(attributes_.size());
  for (const auto& [key, value] : attributes_) {
    if (module_.IsForeign(ClassId{static_cast<std::uint32_t>(key >> 32)})) continue;
    out.push_back({ClassId{static_cast<std::uint32_t>(key >> 32)},
                   NameId{static_cast<std::uint32_t>(key)}, value});
  }
  std::sort(out.begin(), out.end(), [](const auto& a, const auto& b) {
    return std::pair(a.cls, a.name) < std::pair(b.cls, b.name);
  });
  return out;
}

bool World::HasUnknownBase(ClassId cls) const {
  static constexpr std::array<std::string_view, 8> kPlain{"object",
                                                          "abc.ABC",
                                                          "typing.Generic",
                                                          "typing.Protocol",
                                                          "typing.NamedTuple",
                                                          "enum.Enum",
                                                          "collections.abc.Callable",
                                                          "typing_extensions.Protocol"};
  const auto line = module_.Linearize(cls);
  return std::any_of(line.begin(), line.end(), [&](ClassId c) {
    const sema::Class& known = module_[c];
    if (known.bases.size() > known.direct_bases.size()) return true;
    return std::any_of(known.direct_bases.begin(), known.direct_bases.end(), [](const auto& b) {
      return b.cls == sema::kNoClass &&
             std::find(kPlain.begin(), kPlain.end(), b.name) == kPlain.end();
    });
  });
}

bool World::HoldsWeights(const Value& attribute) {
  if (attribute.Is(Kind::kNumber) || attribute.Is(Kind::kNone) || attribute.Is(Kind::kFunction))
    return false;
  if (!attribute.Is(Kind::kModule) || attribute.ref == kNoRef || attribute.ref < kFactRef)
    return true;
  const facts::Fact* call = facts::FindCall(facts::All()[attribute.ref - kFactRef]);
  return call == nullptr || call->graph != facts::Graph::kKeeps;
}

bool World::IsWeightless(ClassId cls) const {
  if (weightless_.contains(Index(cls))) return true;
  static constexpr std::array<std::string_view, 4> kAdds{"register_parameter", "add_module",
                                                         "register_module", "__setattr__"};
  const auto& bases = module_[cls].external_bases;
  if (module_.IsForeign(cls) || bases.size() != 1 || bases.front() != "torch.nn.Module")
    return false;
  for (const ClassId c : module_.Linearize(cls)) {
    if (module_.IsForeign(c)) return false;
    if (module_[c].bases.size() > module_[c].direct_bases.size()) return false;
    for (const auto& [key, value] : attributes_) {
      if (key >> 32 == Index(c) && HoldsWeights(value)) return false;
    }
    for (const auto& [name, method] : module_[c].methods) {
      for (const Call& call : results_[Index(method)].body.calls) {
        const std::string_view m = module_.Text(call.method);
        if (std::find(kAdds.begin(), kAdds.end(), m) != kAdds.end()) return false;
      }
    }
  }
  return true;
}

bool World::ShowsWeights(ClassId cls) const {
  const auto line = module_.Linearize(cls);
  return std::any_of(attributes_.begin(), attributes_.end(), [&](const auto& attribute) {
    const auto& [key, value] = attribute;
    const bool holds =
        value.Is(Kind::kTensor) || value.Is(Kind::kModule) || value.Is(Kind::kParameters);
    return holds && std::find(line.begin(), line.end(),
                              ClassId{static_cast<std::uint32_t>(key >> 32)}) != line.end();
  });
}

bool World::IsModuleClass(ClassId cls) const {
  // A class with a forward() and a base from elsewhere: FairseqEncoder, PreTrainedModel and their
  // kin.
  const bool has_forward =
      module_.FindMethod(cls, std::string_view("forward")) != sema::kNoFunction;
  if (has_forward && HasUnknownBase(cls)) return true;
  if (module_.DerivesFrom(cls, kModuleBases)) return true;
  const auto& bases = module_[cls].external_bases;
  return std::any_of(bases.begin(), bases.end(),
                     [](const std::string& b) { return facts::IsSubclass(b, "torch.nn.Module"); });
}

// By the names that the bases have where they are written: the framework may be part of the
// project.
const facts::Fact* World::InheritedFact(ClassId cls, std::string_view method) const {
  for (ClassId c : module_.Linearize(cls)) {
    for (const sema::Base& base : module_[c].direct_bases) {
      const std::string_view name =
          base.cls == sema::kNoClass ? facts::ClassByName(base.name) : std::string_view(base.name);
      if (const facts::Fact* f = facts::FindListed(name, method)) return f;
    }
  }
  return nullptr;
}

GradMode World::DecoratedMode(FunctionId id) const {
  if (module_.IsForeign(id)) {
    const auto known = foreign_modes_.find(Index(id));
    return known == foreign_modes_.end() ? GradMode::kInherit : known->second;
  }
  const sema::Function& f = module_[id];
  for (syntax::NodeId d : f.decorators) {
    std::string_view text = module_.tree().Text(d);
    if (TurnsGradOff(text)) return GradMode::kOff;
    if (text.find("enable_grad") != std::string_view::npos) return GradMode::kOn;
  }
  if (Around(id) & facts::kCalledWithoutGrad) return GradMode::kOff;
  return GradMode::kInherit;
}

void World::CollectEvidence() {
  for (int round = 0; round < 2; ++round) {
    for (FunctionId id : order_) {
      // The second round is for what callees turned out to know of their parameters.
      if (round > 0 && !calls_within_[Index(id)]) continue;
      FunctionResult& r = results_[Index(id)];
      r.evidence = flow::CollectEvidence(module_, r.body, methods_, *this);
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
    }
  }
}

Value World::OfFact(const facts::Fact& fact) const {
  Value v = OfResult(fact.result);
  if (v.Is(Kind::kModule) || v.Is(Kind::kEngine) || (v.Is(Kind::kUnknown) && fact.is_class))
    v.ref = 0x80000000u | static_cast<std::uint32_t>(&fact - facts::All().data());
  return v;
}

Value World::OfResult(facts::Result result) {
  using R = facts::Result;
  static constexpr std::array<std::pair<R, Kind>, 18> kKinds{{
      {R::kTensor, Kind::kTensor},
      {R::kTensors, Kind::kContainer},
      {R::kList, Kind::kContainer},
      {R::kDict, Kind::kContainer},
      {R::kSet, Kind::kContainer},
      {R::kDeque, Kind::kContainer},
      {R::kModule, Kind::kModule},
      {R::kOptimizer, Kind::kOptimizer},
      {R::kScheduler, Kind::kScheduler},
      {R::kScaler, Kind::kScaler},
      {R::kLoader, Kind::kLoader},
      {R::kHandle, Kind::kHandle},
      {R::kContext, Kind::kContext},
      {R::kNone, Kind::kNone},
      {R::kParameters, Kind::kParameters},
      {R::kEngine, Kind::kEngine},
      {R::kWriter, Kind::kWriter},
      {R::kNumber, Kind::kNumber},
  }};
  if (result == R::kNumber) return Value::Number();
  const auto* it = std::find_if(kKinds.begin(), kKinds.end(),
                                [&](const auto& pair) { return pair.first == result; });
  return it == kKinds.end() ? Value::Unknown() : Value::Of(it->second);
}

const World::NameLooks& World::LooksOf(std::string_view name) const {
  if (const auto known = looks_.find(name); known != looks_.end()) return known->second;
  const NameLooks looks{LooksLikeAccelerator(name), LooksLikeOptimizer(name), LooksLikeModule(name),
                        LooksLikeScheduler(name), LooksLikeLoader(name)};
  return looks_.emplace(name, looks).first->second;
}

Value World::FromEvidence(std::uint16_t bits, std::string_view name) const {
  Value v = Value::Unknown();
  const NameLooks& looks = LooksOf(name);
  if (looks.accelerator) return Value::Of(Kind::kEngine, Strength::kMedium);
  const bool whole = !(bits & kThroughElement);
  if (looks.optimizer && (bits & (facts::kIsModule | facts::kIsOptimizer | kIsStepped))) {
    return Value::Of(Kind::kOptimizer, Strength::kMedium);  // load_state_dict is had by both
  }
  // .cuda() and .to() are had by modules and tensors alike.
  const bool either = (bits & facts::kIsModule) && (bits & facts::kIsTensor);
  if (either && !(bits & kIsCalled) && !looks.module) {
    bits = static_cast<std::uint16_t>(bits & ~facts::kIsModule);
  }
  if ((bits & facts::kIsModule) && (bits & facts::kIsOptimizer) && (bits & kIsStepped)) {
    v = Value::Of(Kind::kOptimizer);
  } else if ((bits & facts::kIsModule) && !(bits & facts::kIsOptimizer)) {
    v = Value::Of(Kind::kModule);
  } else if ((bits & facts::kIsModule) && (bits & kIsCalled)) {
    v = Value::Of(Kind::kModule, Strength::kMedium);
  } else if ((bits & facts::kIsOptimizer) && looks.optimizer) {
    v = Value::Of(Kind::kOptimizer, Strength::kMedium);
  } else if ((bits & facts::kIsOptimizer) && !(bits & facts::kIsModule)) {
    v = Value::Of(Kind::kOptimizer);
  } else if ((bits & kIsStepped) && looks.optimizer) {
    v = Value::Of(Kind::kOptimizer, Strength::kMedium);
  } else if (bits & facts::kIsScaler) {
    v = Value::Of(Kind::kScaler);
  } else if ((bits & facts::kIsTensor) && whole && !(bits & kThroughUnknown)) {
    v = Value::Of(Kind::kTensor, Strength::kMedium);
  } else if (looks.scheduler) {
    v = Value::Of(Kind::kScheduler, Strength::kWeak);
  } else if (looks.loader) {
    v = Value::Of(Kind::kLoader, Strength::kWeak);
  } else if ((bits & kIsCalled) && looks.module) {
    v = Value::Of(Kind::kModule, Strength::kWeak);
  }
  return v;
}

void World::NoteAttribute(sema::BindingId root, NameId name, bool differentiated) {
  noted_[differentiated ? 0 : 1].insert(std::uint64_t{Index(SelfClass(root))} << 32 | Index(name));
}

bool World::Noted(ClassId cls, NameId name, int which) const {
  const auto has = [&](ClassId c) {
    return noted_[which].contains(std::uint64_t{Index(c)} << 32 | Index(name));
  };
  if (has(sema::kNoClass)) return true;
  if (cls == sema::kNoClass) {  // self = rref.local_value(): an object of any class of the file
    for (std::uint32_t c = 0; c < module_.classes().size(); ++c)
      if (has(ClassId{c})) return true;
    return false;
  }
  const auto line = module_.Linearize(cls);
  return std::any_of(line.begin(), line.end(), has);
}

void World::NoteFrozenAttribute(ClassId cls, NameId name) {
  Value& value = attributes_[std::uint64_t{Index(cls)} << 32 | Index(name)];
  if (!value.Is(Kind::kModule)) {
    value = Value::Of(Kind::kModule, Strength::kMedium);
  }
  value.flags |= kFrozen;
}

Value World::Attribute(ClassId cls, NameId name) const {
  for (ClassId c : module_.Linearize(cls)) {
    auto it = attributes_.find(std::uint64_t{Index(c)} << 32 | Index(name));
    if (it != attributes_.end()) return it->second;
  }
  return {};
}

// {name: Meter() for name in names}, [Meter(), Meter()], defaultdict(Meter): the class of what is
// in it, when all of it is of one class of the file.
std::uint32_t World::ElementClass(const Body& body, ValueId value, int depth) const {
  constexpr std::uint32_t kFar = 64;  // instructions of one comprehension
  const Instr& in = body[value];
  std::vector<ValueId> elements;
  if (in.op == Op::kCall) {
    const auto arguments = body.Arguments(body.calls[in.aux]);
    if (arguments.empty() || body[arguments[0].value].op != Op::kLoad) return kNoRef;
    const Slot& s = body.slots[body[arguments[0].value].aux];
    const ClassId made = s.depth == 0 ? module_[s.root].class_id : sema::kNoClass;
    return made == sema::kNoClass || IsModuleClass(made) ? kNoRef : Index(made);
  }
  for (ValueId o : body.Operands(in)) elements.push_back(o);
  const std::uint32_t end =
      std::min<std::uint32_t>(static_cast<std::uint32_t>(body.instrs.size()), Index(value) + kFar);
  for (std::uint32_t i = Index(value) + 1; i < end && elements.empty(); ++i) {
    const Instr& next = body.instrs[i];
    if (next.op == Op::kAppend && body.Operand(next, 0) == value)
      elements.push_back(body.Operand(next, 1));
  }
  std::uint32_t ref = kNoRef;
  for (const ValueId e : elements) {
    const Value v = Shallow(body, e, depth + 1);
    if (!v.Is(Kind::kInstance) || v.ref == kNoRef || (ref != kNoRef && v.ref != ref)) return kNoRef;
    ref = v.ref;
  }
  return ref;
}

Value World::Shallow(const Body& body, ValueId value, int depth) const {
  if (value == kNoValue || depth > 6) return Value::Unknown();
  const Instr& in = body[value];
  switch (in.op) {
    case Op::kNumber:
    case Op::kString:
    case Op::kFormat:
    case Op::kTrue:
    case Op::kFalse:
      return Value::Number();
    case Op::kCompare:
      return Value::Unknown();
    case Op::kUnknown: {  // self.nms = nms, imported from elsewhere: a function or a class
      const bool name = module_.tree().kind(in.node) == syntax::Kind::kIdentifier;
      const sema::BindingId b = name ? module_.BindingOf(in.node) : sema::kNoBinding;
      const bool import = b != sema::kNoBinding && !module_[b].qualified.empty();
      return import ? Value::Of(Kind::kFunction, Strength::kWeak) : Value::Unknown();
    }
    case Op::kNone:
      return Value::Of(Kind::kNone);
    case Op::kList:
    case Op::kDict:
    case Op::kSet: {
      Value v = Value::Of(Kind::kContainer);
      v.ref = ElementClass(body, value, depth);
      return v;
    }
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
      if (const sema::Binding& b = module_[s.root]; b.linked) {
        Value v = Value::Of(b.function != sema::kNoFunction ? Kind::kFunction
                            : b.class_id != sema::kNoClass  ? Kind::kClass
                                                            : Kind::kUnknown);
        if (v.Is(Kind::kFunction)) v.ref = Index(b.function);
        if (v.Is(Kind::kClass)) v.ref = Index(b.class_id);
        return v;
      }
      for (std::uint32_t i = 0; i < body.instrs.size() && s.is_local && !module_[s.root].is_param;
           ++i) {
        const Instr& st = body.instrs[i];
        if (st.op == Op::kStore && st.aux == in.aux)
          return Shallow(body, body.Operand(st, 0), depth + 1);
      }
      return FromEvidence(binding_evidence_[Index(s.root)], module_.Text(module_[s.root].name));
    }
    case Op::kCall: {
      const Call& call = body.calls[in.aux];
      if (call.fact != nullptr) {
        Value v = OfFact(*call.fact);
        if (call.fact->name.starts_with("collections.defaultdict"))
          v.ref = ElementClass(body, value, depth);
        if (call.fact->result == facts::Result::kDeque && HasMaxLength(module_, body, call))
          v.flags |= kBounded;
        if (v.Is(Kind::kModule) && SizeOfLoss(module_, body, call) != Size::kScalar)
          v.size = Size::kSized;
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
          if (m == "eval") {  // torch.load(path).eval()
            if (v.Is(Kind::kUnknown) && call.argc == 0) v = Value::Of(Kind::kModule);
            v.flags |= kInEvalMode;
          }
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
  std::unordered_set<std::uint64_t> one_of_several;  // objects of different classes, by branch
  for (const FunctionResult& r : results_) {
    if (r.body.TooLarge()) continue;
    for (std::uint32_t i = 0; i < r.body.instrs.size(); ++i) {
      const Instr& in = r.body.instrs[i];
      if (in.op != Op::kStore || in.aux8 == 4) continue;
      const Slot& s = r.body.slots[in.aux];
      if (s.depth == 0) {
        if (r.body.function == sema::FunctionId{0} ||
            module_[module_[s.root].scope].kind == sema::ScopeKind::kClass) {
          Value v = Shallow(r.body, r.body.Operand(in, 0), 0);
          globals_[Index(s.root)] = Join(globals_[Index(s.root)], v);
          ClassId cls = module_[module_[s.root].scope].class_id;
          if (module_[module_[s.root].scope].kind == sema::ScopeKind::kClass &&
              cls != sema::kNoClass) {
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
        const std::uint64_t key = std::uint64_t{Index(cls)} << 32 | Index(s.attribute);
        if (one_of_several.contains(key)) continue;
        const bool fresh = a.Is(Kind::kUnknown) || a.Is(Kind::kNone);
        a = fresh ? v : Join(a, v);
        if (!fresh && a.Is(Kind::kUnknown)) one_of_several.insert(key);
      }
    }
  }
}

}  // namespace torchleak::flow

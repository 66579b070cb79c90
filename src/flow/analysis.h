// FunctionAnalysis: the forward analysis of one function, to a fixpoint over its blocks.
//
// Variables are flow-sensitive (strong updates); what containers and objects hold is
// flow-insensitive per function and only grows, so the sweep is repeated until it is stable. A last
// pass with the stable states records the events. Private to the flow layer.
#pragma once

#include <optional>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "flow/world.h"

namespace torchleak::flow {

struct State {
  std::vector<Value> slots;
  GradMode mode = GradMode::kInherit;
  bool reached = false;
};

// False for numbers, None and modules: keeping those is nobody's leak.
bool WorthKeeping(const Value& what);

class FunctionAnalysis {
 public:
  FunctionAnalysis(World& world, sema::FunctionId function);
  void Run();

 private:
  // analysis.cpp
  void Solve();
  bool Sweep(bool all);
  void Block(BlockId id, State& state);
  bool JoinInto(State& to, const State& from);
  Value Transfer(ValueId id, const Instr& in);
  Value Load(ValueId id, SlotId slot);
  Value EntryValue(ValueId id, SlotId slot);
  Value ParamValue(ValueId id, std::uint32_t index);
  Value AnnotatedValue(const sema::Param& param) const;
  void FindBoundMethods();
  void MarkActivation(std::uint32_t index, unsigned origin, Value* value);
  Value AttributeOf(ValueId id, const Value& base, sema::NameId name);
  Value PartOf(const Value& base, std::uint16_t bits) const;
  Value ElementOf(const Value& base);
  Value ItemOf(const Value& base, std::uint32_t key, bool slice);
  bool IteratesNames(const Instr& in) const;
  bool Accumulates(ValueId value,
                   SlotId slot) const;  // x = x + v, x = cat((x, v)), and not x = f(x)
  bool JoinedByHelper(const Call& call, SlotId slot) const;  // x = lerp(x, v), of the project
  bool SecondIsIndices(const Instr& in) const;
  std::optional<Value> IteratedPart(const Instr& in);
  Value Arithmetic(const Instr& in);
  Value Allocate(ValueId id, const Instr& in);
  void EnterWith(ValueId id, const Instr& in, Value* out);
  void SetMode(GradMode mode) { state_->mode = mode; }

  // analysis_store.cpp
  void Assign(ValueId id, const Instr& in);
  void SetAttribute(ValueId id, const Instr& in);
  void GradAttribute(ValueId id, sema::NameId name, const Value& base, const Value& what);
  void Freeze(ValueId id, const Value& parameters);
  void NoteFrozen(SlotId slot);
  SlotId PlaceOf(ValueId value) const;
  void SetItem(ValueId id, const Instr& in);
  void Delete(ValueId id, const Instr& in);
  void StoreInto(ValueId id, ValueId stored, const Value& base, const Value& what, StoreKind kind,
                 SlotId slot, sema::NameId attribute);
  void LongerTensor(ValueId id, ValueId stored, const Value& what, SlotId slot);
  void ChainStore(ValueId id, ValueId stored, const Value& what, SlotId slot,
                  sema::NameId attribute, Objects sinks, Value* updated);
  void AddReset(ValueId id, SlotId slot, const Value& base, sema::NameId attribute, bool shrinks);
  void PutField(Objects objects, std::uint32_t key, const Value& what);
  Value Deep(const Value& v) const;

  // analysis_method.cpp: each step either knows the call or leaves it to the next
  Value AsModule(const Call& call, const Value& receiver);
  std::optional<Value> HookMethod(ValueId id, const Call& call, const Value& receiver);
  std::optional<Value> ForwardMethod(ValueId id, const Call& call, const Value& receiver);
  std::optional<Value> OwnMethod(ValueId id, const Call& call, const Value& receiver);
  std::optional<Value> GradMethod(ValueId id, const Call& call, const Value& receiver);
  std::optional<Value> ContainerMethod(ValueId id, const Call& call, const Value& receiver);
  std::optional<Value> KindMethod(ValueId id, const Call& call, const Value& receiver);
  std::optional<Value> CalledAttribute(ValueId id, const Call& call, const Value& receiver);
  std::optional<Value> TellingMethod(ValueId id, const Call& call, const Value& receiver);
  std::optional<Value> MaybeTensorMethod(ValueId id, const Call& call, const Value& receiver);

  // analysis_call.cpp, analysis_module.cpp, analysis_fact.cpp
  std::uint32_t GradKey(const Value& optimizer, SlotId slot) const;  // as GradOp::key
  unsigned MakeGraph(ValueId id, OriginKind kind,
                     Strength strength);  // an origin that carries a graph from here on
  Value CallOf(ValueId id, const Call& call);
  Value ApplyFact(ValueId id, const Call& call, const facts::Fact& fact, const Value* receiver);
  Value CallOfLibraryObject(ValueId id, const Call& call, const Value& callee);
  Value SubjectOf(const Call& call, int index, const Value* receiver) const;
  const FunctionResult* ForwardOf(const Value& module) const;
  Value Parts(ValueId id, const Summary& forward, const Value& whole);
  int TargetOf(const Call& call, const facts::Fact& fact) const;
  Value FactResult(ValueId id, const Call& call, const facts::Fact& fact, const Value* receiver);
  void ModeEffects(const Call& call, const facts::Fact& fact, const Value* receiver);
  void StoreEffects(ValueId id, const Call& call, const facts::Fact& fact, const Value& receiver);
  // analysis_inplace.cpp
  void InPlaceEffects(ValueId id, const Call& call, const facts::Fact& fact, const Value& receiver);
  void AddIntoElement(ValueId id, const Call& call, const Value& receiver);
  ValueId HolderOf(const Call& call) const;
  SlotId WrittenTo(const Call& call) const;
  void GradEffects(ValueId id, const Call& call, const facts::Fact& fact, const Value& subject);
  void PlaceAndSize(const Call& call, const facts::Fact& fact, const Value* receiver,
                    Value* value) const;
  void FactEffects(ValueId id, const Call& call, const facts::Fact& fact, const Value* receiver);
  Value MethodCall(ValueId id, const Call& call, const Value& receiver);
  bool IsNoForward(const Call& call) const;
  Value RunModule(ValueId id, const Call& call, const Value& module, SlotId slot);
  Value UnknownCall(ValueId id, const Call& call, const Value* receiver);
  void HoldIn(Objects objects, const Value& what);  // they may hold it from now on
  Value MakeInstance(ValueId id, const Call& call, sema::ClassId cls);
  void Differentiate(ValueId id, const Call& call, const Value& what, bool through_grad);
  void AddHook(ValueId id, const Call& call, const Value& receiver);
  Value Tensor(ValueId id, const Origins& origins, Strength strength) const;
  Origins ArgumentOrigins(const Call& call, int skip) const;
  const Argument* Keyword(const Call& call, std::string_view name) const;
  Value ArgumentValue(const Call& call, unsigned index) const;
  std::string_view CalleeText(const Call& call) const;  // last part of a dotted callee
  SlotId BaseSlot(const Call& call) const;              // of `m` in m.eval().requires_grad_(False)
  bool IsTrue(const Argument* argument) const;
  bool IsFalse(const Argument* argument) const;
  Value Tuple(ValueId id, const std::vector<Value>& parts);

  // analysis_summary.cpp
  struct Bound {  // what stands for one parameter of the callee
    Value value;
    ValueId id = kNoValue;
    SlotId slot = kNoSlot;
  };
  Value ApplySummary(ValueId id, const Call& call, sema::FunctionId callee, const Value* self,
                     bool bound);
  Value ApplyTo(ValueId id, sema::FunctionId callee, const std::vector<Bound>& args);
  void ApplyStores(ValueId id, sema::FunctionId callee, const std::vector<Bound>& args);
  bool Evaluates(ValueId id, const Summary& callee, const std::vector<Bound>& args);
  void ApplyModules(ValueId id, const FunctionResult& callee, const std::vector<Bound>& args,
                    unsigned origin);
  Value Result(ValueId id, const FunctionResult& callee, const std::vector<Bound>& args,
               unsigned* origin);
  Value Translate(const Returned& v, const std::vector<Bound>& args, unsigned origin);
  std::vector<Bound> BindArguments(const Call& call, sema::FunctionId callee, const Value* self,
                                   bool bound) const;
  Objects SinkObjects(const Sink& sink, const std::vector<Bound>& args, SlotId* slot);

  // analysis_summarize.cpp
  void BuildSummary();
  bool RunsUnknown() const;
  Returned ToReturned(const Value& v) const;
  Site SiteOf(ValueId id) const;
  std::vector<Site> TrailOf(const Store& store) const;
  void SummarizeReturns();
  void SummarizeStores();
  bool ToSink(SlotId slot, Sink* out) const;
  std::uint64_t ParamsOf(const Origins& origins) const;

  // origins and objects: stable by instruction over all sweeps
  unsigned OriginFor(ValueId id, OriginKind kind, std::uint32_t ref = kNoKey);
  unsigned ObjectFor(ValueId id, ObjectKind kind);
  unsigned EntryObject(SlotId slot);
  Objects Bit(unsigned object) const { return Objects{1} << object; }

  std::uint16_t EvidenceOf(ValueId id) const { return r_.evidence.of_value[Index(id)]; }
  std::string_view SlotName(SlotId slot) const;
  std::string_view NameText(sema::NameId name) const {
    return name == sema::kNoName ? std::string_view{} : world_.module().Text(name);
  }
  const Value& Of(ValueId id) const { return r_.values[Index(id)]; }
  bool OverHeldOut(LoopId loop) const;

  World& world_;
  FunctionResult& r_;
  const Body& body_;
  Role role_;
  std::vector<State> in_;              // by block
  State* state_ = nullptr;             // of the block being run
  std::vector<bool> dirty_;            // blocks whose entry state has changed since they ran
  std::vector<bool> is_bound_method_;  // slots
  std::vector<bool> is_callee_;        // loads of `x.method` that are only called
  std::vector<GradMode> saved_mode_;   // by kEnterWith instruction
  std::unordered_map<std::uint64_t, unsigned> origin_ids_;
  std::unordered_map<std::uint64_t, unsigned> object_ids_;
  bool recording_ = false;  // the final pass
  bool heap_changed_ = false;
};

}  // namespace torchleak::flow

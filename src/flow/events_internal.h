// What the event builders share. Private to the flow layer and to src/patterns/sight.cpp.
#pragma once

#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "flow/events.h"
#include "flow/world.h"

namespace torchleak::flow {

// Everything that the value reaches: a container hands on the graphs of what it holds.
Value Deep(const FunctionResult& r, const Value& v);

class EventBuilder {
 public:
  EventBuilder(const World& world, FileEvents* out) : world_(world), out_(out) {}
  void Kept();      // events_kept.cpp
  void Forwards();  // events_forward.cpp
  void Retained();  // events_grad.cpp
  void StaleSteps();
  void LeftOvers();  // events_leftover.cpp
  void Hooks();      // events_hook.cpp, events_hook_once.cpp, events_handle.cpp

  // What `why` needs to know too.
  Graph GraphOf(const FunctionResult& r, const Origins& origins, Strength* strength,
                bool* in_eval) const;
  // Loops in which the place grows: those around the store that do not hold its creation or a
  // reset.
  sema::ClassId StoreClass(const FunctionResult& r, const Store& store) const;
  bool Evaluates(sema::FunctionId function) const;
  bool InTest(sema::FunctionId function) const;
  bool MadeHere(const FunctionResult& r, const HookAdded& h) const;
  bool GivesBack(const FunctionResult& r, SlotId slot) const;
  bool CollectsOutside(const Body& body, bool on_own_part = false) const;
  bool GuardCovers(const Body& body, std::uint32_t outer, std::uint32_t inner) const;
  bool OverData(const FunctionResult& r, LoopId loop, bool strictly) const;
  bool OverLoader(const Body& body, LoopId loop) const;  // for batch in train_loader
  bool HookRemovedByOwner(sema::FunctionId hook, sema::BindingId place) const;
  bool GainsKeys(const FunctionResult& r, const Store& store, LoopId growing) const;
  LoopId GrowingLoop(const FunctionResult& r, const Store& store, KeptEvent* event) const;
  std::string Short(syntax::NodeId node) const;  // one line, at most 48 characters
  std::string SlotText(const Body& body, SlotId slot) const {
    return flow::SlotText(module(), body, slot);
  }
  text::Span HeaderSpan(syntax::NodeId statement) const;  // `for x in y`, without the body

 private:
  bool OfModule(const FunctionResult& r) const;
  bool AnswersRequests(sema::FunctionId function) const;
  bool EvalHere(const FunctionResult& r, SlotId module_slot) const;
  bool Toggles(const Body& body) const;
  bool OnlyAsserted(const FunctionResult& r, const Forward& f) const;
  bool JudgedAtCall(const FunctionResult& r, const Forward& f, const ForwardEvent& e) const;
  void LeftOver(const FunctionResult& r, const GradOp& step, const std::vector<GradOp>& line) const;
  bool UnderTest(const Body& body, std::uint32_t guard, std::string_view text, bool negated) const;
  bool EvaluatesByBranch(const FunctionResult& r, const Forward& f) const;  // events_both_modes.cpp
  bool IsReferenceBeside(const FunctionResult& r, const Forward& f) const;  // events_reference.cpp
  bool IsTrained(std::string_view path) const;
  static Step StepAt(const Site& site, std::string message);
  // Dismissal::kNone when the event is one.
  Dismissal KeptOne(const FunctionResult& r, const Store& store, KeptEvent* event) const;
  void NameKept(const FunctionResult& r, const Store& store, KeptEvent* event) const;
  void KeptSteps(const FunctionResult& r, const Store& store, Graph graph, KeptEvent* event) const;
  Cleared ClearedElsewhere(const FunctionResult& r, const Store& store, text::Span* at) const;
  Need Needed(const FunctionResult& r, const Store& store, LoopId loop, bool live,
              bool in_eval) const;
  bool StepsIn(const FunctionResult& r, LoopId loop) const;
  bool HookOne(const FunctionResult& r, const HookAdded& h, HookEvent* e) const;
  sema::BindingId OwnerOf(const Body& body, sema::BindingId root) const;
  bool PilesUp(const FunctionResult& r, const HookAdded& h, LoopId at) const;
  void WhatItKeeps(const FunctionResult& r, const HookAdded& h, HookEvent* e) const;
  void OwnerMadeInLoop(const FunctionResult& r, HookEvent* e) const;
  void Handle(const FunctionResult& r, const HookAdded& h, HookEvent* e) const;
  bool OnceByFlag(const FunctionResult& r, ValueId at, int depth) const;
  bool SetForGood(sema::ClassId cls, std::string_view flag) const;
  static bool LeavesLoop(const Body& body, ValueId at, LoopId loop);
  bool BecomesPart(const FunctionResult& r, const HookAdded& h) const;
  bool OverOwnModules(const FunctionResult& r, const HookAdded& h) const;
  bool KeptByOwner(const FunctionResult& r) const;
  sema::NameId AttributeGiven(const Body& body, ValueId value) const;
  bool RemovedByName(sema::NameId attribute) const;
  bool ReplacedInEachForward(const FunctionResult& r, const HookAdded& h) const;
  bool ReadByHook(sema::BindingId variable) const;
  bool KeptNode(const FunctionResult& r, const HookAdded& h) const;
  // First backward() of the function that walks the origin; an empty span when none does.
  text::Span BackwardOf(const FunctionResult& r, unsigned origin) const;
  // Where it is handed to code nobody knows, as far as one place can be named; for `why` only.
  text::Span HandedOnAt(const FunctionResult& r, unsigned origin) const;
  bool ReadElsewhere(const FunctionResult& r, const Store& store) const;
  bool ComesTrueAgain(const Body& body, std::uint32_t guard, LoopId loop) const;
  // events_kept_meant.cpp
  bool IsDocumented(const FunctionResult& r, sema::NameId attribute) const;
  bool IsCache(const FunctionResult& r, const Store& store, const KeptEvent& e) const;
  bool ReadsParts(sema::NameId attribute) const;
  bool TurnedOff(const FunctionResult& r, const Store& store) const;
  bool MadeWithout(const FunctionResult& r, ValueId made, sema::ClassId cls,
                   std::string_view flag) const;
  bool BehindSwitch(const FunctionResult& r, const Store& store) const;
  // events_kept_small.cpp
  bool IsLabels(const Body& body, ValueId value) const;
  bool IsMeasure(const Body& body, ValueId value) const;
  bool OfBatch(const FunctionResult& r, ValueId value) const;
  bool OnlyRearranges(const FunctionResult& r, ValueId value) const;
  bool OverChunks(const FunctionResult& r, LoopId loop) const;
  bool WalkBack(const FunctionResult& r, ValueId value, bool* called) const;
  std::string_view CalleeName(const Call& call) const;
  bool AskedFor(const FunctionResult& r, std::uint32_t guard) const;
  std::string PlaceAtCall(const FunctionResult& r, const Store& store) const;
  bool OfArgument(const FunctionResult& r, const Store& store) const;
  bool OfUnknownCall(const FunctionResult& r, const Store& store) const;
  static bool InPlainLocal(const FunctionResult& r, const Store& store);
  bool GuardCounts(const Body& body, std::uint32_t guard, LoopId loop, bool* small) const;

  const sema::Module& module() const { return world_.module(); }
  std::string_view Text(syntax::NodeId node) const { return module().tree().Text(node); }
  text::Span Span(syntax::NodeId node) const { return module().tree().Span(node); }
  std::string_view FunctionName(sema::FunctionId f) const;
  bool IsStatement(syntax::NodeId call) const {  // its result is thrown away: f(x), _ = f(x)
    const syntax::Tree& tree = module().tree();
    const syntax::NodeId parent = tree.Parent(call);
    if (parent == syntax::kNoNode) return false;
    if (tree.kind(parent) == syntax::Kind::kExpressionStatement) return true;
    return tree.kind(parent) == syntax::Kind::kAssignment &&
           Text(tree.Child(parent, syntax::Field::kLeft)) == "_";
  }

  // Where an attribute of this name is read and reset, over the whole file: looking through all
  // functions for each event would be quadratic in generated code.
  struct AttributePlaces {
    std::vector<std::pair<sema::FunctionId, std::uint32_t>> reads;   // index of a kGetAttr or kLoad
    std::vector<std::pair<sema::FunctionId, std::uint32_t>> resets;  // index into resets
  };
  const AttributePlaces& UsesOf(sema::NameId attribute) const;

  const World& world_;
  FileEvents* out_;
  mutable std::vector<AttributePlaces> uses_;  // by name, made when first asked for
  mutable std::unordered_map<std::uint32_t, bool> reads_parts_;
};

}  // namespace torchleak::flow

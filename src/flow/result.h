// FunctionResult: what the analysis of one function found, in terms of its own body.
//
// Filled by the final pass over a function; whole-file passes (callers, attributes) then refine it,
// and events.cpp turns it into the events that rules see.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "flow/evidence.h"
#include "flow/ir.h"
#include "flow/value.h"

namespace torchleak::flow {

enum class GradMode : std::uint8_t { kInherit, kOn, kOff, kUnknown };

enum class Role : std::uint8_t {
  kPlain,
  kForward,       // forward of an nn.Module
  kTrainingStep,  // a framework calls it each step and differentiates its result: training_step
  kForwardHook,
  kForwardPreHook,
  kBackwardHook,
  kTensorHook,
};

enum class OriginKind : std::uint8_t {
  kModuleCall,    // a module ran
  kCall,          // an unknown call whose result is differentiated or used as a tensor
  kCallee,        // a function of this file made the graph inside
  kHookArgument,  // a hook's input or output, an activation given to forward
  kParam,         // whatever the caller passes
  kEntry,         // whatever an attribute, global or captured variable holds
  kStore,         // a store into a container or a running value, not a graph by itself
  kHandle,        // a hook handle, followed to its remove()
};

struct Origin {
  OriginKind kind = OriginKind::kCall;
  ValueId value = kNoValue;  // defining instruction
  syntax::NodeId node = syntax::kNoNode;
  std::uint32_t ref = kNoKey;  // parameter index, slot, or store index, by kind
  sema::FunctionId callee = sema::kNoFunction;
  GradMode mode = GradMode::kInherit;  // when it was made
  Strength strength = Strength::kNone;
  bool makes_graph = false;
  bool in_eval = false;          // made by a module in eval mode
  bool freed_in_callee = false;  // backward() already ran on it inside the callee
  bool scalar = false;
};

enum class ObjectKind : std::uint8_t { kAllocation, kInstance, kEntry };

// Something that can hold values: a container or instance made here, or what a slot holds at entry.
struct Object {
  ObjectKind kind = ObjectKind::kAllocation;
  ValueId value = kNoValue;                    // allocation
  SlotId slot = kNoSlot;                       // entry
  sema::BindingId binding = sema::kNoBinding;  // entry of a variable that only a callee touches
  LoopId loop = kNoLoop;                       // where it is made
  sema::ClassId class_id = sema::kNoClass;
  bool bounded = false;
  bool generator = false;
  bool in_comprehension = false;
};

// A parameter, `self`, a captured or global variable, or an attribute path on one of them.
struct Sink {
  enum class Root : std::uint8_t { kParam, kBinding } root = Root::kParam;
  std::uint32_t index = 0;
  std::uint8_t depth = 0;
  sema::NameId path[kMaxPath] = {sema::kNoName, sema::kNoName, sema::kNoName};
  bool operator==(const Sink&) const = default;
};

enum class StoreKind : std::uint8_t {
  kGrow,   // append, extend, add: one more element each time
  kKeyed,  // d[k] = v: one more each time the key is new
  kSlot,   // one place, overwritten
  kChain,  // x = x + v, x += v, x = cat((x, v)): refers to all earlier values
};

struct Store {
  StoreKind kind = StoreKind::kGrow;
  ValueId value = kNoValue;   // instruction that stores
  ValueId stored = kNoValue;  // instruction of what is stored
  syntax::NodeId node = syntax::kNoNode;
  Value what;  // deep: origins of what is kept
  Objects sinks = 0;
  SlotId slot = kNoSlot;                        // of a chain or slot store
  sema::NameId attribute = sema::kNoName;       // last name of the place, when it is an attribute
  unsigned origin = kOverflowOrigin;            // its kStore origin
  sema::FunctionId callee = sema::kNoFunction;  // the store happens inside this callee …
  std::uint32_t inner = kNoKey;                 // … as this entry of its summary
  GradMode mode = GradMode::kInherit;
};

// A place in the code. Summaries name places of other files too, whose paths outlive their
// interfaces.
using PathPtr = std::shared_ptr<const std::string>;
struct Site {
  text::Span span;
  PathPtr path = nullptr;  // null: the file under analysis
  bool operator==(const Site& other) const {
    return span == other.span && (path == other.path || (path != nullptr && other.path != nullptr &&
                                                         *path == *other.path));
  }
};

// From a call to the end of its callee's trail; of a long one the middle goes, the end matters.
std::vector<Site> TrailThrough(const text::Span& call, const std::vector<Site>& inner);

// A store whose value depends on parameters: callers decide whether it leaks.
struct StoreSummary {
  Sink sink;
  StoreKind kind = StoreKind::kGrow;
  std::uint64_t params = 0;       // parameters whose graph is kept
  std::uint64_t bare_params = 0;  // … kept as they are, whatever they are
  std::vector<Site> trail;        // from here through helpers to the line that keeps it
  bool reset_in_function = false;
  // Of a kKeyed store: the parameters that its key is made of; or nobody can tell what it is.
  std::uint64_t key_params = 0;
  bool key_varies = true;
  bool operator==(const StoreSummary&) const = default;
};

// A module that a function runs in the grad mode of its caller.
struct ForwardSummary {
  Sink module;
  Site site;
  bool unused = false;  // nothing of its output comes back
  bool operator==(const ForwardSummary&) const = default;
};

struct Backward {
  ValueId value = kNoValue;
  syntax::NodeId node = syntax::kNoNode;
  Origins origins;
  bool retains = false;         // retain_graph=True or create_graph=True without retain_graph=False
  bool retain_written = false;  // retain_graph=True stands there
  bool through_grad = false;    // autograd.grad: .grad stays as it is
  bool direct = false;          // not inside a callee
};

struct Forward {
  ValueId value = kNoValue;
  syntax::NodeId node = syntax::kNoNode;
  unsigned origin = kOverflowOrigin;
  SlotId module_slot = kNoSlot;
  Strength strength = Strength::kNone;
  GradMode mode = GradMode::kInherit;
  bool in_eval = false;
  bool by_name = false;  // an attribute that only its name makes a module
  bool direct = true;    // false: inside a callee, at `inner`
  Site inner;
  bool unused = false;  // … where nothing uses the gradient
  bool frozen = false;
  bool over_held_out = false;  // in a loop over held-out data
};

enum class GradOpKind : std::uint8_t {
  kBackward,
  kStep,
  kClear,
  kClearAll,
  kMayClear,
  kMayClearAll,
  kCallee
};

inline constexpr std::uint32_t kSlotKey = 1u << 20;

// What happens to gradients, in program order; the input of the zero_grad analysis.
struct GradOp {
  GradOpKind kind = GradOpKind::kBackward;
  ValueId value = kNoValue;
  std::uint32_t key = kNoKey;  // optimizer: an object, or kSlotKey + slot when it has none
  Strength strength = Strength::kNone;
  sema::FunctionId callee = sema::kNoFunction;
};

struct HookAdded {
  ValueId value = kNoValue;
  syntax::NodeId node = syntax::kNoNode;
  unsigned origin = kOverflowOrigin;
  Objects target_objects = 0;
  SlotId target_slot = kNoSlot;
  bool on_tensor = false;
  bool target_is_param = false;             // registered on something handed in
  bool target_is_local = false;             // … on something made in this call
  std::vector<sema::FunctionId> functions;  // the hook, when known
};

// A call of a function of this file.
struct CallEdge {
  sema::FunctionId callee;
  ValueId value;
  GradMode mode;
  unsigned origin = kOverflowOrigin;  // of the result, when it has one
  bool evaluates = false;             // runs a module in eval mode there, with grad on
};

struct Reset {
  ValueId value = kNoValue;
  SlotId slot = kNoSlot;  // variable or attribute path rebound or deleted …
  Objects objects = 0;    // … or objects cleared
  sema::NameId attribute = sema::kNoName;
  bool shrinks = false;  // pop, slice: some elements leave
};

// What a function does to the gradients of one optimizer, as a transition of the automaton of
// grad_clearing.h: for each state at entry the states at exit.
using GradTable = std::array<std::uint8_t, 6>;

struct GradEffect {
  Sink sink;  // optimizer
  GradTable table{};
  std::uint8_t flagged_from = 0;  // states at entry from which a step here is stale
  std::vector<Site> trail;        // from here through helpers to that step
  std::string optimizer;          // its text there
  Strength strength = Strength::kNone;
  bool operator==(const GradEffect&) const = default;
};

// The same when a parameter of the function, which a branch tests, is known to be true or false.
struct GradVariant {
  std::uint32_t param = 0;
  bool truth = false;
  bool by_default = false;  // the parameter's default value
  std::vector<GradEffect> effects;
  GradTable other{};  // of every other optimizer
  bool operator==(const GradVariant&) const = default;
};

// A step on gradients that hold more than its own backward.
struct StaleStep {
  ValueId value = kNoValue;  // the step, or the call that makes it
  std::vector<Site> trail;   // from the call to the step; empty when it is here
  std::string optimizer;
  Strength strength = Strength::kNone;
  bool only_if_repeated = false;  // stale only when this function runs again and again
};

// What a result, or a part of it, is in terms of the parameters.
struct Returned {
  Value value;                // without origins and objects
  bool graph = false;         // it carries a graph that was made inside
  std::uint64_t params = 0;   // … and those of these parameters
  std::uint64_t objects = 0;  // parameters that it may be, or be part of
  bool operator==(const Returned&) const = default;
};

// All that callers learn of a function. It refers to nothing of the function's own body, so that it
// can travel to other files.
struct Summary {
  bool ready = false;
  Returned ret;
  std::vector<std::pair<std::uint32_t, Returned>> ret_fields;
  bool ret_makes_graph = false, ret_freed = false, ret_in_eval = false;
  Strength ret_strength = Strength::kNone;
  GradMode ret_mode = GradMode::kInherit;
  bool yields = false;
  GradMode yield_mode = GradMode::kInherit;  // in the block of `with f():`
  std::uint64_t ret_params = 0;              // parameters whose graph the result carries
  std::uint64_t ret_modules = 0;             // parameters that ran as modules to make the result
  std::uint64_t differentiated = 0, escaped = 0, freed = 0;  // parameters
  std::vector<StoreSummary> stores;
  std::vector<std::pair<Sink, bool>> modes;  // modules left in eval (true) or train mode
  std::vector<ForwardSummary> forwards;
  std::vector<Sink> resets;
  std::vector<GradEffect> grad_effects;
  GradTable grad_default{};  // transition of every other optimizer
  std::vector<GradVariant> grad_variants;
  bool runs_backward = false, has_grad_ops = false, steps = false;
  bool differentiates = false;  // something inside reaches a backward() or grad() inside
  bool runs_unknown = false;    // … or may, in code that is not in sight
  bool leaves_graph = false;    // something with a graph, on its object or beyond it
  bool operator==(const Summary&) const = default;
};

// What is known of a function's callers, of this file or of all files of the project.
struct CallerFacts {
  GradMode entry_mode = GradMode::kInherit;  // kOff when every caller holds no_grad
  bool has_callers = false;                  // visible ones
  bool within_init = false;                  // a method that only __init__ of its class runs
  bool within_forward = false;               // a method that only forward of its module runs
  bool called_in_loop = false;
  bool has_unknown_callers = false;  // handed around as a value
  bool only_handed_on = false;       // … each of them returns what it gets, and has none itself
  bool evaluated = false;            // some caller runs a module in eval mode in it, with grad on
  bool result_differentiated = false, result_escapes = false, result_used = false;
  bool operator==(const CallerFacts&) const = default;

  // May what it returns be walked by a backward() that is not in sight?
  bool result_leaves() const { return !has_callers || result_escapes || result_differentiated; }
};

struct FunctionResult : CallerFacts {
  Body body;
  Evidence evidence;
  bool analyzed = false;
  bool over_budget = false;
  std::vector<Value> values;    // by instruction, after the final pass
  std::vector<GradMode> modes;  // by instruction, kept for `why`
  std::vector<Origin> origins;
  std::vector<Object> objects;
  std::vector<Value> contents;                                       // by object
  std::vector<std::vector<std::pair<std::uint32_t, Value>>> fields;  // by object, constant keys
  std::vector<Store> stores;
  std::vector<Backward> backwards;
  std::vector<Forward> forwards;
  std::vector<HookAdded> hooks;
  std::vector<GradOp> grad_ops;
  std::vector<StaleStep> stale_steps;
  std::vector<CallEdge> calls;
  std::vector<Reset> resets;
  std::vector<std::pair<SlotId, bool>> mode_ops;  // .eval() (true) and .train() on slots
  Origins graph_mask;                             // origins that make a graph
  Origins differentiated;                         // reached by a backward()
  Origins freed;                                  // … that did not retain
  Origins escaped;                                // handed to code nobody knows, yielded, raised
  Origins returned;
  Origins removed;                // handles whose remove() is called
  Origins kept;                   // stored in something that outlives the call
  bool wants_input_grad = false;  // requires_grad on an input: attribution, attack
  Summary summary;
};

}  // namespace torchleak::flow

// FileEvents: what happens in one file, in the words that rules decide on.
//
// flow::Analyze turns a module into events; every judgement that needs the code (is it cleared each
// turn? does any caller differentiate it? is it inside a hook?) is made here, so that a rule is a
// predicate over plain fields plus a message.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "flow/attribute_uses.h"
#include "flow/call_graph.h"
#include "flow/link.h"
#include "flow/value.h"
#include "sema/module.h"
#include "text/source.h"

namespace torchleak::flow {

class World;

enum class Graph : std::uint8_t { kNone, kFreed, kLive };  // saved activations gone or still there

// Where a value is kept.
enum class Place : std::uint8_t {
  kLocalContainer,  // made in this function, outside the loop
  kLocalVariable,   // total = total + loss
  kAttribute,       // self.losses, meter.sum
  kGlobal,          // module or class level, or captured from an enclosing function
  kParameter,       // a container that the caller passed in
};

enum class Growth : std::uint8_t { kSlot, kGrows, kChain };

// When the place is emptied again.
enum class Cleared : std::uint8_t {
  kNever,
  kLate,      // at the end of an epoch, on a condition that may never hold
  kEachTurn,  // within the iteration, step or episode that fills it
};

// Why a graph may still be wanted.
enum class Need : std::uint8_t {
  kNone,
  kBackward,           // a backward() of this function walks it
  kCallersBackward,    // it is returned, and a caller in this file differentiates the result
  kAttributeBackward,  // the file differentiates what the attribute holds
  kHandedOn,           // given to code nobody knows, yielded or raised
  kReturned,           // returned to callers that cannot all be seen, or that hand it on
  kAttributeHandedOn,  // likewise with what the attribute holds
  kInputGradient,      // the gradient of an input is asked for
};

// What keeps a place small.
enum class Bound : std::uint8_t {
  kNone,
  kMaxLength,
  kFewTurns,
  kSmallGuard,
  kResetByCallee,
  kHookRemoved
};

// Why a candidate is no event. Only `FileEvents::dismissed` holds such candidates.
enum class Dismissal : std::uint8_t {
  kNone,
  kNoTensor,        // not known to be a tensor
  kCallersValue,    // an argument: what it is, is judged at each call
  kGenerator,       // a generator: one element at a time
  kDiesInTime,      // made, filled and dropped within one turn or call
  kTooManyObjects,  // more containers than the analysis follows
  kGradOff,
  kGradUnknown,
  kFrozen,
  kNeeded,
  kSameModule,    // another forward of the same module speaks for it
  kJudgedAtCall,  // the module is handed in: its callers, which run it in eval mode, are told
  kDroppedOnce,   // one run whose output is thrown away: lazy layers, shapes, a warm-up
  kWalkedAgain,
  kForeignGraph,
};

struct Step {
  text::Span span;
  std::string message;
  std::string path = {};  // of another file; empty: this one
};

struct EventBase {
  sema::FunctionId function;
  text::Span span;         // what is underlined
  std::vector<Step> flow;  // created here -> … -> outlives here
  Strength strength = Strength::kNone;
  bool in_test = false;  // a unit test: its memory is nobody's concern
  Dismissal dismissal = Dismissal::kNone;
  Need need = Need::kNone;  // the reason for `needed`, where there is one
  text::Span needed_at;     // empty when no single place can be named
  // Which store, forward, backward or hook of the function's result it is; of a step, the
  // instruction. For repair/.
  std::uint32_t record = kNoKey;
};

// A value is stored in something that outlives the iteration or call that made it.
struct KeptEvent : EventBase {
  std::string what, where;  // source text: "loss", "self.losses"
  Graph graph = Graph::kNone;
  Place place = Place::kLocalContainer;
  Growth growth = Growth::kGrows;
  Cleared cleared = Cleared::kNever;
  text::Span cleared_at;       // empty: never
  Bound bound = Bound::kNone;  // the reason for `bounded`
  Residency residency = Residency::kUnknown;
  Size size = Size::kUnknown;
  bool tensor = false;     // known to be a tensor or to hold tensors
  bool small = false;      // a comparison's outcome, a class, a loss: beside what it is made of
  bool of_batch = false;   // an entry of the batch, moved or not; nothing that is computed
  bool in_loop = false;    // grows within this very function
  bool over_data = false;  // … in a loop over batches, steps or epochs, not over layers or fields
  bool bounded = false;    // deque(maxlen), short loop, guarded by len()
  bool needed = false;     // a backward() uses it, or may
  bool in_eval = false;    // made by a module in eval mode or for evaluation
  bool in_forward = false, in_training_step = false, in_hook = false;
  bool bare_argument = false;     // an argument of forward, as it came
  bool read_elsewhere = false;    // the attribute is read outside the storing function
  bool documented = false;        // … or it is an output by its name or its class's docstring
  bool cache = false;             // filled for the next call, which reads it
  bool switched = false;          // stored only while a flag of self, off at first, is on
  bool module_attribute = false;  // attribute of an nn.Module or LightningModule
};

// A module ran with grad enabled.
struct ForwardEvent : EventBase {
  std::string module;    // source text
  bool in_eval = false;  // the module is in eval mode
  bool evaluation_function = false, over_held_out = false;
  bool needed = false;  // its output reaches a backward(), or callers unknown to us may use it so
  bool unused_gradient =
      false;              // all uses drop the graph: detach, argmax, comparison, regression target
  bool guarded = false;   // grad is off in every caller
  bool repeated = false;  // in a loop, or called from one
  bool frozen = false;
  // Records of other forwards of the same module in this function, for which this event speaks.
  std::vector<std::uint32_t> also;
  std::vector<text::Span> also_at;
};

struct RetainedEvent : EventBase {
  std::string what;
  bool used_again = false;  // a later backward walks the same graph
  bool kept = false;        // the loss or a state is kept across iterations
};

struct StaleStepEvent : EventBase {
  std::string optimizer;
  bool left_over = false;  // by another optimizer's backward()
};

struct HookEvent : EventBase {
  bool removed = false, returned = false, handed_on = false, stored = false;
  bool dropped = false;   // the handle is thrown away at once
  bool replaced = false;  // by the next forward's, before anybody removes it
  bool in_loop = false, in_init = false, in_forward = false;
  bool owner_made_in_loop = false;  // __init__ of a class that is instantiated in a loop
  bool kept_by_owner = false;       // by __init__, for a method that returned the handle
  bool on_short_lived_tensor = false;
  bool on_kept_node = false;   // of autograd, kept on an object for the sake of its hook
  bool keeps_output = false;   // the hook stores what it sees
  bool captures = false;       // the hook refers to something outside itself
  bool on_own_module = false;  // self.layer of the class itself, for its whole life
  bool opt_in = false;         // only when a parameter says so: if collect_grads:
  std::uint32_t row = 0;       // equal for those that are registered in one straight line
};

// Candidates that no rule can report, whatever it decides on.
struct DismissedEvents {
  bool wanted = false;
  std::vector<KeptEvent> kept;
  std::vector<ForwardEvent> forwards;
  std::vector<RetainedEvent> retained;
};

struct FileEvents {
  const sema::Module* module = nullptr;
  std::vector<KeptEvent> kept;
  std::vector<ForwardEvent> forwards;
  std::vector<RetainedEvent> retained;
  DismissedEvents dismissed;  // for `why`
  std::vector<StaleStepEvent> stale_steps;
  std::vector<HookEvent> hooks;
  std::vector<text::Span> syntax_errors;
  std::vector<std::uint32_t> parts;    // where they begin: one, or the cells of a notebook
  std::shared_ptr<const World> world;  // for `why` and for repair/
  bool callers_known = false;          // nobody in another file can call what is defined here
  bool forwards_do_more = false;       // see flow/known_code.h; of the project, as far as known
};

// What the rest of the project turned out to know of a file, once all files had been looked at.
struct ProjectFacts {
  std::vector<CallerFacts> callers;  // by FunctionId
  LooseModes loose;                  // calls by name, of the file and those that import it
  AttributeUses uses;                // by the files that import it
  std::vector<std::vector<std::string>> outside_calls;  // by FunctionId, for `why`: "a.py:3"
  bool forwards_do_more = false;                        // see flow/known_code.h
  bool operator==(const ProjectFacts&) const = default;
};

struct AnalyzeOptions {
  Links links = {};                       // what other files define
  const ProjectFacts* project = nullptr;  // null: callers of this file only
  bool imported_by_none = false;          // no file of the project imports this one
  bool with_dismissed = false;            // `why` asks for the dismissed candidates too
};

FileEvents Analyze(const sema::Module& module, AnalyzeOptions options = {});

}  // namespace torchleak::flow

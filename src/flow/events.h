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

#include "findings/finding.h"
#include "flow/value.h"
#include "sema/module.h"

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

struct Step {
  text::Span span;
  std::string message;
};

struct EventBase {
  sema::FunctionId function;
  text::Span span;               // what is underlined
  std::vector<Step> flow;        // created here -> … -> outlives here
  Strength strength = Strength::kNone;
};

// A value is stored in something that outlives the iteration or call that made it.
struct KeptEvent : EventBase {
  std::string what, where;       // source text: "loss", "self.losses"
  Graph graph = Graph::kNone;
  Place place = Place::kLocalContainer;
  Growth growth = Growth::kGrows;
  Cleared cleared = Cleared::kNever;
  Residency residency = Residency::kUnknown;
  Size size = Size::kUnknown;
  bool tensor = false;           // known to be a tensor or to hold tensors
  bool in_loop = false;          // grows within this very function
  bool bounded = false;          // deque(maxlen), short loop, guarded by len()
  bool needed = false;           // a backward() uses it, or may
  bool in_eval = false;          // made by a module in eval mode or for evaluation
  bool in_forward = false, in_training_step = false, in_hook = false;
  bool bare_argument = false;    // an argument of forward, as it came
  bool read_elsewhere = false;   // the attribute is read outside the storing function
  bool module_attribute = false; // attribute of an nn.Module or LightningModule
};

// A module ran with grad enabled.
struct ForwardEvent : EventBase {
  std::string module;            // source text
  bool in_eval = false;          // the module is in eval mode
  bool evaluation_function = false, over_held_out = false;
  bool needed = false;           // its output reaches a backward(), or callers unknown to us may use it so
  bool unused_gradient = false;  // all uses drop the graph: detach, argmax, comparison, regression target
  bool guarded = false;          // grad is off in every caller
  bool repeated = false;         // in a loop, or called from one
  bool frozen = false;
};

struct RetainedEvent : EventBase {
  std::string what;
  bool used_again = false;       // a later backward walks the same graph
  bool kept = false;             // the loss or a state is kept across iterations
};

struct StaleStepEvent : EventBase {
  std::string optimizer;
};

struct HookEvent : EventBase {
  bool removed = false, returned = false, handed_on = false, stored = false;
  bool dropped = false;          // the handle is thrown away at once
  bool in_loop = false, in_init = false, in_forward = false;
  bool owner_made_in_loop = false;  // __init__ of a class that is instantiated in a loop
  bool on_short_lived_tensor = false;
  bool keeps_output = false;     // the hook stores what it sees
  bool captures = false;         // the hook refers to something outside itself
  bool on_own_module = false;    // self.layer of the class itself, for its whole life
};

struct FileEvents {
  const sema::Module* module = nullptr;
  std::vector<KeptEvent> kept;
  std::vector<ForwardEvent> forwards;
  std::vector<RetainedEvent> retained;
  std::vector<StaleStepEvent> stale_steps;
  std::vector<HookEvent> hooks;
  std::vector<text::Span> syntax_errors;
  std::shared_ptr<const World> world;  // for `why`
};

FileEvents Analyze(const sema::Module& module);

}  // namespace torchleak::flow

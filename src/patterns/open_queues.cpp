#include "patterns/open_queues.h"

#include <algorithm>
#include <utility>

#include "flow/world.h"
#include "patterns/words.h"

namespace torchleak::patterns {

using flow::Body;
using flow::Call;
using flow::FunctionResult;
using flow::Instr;
using flow::LoopId;
using flow::Op;
using flow::SlotId;
using flow::Strength;
using flow::ValueId;
using sema::Index;

namespace {

// In the loop something waits, takes out or counts.
bool WaitsIn(const Sight& sight, const FunctionResult& r, LoopId loop) {
  for (std::uint32_t i = 0; i < r.body.instrs.size(); ++i) {
    const Instr& in = r.body.instrs[i];
    if (in.op != Op::kCall || !r.body.Within(r.body.LoopOf(ValueId{i}), loop)) continue;
    const std::string_view name = LastName(CalledText(sight, r.body.calls[in.aux]));
    for (std::string_view waits : {"result", "popleft", "pop", "len", "wait", "acquire", "join",
                                   "as_completed", "qsize", "full", "get", "done", "synchronize"})
      if (name == waits) return true;
  }
  return false;
}

// A tensor, or a batch by where it comes from.
bool CarriesTensors(const Sight& sight, const FunctionResult& r, ValueId value) {
  if (r.values[Index(value)].Is(flow::Kind::kTensor)) return true;
  const std::string_view text = sight.Text(r.body[value].node);
  const std::string_view name = LastName(text);
  if (name == "batch" || name == "tensor" || name == "torch.save" || name == "save") return true;
  if (r.body[value].op == Op::kCall) {  // batch.to(device): only tensors, and what holds them
    const Call& call = r.body.calls[r.body[value].aux];
    const std::string_view method = sight.module().Text(call.method);
    if (method == "to" || method == "cuda" || method == "cpu" || method == "detach" ||
        method == "pin_memory")
      return true;
  }
  for (std::size_t o = 0; o < r.objects.size() && o < r.contents.size(); ++o) {
    if ((r.values[Index(value)].objects >> o & 1) != 0 &&
        r.objects[o].kind == flow::ObjectKind::kAllocation &&
        r.body[r.objects[o].value].op != Op::kCall && r.contents[o].Is(flow::Kind::kTensor))
      return true;
  }
  const Instr& in = r.body[value];
  if (in.op != Op::kTuple && in.op != Op::kDict && in.op != Op::kList) return false;
  return std::ranges::any_of(r.body.Operands(in), [&](ValueId o) {
    return o != flow::kNoValue && r.values[Index(o)].Is(flow::Kind::kTensor);
  });
}

// Where a queue is kept: a variable, or an attribute of a class's objects.
struct QueuePlace {
  std::string_view name;
  sema::BindingId root{};              // of a variable
  sema::ClassId cls = sema::kNoClass;  // of an attribute of `self`
  bool variable = false, limited = false;
  text::Span made;
};

QueuePlace PlaceOf(const Sight& sight, const Body& body, SlotId id) {
  QueuePlace place;
  if (id == flow::kNoSlot) return place;
  const flow::Slot& slot = body.slots[Index(id)];
  place.name = NameOf(sight, body, id);
  place.variable = slot.depth == 0;
  place.root = slot.root;
  if (slot.depth == 1) place.cls = sight.world().SelfClass(slot.root);
  return place;
}

bool IsSame(const QueuePlace& a, const QueuePlace& b) {
  if (a.variable != b.variable) return false;
  if (a.variable) return a.root == b.root;
  return a.name == b.name && a.cls == b.cls && a.cls != sema::kNoClass;
}

// Places of queues that are made in this file, with where that is.
std::vector<QueuePlace> Queues(const Sight& sight) {
  std::vector<QueuePlace> places;
  for (const FunctionResult& r : sight.world().results()) {
    if (!r.analyzed) continue;
    for (const Instr& in : r.body.instrs) {
      if (in.op != Op::kStore || r.body.Operand(in, 0) == flow::kNoValue) continue;
      const Instr& made = r.body[r.body.Operand(in, 0)];
      if (made.op != Op::kCall) continue;
      const Call& call = r.body.calls[made.aux];
      const std::string_view callee = LastName(CalledText(sight, call));
      const bool simple = callee == "SimpleQueue";
      if (!simple && callee != "Queue" && callee != "LifoQueue" && callee != "JoinableQueue")
        continue;
      const std::string_view text = sight.Text(call.node);
      QueuePlace place = PlaceOf(sight, r.body, SlotId{in.aux});
      place.limited = !simple && call.argc > 0 && !text.ends_with("(0)") &&
                      !text.ends_with("maxsize=0)") && !text.ends_with("(-1)");
      place.made = sight.Span(in.node);
      places.push_back(place);
    }
  }
  return places;
}

// The queue that a put() fills, when it has no limit: the one that its place was given; where that
// is an argument or another object's, one of that name, as long as none of that name has a limit.
const QueuePlace* OpenQueue(const std::vector<QueuePlace>& places, const QueuePlace& filled) {
  const auto same = [&](const QueuePlace& p) { return IsSame(p, filled); };
  const auto named = [&](const QueuePlace& p) { return p.name == filled.name; };
  const bool known = std::ranges::any_of(places, same);
  const QueuePlace* open = nullptr;
  for (const QueuePlace& p : places) {
    if (!(known ? same(p) : named(p))) continue;
    if (p.limited) return nullptr;
    if (open == nullptr) open = &p;
  }
  return open;
}

void Puts(const Sight& sight, std::vector<UnboundedJobs>* events) {
  const std::vector<QueuePlace> places = Queues(sight);
  if (places.empty()) return;
  for (std::string_view method : {"put", "put_nowait"}) {
    for (const CallSite& site : sight.calls().OfMethod(method)) {
      const FunctionResult& r = *site.r;
      const LoopId loop = sight.LoopAround(r, site.value);
      if (loop == flow::kNoLoop || site.call->argc == 0) continue;
      const QueuePlace filled = PlaceOf(sight, r.body, site.call->receiver_slot);
      if (filled.name.empty()) continue;
      const QueuePlace* made = OpenQueue(places, filled);
      if (made == nullptr) continue;
      if (!CarriesTensors(sight, r, r.body.Arguments(*site.call)[0].value)) continue;
      if (WaitsIn(sight, r, loop)) continue;
      UnboundedJobs e;
      Place(sight, site, &e);
      e.queue = std::string(filled.name);
      e.flow.push_back({made->made, "made without a limit"});
      e.flow.push_back({e.span, "filled here, as fast as the loop turns"});
      events->push_back(std::move(e));
    }
  }
}

}  // namespace

std::vector<UnboundedJobs> UnboundedQueues(const Sight& sight) {
  std::vector<UnboundedJobs> events;
  if (sight.Mentions("Queue(")) Puts(sight, &events);
  if (sight.Mentions("Executor")) {
    for (const CallSite& site : sight.calls().OfMethod("submit")) {
      const FunctionResult& r = *site.r;
      const LoopId loop = sight.LoopAround(r, site.value);
      if (loop == flow::kNoLoop || WaitsIn(sight, r, loop)) continue;
      const auto arguments = r.body.Arguments(*site.call);
      if (arguments.size() < 2 || r.body.loops[Index(loop)].is_short) continue;
      const bool tensors = std::ranges::any_of(
          arguments, [&](const auto& a) { return CarriesTensors(sight, r, a.value); });
      if (!tensors) continue;
      UnboundedJobs e;
      Place(sight, site, &e);
      e.queue = sight.Short(
          r.body[site.call->receiver == flow::kNoValue ? site.value : site.call->receiver].node);
      e.submitted = true;
      e.flow.push_back({e.span, "waits in the executor, with its arguments"});
      e.flow.push_back(
          {sight.HeaderSpan(loop, r.body), "one more in each turn; none is waited for"});
      events.push_back(std::move(e));
    }
  }
  std::ranges::sort(events, {}, [](const auto& e) { return e.span.begin; });
  return events;
}

}  // namespace torchleak::patterns

// flow records such an update as a chain: a store of something made from the place's own old value.
// What is asked here is whether the place is a buffer.
#include "patterns/running_buffer.h"

#include <algorithm>
#include <array>

#include "flow/events_internal.h"
#include "flow/world.h"

namespace torchleak::patterns {

using flow::FunctionResult;
using flow::Instr;
using flow::Op;
using flow::Store;
using sema::Index;

namespace {

bool MakesTensor(const flow::Body& body, const Instr& made) {
  constexpr std::array<std::string_view, 6> kMakers{"torch.zeros", "torch.ones",   "torch.full",
                                                    "torch.empty", "torch.tensor", "torch.eye"};
  if (made.op != Op::kCall || body.calls[made.aux].fact == nullptr) return false;
  return std::ranges::find(kMakers, body.calls[made.aux].fact->name) != kMakers.end();
}

bool NamesStatistic(std::string_view name) {
  constexpr std::array<std::string_view, 7> kParts{"running", "moving", "ema",    "_avg",
                                                   "mean",    "var",    "centers"};
  return std::ranges::any_of(kParts, [&](auto part) { return name.find(part) != name.npos; });
}

}  // namespace

RunningBuffers::RunningBuffers(const Sight& sight) : sight_(sight) {
  const sema::Module& m = sight.module();
  for (const CallSite& site : sight.calls().OfMethod("register_buffer")) {
    const flow::Argument* name = sight.ArgumentOf(site, "name", 0);
    const sema::ClassId owner = m[site.r->body.function].class_id;
    if (name == nullptr || owner == sema::kNoClass) continue;
    if (site.r->body[name->value].op != Op::kString) continue;
    std::string_view text = sight.Text(site.r->body[name->value].node);
    while (!text.empty() && (text.front() == '"' || text.front() == '\'')) text.remove_prefix(1);
    while (!text.empty() && (text.back() == '"' || text.back() == '\'')) text.remove_suffix(1);
    registered_.emplace(Index(owner), text);
  }
  for (const FunctionResult& r : sight.world().results()) {
    const sema::Function& f = m[r.body.function];
    if (f.class_id == sema::kNoClass || m.Text(f.name) != "__init__") continue;
    for (const Instr& in : r.body.instrs) {
      if (in.op != Op::kStore || r.body.slots[in.aux].depth != 1) continue;
      const std::string_view name = m.Text(r.body.slots[in.aux].attribute);
      if (NamesStatistic(name) && MakesTensor(r.body, r.body[r.body.Operand(in, 0)]))
        made_.emplace(Index(f.class_id), name);
    }
  }
}

bool RunningBuffers::IsBuffer(const FunctionResult& r, const Store& store, bool* registered) const {
  if (store.kind != flow::StoreKind::kChain || store.attribute == sema::kNoName) return false;
  const sema::ClassId cls = flow::EventBuilder(sight_.world(), nullptr).StoreClass(r, store);
  if (cls == sema::kNoClass || !sight_.world().IsModuleClass(cls)) return false;
  const bool own = store.slot == flow::kNoSlot || r.body.slots[Index(store.slot)].depth == 1;
  if (!own) return false;
  const std::string_view name = sight_.module().Text(store.attribute);
  bool made = false;
  for (const sema::ClassId c : sight_.module().Linearize(cls)) {
    *registered |= registered_.contains({Index(c), name});
    made |= made_.contains({Index(c), name});
  }
  // a subclass of BatchNorm that does it by hand
  const bool inherited = name == "running_mean" || name == "running_var";
  if (inherited && !*registered && !made) {
    for (const std::string& base : sight_.module()[cls].external_bases)
      *registered |= base.starts_with("torch.nn.") && base.find("Norm") != base.npos;
  }
  return *registered || made;
}

// self.mean = self.mean.detach(), or self.mean.detach_(), where the update has just happened.
bool RunningBuffers::CutAfter(const FunctionResult& r, const Store& store) const {
  for (std::uint32_t i = Index(store.value) + 1; i < r.body.instrs.size(); ++i) {
    const Instr& in = r.body.instrs[i];
    if (in.op == Op::kStore && flow::SlotId{in.aux} == store.slot && in.aux8 != 1) {
      const flow::Value& stored = r.values[Index(r.body.Operand(in, 0))];
      if (stored.Reached() && stored.origins.none()) return true;
    }
    if (in.op != Op::kCall) continue;
    const flow::Call& call = r.body.calls[in.aux];
    if (call.receiver_slot == store.slot && sight_.module().Text(call.method) == "detach_")
      return true;
  }
  return false;
}

bool RunningBuffers::Has(const flow::KeptEvent& event) const {
  const FunctionResult& r = sight_.world().result(event.function);
  if (event.record >= r.stores.size() || event.growth != flow::Growth::kChain) return false;
  bool registered = false;
  return IsBuffer(r, r.stores[event.record], &registered);
}

std::vector<RunningBufferEvent> RunningBuffers::Updates() const {
  std::vector<RunningBufferEvent> out;
  const flow::EventBuilder builder(sight_.world(), nullptr);
  for (const FunctionResult& r : sight_.world().results()) {
    const flow::Role role = sight_.world().role(r.body.function);
    const bool forward =
        role == flow::Role::kForward || role == flow::Role::kTrainingStep || r.within_forward;
    if (!r.analyzed || !forward) continue;
    for (const Store& s : r.stores) {
      RunningBufferEvent e;
      bool eval = false;
      if (!IsBuffer(r, s, &e.registered)) continue;
      if (builder.GraphOf(r, s.what.origins, &e.strength, &eval) == flow::Graph::kNone) continue;
      if (s.mode == flow::GradMode::kOff || eval || CutAfter(r, s)) continue;
      e.function = r.body.function;
      e.span = sight_.Span(s.node);
      e.in_test = sight_.InTest(e.function);
      e.where = flow::SlotText(sight_.module(), r.body, s.slot);
      // What is normalised inside a network comes from layers with weights.
      e.strength = std::max(e.strength, flow::Strength::kMedium);
      e.record = static_cast<std::uint32_t>(&s - r.stores.data());
      for (const flow::KeptEvent& kept : sight_.events().kept)
        if (kept.function == e.function && kept.record == e.record) e.flow = kept.flow;
      if (e.where.empty()) e.where = "self." + std::string(sight_.module().Text(s.attribute));
      if (e.flow.empty()) e.flow.push_back({e.span, "made from its own old value here"});
      out.push_back(std::move(e));
    }
  }
  std::ranges::sort(out, {}, [](const auto& e) { return e.span.begin; });
  return out;
}

}  // namespace torchleak::patterns

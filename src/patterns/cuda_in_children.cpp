#include "patterns/cuda_in_children.h"

#include <algorithm>
#include <array>
#include <set>

#include "flow/world.h"
#include "patterns/forks.h"

namespace torchleak::patterns {

using flow::FunctionResult;
using flow::Instr;
using flow::kNoValue;
using flow::Op;
using flow::ValueId;
using sema::Index;

namespace {

using Event = CudaInChildEvent;

// What the workers of a loader run of a dataset.
constexpr std::array<std::string_view, 4> kWorkerMethods{"__getitem__", "__getitems__", "__iter__",
                                                         "__next__"};
constexpr std::size_t kMaxWork = 16;

class Finder {
 public:
  explicit Finder(const Sight& sight)
      : sight_(sight), trace_(sight), cuda_(sight, trace_), loaders_(sight, trace_) {}

  std::vector<Event> Run() {
    for (const LoaderSite& loader : loaders_.all()) {
      if (loader.workers != Workers::kSome) continue;
      OfDataset(loader);
      for (const std::string_view keyword : {"collate_fn", "worker_init_fn"}) {
        const flow::Argument* function = sight_.ArgumentOf(loader.site, keyword);
        if (function == nullptr) continue;
        for (const sema::FunctionId f :
             sight_.world().FunctionsOf(loader.site.r->body, function->value))
          InWorker(f, {}, loader);
      }
    }
    for (const Fork& fork : Forks(sight_, trace_)) OfFork(fork);
    std::ranges::sort(events_, {}, [](const Event& e) { return e.span.begin; });
    return std::move(events_);
  }

 private:
  Event* Add(sema::FunctionId function, text::Span span, Event::Form form) {
    if (!reported_.insert(span.begin).second) return nullptr;
    Event& e = events_.emplace_back();
    e.function = function;
    e.span = span;
    e.form = form;
    e.strength = flow::Strength::kStrong;
    e.in_test = sight_.InTest(function);
    e.flow.push_back({span, "uses CUDA"});
    return &e;
  }

  // The class of the dataset, and the call that makes it: through names, subsets and splits.
  void OfDataset(const LoaderSite& loader) {
    std::vector<Trace::Place> work{{loader.site.r, loader.dataset}};
    for (std::size_t done = 0; !work.empty() && done < kMaxWork; ++done) {
      const FunctionResult& r = *work.back().r;
      const ValueId value = work.back().value;
      work.pop_back();
      const ValueId made = value == kNoValue ? kNoValue : trace_.Made(r, value);
      if (made == kNoValue) continue;
      const Instr& in = r.body[made];
      if (in.op == Op::kUnpack) work.push_back({&r, r.body.Operand(in, 0)});
      for (const Trace::Place& beyond : trace_.Beyond({&r, made})) work.push_back(beyond);
      if (in.op != Op::kCall) continue;
      const flow::Call& call = r.body.calls[in.aux];
      const auto target = sight_.world().Resolve(r.body, call);
      if (target.class_id != sema::kNoClass) {
        OfClass(target.class_id, {&r, made}, loader);
      } else if (call.fact != nullptr && call.fact->name.starts_with("torch.utils.data.")) {
        for (const flow::Argument& argument : r.body.Arguments(call))
          work.push_back({&r, argument.value});
      }
    }
  }

  void OfClass(sema::ClassId cls, const Trace::Caller& made, const LoaderSite& loader) {
    for (const std::string_view name : kWorkerMethods) {
      const sema::FunctionId method = sight_.module().FindMethod(cls, name);
      if (method != sema::kNoFunction) InWorker(method, made, loader);
    }
    const sema::FunctionId init = sight_.module().FindMethod(cls, std::string_view("__init__"));
    if (init == sema::kNoFunction || sight_.module().IsForeign(init)) return;
    const FunctionResult& r = sight_.world().result(init);
    for (std::uint32_t i = 0; i < r.body.instrs.size(); ++i) {
      const Instr& in = r.body.instrs[i];
      if (in.op != Op::kStore || r.body.slots[in.aux].depth != 1) continue;
      const flow::Slot& slot = r.body.slots[in.aux];
      if (sight_.world().SelfClass(slot.root) == sema::kNoClass) continue;
      if (!OnCuda(r, r.body.Operand(in, 0), made) || !ReadByWorkers(cls, slot.attribute)) continue;
      const text::Span span = sight_.Span(in.node);
      Event* e = Add(init, span, Event::Form::kKeptByDataset);
      if (e != nullptr) Used(loader, e);
    }
  }

  // What is stored is moved last, or nothing but arithmetic is done with it after that.
  bool OnCuda(const FunctionResult& r, ValueId value, const Trace::Caller& caller) const {
    std::vector<ValueId> work{value};
    for (std::size_t done = 0; !work.empty() && done < kMaxWork; ++done) {
      const ValueId made = trace_.Made(r, work.back());
      work.pop_back();
      if (made == kNoValue) continue;
      if (cuda_.Starts(r, made, caller)) return true;
      const Instr& in = r.body[made];
      if (in.op == Op::kSelect || in.op == Op::kTuple || in.op == Op::kBinary)
        for (const ValueId operand : r.body.Operands(in)) work.push_back(operand);
    }
    return false;
  }

  bool ReadByWorkers(sema::ClassId cls, sema::NameId attribute) const {
    for (const std::string_view name : kWorkerMethods) {
      const sema::FunctionId method = sight_.module().FindMethod(cls, name);
      if (method == sema::kNoFunction || sight_.module().IsForeign(method)) continue;
      const flow::Body& body = sight_.world().result(method).body;
      if (std::ranges::any_of(body.slots, [&](const flow::Slot& s) {
            return s.depth > 0 && s.attribute == attribute;
          }))
        return true;
    }
    return false;
  }

  void InWorker(sema::FunctionId function, const Trace::Caller& made, const LoaderSite& loader) {
    if (sight_.module().IsForeign(function) || AsksForWorker(function)) return;
    const FunctionResult& r = sight_.world().result(function);
    bool any = false;
    for (std::uint32_t i = 0; i < r.body.instrs.size(); ++i) {
      if (!cuda_.Starts(r, ValueId{i}, made)) continue;
      any = true;
      if (Event* e = Add(function, sight_.Span(r.body.instrs[i].node), Event::Form::kInWorker))
        Used(loader, e);
    }
    if (any) return;
    const auto use = cuda_.Within(function);
    if (!use) return;
    const text::Span call = sight_.Span(r.body[use->at].node);
    if (Event* e = Add(function, call, Event::Form::kInWorker)) {
      e->flow.back().message = "called here";
      e->flow.push_back({use->inner, "uses CUDA"});
      Used(loader, e);
    }
  }

  // Code that tells a worker from the process itself knows what it does.
  bool AsksForWorker(sema::FunctionId function) const {
    const std::string_view text = sight_.Text(sight_.module()[function].node);
    return text.find("get_worker_info") != text.npos;
  }

  void Used(const LoaderSite& loader, Event* e) const {
    e->flow.push_back({sight_.Span(loader.site.call->node), "run by the workers of this loader"});
  }

  // What of CUDA has run when the fork happens: in the function, in those that call it, or when the
  // file was imported.
  std::optional<CudaUse::Use> StartedBefore(const CallSite& site) const {
    std::vector<Trace::Caller> work{{site.r, site.value}};
    std::set<std::uint32_t> seen;
    while (!work.empty() && seen.size() < kMaxWork) {
      const Trace::Caller at = work.back();
      work.pop_back();
      if (const auto use = cuda_.Before(*at.r, at.call)) return use;
      if (!seen.insert(Index(at.r->body.function)).second) continue;
      for (const Trace::Caller& caller : trace_.CallersOf(at.r->body.function)) {
        work.push_back(caller);
        if (work.size() > kMaxWork) break;
      }
    }
    const FunctionResult& top = sight_.world().results().front();
    return site.r == &top ? std::nullopt : cuda_.AtImport(top);
  }

  void OfFork(const Fork& fork) {
    const auto started = StartedBefore(fork.site);
    if (!started) return;
    text::Span use = HandedOver(fork);
    std::string_view how = "handed to the child";
    for (const sema::FunctionId child : fork.children) {
      const auto inside = cuda_.Within(child);
      if (!inside) continue;
      use = inside->inner;
      how = "used in the child";
      break;
    }
    if (use.begin == use.end) return;
    const text::Span span = sight_.Span(fork.site.call->node);
    Event* e = Add(fork.site.r->body.function, span, Event::Form::kForked);
    if (e == nullptr) return;
    e->flow.front() = {started->inner, "CUDA is started here"};
    e->flow.push_back({span, "forked here"});
    e->flow.push_back({use, std::string(how)});
  }

  // Of Process(target=…, args=(model, …)): what lies on the device; an empty span when nothing
  // does.
  text::Span HandedOver(const Fork& fork) const {
    const FunctionResult& r = *fork.site.r;
    const flow::Argument* given = sight_.ArgumentOf(fork.site, "args");
    if (given == nullptr) return {};
    const ValueId tuple = trace_.Made(r, given->value);
    if (tuple == kNoValue || r.body[tuple].op != Op::kTuple) return {};
    for (const ValueId part : r.body.Operands(r.body[tuple])) {
      if (OnCuda(r, part, {}) || MovedBefore(r, part, fork.site.value))
        return sight_.Span(r.body[part].node);
    }
    return {};
  }

  // model.cuda(), as a statement.
  bool MovedBefore(const FunctionResult& r, ValueId part, ValueId at) const {
    if (r.body[part].op != Op::kLoad) return false;
    const flow::SlotId slot{r.body[part].aux};
    for (std::uint32_t i = 0; i < Index(at); ++i) {
      const Instr& in = r.body.instrs[i];
      if (in.op != Op::kCall || r.body.calls[in.aux].receiver_slot != slot) continue;
      if (r.values[i].Is(flow::Kind::kModule) && cuda_.Starts(r, ValueId{i})) return true;
    }
    return false;
  }

  const Sight& sight_;
  const Trace trace_;
  const CudaUse cuda_;
  const Loaders loaders_;
  std::set<std::uint32_t> reported_;  // by where they begin
  std::vector<Event> events_;
};

}  // namespace

std::vector<CudaInChildEvent> CudaInChildren(const Sight& sight) { return Finder(sight).Run(); }

}  // namespace torchleak::patterns

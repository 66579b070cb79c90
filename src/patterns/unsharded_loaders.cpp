#include "patterns/unsharded_loaders.h"

#include <algorithm>
#include <array>
#include <string>

#include "flow/world.h"

namespace torchleak::patterns {

using flow::FunctionResult;
using flow::Instr;
using flow::kNoValue;
using flow::LoopId;
using flow::Op;
using flow::ValueId;
using sema::Index;

namespace {

constexpr std::string_view kWrapper = "torch.nn.parallel.DistributedDataParallel";
// Frameworks that divide the data by themselves, wherever the file speaks of them.
constexpr std::array<std::string_view, 6> kFrameworks{"Accelerator", "lightning", "deepspeed",
                                                      "webdataset",  "datapipes", "horovod"};
// What else divides it, in the function that makes the loader.
constexpr std::array<std::string_view, 3> kOtherWays{"Sampler",
                                                     "sampler = ", "split_dataset_by_node"};
// Words of an expression that gives each process its part.
constexpr std::array<std::string_view, 6> kParts{"rank",  "world_size", "num_replicas",
                                                 "shard", "num_shards", "partition"};

constexpr std::size_t kMaxWork = 128;

class Finder {
 public:
  explicit Finder(const Sight& sight) : sight_(sight), trace_(sight), loaders_(sight, trace_) {}

  std::vector<UnshardedLoaderEvent> Run() {
    wrapped_ = sight_.calls().Of(kWrapper);
    if (wrapped_.empty() || loaders_.all().empty() || MentionsAny(FileText(), kFrameworks))
      return {};
    std::vector<UnshardedLoaderEvent> events;
    for (const LoaderSite& loader : loaders_.all()) {
      if (loader.dataset == kNoValue || !TakesAll(loader)) continue;
      text::Span loop;
      const CallSite* wrapped = nullptr;
      if (!Trains(loader, &loop, &wrapped)) continue;
      UnshardedLoaderEvent e;
      Place(sight_, loader.site, &e);
      e.flow.push_back({sight_.Span(wrapped->call->node), "each process has the model"});
      e.flow.push_back({e.span, "and a loader over all the data"});
      e.flow.push_back({loop, "on which it trains"});
      events.push_back(std::move(e));
    }
    return events;
  }

 private:
  template <std::size_t kCount>
  static bool MentionsAny(std::string_view text,
                          const std::array<std::string_view, kCount>& words) {
    return std::ranges::any_of(words, [&](auto word) { return text.find(word) != text.npos; });
  }
  std::string_view FileText() const { return sight_.Text(sight_.module().tree().root()); }
  const sema::Function& FunctionOf(const FunctionResult& r) const {
    return sight_.module()[r.body.function];
  }

  // Neither a sampler nor data that is chosen by rank.
  bool TakesAll(const LoaderSite& loader) const {
    const FunctionResult& r = *loader.site.r;
    int positional = 0;
    for (const flow::Argument& argument : r.body.Arguments(*loader.site.call)) {
      const std::string_view keyword = sight_.module().Text(argument.keyword);
      const bool none = r.body[argument.value].op == Op::kNone;
      const bool chooses = keyword == "sampler" || keyword == "batch_sampler";
      if (argument.stars != 0 || (chooses && !none)) return false;
      if (keyword.empty() && ++positional > 3) return false;
    }
    if (Index(r.body.function) != 0 && MentionsAny(sight_.Text(FunctionOf(r).node), kOtherWays))
      return false;
    if (ChosenByRank(r, loader.dataset)) return false;
    const flow::Call* made = trace_.CallBehind(r, loader.dataset);
    if (made == nullptr) return true;
    const sema::ClassId cls = sight_.world().Resolve(r.body, *made).class_id;
    if (cls == sema::kNoClass) return true;
    constexpr std::array<std::string_view, 1> kIterable{"torch.utils.data.IterableDataset"};
    return !sight_.module().DerivesFrom(cls, kIterable) &&
           !MentionsAny(sight_.Text(sight_.module()[cls].node), kParts);
  }

  // Something that it is made of goes by the name of a part: `dataset[chunks[rank]]`.
  bool ChosenByRank(const FunctionResult& r, ValueId dataset) const {
    std::vector<ValueId> work{dataset}, seen;
    while (!work.empty()) {
      const ValueId at = work.back();
      work.pop_back();
      if (at == kNoValue || std::ranges::find(seen, at) != seen.end()) continue;
      if (seen.size() >= kMaxWork) return true;
      seen.push_back(at);
      const Instr& in = r.body[at];
      if ((in.op == Op::kLoad || in.op == Op::kGetAttr) &&
          MentionsAny(sight_.Text(in.node), kParts))
        return true;
      if (in.op == Op::kLoad) {
        for (const ValueId store : trace_.StoresTo(r, flow::SlotId{in.aux}))
          work.push_back(r.body.Operand(r.body[store], 0));
      }
      for (const ValueId operand : r.body.Operands(in)) work.push_back(operand);
      if (in.op != Op::kCall) continue;
      const flow::Call& call = r.body.calls[in.aux];
      work.push_back(call.receiver);
      for (const flow::Argument& argument : r.body.Arguments(call)) work.push_back(argument.value);
      if (MentionsAny(sight_.Text(call.node), kParts)) return true;
    }
    return false;
  }

  // The model that is trained there was wrapped there, by a caller, or in the same class.
  const CallSite* WrappedNear(const FunctionResult& r) const {
    const auto near = [&](const FunctionResult& f, const CallSite& wrapped) {
      const sema::ClassId cls = FunctionOf(f).class_id;
      return wrapped.r == &f || (cls != sema::kNoClass && FunctionOf(*wrapped.r).class_id == cls);
    };
    for (const CallSite& wrapped : wrapped_) {
      if (near(r, wrapped)) return &wrapped;
      for (const Trace::Caller& caller : trace_.CallersOf(r.body.function)) {
        if (near(*caller.r, wrapped)) return &wrapped;
      }
    }
    return nullptr;
  }

  // A loop over it, here or where it is handed to, in which a backward() runs.
  bool Trains(const LoaderSite& loader, text::Span* where, const CallSite** wrapped) const {
    for (const FunctionResult& r : sight_.world().results()) {
      if (!r.analyzed || r.backwards.empty()) continue;
      *wrapped = WrappedNear(r);
      if (*wrapped == nullptr) continue;
      for (std::uint32_t i = 0; i < r.body.instrs.size(); ++i) {
        const Instr& in = r.body.instrs[i];
        if (in.op != Op::kIterate) continue;
        const LoopId loop = r.body.LoopOf(ValueId{i});
        const bool trains = std::ranges::any_of(r.backwards, [&](const flow::Backward& b) {
          return r.body.Within(r.body.LoopOf(b.value), loop);
        });
        if (!trains || !Over(r, r.body.Operand(in, 0), loader)) continue;
        *where = sight_.HeaderSpan(loop, r.body);
        return true;
      }
    }
    return false;
  }

  bool Over(const FunctionResult& r, ValueId iterable, const LoaderSite& loader) const {
    std::vector<ValueId> work{iterable};
    for (std::size_t done = 0; !work.empty() && done < 16; ++done) {
      const ValueId value = work.back();
      work.pop_back();
      if (value == kNoValue) continue;
      if (loaders_.Behind(r, value) == &loader || HandedOver(r, value, loader)) return true;
      const ValueId made = trace_.Made(r, value);
      if (made == kNoValue || r.body[made].op != Op::kCall) continue;
      for (const flow::Argument& a : r.body.Arguments(r.body.calls[r.body[made].aux]))
        work.push_back(a.value);
    }
    return false;
  }

  // A parameter, for which some caller gives it.
  bool HandedOver(const FunctionResult& r, ValueId value, const LoaderSite& loader) const {
    const Instr& in = r.body[value];
    if (in.op != Op::kLoad || r.body.slots[in.aux].depth != 0) return false;
    const sema::Function& f = sight_.module()[r.body.function];
    for (std::uint32_t p = 0; p < f.params.size(); ++p) {
      if (f.params[p].binding != r.body.slots[in.aux].root) continue;
      for (const Trace::Caller& caller : trace_.CallersOf(r.body.function)) {
        const ValueId given = trace_.Given(caller, r.body.function, p);
        if (given != kNoValue && loaders_.Behind(*caller.r, given) == &loader) return true;
      }
    }
    return false;
  }

  const Sight& sight_;
  const Trace trace_;
  const Loaders loaders_;
  std::span<const CallSite> wrapped_;
};

}  // namespace

std::vector<UnshardedLoaderEvent> UnshardedLoaders(const Sight& sight) {
  return Finder(sight).Run();
}

}  // namespace torchleak::patterns

#include "patterns/dataset_lists.h"

#include <algorithm>
#include <array>
#include <set>
#include <string>

#include "flow/world.h"
#include "syntax/views.h"

namespace torchleak::patterns {

using flow::Body;
using flow::FunctionResult;
using flow::Instr;
using flow::kNoValue;
using flow::Op;
using flow::SlotId;
using flow::ValueId;
using sema::Index;

namespace {

// What gives a list or dictionary of all records of a file.
constexpr std::array<std::string_view, 8> kReaders{"json.load",      "json.loads",   "pickle.load",
                                                   "pickle.loads",   "orjson.loads", "ujson.load",
                                                   "yaml.safe_load", "yaml.load"};
constexpr std::array<std::string_view, 6> kReadingMethods{"readlines", "splitlines", "tolist",
                                                          "to_dict",   "iterrows",   "itertuples"};

class Finder {
 public:
  explicit Finder(const Sight& sight) : sight_(sight), trace_(sight), loaders_(sight, trace_) {}

  std::vector<DatasetListEvent> Run() {
    for (const LoaderSite& loader : loaders_.all()) {
      if (loader.workers != Workers::kSome || loader.dataset == kNoValue) continue;
      const FunctionResult& r = *loader.site.r;
      const flow::Call* made = trace_.CallBehind(r, loader.dataset);
      if (made == nullptr) continue;
      const sema::ClassId cls = sight_.world().Resolve(r.body, *made).class_id;
      if (cls == sema::kNoClass || !seen_.insert(Index(cls)).second) continue;
      OfClass(cls, loader);
    }
    std::ranges::sort(events_, {}, [](const auto& e) { return e.span.begin; });
    return std::move(events_);
  }

 private:
  const FunctionResult* Method(sema::ClassId cls, std::string_view name) const {
    const sema::FunctionId method = sight_.module().FindMethod(cls, name);
    const bool known = method != sema::kNoFunction && !sight_.module().IsForeign(method);
    return known ? &sight_.world().result(method) : nullptr;
  }

  void OfClass(sema::ClassId cls, const LoaderSite& loader) {
    const FunctionResult* init = Method(cls, "__init__");
    const FunctionResult* item = Method(cls, "__getitem__");
    if (init == nullptr || item == nullptr) return;
    const Body& body = init->body;
    for (std::uint32_t i = 0; i < body.instrs.size(); ++i) {
      const Instr& in = body.instrs[i];
      if (in.op != Op::kStore || body.slots[in.aux].depth != 1 || in.aux8 != 0) continue;
      const flow::Slot& slot = body.slots[in.aux];
      if (sight_.world().SelfClass(slot.root) == sema::kNoClass) continue;
      if (trace_.StoresTo(*init, SlotId{in.aux}).size() != 1) continue;  // packed later
      ValueId filled = kNoValue;
      if (!HoldsRecords(*init, body.Operand(in, 0), SlotId{in.aux}, &filled)) continue;
      if (!ReadByIndex(item->body, slot.attribute)) continue;
      DatasetListEvent e;
      e.function = body.function;
      e.span = sight_.Span(in.node);
      e.where = flow::SlotText(sight_.module(), body, SlotId{in.aux});
      e.strength = flow::Strength::kStrong;
      e.in_test = sight_.InTest(body.function);
      const text::Span at = filled == kNoValue ? e.span : sight_.Span(body[filled].node);
      e.flow.push_back({at, "one object for each record"});
      e.flow.push_back({sight_.Span(loader.site.call->node), "each worker reads its own"});
      events_.push_back(std::move(e));
    }
  }

  // `at`: what fills it, where that is a statement of its own.
  bool HoldsRecords(const FunctionResult& r, ValueId value, SlotId slot, ValueId* at) const {
    const ValueId made = trace_.Made(r, value);
    if (made == kNoValue) return false;
    const Instr& in = r.body[made];
    if (in.op == Op::kCall) return ReadsRecords(r, r.body.calls[in.aux]);
    if (in.op != Op::kList && in.op != Op::kDict) return false;
    for (std::uint32_t i = 0; i < r.body.instrs.size(); ++i) {
      const Instr& filled = r.body.instrs[i];
      const flow::LoopId loop = r.body.LoopOf(ValueId{i});
      if (loop == flow::kNoLoop || r.body.loops[Index(loop)].is_short) continue;
      if (!OverRecords(r, loop)) continue;
      if (filled.op == Op::kAppend && r.body.Operand(filled, 0) == made)
        return IsRecord(r, r.body.Operand(filled, 1));
      if (filled.op != Op::kCall) continue;
      *at = ValueId{i};
      const flow::Call& call = r.body.calls[filled.aux];
      if (sight_.module().Text(call.method) != "append" || call.argc != 1) continue;
      const bool here = call.receiver_slot == slot ||
                        (call.receiver != kNoValue && trace_.Made(r, call.receiver) == made);
      if (here) return IsRecord(r, r.body.Arguments(call)[0].value);
    }
    return false;
  }

  // A loop over the lines or records of a file. Names of files are few beside what these hold.
  bool OverRecords(const FunctionResult& r, flow::LoopId loop) const {
    for (std::uint32_t i = 0; i < r.body.instrs.size(); ++i) {
      const Instr& in = r.body.instrs[i];
      if (in.op != Op::kIterate || r.body.LoopOf(ValueId{i}) != loop) continue;
      std::vector<ValueId> work{r.body.Operand(in, 0)};
      for (std::size_t done = 0; !work.empty() && done < 16; ++done) {
        const ValueId made = work.back() == kNoValue ? kNoValue : trace_.Made(r, work.back());
        work.pop_back();
        if (made == kNoValue || r.body[made].op != Op::kCall) continue;
        const flow::Call& call = r.body.calls[r.body[made].aux];
        if (CalleeName(call) == "open" || ReadsRecords(r, call)) return true;
        for (const flow::Argument& argument : r.body.Arguments(call))
          work.push_back(argument.value);
      }
      return false;
    }
    return false;
  }

  std::string CalleeName(const flow::Call& call) const {
    const syntax::CallView view{sight_.module().tree(), call.node};
    return sight_.module().QualifiedName(view.function());
  }

  bool ReadsRecords(const FunctionResult& r, const flow::Call& call) const {
    const std::string_view method = sight_.module().Text(call.method);
    if (!call.qualified && call.receiver != kNoValue)
      return std::ranges::find(kReadingMethods, method) != kReadingMethods.end();
    const std::string name = CalleeName(call);
    if (std::ranges::find(kReaders, name) != kReaders.end()) return true;
    if (name != "list" || call.argc != 1) return false;
    const flow::Call* reader = trace_.CallBehind(r, r.body.Arguments(call)[0].value);
    if (reader == nullptr) return false;
    const std::string read = CalleeName(*reader);
    return read == "csv.reader" || read == "csv.DictReader" || read == "open";
  }

  // line.split("\t"): tensors are split by numbers.
  bool SplitsText(const FunctionResult& r, ValueId made) const {
    if (r.body[made].op != Op::kCall) return false;
    const flow::Call& call = r.body.calls[r.body[made].aux];
    const std::string_view method = sight_.module().Text(call.method);
    if (method != "split" && method != "rsplit") return false;
    return call.argc > 0 && r.body[r.body.Arguments(call)[0].value].op == Op::kString;
  }

  // A small Python object: parsed text, a dictionary, a tuple. Not a tensor or an array, of which
  // only the first page is written to.
  bool IsRecord(const FunctionResult& r, ValueId value) const {
    const ValueId made = trace_.Made(r, value);
    if (made == kNoValue) return false;
    if (SplitsText(r, made)) return true;
    const flow::Value& known = r.values[Index(made)];
    if (known.Is(flow::Kind::kTensor) || known.Is(flow::Kind::kModule)) return false;
    const Instr& in = r.body[made];
    if (in.op == Op::kCall) {
      const flow::Call& call = r.body.calls[in.aux];
      return !call.of_numpy && !call.of_torch;
    }
    if (in.op == Op::kTuple || in.op == Op::kList) {
      return std::ranges::none_of(r.body.Operands(in), [&](ValueId part) {
        return r.values[Index(part)].Is(flow::Kind::kTensor);
      });
    }
    return in.op == Op::kDict || in.op == Op::kFormat || in.op == Op::kIterate ||
           in.op == Op::kGetItem;
  }

  // self.rows[index]: not by a name that is written there.
  bool ReadByIndex(const Body& body, sema::NameId attribute) const {
    return std::ranges::any_of(body.instrs, [&](const Instr& in) {
      if (in.op != Op::kGetItem) return false;
      const Instr& of = body[body.Operand(in, 0)];
      if (of.op != Op::kLoad || body.slots[of.aux].depth != 1) return false;
      if (body.slots[of.aux].attribute != attribute || in.argc < 2) return false;
      const Op index = body[body.Operand(in, 1)].op;
      return index != Op::kString && index != Op::kNumber;
    });
  }

  const Sight& sight_;
  const Trace trace_;
  const Loaders loaders_;
  std::set<std::uint32_t> seen_;  // classes
  std::vector<DatasetListEvent> events_;
};

}  // namespace

std::vector<DatasetListEvent> DatasetLists(const Sight& sight) { return Finder(sight).Run(); }

}  // namespace torchleak::patterns

#include "patterns/forks.h"

#include <algorithm>
#include <array>
#include <string>
#include <unordered_map>

#include "flow/world.h"
#include "syntax/views.h"

namespace torchleak::patterns {

using flow::FunctionResult;
using flow::Instr;
using flow::kNoValue;
using flow::Op;
using flow::ValueId;

namespace {

constexpr std::array<std::string_view, 6> kMakers{
    "multiprocessing.Process",    "multiprocessing.Pool",
    "multiprocessing.pool.Pool",  "torch.multiprocessing.Process",
    "torch.multiprocessing.Pool", "concurrent.futures.ProcessPoolExecutor"};
// Of a pool: argument 0 runs in its processes.
constexpr std::array<std::string_view, 9> kRunning{
    "map",           "map_async", "imap",        "imap_unordered", "starmap",
    "starmap_async", "apply",     "apply_async", "submit"};

class Finder {
 public:
  Finder(const Sight& sight, const Trace& trace) : sight_(sight), trace_(trace) {
    other_methods_ = MaySpawnAll() && !sight.Mentions("set_start_method(\"fork\"");
  }

  std::vector<Fork> Run() {
    if (!sight_.Mentions("multiprocessing") && !sight_.Mentions("ProcessPoolExecutor")) return {};
    for (const FunctionResult& r : sight_.world().results()) {
      for (std::uint32_t i = 0; r.analyzed && i < r.body.instrs.size(); ++i) {
        if (r.body.instrs[i].op == Op::kCall) Look(r, ValueId{i});
      }
    }
    return std::move(forks_);
  }

 private:
  // May the start method of the whole program be another than fork? `get_context("spawn")` and
  // `mp.spawn(…)` say it of their own processes only.
  bool MaySpawnAll() const {
    if (sight_.Mentions("set_start_method")) return true;
    const std::string_view text = sight_.Text(sight_.module().tree().root());
    for (const std::string_view method : {"\"spawn\"", "'spawn'"}) {
      for (std::size_t at = text.find(method); at != text.npos; at = text.find(method, at + 1)) {
        const std::string_view before = text.substr(0, at);
        if (!before.ends_with("get_context(") && !before.ends_with("processing_context="))
          return true;
      }
    }
    return false;
  }

  std::string CalleeName(const flow::Call& call) const {
    const syntax::CallView view{sight_.module().tree(), call.node};
    return sight_.module().QualifiedName(view.function());
  }

  // mp.get_context("fork"), or of no method where none is spoken of.
  bool IsForkContext(const FunctionResult& r, ValueId value) const {
    const flow::Call* made = value == kNoValue ? nullptr : trace_.CallBehind(r, value);
    if (made == nullptr) return false;
    const std::string name = CalleeName(*made);
    if (name != "multiprocessing.get_context" && name != "torch.multiprocessing.get_context")
      return false;
    const auto arguments = r.body.Arguments(*made);
    if (arguments.empty()) return !other_methods_;
    const std::string_view method = trace_.Literal(r, arguments[0].value);
    return method == "\"fork\"" || method == "'fork'";
  }

  bool Makes(const FunctionResult& r, const flow::Call& call) const {
    const std::string_view method = sight_.module().Text(call.method);
    if ((method == "Process" || method == "Pool") && !call.qualified)
      return IsForkContext(r, call.receiver);
    if (other_methods_) return false;
    const std::string name = CalleeName(call);
    return std::ranges::find(kMakers, name) != kMakers.end();
  }

  void Add(const FunctionResult& r, ValueId function, Fork* fork) const {
    for (const sema::FunctionId f : sight_.world().FunctionsOf(r.body, function))
      fork->children.push_back(f);
  }

  // Worker(…) of a class of this file that derives from Process.
  bool OfProcessClass(const CallSite& site) {
    constexpr std::array<std::string_view, 2> kBases{"multiprocessing.Process",
                                                     "torch.multiprocessing.Process"};
    const sema::ClassId cls = sight_.world().Resolve(site.r->body, *site.call).class_id;
    if (cls == sema::kNoClass || !sight_.module().DerivesFrom(cls, kBases)) return false;
    const sema::FunctionId run = sight_.module().FindMethod(cls, std::string_view("run"));
    if (!other_methods_ && run != sema::kNoFunction) forks_.push_back({site, {run}});
    return true;
  }

  // torch.multiprocessing.start_processes(function, start_method="fork")
  bool OfStartProcesses(const CallSite& site) {
    if (!site.call->qualified) return false;
    const std::string name = CalleeName(*site.call);
    if (name != "torch.multiprocessing.start_processes" && name != "torch.multiprocessing.spawn")
      return false;
    const flow::Argument* method = sight_.ArgumentOf(site, "start_method");
    const flow::Argument* function = sight_.ArgumentOf(site, "fn", 0);
    if (method == nullptr || function == nullptr) return true;
    const std::string_view literal = trace_.Literal(*site.r, method->value);
    if (literal != "\"fork\"" && literal != "'fork'") return true;
    Fork fork{site, {}};
    Add(*site.r, function->value, &fork);
    forks_.push_back(std::move(fork));
    return true;
  }

  void Look(const FunctionResult& r, ValueId at) {
    const flow::Call& call = r.body.calls[r.body[at].aux];
    const std::string_view method = sight_.module().Text(call.method);
    const auto arguments = r.body.Arguments(call);
    if (!call.qualified && !arguments.empty() &&
        std::ranges::find(kRunning, method) != kRunning.end()) {
      const flow::Call* pool =
          call.receiver == kNoValue ? nullptr : trace_.CallBehind(r, call.receiver);
      const auto made = pool == nullptr ? made_.end() : made_.find(syntax::Index(pool->node));
      if (made != made_.end()) Add(r, arguments[0].value, &forks_[made->second]);
      return;
    }
    if (OfProcessClass({&r, at, &call}) || OfStartProcesses({&r, at, &call})) return;
    if (!Makes(r, call)) return;
    Fork fork{{&r, at, &call}, {}};
    for (const char* keyword : {"target", "initializer"}) {
      const flow::Argument* child = sight_.ArgumentOf(fork.site, keyword);
      if (child != nullptr) Add(r, child->value, &fork);
    }
    if (sight_.ArgumentOf(fork.site, "mp_context") != nullptr) return;
    made_.emplace(syntax::Index(call.node), forks_.size());
    forks_.push_back(std::move(fork));
  }

  const Sight& sight_;
  const Trace& trace_;
  bool other_methods_ = false;
  std::vector<Fork> forks_;
  std::unordered_map<std::uint32_t, std::size_t> made_;  // by node of the call
};

}  // namespace

std::vector<Fork> Forks(const Sight& sight, const Trace& trace) {
  return Finder(sight, trace).Run();
}

}  // namespace torchleak::patterns

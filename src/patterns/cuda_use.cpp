#include "patterns/cuda_use.h"

#include <algorithm>
#include <array>

#include "flow/world.h"

namespace torchleak::patterns {

using flow::FunctionResult;
using flow::Instr;
using flow::kNoValue;
using flow::Op;
using flow::SlotId;
using flow::ValueId;
using sema::Index;

namespace {

// Of torch.cuda: what needs a context. `is_available`, `device_count` and seeding need none.
constexpr std::array<std::string_view, 14> kStarting{"init",
                                                     "set_device",
                                                     "current_device",
                                                     "synchronize",
                                                     "get_device_name",
                                                     "get_device_properties",
                                                     "get_device_capability",
                                                     "mem_get_info",
                                                     "current_stream",
                                                     "default_stream",
                                                     "Stream",
                                                     "Event",
                                                     "FloatTensor",
                                                     "LongTensor"};
constexpr std::size_t kMaxWork = 32, kMaxFunctions = 64;

// "cuda", 'cuda:0', f"cuda:{rank}"
bool NamesCuda(std::string_view literal) {
  const std::size_t quote = literal.find_first_of("\"'");
  if (quote == literal.npos || quote > 2) return false;
  const std::size_t text = literal.find_first_not_of("\"'", quote);
  return text != literal.npos && literal.substr(text).starts_with("cuda");
}

}  // namespace

// A parameter of the called function means what the call gives, else its default; other names what
// is assigned to them, once.
void CudaUse::FollowName(const Place& place, const Trace::Caller& caller, std::vector<Place>* work,
                         bool* cuda) const {
  const flow::Body& body = place.r->body;
  const flow::Slot& slot = body.slots[body[place.value].aux];
  const sema::Module& module = sight_.module();
  const bool is_param = slot.depth == 0 && module[slot.root].is_param;
  if (!is_param) {
    for (const Place& beyond : trace_.Beyond(place)) work->push_back(beyond);
    return;
  }
  if (module[slot.root].assignments != 0) return;
  const sema::FunctionId owner = module[module[slot.root].scope].function;
  const bool called = caller.r != nullptr && Callee(caller) == owner;
  const sema::Function& f = module[owner];
  for (std::uint32_t i = 0; i < f.params.size(); ++i) {
    if (f.params[i].binding != slot.root) continue;
    const ValueId given = called ? trace_.Given(caller, owner, i) : kNoValue;
    if (given != kNoValue) {
      work->push_back({caller.r, given});
    } else if (f.params[i].default_value != syntax::kNoNode) {
      *cuda |= NamesCuda(sight_.Text(f.params[i].default_value));
    }
  }
}

sema::FunctionId CudaUse::Callee(const Trace::Caller& caller) const {
  const flow::Body& body = caller.r->body;
  if (body[caller.call].op != Op::kCall) return sema::kNoFunction;
  return sight_.world().Resolve(body, body.calls[body[caller.call].aux]).function;
}

bool CudaUse::IsCuda(const FunctionResult& r, ValueId value, const Trace::Caller& caller) const {
  std::vector<Place> work{{&r, value}};
  for (std::size_t done = 0; !work.empty() && done < kMaxWork; ++done) {
    Place place = work.back();
    work.pop_back();
    place.value = trace_.Made(*place.r, place.value);
    if (place.value == kNoValue) continue;
    const Instr& in = place.r->body[place.value];
    bool cuda = false;
    if (in.op == Op::kString || in.op == Op::kFormat) {
      cuda = NamesCuda(sight_.Text(in.node));
    } else if (in.op == Op::kSelect) {
      for (const ValueId operand : place.r->body.Operands(in)) work.push_back({place.r, operand});
    } else if (in.op == Op::kCall) {
      const flow::Call& call = place.r->body.calls[in.aux];
      const auto arguments = place.r->body.Arguments(call);
      if (call.fact != nullptr && call.fact->name == "torch.device" && !arguments.empty())
        work.push_back({place.r, arguments[0].value});
    } else if (in.op == Op::kLoad) {
      FollowName(place, caller, &work, &cuda);
    }
    if (cuda) return true;
  }
  return false;
}

bool CudaUse::Starts(const FunctionResult& r, ValueId at, const Trace::Caller& caller) const {
  const Instr& in = r.body[at];
  if (in.op != Op::kCall) return false;
  const flow::Call& call = r.body.calls[in.aux];
  const sema::Module& module = sight_.module();
  if (call.fact != nullptr && call.fact->name.starts_with("torch.cuda.")) {
    const std::string_view name = call.fact->name.substr(call.fact->name.rfind('.') + 1);
    return std::ranges::find(kStarting, name) != kStarting.end();
  }
  const std::string_view method = module.Text(call.method);
  const bool is_method = !call.qualified && call.receiver != kNoValue;
  if (is_method && method == "cuda") return true;
  const bool moves = is_method && method == "to";
  if (!moves && !call.of_torch) return false;
  bool first = true;
  for (const flow::Argument& argument : r.body.Arguments(call)) {
    const std::string_view keyword = module.Text(argument.keyword);
    const bool names_device = keyword == "device" || keyword == "map_location";
    if ((names_device || (moves && first && keyword.empty())) && IsCuda(r, argument.value, caller))
      return true;
    first = false;
  }
  return false;
}

const std::vector<ValueId>& CudaUse::DirectUses(const FunctionResult& r) const {
  const auto [known, is_new] = direct_.try_emplace(&r);
  if (!is_new) return known->second;
  for (std::uint32_t i = 0; i < r.body.instrs.size(); ++i) {
    if (Starts(r, ValueId{i}, {})) known->second.push_back(ValueId{i});
  }
  return known->second;
}

std::optional<text::Span> CudaUse::Inside(sema::FunctionId function) const {
  const auto known = inside_.find(Index(function));
  if (known != inside_.end()) return known->second;
  std::optional<text::Span> found;
  std::vector<sema::FunctionId> work{function}, seen;
  while (!work.empty() && !found && seen.size() < kMaxFunctions) {
    const sema::FunctionId at = work.back();
    work.pop_back();
    if (sight_.module().IsForeign(at) || std::ranges::find(seen, at) != seen.end()) continue;
    seen.push_back(at);
    const FunctionResult& r = sight_.world().result(at);
    if (!DirectUses(r).empty()) found = sight_.Span(r.body[DirectUses(r).front()].node);
    for (const flow::CallEdge& edge : r.calls) work.push_back(edge.callee);
  }
  inside_.emplace(Index(function), found);
  return found;
}

std::optional<CudaUse::Use> CudaUse::Before(const FunctionResult& r, ValueId at) const {
  std::optional<Use> use;
  for (const ValueId direct : DirectUses(r)) {
    if (Index(direct) < Index(at)) use = Use{direct, sight_.Span(r.body[direct].node)};
    if (use) return use;
  }
  for (const flow::CallEdge& edge : r.calls) {
    if (Index(edge.value) >= Index(at)) continue;
    if (const auto inner = Inside(edge.callee)) return Use{edge.value, *inner};
  }
  return use;
}

std::optional<CudaUse::Use> CudaUse::AtImport(const FunctionResult& top) const {
  for (const ValueId direct : DirectUses(top)) {
    if (top.body.BlockOf(direct).guard == flow::kNoKey)
      return Use{direct, sight_.Span(top.body[direct].node)};
  }
  return std::nullopt;
}

std::optional<CudaUse::Use> CudaUse::Within(sema::FunctionId function) const {
  if (sight_.module().IsForeign(function)) return std::nullopt;
  const FunctionResult& r = sight_.world().result(function);
  return Before(r, ValueId{static_cast<std::uint32_t>(r.body.instrs.size())});
}

}  // namespace torchleak::patterns

// The subject of a line is looked for among the instructions that its code became: first a store to
// it, then a load of it; without a name the last store, else the outermost expression.
#include "belief.h"

#include <array>
#include <utility>

#include "flow/events_internal.h"

namespace torchleak::tests {

using flow::FunctionResult;
using flow::Instr;
using flow::Op;
using flow::Value;
using flow::ValueId;

namespace {

// In the order of flow::Kind; a kind that is missing here prints as "?", which no page may expect.
std::string KindWord(flow::Kind kind) {
  using K = flow::Kind;
  static const std::map<K, std::string> words{{K::kBottom, "unreached"},
                                              {K::kUnknown, "unknown"},
                                              {K::kTensor, "tensor"},
                                              {K::kNumber, "number"},
                                              {K::kNone, "none"},
                                              {K::kModule, "module"},
                                              {K::kOptimizer, "optimizer"},
                                              {K::kScheduler, "scheduler"},
                                              {K::kScaler, "scaler"},
                                              {K::kLoader, "loader"},
                                              {K::kHandle, "handle"},
                                              {K::kContext, "context"},
                                              {K::kContainer, "container"},
                                              {K::kFunction, "function"},
                                              {K::kInstance, "instance"},
                                              {K::kClass, "class"},
                                              {K::kParameters, "parameters"},
                                              {K::kEngine, "engine"},
                                              {K::kWriter, "writer"},
                                              {K::kDistribution, "distribution"}};
  const auto it = words.find(kind);
  return it == words.end() ? "?" : it->second;
}

template <std::size_t N>
std::string Word(const std::array<const char*, N>& words, auto value) {
  const auto i = static_cast<std::size_t>(value);
  return i < N ? words[i] : "?";
}

bool IsBinding(const Instr& in) { return in.op == Op::kStore && in.aux8 != 4 && in.aux8 != 5; }

}  // namespace

Beliefs::Beliefs(std::string code)
    : source_(*text::Source::FromBytes("block.py", std::move(code))),
      tree_(syntax::Parse(source_)),
      module_(sema::Analyze(tree_)),
      events_(flow::Analyze(module_)) {}

std::string Beliefs::SlotText(const flow::Body& body, flow::SlotId slot) const {
  const flow::Slot& s = body.slots[Index(slot)];
  if (s.depth == 0) return std::string(module_.Text(module_[s.root].name));
  return SlotText(body, s.parent) + "." + std::string(module_.Text(s.attribute));
}

std::optional<Beliefs::Found> Beliefs::Find(std::size_t row, std::string_view subject) const {
  std::optional<Found> stored, loaded, widest;
  std::uint32_t width = 0;
  for (const FunctionResult& r : events_.world->results()) {
    for (std::uint32_t i = 0; i < r.body.instrs.size() && i < r.values.size(); ++i) {
      const Instr& in = r.body.instrs[i];
      const text::Span span = tree_.Span(in.node);
      if (source_.RowOf(span.begin) != row) continue;
      const ValueId at{i};
      if (IsBinding(in)) {
        const bool named = subject.empty() || SlotText(r.body, flow::SlotId{in.aux}) == subject;
        if (named) stored = Found{&r, at, r.body.Operand(in, 0)};
        continue;
      }
      if (in.op == Op::kSetAttr || in.op == Op::kSetItem || in.op == Op::kStore ||
          in.op == Op::kParam || in.op == Op::kExitWith) {
        continue;
      }
      if (in.op == Op::kLoad && SlotText(r.body, flow::SlotId{in.aux}) == subject)
        loaded = Found{&r, at, at};
      if (subject.empty() && span.end - span.begin >= width) {
        width = span.end - span.begin;
        widest = Found{&r, at, at};
      }
    }
  }
  return stored ? stored : subject.empty() ? widest : loaded;
}

std::string Beliefs::GradOf(const FunctionResult& r, ValueId id, const Value& deep) const {
  flow::FileEvents scratch;
  const flow::EventBuilder builder(*events_.world, &scratch);
  flow::Strength strength{};
  bool in_eval = false;
  const flow::Graph graph = builder.GraphOf(r, deep.origins, &strength, &in_eval);
  if (graph != flow::Graph::kNone) return graph == flow::Graph::kLive ? "live" : "freed";
  // Made while every caller holds no_grad: what the arguments carry ends here.
  const Op op = r.body[id].op;
  const bool ends = Index(id) < r.modes.size() && r.entry_mode == flow::GradMode::kOff &&
                    op != Op::kLoad && op != Op::kParam &&
                    r.modes[Index(id)] == flow::GradMode::kInherit;
  for (std::size_t i = 0; i < r.origins.size() && !ends; ++i) {
    if (!deep.origins.test(i)) continue;
    const flow::Origin& o = r.origins[i];
    const bool outside = o.kind == flow::OriginKind::kParam || o.kind == flow::OriginKind::kEntry;
    const bool maybe = o.makes_graph && o.mode == flow::GradMode::kUnknown;
    if (outside || maybe || i == flow::kOverflowOrigin) return "unknown";
  }
  return deep.Is(flow::Kind::kUnknown) ? "unknown" : "none";
}

std::optional<std::map<std::string, std::string>> Beliefs::After(std::size_t row,
                                                                 std::string_view subject) const {
  const std::optional<Found> found = Find(row, subject);
  if (!found) return std::nullopt;
  const FunctionResult& r = *found->result;
  const Value& v = r.values[Index(found->value)];
  const Value deep = flow::Deep(r, v);
  flow::Residency residency = v.residency;
  if (v.Is(flow::Kind::kContainer)) {
    for (unsigned i = 0; i < r.contents.size(); ++i)
      if (v.objects >> i & 1) residency = r.contents[i].residency;
  }
  flow::GradMode mode =
      Index(found->at) < r.modes.size() ? r.modes[Index(found->at)] : flow::GradMode::kUnknown;
  if (mode == flow::GradMode::kInherit) mode = r.entry_mode;
  static constexpr std::array<const char*, 3> kPlaces{"unknown", "host", "device"};
  static constexpr std::array<const char*, 3> kSizes{"unknown", "scalar", "sized"};
  static constexpr std::array<const char*, 4> kModes{"inherit", "on", "off", "unknown"};
  static constexpr std::array<const char*, 4> kStrengths{"none", "weak", "medium", "strong"};
  return std::map<std::string, std::string>{{"kind", KindWord(v.kind)},
                                            {"grad", GradOf(r, found->value, deep)},
                                            {"device", Word(kPlaces, residency)},
                                            {"size", Word(kSizes, v.size)},
                                            {"mode", Word(kModes, mode)},
                                            {"strength", Word(kStrengths, v.strength)},
                                            {"eval", v.Has(flow::kInEvalMode) ? "yes" : "no"},
                                            {"frozen", v.Has(flow::kFrozen) ? "yes" : "no"}};
}

}  // namespace torchleak::tests

// What a function's summary says of it, in words: all that its callers know.
#include <fmt/format.h>

#include <algorithm>

#include "flow/explain_internal.h"
#include "flow/grad_clearing.h"

namespace torchleak::flow {
namespace {

std::string Joined(const std::vector<std::string>& parts) {
  std::string out;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (i > 0) out += i + 1 == parts.size() ? " and " : ", ";
    out += parts[i];
  }
  return out;
}

// From every state of the gradients to the one that a clearing leaves.
bool Clears(const GradTable& table) {
  return std::all_of(table.begin(), table.end(),
                     [](std::uint8_t states) { return states == 1u << kFresh; });
}

}  // namespace

std::string Explainer::ParamNames(sema::FunctionId f, std::uint64_t mask) const {
  std::vector<std::string> names;
  const auto& params = module()[f].params;
  for (std::size_t i = 0; i < params.size() && i < 64; ++i) {
    if (mask >> i & 1) names.push_back(fmt::format("`{}`", Text(params[i].name)));
  }
  return Joined(names);
}

std::string Explainer::SinkText(sema::FunctionId f, const Sink& sink) const {
  std::string out;
  if (sink.root == Sink::Root::kParam) {
    const auto& params = module()[f].params;
    out = sink.index < params.size() ? std::string(Text(params[sink.index].name)) : "a parameter";
  } else {
    out = Text(module()[sema::BindingId{sink.index}].name);
  }
  for (unsigned d = 0; d < sink.depth; ++d) out += "." + std::string(Text(sink.path[d]));
  return out;
}

// "returns a tensor with the graph of `x`; keeps `loss` in `self.losses`; steps `opt`".
std::string Explainer::SummaryText(sema::FunctionId f) const {
  const Summary& s = world_.result(f).summary;
  std::vector<std::string> parts;
  if (s.ret_makes_graph && !s.ret_freed) {
    parts.emplace_back("returns a graph that it makes");
  } else if (s.ret_makes_graph) {
    parts.emplace_back("returns a graph that it makes and walks");
  } else if (s.ret_params != 0) {
    parts.push_back("returns the graph of " + ParamNames(f, s.ret_params));
  }
  if (s.differentiated != 0) {
    parts.push_back("runs backward() through " + ParamNames(f, s.differentiated));
  } else if (s.runs_backward) {
    parts.emplace_back("runs a backward()");
  }
  std::vector<std::string> kept;
  for (const StoreSummary& store : s.stores) {
    const std::string text = fmt::format(
        "{} in `{}`", ParamNames(f, store.params | store.bare_params), SinkText(f, store.sink));
    if (std::find(kept.begin(), kept.end(), text) == kept.end()) kept.push_back(text);
  }
  if (kept.size() > 3) kept = {"more than three of the things that it is given"};
  if (!kept.empty()) parts.push_back("keeps " + Joined(kept));
  for (const GradEffect& effect : s.grad_effects) {
    const std::string sink = SinkText(f, effect.sink);
    if (!effect.trail.empty()) {
      parts.push_back(fmt::format("steps `{}`, which callers must have cleared", sink));
    } else if (Clears(effect.table)) {
      parts.push_back(fmt::format("leaves the gradients of `{}` cleared", sink));
    }
  }
  for (const GradVariant& v : s.grad_variants) {
    if (v.param < module()[f].params.size() && v.truth) {
      parts.push_back(
          fmt::format("clears or steps as `{}` says", Text(module()[f].params[v.param].name)));
    }
  }
  for (const auto& [sink, eval] : s.modes) {
    parts.push_back(
        fmt::format("puts `{}` in {} mode", SinkText(f, sink), eval ? "eval" : "train"));
  }
  for (const ForwardSummary& forward : s.forwards) {
    parts.push_back(
        fmt::format("runs `{}` in the grad mode of its caller", SinkText(f, forward.module)));
  }
  if (s.yields && s.yield_mode == GradMode::kOff)
    parts.emplace_back("turns grad off for its block");
  std::string out;
  for (const std::string& part : parts) out += (out.empty() ? "" : "; ") + part;
  return out;
}

}  // namespace torchleak::flow

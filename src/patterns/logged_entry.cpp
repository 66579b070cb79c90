// A function's returns are taken apart: which part is a dictionary, which one the loss, and what
// the entries are made of.
#include "patterns/logged_entry.h"

#include <algorithm>
#include <array>
#include <optional>

#include "flow/events_internal.h"
#include "flow/world.h"
#include "patterns/definition.h"
#include "patterns/frameworks.h"

namespace torchleak::patterns {

using flow::Body;
using flow::FunctionResult;
using flow::Instr;
using flow::Op;
using flow::ValueId;
using sema::Index;

namespace {

struct Entry {
  std::uint32_t key = flow::kNoKey;
  ValueId value = flow::kNoValue;
  syntax::NodeId node = syntax::kNoNode;  // what is underlined
};

class Theme {
 public:
  Theme(const Sight& sight, const FunctionResult& r)
      : sight_(sight),
        module_(sight.module()),
        builder_(sight.world(), nullptr),
        r_(r),
        body_(r.body) {}
  void Collect(std::vector<LoggedEntryEvent>* out);

 private:
  bool IsDict(ValueId value) const;
  std::vector<Entry> EntriesOf(ValueId dict) const;
  void Display(ValueId dict, std::vector<Entry>* out) const;
  bool IsCut(ValueId value) const;
  bool HasGraph(ValueId value, flow::Strength* strength) const;
  bool IsPartOf(ValueId value, const std::vector<ValueId>& losses) const;
  bool CollectsEpochs() const;
  bool IsCriterion() const;
  bool NamesLoss(ValueId value) const;
  void Report(const Entry& entry, Collected how, flow::Strength strength,
              std::vector<LoggedEntryEvent>* out) const;
  void Beside(ValueId dict, const std::vector<ValueId>& losses,
              std::vector<LoggedEntryEvent>* out) const;
  void WithLoss(ValueId dict, std::vector<LoggedEntryEvent>* out) const;

  const Sight& sight_;
  const sema::Module& module_;
  flow::EventBuilder builder_;
  const FunctionResult& r_;
  const Body& body_;
};

bool Theme::IsDict(ValueId value) const {
  const Instr& in = body_[Definition(body_, value)];
  if (in.op == Op::kDict) return true;
  return in.op == Op::kCall && body_.calls[in.aux].fact != nullptr &&
         body_.calls[in.aux].fact->name == "builtins.dict";
}

// Entries of a display or of dict(a=…), those of dictionaries within it included.
void Theme::Display(ValueId dict, std::vector<Entry>* out) const {
  std::vector<ValueId> work{Definition(body_, dict)};
  constexpr std::size_t kMaxEntries = 128;
  while (!work.empty() && out->size() < kMaxEntries) {
    const ValueId at = work.back();
    const Instr& in = body_[at];
    work.pop_back();
    auto add = [&](std::uint32_t key, ValueId value) {
      if (IsDict(value)) {
        work.push_back(Definition(body_, value));
      } else {
        out->push_back({key, value, body_[value].node});
      }
    };
    if (in.op == Op::kDict) {
      for (std::uint32_t i = 0; i < in.argc; ++i)
        add(in.aux + i < body_.keys.size() ? body_.keys[in.aux + i] : flow::kNoKey,
            body_.Operand(in, i));
    } else if (in.op == Op::kCall) {
      for (const flow::Argument& a : body_.Arguments(body_.calls[in.aux])) {
        if (a.keyword == sema::kNoName) continue;
        const std::string literal = '"' + std::string(module_.Text(a.keyword)) + '"';
        add(flow::KeyOf(literal), a.value);
      }
    }
  }
}

std::vector<Entry> Theme::EntriesOf(ValueId dict) const {
  std::vector<Entry> out;
  Display(dict, &out);
  if (body_[dict].op != Op::kLoad) return out;
  for (const Instr& in : body_.instrs) {  // stats["kl"] = kl
    if (in.op != Op::kSetItem || in.argc != 3 || in.aux8 != 0) continue;
    const Instr& base = body_[body_.Operand(in, 0)];
    if (base.op == Op::kLoad && base.aux == body_[dict].aux)
      out.push_back({in.aux, body_.Operand(in, 2), in.node});
  }
  return out;
}

// x.detach().mean().cpu(), float(x), utils.item(x.data): also on one of two ways.
bool Theme::IsCut(ValueId value) const {
  constexpr std::array<std::string_view, 8> kCuts{"detach", ".data", "item(",  "float(",
                                                  "int(",   "list(", "numpy(", "no_grad"};
  const ValueId made = Definition(body_, value);
  return std::ranges::any_of(kCuts, [&](std::string_view cut) {
    return sight_.Text(body_[value].node).find(cut) != std::string_view::npos ||
           sight_.Text(body_[made].node).find(cut) != std::string_view::npos;
  });
}

// What is looked up in a batch or an output may be anything.
bool Theme::HasGraph(ValueId value, flow::Strength* strength) const {
  bool eval = false;
  ValueId made = Definition(body_, value);
  if (body_[made].op == Op::kUnpack) {  // a, b = out["a"], out["b"]
    const Instr& whole = body_[Definition(body_, body_.Operand(body_[made], 0))];
    const std::uint32_t part = body_[made].aux;
    if (whole.op == Op::kTuple && part < whole.argc)
      made = Definition(body_, body_.Operand(whole, part));
  }
  constexpr std::array<std::string_view, 5> kCounts{"size", "len", "count", "num", "tokens"};
  const std::string_view text = sight_.Text(body_[value].node);
  if (std::ranges::any_of(kCounts, [&](auto part) { return text.find(part) != text.npos; }))
    return false;
  if (body_[made].op == Op::kSelect) {
    for (const ValueId o : body_.Operands(body_[made]))
      if (body_[Definition(body_, o)].op == Op::kGetItem) return false;
  }
  if (body_[made].op == Op::kGetItem || r_.values[Index(made)].Is(flow::Kind::kNumber))
    return false;
  if (!r_.values[Index(value)].Is(flow::Kind::kTensor)) return false;
  const flow::Origins origins = flow::Deep(r_, r_.values[Index(value)]).origins;
  return builder_.GraphOf(r_, origins, strength, &eval) != flow::Graph::kNone &&
         *strength >= flow::Strength::kMedium;
}

// The loss itself, or something that it is made of and that is made of more than arguments; also
// moved or averaged on the way into the log: nll.mean().cpu()
bool Theme::IsPartOf(ValueId value, const std::vector<ValueId>& losses) const {
  std::vector<ValueId> sought;
  for (ValueId at = value; at != flow::kNoValue && sought.size() < 6;) {
    at = Definition(body_, at);
    const Instr& in = body_[at];
    const bool made = in.op == Op::kCall || in.op == Op::kBinary || in.op == Op::kUnpack;
    if (!made || r_.values[Index(at)].origins.none()) break;  // cut on its way
    sought.push_back(at);
    at = in.op == Op::kCall ? body_.calls[in.aux].receiver : flow::kNoValue;
  }
  std::vector<ValueId> work(losses);
  for (int steps = 0; !work.empty() && steps < 96; ++steps) {
    const ValueId at = Definition(body_, work.back());
    work.pop_back();
    if (std::ranges::find(sought, at) != sought.end()) return true;
    const Instr& in = body_[at];
    if (in.op == Op::kCall) {
      const flow::Call& call = body_.calls[in.aux];
      if (call.receiver != flow::kNoValue) work.push_back(call.receiver);
      for (const flow::Argument& a : body_.Arguments(call)) work.push_back(a.value);
    } else if (in.op == Op::kBinary || in.op == Op::kUnary || in.op == Op::kAugment ||
               in.op == Op::kSelect) {
      for (const ValueId o : body_.Operands(in)) work.push_back(o);
    }
  }
  return false;
}

bool Theme::CollectsEpochs() const {
  const sema::ClassId cls = module_[body_.function].class_id;
  if (!IsLightningModule(module_, cls)) return false;
  return module_.FindMethod(cls, "training_epoch_end") != sema::kNoFunction;
}

// forward() of a fairseq criterion: loss, sample size, logging output
bool Theme::IsCriterion() const {
  const sema::Function& f = module_[body_.function];
  if (f.class_id == sema::kNoClass || module_.Text(f.name) != "forward") return false;
  const auto& external = module_[f.class_id].external_bases;
  const std::vector<sema::ClassId> line = module_.Linearize(f.class_id);
  return std::ranges::any_of(external, [](const auto& b) { return b.ends_with("Criterion"); }) ||
         std::ranges::any_of(line, [&](sema::ClassId cls) {
           return module_.Text(module_[cls].name) == "FairseqCriterion";
         });
}

bool Theme::NamesLoss(ValueId value) const {
  const std::string_view text = sight_.Text(body_[value].node);
  return text.find("loss") != text.npos && text.find("detach") == text.npos &&
         text.find("item(") == text.npos;
}

void Theme::Report(const Entry& entry, Collected how, flow::Strength strength,
                   std::vector<LoggedEntryEvent>* out) const {
  LoggedEntryEvent e;
  e.function = body_.function;
  e.span = sight_.Span(entry.node);
  e.strength = std::max(strength, flow::Strength::kMedium);
  e.in_test = sight_.InTest(body_.function);
  e.record = Index(entry.value);
  e.what = sight_.Short(body_[entry.value].node);
  e.how = how;
  e.flow.push_back({sight_.Span(body_[entry.value].node), "still carries its graph"});
  out->push_back(std::move(e));
}

// return loss, stats
void Theme::Beside(ValueId dict, const std::vector<ValueId>& losses,
                   std::vector<LoggedEntryEvent>* out) const {
  const std::vector<Entry> entries = EntriesOf(dict);
  const auto cut = std::ranges::count_if(entries, [&](const Entry& e) { return IsCut(e.value); });
  const bool criterion = IsCriterion();
  if (cut == 0 && !criterion) return;
  for (const Entry& e : entries) {
    flow::Strength strength = flow::Strength::kNone;
    if (IsCut(e.value)) continue;
    if (!HasGraph(e.value, &strength) && !IsPartOf(e.value, losses)) continue;
    Report(e, criterion ? Collected::kByFramework : Collected::kOthersAreCut, strength, out);
    return;
  }
}

// return {"loss": loss, "pred": pred}
void Theme::WithLoss(ValueId dict, std::vector<LoggedEntryEvent>* out) const {
  const std::uint32_t loss = flow::KeyOf("\"loss\"");
  const std::vector<Entry> entries = EntriesOf(dict);
  if (std::ranges::none_of(entries, [&](const Entry& e) { return e.key == loss; })) return;
  for (const Entry& e : entries) {
    flow::Strength strength = flow::Strength::kNone;
    if (e.key == loss || e.key == flow::KeyOf("\"hiddens\"") || IsCut(e.value)) continue;
    if (!HasGraph(e.value, &strength)) continue;
    Report(e, Collected::kAtEpochEnd, strength, out);
    if (body_[dict].op == Op::kLoad)  // out = {…}; return out
      out->back().flow.push_back({sight_.Span(body_[dict].node), "and is returned here"});
    return;
  }
}

void Theme::Collect(std::vector<LoggedEntryEvent>* out) {
  const bool epochs =
      sight_.world().role(body_.function) == flow::Role::kTrainingStep && CollectsEpochs();
  for (const Instr& in : body_.instrs) {
    if (in.op != Op::kReturn || in.argc == 0) continue;
    const ValueId whole = body_.Operand(in, 0);
    if (epochs && IsDict(whole)) WithLoss(whole, out);
    const Instr& tuple = body_[Definition(body_, whole)];
    if (tuple.op != Op::kTuple || tuple.argc < 2) continue;
    std::vector<ValueId> losses;
    ValueId dict = flow::kNoValue;
    for (ValueId part : body_.Operands(tuple)) {
      const Instr& made = body_[part];
      // flatten(stats)
      if (made.op == Op::kCall && body_.calls[made.aux].argc == 1 && !IsDict(part) &&
          IsDict(body_.Arguments(body_.calls[made.aux])[0].value))
        part = body_.Arguments(body_.calls[made.aux])[0].value;
      if (IsDict(part)) {
        dict = part;
      } else if (NamesLoss(part)) {
        losses.push_back(part);
      }
    }
    if (dict != flow::kNoValue && !losses.empty()) Beside(dict, losses, out);
  }
}

}  // namespace

std::vector<LoggedEntryEvent> LoggedEntries(const Sight& sight) {
  std::vector<LoggedEntryEvent> out;
  for (const FunctionResult& r : sight.world().results())
    if (r.analyzed && r.entry_mode != flow::GradMode::kOff) Theme(sight, r).Collect(&out);
  std::ranges::sort(out, {}, [](const auto& e) { return e.span.begin; });
  const auto same = std::ranges::unique(out, {}, [](const auto& e) { return e.span.begin; });
  out.erase(same.begin(), same.end());
  return out;
}

}  // namespace torchleak::patterns

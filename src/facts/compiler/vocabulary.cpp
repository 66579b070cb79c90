// Three tables: words that name a result, words that modify it, decorators that name an effect.
#include "facts/compiler/vocabulary.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>

namespace torchleak::facts::stubs {
namespace {

struct ResultWord {
  std::string_view word;
  Result result;
};
constexpr ResultWord kResults[] = {
    {"Any", Result::kUnknown},
    {"Tensor", Result::kTensor},
    {"Tensors", Result::kTensors},
    {"Number", Result::kNumber},
    {"Module", Result::kModule},
    {"Optimizer", Result::kOptimizer},
    {"Scheduler", Result::kScheduler},
    {"Scaler", Result::kScaler},
    {"Loader", Result::kLoader},
    {"Dataset", Result::kDataset},
    {"Handle", Result::kHandle},
    {"Context", Result::kContext},
    {"Self", Result::kSelf},
    {"Argument", Result::kArgument},
    {"Element", Result::kElement},
    {"List", Result::kList},
    {"Dict", Result::kDict},
    {"Set", Result::kSet},
    {"Deque", Result::kDeque},
    {"None", Result::kNone},
    {"Distribution", Result::kDistribution},
    {"Writer", Result::kWriter},
    {"Metric", Result::kMetric},
    {"Engine", Result::kEngine},
    {"Parameters", Result::kParameters},
    {"Arguments", Result::kArguments},
};

struct Modifier {
  std::string_view word;
  void (*apply)(Fact*);
};
constexpr Modifier kModifiers[] = {
    {"Detached", [](Fact* f) { f->graph = Graph::kDrops; }},
    {"RequiresGrad", [](Fact* f) { f->graph = Graph::kMakes; }},
    {"Host", [](Fact* f) { f->residency = Residency::kHost; }},
    {"Device", [](Fact* f) { f->residency = Residency::kDevice; }},
    {"Placed", [](Fact* f) { f->residency = Residency::kArgument; }},
    {"Scalar", [](Fact* f) { f->size = Size::kScalar; }},
    {"Sized", [](Fact* f) { f->size = Size::kSized; }},
    {"Like", [](Fact* f) { f->size = Size::kKeeps; }},
    {"Reduced", [](Fact* f) { f->reduces = true; }},
    {"Fresh",
     [](Fact* f) {
       f->graph = Graph::kDrops;
       f->residency = Residency::kArgument;
     }},
    {"InPlace", [](Fact* f) { f->effects |= kInPlace; }},
};

struct EffectWord {
  std::string_view word;
  std::uint32_t effect;
};
constexpr EffectWord kEffects[] = {
    {"backward", kBackward},
    {"step", kStep},
    {"zero_grad", kZeroGrad},
    {"grad_off", kGradOff},
    {"grad_on", kGradOn},
    {"grad_set", kGradSet},
    {"eval_mode", kEvalMode},
    {"train_mode", kTrainMode},
    {"adds_hook", kAddsHook},
    {"removes_hook", kRemovesHook},
    {"harmless", kHarmless},
    {"stores", kStores},
    {"stores_all", kStoresAll},
    {"clears", kClears},
    {"takes_out", kTakesOut},
    {"freezes", kFreezes},
    {"grad_of_inputs", kGradOfInputs},
    {"wants_grad", kWantsGrad},
    {"in_place", kInPlace},
    {"may_clear_grads", kMayClearGrads},
    {"called_without_grad", kCalledWithoutGrad},
    {"result_differentiated", kResultDifferentiated},
};

struct EvidenceWord {
  std::string_view word;
  std::uint16_t bits;
};
constexpr EvidenceWord kEvidenceWords[] = {
    {"Tensor", kIsTensor},       {"Module", kIsModule},       {"Optimizer", kIsOptimizer},
    {"Handle", kIsHandle},       {"Scaler", kIsScaler},       {"Loader", kIsLoader},
    {"Container", kIsContainer}, {"Scheduler", kIsScheduler}, {"Differentiated", kIsDifferentiated},
};

template <typename Word, std::size_t n>
const Word* Lookup(const Word (&words)[n], std::string_view text) {
  const auto it = std::ranges::find(words, text, &Word::word);
  return it == std::end(words) ? nullptr : &*it;
}

std::string_view Trim(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  return text;
}

std::optional<std::string> ApplyWord(std::string_view word, bool last, Fact* fact) {
  if (const Modifier* modifier = Lookup(kModifiers, word)) {
    modifier->apply(fact);
    const bool in_place = (fact->effects & kInPlace) != 0;
    if (last) fact->result = in_place ? Result::kSelf : Result::kTensor;
    return std::nullopt;
  }
  const ResultWord* result = Lookup(kResults, word);
  if (!result) return fmt::format("unknown word {} in an annotation", word);
  if (!last) return fmt::format("{} cannot be followed by [", word);
  fact->result = result->result;
  if (result->result == Result::kNumber) {
    fact->graph = Graph::kDrops;
    fact->residency = Residency::kHost;
    fact->effects |= kHarmless;
  }
  if (result->result == Result::kNone) fact->graph = Graph::kDrops;
  return std::nullopt;
}

// `tuple[Engine, Optimizer, Any]`: each part a plain result.
std::optional<std::string> ApplyTuple(std::string_view parts, Fact* fact) {
  fact->result = Result::kTensors;
  fact->graph = Graph::kDrops;
  for (;;) {
    const std::size_t comma = parts.find(',');
    const std::string_view word = Trim(parts.substr(0, comma));
    const ResultWord* part = Lookup(kResults, word);
    if (!part) return fmt::format("unknown word {} in a tuple", word);
    if (fact->part_count == Fact::kMaxParts)
      return fmt::format("a tuple has at most {} parts", Fact::kMaxParts);
    fact->parts[fact->part_count++] = part->result;
    if (comma == std::string_view::npos) return std::nullopt;
    parts = parts.substr(comma + 1);
  }
}

}  // namespace

std::optional<std::string> ApplyAnnotation(std::string_view annotation, Fact* fact) {
  std::string_view rest = Trim(annotation);
  constexpr std::string_view kTuple = "tuple[";
  if (rest.starts_with(kTuple) && rest.ends_with(']'))
    return ApplyTuple(rest.substr(kTuple.size(), rest.size() - kTuple.size() - 1), fact);
  while (rest.ends_with(']')) rest = Trim(rest.substr(0, rest.size() - 1));
  for (;;) {
    const std::size_t bracket = rest.find('[');
    const bool last = bracket == std::string_view::npos;
    if (auto error = ApplyWord(Trim(rest.substr(0, bracket)), last, fact)) return error;
    if (last) return std::nullopt;
    rest = rest.substr(bracket + 1);
  }
}

std::optional<Result> ResultOf(std::string_view word) {
  const ResultWord* found = Lookup(kResults, word);
  return found ? std::optional(found->result) : std::nullopt;
}

std::optional<std::uint32_t> EffectOf(std::string_view decorator) {
  const EffectWord* word = Lookup(kEffects, decorator);
  return word ? std::optional(word->effect) : std::nullopt;
}

std::optional<std::string> ApplyEvidence(std::string_view annotation, std::uint16_t* bits) {
  std::string_view rest = annotation;
  for (;;) {
    const std::size_t bar = rest.find('|');
    const std::string_view text = Trim(rest.substr(0, bar));
    const EvidenceWord* word = Lookup(kEvidenceWords, text);
    if (!word) return fmt::format("unknown kind of receiver {}", text);
    *bits = static_cast<std::uint16_t>(*bits | word->bits);
    if (bar == std::string_view::npos) return std::nullopt;
    rest = rest.substr(bar + 1);
  }
}

std::string_view NameOf(Result result) {
  constexpr std::string_view kNames[] = {
      "kUnknown", "kTensor", "kTensors", "kNumber",     "kModule",   "kOptimizer", "kScheduler",
      "kScaler",  "kLoader", "kDataset", "kHandle",     "kContext",  "kSelf",      "kArgument",
      "kElement", "kList",   "kDict",    "kSet",        "kDeque",    "kNone",      "kDistribution",
      "kWriter",  "kMetric", "kEngine",  "kParameters", "kArguments"};
  static_assert(std::size(kNames) == static_cast<std::size_t>(Result::kArguments) + 1);
  return kNames[static_cast<std::size_t>(result)];
}

std::string_view NameOf(Graph graph) {
  constexpr std::string_view kNames[] = {"kKeeps", "kDrops", "kMakes"};
  return kNames[static_cast<std::size_t>(graph)];
}

std::string_view NameOf(Residency residency) {
  constexpr std::string_view kNames[] = {"kKeeps", "kHost", "kDevice", "kArgument"};
  return kNames[static_cast<std::size_t>(residency)];
}

std::string_view NameOf(Size size) {
  constexpr std::string_view kNames[] = {"kUnknown", "kKeeps", "kScalar", "kSized"};
  return kNames[static_cast<std::size_t>(size)];
}

}  // namespace torchleak::facts::stubs
